"""trec_eval 10 and 9.0.8: their options, file formats, measures and printed output."""
