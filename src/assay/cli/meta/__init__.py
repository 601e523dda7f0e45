"""Evaluate measures on a collection: agreement, robustness, discriminative power, pool depth."""
