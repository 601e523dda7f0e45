"""TREC text: qrels (``topic iteration document grade``) and runs (``topic Q0 document rank score tag``).

Columns are separated by any number of blanks or tabs. Lines may end in CRLF. Blank lines and lines that begin with
``#`` are skipped, as in trec_eval 10. A ``#`` within a line belongs to its column.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from assay.errors import InputError
from assay.io.checks import check_rows
from assay.io.problems import Problems, format_value
from assay.io.table import RowTable
from assay.io.text import Layout, parse_rows, strip_bom
from assay.io.writing import write_file

if TYPE_CHECKING:
    import numpy as np

    from assay.io.checks import RowMask
    from assay.io.source import Source

_RUN = ("topic", "Q0", "doc", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "doc", "grade")
RUN = Layout(
    _RUN,
    "score",
    ("topic", "doc", "score", "tag"),
    kind="run",
)
RUN_WITH_RANK = replace(RUN, keep=("topic", "doc", "rank", "score", "tag"))
QRELS = Layout(_QRELS, "grade", ("topic", "doc", "grade"), kind="qrels")
_SEVERAL_ITERATIONS = (
    "; if column 2 is a subtopic, say --qrels-format subtopics; if it is a judge, say --qrels-format judges"
)
_MAX_EXACT = 2.0**53  # smaller whole numbers are exact as doubles and fit into a 64-bit integer
_SEPARATORS = re.compile(r"[\x00\t\n\v\f\r ]")
_LOST_AT_START = re.compile("^[#\ufeff]")  # a reader would skip these as a comment or as a byte order mark


def matches(_: Source) -> bool:
    """Match every file that no other format matches."""
    return True


def read_runs(
    source: Source, lenient: bool = False, rank: bool = True, allow_more: bool = False, evaluated: RowMask | None = None
) -> list[RowTable]:
    """Read the single run of the file; its rank column is read only if *rank* is True.

    With *allow_more*, columns after the tag are ignored, as in trec_eval; *evaluated* is as in ``check_rows``.
    """
    problems = Problems(source.path, lenient)
    text = strip_bom(source.data, source.path)
    layout = replace(RUN_WITH_RANK if rank else RUN, allow_more=allow_more)
    frame, locate = parse_rows(text, layout, source.path, problems)
    tag, notes = _find_tag(frame.drop_in_place("tag"), source.path)
    table = check_rows(
        frame, "run", locate, problems, tag=tag, digest=source.digest, notes=notes, complete=True, evaluated=evaluated
    )
    return [table]


def _find_tag(tags: pl.Series, source: str) -> tuple[str | None, list[str]]:
    """Return the tag of the last line, as in trec_eval, and a note if there are several tags."""
    if tags.is_empty():
        return None, []
    last = str(tags[-1])
    if (tags == last).all():
        return last, []
    return last, [f"{source}: contains {tags.n_unique()} different tags; the run is named after the last one, {last}"]


def read_qrels(source: Source, lenient: bool = False) -> RowTable:
    """Read the judgments of the file; the iteration column is ignored."""
    problems = Problems(source.path, lenient)
    text = strip_bom(source.data, source.path)
    frame, locate = parse_rows(text, QRELS, source.path, problems)

    def explain_duplicate(row: int, first: int) -> str:
        layout = replace(QRELS, keep=("topic", "iteration", "doc", "grade"))
        iteration = parse_rows(text, layout, source.path, Problems(source.path, lenient=True))[0]["iteration"]
        return _SEVERAL_ITERATIONS if iteration[row] != iteration[first] else ""

    return check_rows(
        frame,
        "qrels",
        locate,
        problems,
        digest=source.digest,
        complete=True,
        explain_duplicate=explain_duplicate,
    )


def write_qrels(path: str | Path, topic: pl.Series, doc: pl.Series, grade: np.ndarray) -> None:
    """Write judgments as TREC text; whole grades are written without a decimal point."""
    grades = pl.Series(grade)
    if ((grades == grades.round()) & (grades.abs() < _MAX_EXACT)).all():
        grades = grades.cast(pl.Int64)
    _write(path, pl.DataFrame({"topic": topic, "iteration": 0, "doc": doc, "grade": grades}))


def write_run(
    path: str | Path, topic: pl.Series, doc: pl.Series, *, rank: np.ndarray, score: np.ndarray, tag: str
) -> None:
    """Write a run as TREC text; scores have enough digits to be read back exactly."""
    if not tag or _SEPARATORS.search(tag):
        raise InputError(
            f"{path}: the name {format_value(tag)} cannot be a tag in TREC text; name the run without blanks"
        )
    columns = {"topic": topic, "q0": "Q0", "doc": doc, "rank": rank, "score": score, "tag": tag}
    _write(path, pl.DataFrame(columns))


def _write(path: str | Path, frame: pl.DataFrame) -> None:
    _refuse_ids(path, frame["doc"], "document", _SEPARATORS)
    _refuse_ids(path, frame["topic"], "topic", _SEPARATORS)
    _refuse_ids(path, frame["topic"], "topic", _LOST_AT_START)
    text = frame.write_csv(include_header=False, separator=" ", quote_style="never")
    write_file(path, text.encode())


def _refuse_ids(path: str | Path, ids: pl.Series, word: str, pattern: re.Pattern[str]) -> None:
    """Refuse ids that match *pattern*: they cannot be read back from TREC text.

    Ids from tables, dictionaries and BEIR files may contain such characters.
    """
    bad = ids.filter(ids.str.contains(pattern.pattern))
    if len(bad):
        raise InputError(f"{path}: the {word} id {format_value(bad[0])} cannot be written as TREC text; rename it")
