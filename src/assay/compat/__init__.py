"""Compatibility with other tools: interfaces of trec_eval and pytrec_eval, and a provider for ir_measures."""
