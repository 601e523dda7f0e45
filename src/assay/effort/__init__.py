"""The effort that a ranking costs its user: indicators, archetypes of curves, effort against gain, single curves."""
