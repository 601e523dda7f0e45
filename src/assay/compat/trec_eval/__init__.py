"""trec_eval 10: its formats, its measures under its names, and what it prints."""
