"""Judgments with facets in TREC text: subtopics, judges, groups, sampling probabilities and strata.

Several of these formats have the same number of columns, so the user names the format. Blank lines and lines that begin
with ``#`` are skipped, as in all TREC text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.checks import check_rows, select_rows
from assay.io.columns import FACET_NAMES, list_names
from assay.io.problems import Problems, format_value
from assay.io.text import Layout, parse_rows, strip_bom

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.io.source import Source
    from assay.io.table import RowTable

_SUBTOPICS = ("topic", "subtopic", "doc", "grade")
_JUDGES = ("topic", "judge", "doc", "grade")
_GROUPS = ("topic", "groups", "doc", "grade")
_PRELS = ("topic", "doc", "grade", "method", "probability")
_STRATA = ("topic", "iteration", "doc", "stratum", "grade")
LAYOUTS = {
    "subtopics": Layout(_SUBTOPICS, "grade", _SUBTOPICS),
    "judges": Layout(_JUDGES, "grade", _JUDGES),
    "groups": Layout(_GROUPS, "grade", _GROUPS),
    "prels": Layout(_PRELS, "grade", _PRELS),
    "strata": Layout(_STRATA, "grade", ("topic", "doc", "stratum", "grade")),
}
MEANINGS = {
    "subtopics": "grade of the document for a subtopic; a grade may begin with L, as those of NTCIR",
    "judges": "grade by one of several judges",
    "groups": "groups of the document, separated by a bar or a comma; -1 for none",
    "prels": "grade with the probability of being judged; methods 0 and 2 choose documents with certainty",
    "strata": "grade in a stratum of the pool; grade -1 for documents that were not sampled",
}
"""The meaning of the lines of each layout."""
FORMATS = ("qrels", *LAYOUTS)
"""Names of the formats of judgments: plain qrels, and those with facets."""
FACET_OF = {
    "subtopics": "subtopic",
    "judges": "judge",
    "groups": "groups",
    "prels": "probability",
    "strata": "stratum",
}
"""The facet of each format: a column of tables in this format."""
_NTCIR_GRADE = re.compile(rb"(?m)([ \t])L(\d+[ \t\r]*)$")
_CERTAIN = ("0", "2")  # methods of prels that choose documents with certainty: by MTC, and by both methods
_NOT_JUDGED = -999
_HEAD = 4096  # bytes


def read(source: Source, layout: str, lenient: bool = False) -> RowTable:
    """Read judgments in one of the LAYOUTS."""
    problems = Problems(source.path, lenient)
    text = strip_bom(source.data, source.path)
    if layout == "subtopics" and _NTCIR_GRADE.search(text[:_HEAD]):
        text = _NTCIR_GRADE.sub(rb"\1\2", text)
    parsed, locate_line = parse_rows(text, LAYOUTS[layout], source.path, problems)
    frame, locate, notes = convert_facets(parsed, locate_line, problems)
    return check_rows(frame, "qrels", locate, problems, digest=source.digest, notes=notes, complete=True)


def require_facet(names: Sequence[str], columns: Sequence[str], layout: str, label: str) -> None:
    """Raise an error if a table, read as *layout*, lacks the column of its facet; *names* are the columns read."""
    facet = FACET_OF.get(layout)
    if facet is not None and facet not in names:
        accepted = ", ".join(FACET_NAMES[facet])
        raise InputError(
            f"{label}: no column for the {facet} among {list_names(columns)}; name it one of {accepted}, or write "
            f"columns '{facet}=NAME'"
        )


def convert_facets(
    frame: pl.DataFrame, locate: Callable[[int], str], problems: Problems
) -> tuple[pl.DataFrame, Callable[[int], str], tuple[str, ...]]:
    """Return rows with facets of the right type, their places, and notes on rows that were passed over.

    Facets that are text must not be empty. A probability must be above 0 and at most 1.
    """
    for name in ("subtopic", "judge", "stratum"):
        if name in frame.columns:
            missing = (frame[name].is_null() | (frame[name] == "")).to_numpy()
            _report(missing, locate, problems, f"the {name} is missing", f"skipped rows without a {name}")
            frame, locate = select_rows(frame, locate, ~missing)
    notes: tuple[str, ...] = ()
    if "groups" in frame.columns:
        groups = frame["groups"].str.replace_all(",", "|", literal=True).str.split("|")
        frame = frame.with_columns(groups=groups.list.eval(pl.element().filter(~pl.element().is_in(["", "-1"]))))
    if "probability" in frame.columns:
        if "method" in frame.columns:
            frame, locate, notes = _select_judged(frame, locate, problems)
        texts = frame["probability"]
        value = texts.cast(pl.Float64, strict=False)
        invalid = ~((value > 0) & (value <= 1)).fill_null(False).to_numpy()
        first = int(invalid.argmax()) if invalid.any() else 0
        message = f"the probability must be above 0 and at most 1, found {format_value(texts[first])}"
        frame = frame.with_columns(probability=value)
        _report(invalid, locate, problems, message, "skipped rows with an invalid probability")
        frame, locate = select_rows(frame, locate, ~invalid)
    return frame, locate, notes


def _select_judged(
    frame: pl.DataFrame, locate: Callable[[int], str], problems: Problems
) -> tuple[pl.DataFrame, Callable[[int], str], tuple[str, ...]]:
    """Return the judged rows of prels, with probability 1 for documents that were chosen with certainty."""
    value = frame["probability"].cast(pl.Float64, strict=False)
    is_text = value.is_null() & (frame["probability"].str.to_uppercase() != "NA")
    outside = ((value < 0) | (value > 1) | (value.is_null() & ~is_text)).fill_null(False)
    keep = (~outside & (frame["value"] != _NOT_JUDGED)).to_numpy()
    probability = pl.when(pl.col("method").is_in(_CERTAIN)).then(pl.lit("1")).otherwise(pl.col("probability"))
    selected, locate = select_rows(frame.with_columns(probability=probability), locate, keep)
    if selected.is_empty():
        problems.refuse_empty("judgments")
    passed_over = len(frame) - len(selected)
    text = f"{problems.source}: ignored judgments with grade -999 or a probability of NA or outside 0 to 1"
    return selected, locate, (f"{text}: {passed_over}",) if passed_over else ()


def _report(bad: np.ndarray, locate: Callable[[int], str], problems: Problems, message: str, action: str) -> None:
    """Report the rows of a mask as problems of one kind; *message* describes the first."""
    if bad.any():
        problems.report(locate(int(bad.argmax())), message, action, int(bad.sum()))
