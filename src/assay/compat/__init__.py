"""Compatibility with other tools: the interfaces of trec_eval and pytrec_eval."""
