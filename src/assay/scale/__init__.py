"""Evaluation on many machines."""
