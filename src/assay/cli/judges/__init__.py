"""Examine judges of relevance: agreement, effect on conclusions, estimates from human and model judgments."""
