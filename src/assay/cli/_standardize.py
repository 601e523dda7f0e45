"""Options --standardize and --reference of the commands that evaluate, compare and rank runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from glob import glob
from typing import TYPE_CHECKING, Any

from assay.cli._parameters import Option, read_list
from assay.errors import InputError, suggestion

if TYPE_CHECKING:
    from assay.results.results import Results

STANDARDIZATION = {
    "standardize": Option(
        "HOW", "standardize the values of each topic: z (z-scores), Phi (normal distribution of z), AB or U"
    ),
    "reference": Option(
        "RUN",
        "with --standardize: a reference run, by name, or files or a directory to read; may be repeated",
        read_list,
        default="all runs",
    ),
}


def check_standardize(args: argparse.Namespace) -> None:
    """Raise an error for invalid options before runs are read."""
    from assay.results.standardization import parse_method

    if args.standardize is not None:
        parse_method(args.standardize[-1])
    elif args.reference is not None:
        raise InputError("--reference needs --standardize, such as --standardize z")


def standardize(results: Results, args: argparse.Namespace, evaluate: Callable[[list[str]], Results]) -> Results:
    """Standardize results as the options of the command request; *evaluate* reads and evaluates reference runs."""
    if args.standardize is None:
        return results
    return results.standardize(args.standardize[-1], _find_reference(results, args, evaluate))


def _find_reference(results: Results, args: argparse.Namespace, evaluate: Callable[[list[str]], Results]) -> Any:
    """Return the reference runs: None, names of runs that are evaluated anyway, or the results of other runs."""
    if args.reference is None:
        if len(results.runs) < 2:
            raise InputError("--standardize: one run has no reference; add runs, or --reference with files of runs")
        return None
    names = [_find_runs(results, text) for text in args.reference]
    if all(names):
        return [name for matching in names for name in matching]
    if any(names):
        named = next(text for text, matching in zip(args.reference, names, strict=True) if matching)
        raise InputError(
            f"--reference {named}: is among the runs; name only runs that are evaluated, or only other files"
        )
    for text in args.reference:
        if not glob(text):
            raise InputError(f"--reference {text}: there is no such run or file{suggestion(text, results.runs)}")
    if args.values is None and args.qrels == "-":
        raise InputError("--reference: other runs cannot be read if the judgments are read from standard input")
    return evaluate(args.reference)


def _find_runs(results: Results, text: str) -> list[str]:
    """Return the evaluated run with this name, or the evaluated runs that were read from this file."""
    if text in results.runs:
        return [text]
    from assay.model.provenance import RUN_ROLES

    inputs = results.provenance.inputs
    return [run.name for run in inputs if run.role in RUN_ROLES and run.source == text and run.name in results.runs]
