"""Analyse measures formally: the partial order of rankings, axioms, top-heaviness."""
