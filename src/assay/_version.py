"""The version, in a module of its own so that reading it loads nothing."""

VERSION = "0.1.0"
