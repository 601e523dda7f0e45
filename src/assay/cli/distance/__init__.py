"""Compare rankings with each other: maximized effectiveness distance, rank-biased overlap."""
