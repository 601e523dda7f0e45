"""TREC text: qrels (``topic iteration document grade``) and runs (``topic Q0 document rank score tag``).

Columns stand apart by any number of blanks or tabs; lines may end in CRLF; blank lines and lines whose
first character is ``#`` are passed over, as trec_eval 10 does. A ``#`` inside a line belongs to its column.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.io.checks import check_rows
from assay.io.problems import Problems, shown
from assay.io.table import RowTable
from assay.io.text import Layout, rows, without_bom
from assay.io.writing import write_file

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from assay.io.checks import Among
    from assay.io.source import Source

_RUN = ("topic", "Q0", "doc", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "doc", "grade")
RUN = Layout(
    _RUN, "score", ("topic", "doc", "score", "tag"), other=(len(_QRELS), "these look like judgments, not like a run")
)
RUN_WITH_RANK = replace(RUN, keep=("topic", "doc", "rank", "score", "tag"))
QRELS = Layout(
    _QRELS, "grade", ("topic", "doc", "grade"), other=(len(_RUN), "this looks like a run, not like judgments")
)
_EXACT = 2.0**53  # whole numbers up to here are exact as doubles and fit a 64-bit integer
_SEPARATORS = re.compile(r"[\x00\t\n\v\f\r ]")
_LOST_AT_START = re.compile("^[#\ufeff]")  # would read as a comment, as a byte order mark


def matches(_: Source) -> bool:
    """TREC text is what a file holds when nothing says otherwise."""
    return True


def runs(
    source: Source, lenient: bool = False, rank: bool = True, more: bool = False, among: Among | None = None
) -> list[RowTable]:
    """The one run of the file; its rank column is read only when *rank* is set.

    With *more*, columns after the tag are passed over, as trec_eval does; *among* is as in ``check_rows``.
    """
    problems = Problems(source.path, lenient)
    text = without_bom(source.data, source.path)
    layout = replace(RUN_WITH_RANK if rank else RUN, more=more)
    frame, where = rows(text, layout, source.path, problems)
    tag, notes = _tag(frame.drop_in_place("tag"), source.path)
    table = check_rows(
        frame, "run", where, problems, tag=tag, digest=source.digest, notes=notes, complete=True, among=among
    )
    return [table]


def _tag(tags: pl.Series, source: str) -> tuple[str | None, list[str]]:
    """The tag of the last line, as trec_eval takes it."""
    if tags.is_empty():
        return None, []
    last = str(tags[-1])
    if (tags == last).all():
        return last, []
    return last, [f"{source}: holds {tags.n_unique()} different tags; named by the last, {last}"]


def qrels(source: Source, lenient: bool = False) -> RowTable:
    """Judgments; the iteration column is not looked at."""
    problems = Problems(source.path, lenient)
    text = without_bom(source.data, source.path)
    frame, where = rows(text, QRELS, source.path, problems)
    return check_rows(frame, "qrels", where, problems, digest=source.digest, complete=True)


def write_qrels(path: str | Path, topic: pl.Series, doc: pl.Series, grade: np.ndarray) -> None:
    """Write judgments as TREC text."""
    import polars as pl

    grades = pl.Series(grade)
    if ((grades == grades.round()) & (grades.abs() < _EXACT)).all():
        grades = grades.cast(pl.Int64)
    _write(path, pl.DataFrame({"topic": topic, "iteration": 0, "doc": doc, "grade": grades}))


def write_run(
    path: str | Path, topic: pl.Series, doc: pl.Series, *, rank: np.ndarray, score: np.ndarray, tag: str
) -> None:
    """Write a run as TREC text; scores are written so that they read back the same."""
    import polars as pl

    if not tag or _SEPARATORS.search(tag):
        raise InputError(f"{path}: the name {shown(tag)} cannot be a tag in TREC text; name the run without blanks")
    columns = {"topic": topic, "q0": "Q0", "doc": doc, "rank": rank, "score": score, "tag": tag}
    _write(path, pl.DataFrame(columns))


def _write(path: str | Path, frame: pl.DataFrame) -> None:
    _refuse(path, frame["doc"], "document", _SEPARATORS)
    _refuse(path, frame["topic"], "topic", _SEPARATORS)
    _refuse(path, frame["topic"], "topic", _LOST_AT_START)
    text = frame.write_csv(include_header=False, separator=" ", quote_style="never")
    write_file(path, text.encode())


def _refuse(path: str | Path, ids: pl.Series, what: str, pattern: re.Pattern[str]) -> None:
    """Refuse ids that would not read back from TREC text (they come from tables, dictionaries and BEIR)."""
    bad = ids.filter(ids.str.contains(pattern.pattern))
    if len(bad):
        raise InputError(f"{path}: the {what} id {shown(bad[0])} cannot be written as TREC text; rename it")
