"""Comparing systems: significance tests, corrections, effect sizes, equivalence, numbers of topics."""
