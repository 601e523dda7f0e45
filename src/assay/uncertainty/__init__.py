"""Uncertainty from missing judgments and ties: bounds, residuals, judging depth, documents to judge next, ties."""
