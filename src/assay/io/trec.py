"""TREC text: qrels (``topic iteration document grade``) and runs (``topic Q0 document rank score tag``).

Columns stand apart by any number of blanks or tabs; lines may end in CRLF; blank lines and lines whose
first character is ``#`` are passed over, as trec_eval 10 does. A ``#`` inside a line belongs to its column.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.io.checks import checked
from assay.io.problems import Problems
from assay.io.text import Layout, rows, without_bom
from assay.io.writing import whole

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from assay.io.source import Source
    from assay.io.table import Table

_RUN = ("topic", "Q0", "doc", "rank", "score", "tag")
RUN = Layout(_RUN, "score", ("topic", "doc", "score", "tag"))
RUN_WITH_RANK = Layout(_RUN, "score", ("topic", "doc", "rank", "score", "tag"))
QRELS = Layout(("topic", "iteration", "doc", "grade"), "grade", ("topic", "doc", "grade"))


def matches(source: Source) -> bool:
    """TREC text is what a file holds when nothing says otherwise."""
    return True


def runs(source: Source, lenient: bool = False, rank: bool = True) -> list[Table]:
    """The one run of the file; its rank column is read only when *rank* is set."""
    problems = Problems(source.path, lenient)
    text = without_bom(source.data, source.path)
    frame, where = rows(text, RUN_WITH_RANK if rank else RUN, source.path, problems)
    tag, notes = _tag(frame, source.path)
    frame = frame.rename({"score": "value"}).drop("tag")
    return [checked(frame, "run", where, problems, tag=tag, digest=source.digest, notes=notes)]


def _tag(frame: pl.DataFrame, source: str) -> tuple[str | None, list[str]]:
    """The tag of the last line, as trec_eval takes it."""
    if frame.is_empty():
        return None, []
    tags = frame["tag"]
    last = str(tags[-1])
    if (tags == last).all():
        return last, []
    return last, [f"{source}: holds {tags.n_unique()} different tags; named by the last, {last}"]


def qrels(source: Source, lenient: bool = False) -> Table:
    """Judgments; the iteration column is not looked at."""
    problems = Problems(source.path, lenient)
    text = without_bom(source.data, source.path)
    frame, where = rows(text, QRELS, source.path, problems)
    return checked(frame.rename({"grade": "value"}), "qrels", where, problems, digest=source.digest)


def write_qrels(path: str | Path, topic: pl.Series, doc: pl.Series, grade: np.ndarray) -> None:
    """Write judgments as TREC text."""
    import polars as pl

    whole_grades = pl.Series(grade)
    if (whole_grades == whole_grades.round()).all():
        whole_grades = whole_grades.cast(pl.Int64)
    frame = pl.DataFrame({"topic": topic, "iteration": 0, "doc": doc, "grade": whole_grades})
    _write(path, frame)


def write_run(path: str | Path, topic: pl.Series, doc: pl.Series, rank: np.ndarray, score: np.ndarray, tag: str) -> None:
    """Write a run as TREC text; scores are written so that they read back the same."""
    import polars as pl

    columns = {"topic": topic, "q0": "Q0", "doc": doc, "rank": rank, "score": score, "tag": tag}
    _write(path, pl.DataFrame(columns))


def _write(path: str | Path, frame: pl.DataFrame) -> None:
    text = frame.write_csv(include_header=False, separator=" ", quote_style="never")
    whole(path, text.encode())
