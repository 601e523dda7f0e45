"""Options --values and others of the commands that can use values that another tool computed."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.cli._option_names import typed_flag
from assay.cli._parameters import OPTIONS, Option, read_list, read_words
from assay.errors import AssayError, InputError

if TYPE_CHECKING:
    from assay.results.results import Results

VALUES = Option(
    "FILE",
    "values of topics instead of QRELS and runs: trec_eval -q, ir_measures -q, CSV, TSV, JSON, Parquet, MTEB; "
    "NAME=FILE names the run",
    read_list,
)
READING = {
    "values_format": Option("NAME", "format of the values, such as trec_eval or ir_measures", default="by content"),
    "lower": Option("MEASURE", "lower values are better; for measures that assay does not know", read_words),
    "higher": Option("MEASURE", "higher values are better; for measures that assay does not know", read_words),
    "split": Option("NAME", "split of MTEB results", default="test or the only one"),
    "unit": Option("WHAT", "of MTEB results: task makes each task a topic"),
    "mix": Option("", "allow values of one measure from several formats"),
    "keep_all": Option("", "keep 'all' as a topic of a table"),
}
"""Options that are parameters of ``assay.Results.read``."""
_SHARED = ("topics", "missing", "lenient")
"""Options of reading runs that also apply to values."""


def accepts_results(annotation: object) -> bool:
    """Return True if the annotation of a parameter contains ``Results``."""
    return "Results" in [part.strip() for part in str(annotation).split("|")]


def read_values(args: argparse.Namespace, arguments: Mapping[str, Any], reading: Mapping[str, Any]) -> Results:
    """Read the values that --values names.

    Parameters
    ----------
    args
        The parsed arguments.
    arguments
        The arguments of the function; its measures are the ones to read.
    reading
        Options of reading runs, with their defaults. Options that do not apply to values are an error.
    """
    from assay.results.results import Results

    for name, default in reading.items():
        if name not in _SHARED and getattr(args, name, None) not in (None, default):
            raise InputError(f"{typed_flag(name)} applies to runs and judgments; omit it, or omit --values")
    options: dict[str, Any] = {
        name.removeprefix("values_"): value if isinstance(value, bool) else option.read(typed_flag(name), value)
        for name, option in READING.items()
        if (value := getattr(args, name, None)) and name not in arguments
    }
    if args.missing is not None:
        options["missing"] = OPTIONS["missing"].read("--missing", args.missing)
    try:
        results = Results.read(
            [_split_name(text) for text in args.values],
            measures=_select_measures(arguments),
            lenient=args.lenient,
            **options,
        )
    except AssayError as error:
        # On the command line, --format is the format of the output.
        error.args = (str(error).replace("format '", "values_format '"), *error.args[1:])
        raise
    topics = getattr(args, "topics", None)
    return results if topics is None or "topics" in arguments else results.select(topics=read_words("--topics", topics))


def replace_values(args: argparse.Namespace, files: list[str]) -> argparse.Namespace:
    """Return the arguments with other files of values."""
    return argparse.Namespace(**{**vars(args), "values": files})


def _split_name(text: str) -> Any:
    """Return a file, or a dict with the name of its run for ``NAME=FILE``."""
    from assay.io.source import split_name

    name, file = split_name(text)
    return text if name is None else {name: file}


def _select_measures(arguments: Mapping[str, Any]) -> list[Any] | None:
    """Return the measures that the function uses; None if it uses all."""
    names = ("measures", "measure", "rows")
    if not any(name in arguments for name in names[:2]):
        return None
    given = [arguments[name] for name in names if name in arguments]
    return [one for item in given for one in ([item] if isinstance(item, str) else item)]
