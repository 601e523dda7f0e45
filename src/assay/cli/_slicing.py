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


def choose_tables(args: argparse.Namespace, tables: dict[str, str], slice_tables: dict[str, str]) -> dict[str, str]:
    """Check the options before runs are read, and return the tables: *slice_tables* if slices are requested."""
    if not slice_tables:
        return tables
    requested = [name for name in ("by", "weights") if getattr(args, name, None) is not None]
    if requested and args.topics_table is None:
        raise InputError(f"--{requested[0]} needs --topics-table FILE")
    if args.topics_table is not None and not requested:
        raise InputError("--topics-table needs --by COLUMN")
    show = getattr(args, "show", None)
    if show in slice_tables and show not in tables and not requested:
        raise InputError(f"--show {show} needs --topics-table FILE and --by COLUMN")
    if getattr(args, "min_topics", None) is not None and not requested:
        raise InputError("--min-topics needs --topics-table FILE and --by COLUMN")
    if requested and getattr(args, "partition", None) is not None:
        raise InputError("--partition cannot be combined with --by or --weights")
    output = getattr(args, "output", None)
    paths = [output, args.topics_table and args.topics_table[-1]]
    if all(paths) and os.path.realpath(paths[0]) == os.path.realpath(paths[1]):
        raise InputError(f"-o {output}: would overwrite an input; choose another file")
    return slice_tables if requested else tables


def requests_slices(args: argparse.Namespace) -> bool:
    """Return True if the options request slices or weights."""
    return getattr(args, "topics_table", None) is not None


def slice_results(results: Results, args: argparse.Namespace) -> SlicedResults:
    """Divide the topics of results as the options request."""
    weights: Any = getattr(args, "weights", None)
    return results.by(args.topics_table[-1], args.by or (), weights=None if weights is None else weights[-1])
