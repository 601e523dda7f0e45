"""Options --topics-table, --by and --weights of the commands that show slices of topics."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from assay.cli._parameters import Option, read_list
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.results.results import Results
    from assay.results.sliced_results import SlicedResults

SLICING = {
    "topics_table": Option(
        "FILE", "attributes of topics: CSV, TSV, JSON Lines or Parquet with a column for the topic, such as qid"
    ),
    "by": Option(
        "COLUMN",
        "with --topics-table: divide the topics into slices by this column; may be repeated. Numbers are cut at edges "
        "(length:5,10) or into groups of about equal size (length:4)",
        read_list,
    ),
}
WEIGHTING = {
    "weights": Option(
        "COLUMN",
        "with --topics-table: weight the topics by this column, such as the number of users who asked the query",
    )
}


def check_slicing(args: argparse.Namespace) -> None:
    """Raise an error for options that need or exclude slices, before runs are read."""
    requested = [name for name in ("by", "weights") if getattr(args, name, None) is not None]
    if requested and args.topics_table is None:
        raise InputError(f"--{requested[0]} needs --topics-table FILE")
    if args.topics_table is not None and not requested:
        raise InputError("--topics-table needs --by COLUMN")
    if getattr(args, "min_topics", None) is not None and not requested:
        raise InputError("--min-topics needs --topics-table FILE and --by COLUMN")
    if requested and getattr(args, "partition", None) is not None:
        raise InputError("--partition cannot be combined with --by or --weights")
    paths = [getattr(args, "output", None), args.topics_table and args.topics_table[-1]]
    if all(paths) and os.path.realpath(paths[0]) == os.path.realpath(paths[1]):
        raise InputError(f"-o {paths[0]}: would overwrite an input; choose another file")


def choose_tables(args: argparse.Namespace, tables: dict[str, str], slice_tables: dict[str, str]) -> dict[str, str]:
    """Check the options, and return the available tables: *slice_tables* if slices are requested."""
    if not slice_tables:
        return tables
    check_slicing(args)
    if requests_slices(args):
        return slice_tables
    if args.show in slice_tables and args.show not in tables:
        raise InputError(f"--show {args.show} needs --topics-table FILE and --by COLUMN")
    return tables


def requests_slices(args: argparse.Namespace) -> bool:
    """Return True if the options request slices or weights."""
    return getattr(args, "topics_table", None) is not None


def slice_results(results: Results, args: argparse.Namespace) -> SlicedResults:
    """Divide the topics of results as the options request."""
    weights: Any = getattr(args, "weights", None)
    return results.by(args.topics_table[-1], args.by or (), weights=None if weights is None else weights[-1])
