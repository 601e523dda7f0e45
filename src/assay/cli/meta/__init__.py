"""Examine measures on a collection: agreement, robustness, discriminative power, pools."""
