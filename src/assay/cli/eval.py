"""Evaluate runs by one or more measures, on average or per topic.

QRELS and runs are TREC text, CSV or TSV with a header, JSON, Parquet, or JSON Lines with the retrieved and relevant
documents of each query; --columns names other columns.

Runs may be larger than memory (--memory). --engine spark evaluates runs on a cluster and gives the same values.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from assay.cli._command import FACET_OPTIONS, POLICIES, Command
from assay.cli._option_names import flag_of
from assay.cli._output import check_output, emit, show_progress
from assay.cli._parameters import Option
from assay.cli._slicing import SLICING, WEIGHTING, choose_tables, requests_slices, slice_results
from assay.cli._standardize import STANDARDIZATION, check_standardize, standardize
from assay.cli._values import read_values, replace_values
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.results.results import Results

COMMAND = Command(
    "assay.evaluate",
    """\
  assay eval qrels.txt bm25.run dense.run.gz -m AP nDCG@10 'RBP(p=0.8)'
  assay eval qrels.txt runs/ -m AP --per-topic --format tsv -o ap.tsv
  assay eval qrels.txt 'runs/*.gz' -m ndcg_cut_10 -m P_5 --ties trec_eval-9
  zcat bm25.run.gz | assay eval qrels.txt - -m RR@10 --undefined exclude
  assay eval qrels.txt runs/ -m nDCG@10 --topics 401,402,403 --format latex --digits 3
  assay eval qrels.txt old=bm25.run new=dense.run -m nDCG@10
  assay eval clicks.csv ranking.csv -m RR --columns topic=query,doc=product_id,grade=clicks
  assay eval rag.jsonl rag.jsonl -m R@5
  assay eval qrels.txt bm25.run -m AP --standardize z --reference runs/
  assay eval qrels.txt runs/ -m AP --topics-table topics.csv --by category --by length:4
  assay eval qrels.txt runs/ -m nDCG@10 --topics-table topics.csv --weights frequency
  assay eval qrels.txt huge.run.gz --memory 1G --per-topic -o values.parquet
  assay eval qrels.txt runs.parquet/ --per-topic -o values --partition run
  assay eval --values bm25.eval dense.eval -m AP nDCG@10
  assay eval qrels.txt runs/ -m AP --engine spark --master 'local-cluster[2,1,1024]'
""",
    policies=(*POLICIES, "samples"),
    options={
        **STANDARDIZATION,
        **SLICING,
        **WEIGHTING,
        "engine": Option("NAME", "local, or spark to evaluate on a cluster", default="local"),
        "master": Option("URL", "with --engine spark: the cluster, such as spark://host:7077", default="local[*]"),
    },
    python_only=("runs",),
    partition=True,
    values=True,
    moved=dict.fromkeys(("--bounds", "--outside", "--no-tail"), "assay uncertainty bounds"),
)


def run(args: argparse.Namespace) -> None:
    """Evaluate the runs and print the results."""
    check_output(args, choose_tables(args, COMMAND.tables, COMMAND.slice_tables))
    engine = args.engine[-1] if args.engine else "local"
    if engine not in ("local", "spark"):
        raise InputError(f"--engine {engine}: choose local or spark")
    if args.master is not None and engine != "spark":
        raise InputError("--master needs --engine spark")
    if engine == "spark" and (args.memory is not None or args.temporary is not None):
        raise InputError("--memory and --temporary cannot be combined with --engine spark")
    if engine == "spark":
        _refuse_facet_options(args)
    if args.values is not None and engine == "spark":
        raise InputError("--values cannot be combined with --engine spark")
    check_standardize(args)
    by_engine = _evaluate_on_spark if engine == "spark" else _evaluate
    evaluate = partial(by_engine if args.values is None else _read_values, args)
    results = standardize(evaluate(args.values or args.runs), args, evaluate)
    emit(slice_results(results, args) if requests_slices(args) else results, args)


def _refuse_facet_options(args: argparse.Namespace) -> None:
    """Raise an error for options of facets, which cannot be evaluated on a cluster."""
    for name in FACET_OPTIONS:
        if getattr(args, name, None) is not None:
            raise InputError(f"{flag_of(name)} cannot be combined with --engine spark")


def _read_values(args: argparse.Namespace, files: list[str]) -> Results:
    measures = {"measures": COMMAND.parameters["measures"]}
    arguments = COMMAND.read_options(args, measures)
    reading = {name: default for name, default in COMMAND.parameters.items() if name not in measures}
    return read_values(replace_values(args, files), arguments, reading)


def _evaluate(args: argparse.Namespace, runs: list[str]) -> Results:
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    with show_progress("reading runs") as progress:
        results: Results = COMMAND.callable(args.qrels, runs, **arguments, progress=progress)
    return results


def _evaluate_on_spark(args: argparse.Namespace, runs: list[str]) -> Results:
    from assay.spark._evaluate_files import evaluate_files

    arguments = COMMAND.read_options(args, COMMAND.parameters)
    measures, topics = arguments.pop("measures", None), arguments.pop("topics", None)
    master = args.master[-1] if args.master else None
    results = evaluate_files(args.qrels, runs, measures, master=master, **arguments)
    return results if topics is None else results.select(topics=topics)
