"""What a ranking costs its user: indicators, archetypes of curves, effort against gain, one curve in full."""
