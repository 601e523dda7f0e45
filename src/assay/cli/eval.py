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
  assay eval qrels.txt runs/ -m AP 'RBP(p=0.8)' --bounds --outside any
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    _options.measures(parser, " ".join(DEFAULT))
    _options.policies(parser)
    group = parser.add_argument_group("bounds")
    group.add_argument(
        "--bounds",
        action="store_true",
        help="show the smallest and the largest value that unjudged documents allow, and the share that is judged",
    )
    group.add_argument(
        "--outside",
        default=None,
        metavar="MANY",
        help="with --bounds: how many more relevant documents a ranking may lack: none (default), a number, any",
    )
    group.add_argument(
        "--no-tail",
        action="store_true",
        help="with --bounds: nothing is to be found behind the end of a ranking (matters to RBP and its like)",
    )
    _options.output(parser, per_topic=True)


def run(args: argparse.Namespace) -> None:
    """Evaluate and print."""
    if args.bounds:
        _bounds(args)
        return
    from assay.errors import InputError
    from assay.evaluation import evaluate
    from assay.views.evaluation import evaluation

    if args.outside is not None or args.no_tail:
        raise InputError("--outside and --no-tail are about bounds; write --bounds as well")
    with _options.progress("reading runs") as progress:
        measures = args.measures or DEFAULT
        results = evaluate(args.qrels, args.runs, measures, progress=progress, **_options.policy_arguments(args))
    _options.emit(evaluation(results, args.per_topic), args)


def _bounds(args: argparse.Namespace) -> None:
    from assay.analyses.uncertainty.bounding import bounds
    from assay.errors import PolicyError
    from assay.views.bounds import bounds_table

    given = _options.policy_arguments(args)
    if given["unjudged"] != "nonrelevant":
        raise PolicyError("--unjudged condensed: bounds are about what unjudged documents may be; leave it away")
    chosen = {name: given[name] for name in ("ties", "topics", "undefined", "lenient")}
    with _options.progress("reading runs and bounding values") as progress:
        found = bounds(
            args.qrels,
            args.runs,
            args.measures or DEFAULT,
            outside=args.outside or "none",
            tail=not args.no_tail,
            progress=progress,
            **chosen,
        )
    _options.emit(bounds_table(found, args.per_topic), args)
