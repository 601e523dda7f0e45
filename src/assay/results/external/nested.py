"""Nested dicts: pytrec_eval (topic, measure, value) and ranx (measure, topic, value), for one or several runs."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.io.dicts import describe_value, to_text_column
from assay.measures._trec_eval import TEXTS
from assay.results.external.cells import Cells, parse_values, take_rows
from assay.results.external.measures import is_known_name

COLUMNS = {"pytrec_eval": ("topic", "measure"), "ranx": ("measure", "topic")}
"""Levels of each format, from the outside."""


def read_dict(
    values: Mapping[Any, Any], run: str, source: str, origin: str | None = None, digest: str | None = None
) -> Cells:
    """Read a dict of two levels for one run called *run*, or of three levels, of which the outer one names the runs."""
    if {"metrics", "model_names"} <= values.keys():
        raise InputError(f"{source}: a ranx report contains means only; write the scores of each run (run.scores)")
    has_runs = _measure_depth(values, source) == 3
    runs = values if has_runs else {run: values}
    for name, outer in runs.items():
        if has_runs and _is_empty(outer):
            raise InputError(f"{source}: run {name!r} has no values; remove it")
    rows = [
        (name, first, second, value)
        for name, outer in runs.items()
        for first, inner in _check_mapping(outer, f"{source}, run {name!r}" if has_runs else source)
        for second, value in _check_mapping(inner, f"{source}, {first!r}")
    ]
    if not rows:
        raise InputError(f"{source}: contains no values")
    names, first, second, numbers = zip(*rows, strict=True)

    def locate(row: int) -> str:
        return ", ".join([source, *(repr(key) for key in rows[row][0 if has_runs else 1 : 3])])

    levels = [to_text_column(level, "topic", locate) for level in (first, second)]
    origin = origin or detect_levels(levels[0].unique().to_list(), levels[1].unique().to_list(), source)
    columns = dict(zip(COLUMNS[origin], levels, strict=True))
    frame = pl.DataFrame(
        {
            "run": to_text_column(names, "run", locate),
            "topic": columns["topic"],
            "measure": columns["measure"],
            "value": parse_values(pl.Series(_check_numbers(numbers, locate), dtype=pl.Float64), locate),
        }
    )
    # pytrec_eval returns numbers without a meaning for the texts of trec_eval.
    is_text = frame["measure"].is_in(list(TEXTS))
    numeric, locate_numeric = take_rows(_undo_logarithms(frame, origin), locate, ~is_text)
    return Cells(numeric, origin, source, digest, locate_numeric, texts=int(is_text.sum()), one_run=not has_runs)


def _measure_depth(values: Mapping[Any, Any], source: str) -> int:
    """Return the number of levels: 2 or 3."""
    depth, level = 0, values
    while isinstance(level, Mapping) and level:
        # An empty dict, such as that of a topic without values, does not show the depth.
        depth, level = depth + 1, next((item for item in level.values() if not _is_empty(item)), {})
    if depth == 1 and not isinstance(level, Real | str | type(None) | Mapping):
        raise InputError(f"{source}: contains arrays without topic ids; use the scores of a ranx run (run.scores)")
    if depth not in (2, 3):
        raise InputError(
            f"{source}: expected {{topic: {{measure: value}}}}, {{measure: {{topic: value}}}}, or either of them for "
            f"each run, got a dict of {depth} level{'s' * (depth != 1)}"
        )
    return depth


def _is_empty(item: object) -> bool:
    return isinstance(item, Mapping) and not item


def _check_mapping(level: Any, place: str) -> Any:
    if not isinstance(level, Mapping):
        raise InputError(f"{place}: expected a dict, got {describe_value(level)}")
    return level.items()


def _check_numbers(values: tuple[Any, ...], locate: Any) -> list[float | None]:
    """Return numbers; None and NaN are missing values."""
    for kind in set(map(type, values)):
        if kind is bool or not issubclass(kind, Real | type(None)):
            row = next(row for row, value in enumerate(values) if type(value) is kind)
            raise InputError(f"{locate(row)}: the value must be a number, got {describe_value(values[row])}")
    return [None if value is None else float(value) for value in values]


def detect_levels(outer: list[str], inner: list[str], source: str) -> str:
    """Return the format: measures are the inner level of pytrec_eval and the outer level of ranx."""
    in_outer, in_inner = any(map(is_known_name, outer)), any(map(is_known_name, inner))
    if in_outer == in_inner:
        levels = "both levels" if in_outer else "neither level"
        raise InputError(
            f"{source}: {levels} of the dict contain names of measures; choose format 'pytrec_eval' "
            "({topic: {measure: value}}) or 'ranx' ({measure: {topic: value}})"
        )
    return "ranx" if in_outer else "pytrec_eval"


def _undo_logarithms(frame: pl.DataFrame, origin: str) -> pl.DataFrame:
    """Replace the logarithms that pytrec_eval returns for ``gm_map`` and ``gm_bpref`` by the values."""
    if origin != "pytrec_eval":
        return frame
    is_logarithm = pl.col("measure").is_in(["gm_map", "gm_bpref"])
    return frame.with_columns(pl.when(is_logarithm).then(pl.col("value").exp()).otherwise("value").alias("value"))
