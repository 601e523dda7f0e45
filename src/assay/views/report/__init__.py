"""Report on an evaluation: a self-contained HTML page to share with colleagues."""
