"""Measure what missing judgments and ties leave open: bounds, residuals, documents to judge next."""
