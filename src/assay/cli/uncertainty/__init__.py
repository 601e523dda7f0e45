"""Measure the uncertainty due to missing judgments and ties: bounds, residuals, documents to judge next."""
