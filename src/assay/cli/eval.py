"""Evaluate runs with any measures, in the mean or topic by topic."""

from __future__ import annotations

import argparse

from assay.cli import _options

DEFAULT = ("AP", "nDCG@10", "P@10", "RR")
TASK = "values"
EXAMPLES = """\
  assay eval qrels.txt bm25.run dense.run.gz -m AP nDCG@10 'RBP(p=0.8)'
  assay eval qrels.txt runs/ -m AP --per-topic --format tsv -o ap.tsv
  assay eval qrels.txt 'runs/*.gz' -m ndcg_cut_10 -m P_5 --ties trec_eval-9
  zcat bm25.run.gz | assay eval qrels.txt - -m RR@10 --undefined exclude
  assay eval qrels.txt runs/ -m nDCG@10 --format latex --digits 3
  assay eval qrels.txt runs/ -m AP 'RBP(p=0.8)' --bounds --outside any
  assay eval qrels.txt runs/ -m AP --engine spark --master 'local-cluster[2,1,1024]'
  assay eval qrels.txt huge.run.gz --memory 1G --per-topic -o values.parquet
  assay eval qrels.txt runs.parquet/ --per-topic -o values --partition run
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
        help="with --bounds: assume nothing relevant beyond the end of a ranking (affects RBP, INSQ, INST)",
    )
    size = parser.add_argument_group("size")
    size.add_argument(
        "--memory",
        default=None,
        metavar="SIZE",
        help="use about this much memory, such as 1G; TREC text (also compressed) and Parquet may be larger, and the "
        "values are the same (default: half of the machine's memory)",
    )
    size.add_argument(
        "--temporary",
        default=None,
        metavar="DIR",
        help="directory for temporary files, needed when grades exceed the memory or topics are not in one place each "
        "(default: $TMPDIR)",
    )
    _engine(parser)
    _options.output(parser, per_topic=True, partition=True)


def _engine(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("engine")
    group.add_argument(
        "--engine", default="local", metavar="NAME", help="local (default), or spark for a cluster: the same values"
    )
    group.add_argument(
        "--master",
        default=None,
        metavar="URL",
        help="with --engine spark: the cluster, such as spark://host:7077 or local[4] (default: local[*])",
    )


def run(args: argparse.Namespace) -> None:
    """Evaluate and print."""
    if _on_spark(args):
        _spark(args)
        return
    if args.bounds:
        _bounds(args)
        return
    from assay.errors import InputError
    from assay.results._evaluate import evaluate
    from assay.views.evaluation import evaluation

    if args.outside is not None or args.no_tail:
        raise InputError("--outside and --no-tail need --bounds")
    with _options.progress("reading runs") as progress:
        results = evaluate(
            args.qrels,
            args.runs,
            args.measures or DEFAULT,
            memory=args.memory,
            temporary=args.temporary,
            progress=progress,
            **_options.reading_arguments(args),
        )
    _options.emit(evaluation(results, args.per_topic), args)


def _on_spark(args: argparse.Namespace) -> bool:
    from assay.errors import InputError

    if args.engine not in ("local", "spark"):
        raise InputError(f"--engine {args.engine!r}: choose local or spark")
    if args.master is not None and args.engine != "spark":
        raise InputError("--master names a Spark cluster; write --engine spark as well")
    if args.engine == "spark" and (args.bounds or args.outside is not None or args.no_tail):
        raise InputError("--bounds: not with --engine spark here; use assay.spark.bounds in Python")
    return bool(args.engine == "spark")


def _spark(args: argparse.Namespace) -> None:
    from assay.spark.files import evaluate_files
    from assay.views.evaluation import evaluation

    measures = args.measures or DEFAULT
    results = evaluate_files(args.qrels, args.runs, measures, master=args.master, **_options.reading_arguments(args))
    _options.emit(evaluation(results, args.per_topic), args)


def _bounds(args: argparse.Namespace) -> None:
    from assay.errors import PolicyError
    from assay.uncertainty.bounding import bounds
    from assay.views.bounds import bounds_table

    if args.memory is not None or args.temporary is not None:
        raise PolicyError("--bounds cannot be combined with --memory or --temporary")
    with _options.progress("reading runs and bounding values") as progress:
        campaign = _options.read_campaign(args, progress)
        report = bounds(
            campaign,
            args.measures or DEFAULT,
            outside=args.outside or "none",
            tail=not args.no_tail,
            progress=progress,
        )
    _options.emit(bounds_table(report, args.per_topic), args)
