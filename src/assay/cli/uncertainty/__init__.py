"""Measure the uncertainty from missing judgments and ties: bounds, residuals, documents to judge next."""
