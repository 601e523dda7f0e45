"""The formal framework: the order on runs, the axioms of measurement, the balancing index."""
