"""Examine measures formally: the order on runs, axioms, top-heaviness."""
