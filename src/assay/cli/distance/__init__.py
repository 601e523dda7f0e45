"""Compare rankings with each other: maximized effectiveness distance (MED) and rank-biased overlap (RBO)."""
