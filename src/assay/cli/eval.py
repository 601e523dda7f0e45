"""Evaluate runs with any measures, in the mean or topic by topic."""

from __future__ import annotations

import argparse

from assay.cli import _options

DEFAULT = ("AP", "nDCG@10", "P@10", "RR")
EXAMPLES = """\
  assay eval qrels.txt bm25.run dense.run.gz -m AP nDCG@10 'RBP(p=0.8)'
  assay eval qrels.txt runs/ -m AP --per-topic --format tsv -o ap.tsv
  assay eval qrels.txt 'runs/*.gz' -m ndcg_cut_10 -m P_5 --ties trec_eval-9
  zcat bm25.run.gz | assay eval qrels.txt - -m RR@10 --undefined exclude
  assay eval qrels.txt runs/ -m nDCG@10 --format latex --digits 3
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    _options.policies(parser)
    _options.output(parser, per_topic=True)


def run(args: argparse.Namespace) -> None:
    """Evaluate and print."""
    from assay.evaluation import evaluate
    from assay.views.evaluation import evaluation

    with _options.progress("reading runs") as progress:
        measures = args.measures or DEFAULT
        results = evaluate(args.qrels, args.runs, measures, progress=progress, **_options.policy_arguments(args))
    _options.emit(evaluation(results, args.per_topic), args)
