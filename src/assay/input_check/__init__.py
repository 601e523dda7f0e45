"""Check of input files: problems, answers to standard questions about them, and the function ``assay.check``."""
