"""Regression gate: decide whether a candidate loses more than a tolerated amount against a baseline."""
