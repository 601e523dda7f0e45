"""Judging measures: how they agree, how robust they are, how well they tell systems apart."""
