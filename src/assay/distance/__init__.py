"""Distances between rankings: MED, rank-biased overlap, rank correlation."""
