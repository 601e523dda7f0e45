"""The order of a run's documents: where the tie policy is applied, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from assay.model.run import Run


def order(run: Run, topic: np.ndarray, code: np.ndarray, ties: str) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The order of the rows of *run* by topic and rank, and which rows tie with the row before them.

    *code* tells the grades of the rows: tied documents of one grade may stand in any order, so only groups with
    different grades are put in order. The order is None when the rows stand in it already; the ties are None unless
    *ties* is ``expected`` (the order then fixes what a seed draws).
    """
    if ties == "file":
        return _sorted(topic, None), None
    if ties == "rank":
        return _sorted(topic, run.rank), None
    score = run.score
    if ties == "trec_eval-9":
        with np.errstate(over="ignore"):
            score = score.astype(np.float32)
    rows = _sorted(topic, score, descending=True)
    tied = _tied(_taken(topic, rows), _taken(score, rows))
    rows = _by_document(run.doc, rows, tied, _taken(code, rows))
    return rows, tied if ties == "expected" else None


def _taken(values: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    return values if rows is None else values[rows]


def _sorted(topic: np.ndarray, within: np.ndarray | None, descending: bool = False) -> np.ndarray | None:
    """A stable order by topic and then by *within*; None when the rows have it already."""
    first = np.flatnonzero(np.diff(topic, prepend=-2))
    if within is None or _in_order(first, within, descending):
        blocks = topic[first]
        if (blocks[1:] > blocks[:-1]).all():
            return None
        if within is None or len(np.unique(blocks)) == len(blocks):
            return _blocks(first, blocks, len(topic))
    return np.lexsort((-within if descending else within, topic))


def _in_order(first: np.ndarray, within: np.ndarray, descending: bool) -> bool:
    """Whether the rows are in order within each block of rows of one topic; *first* are the starts of the blocks."""
    fits = within[1:] <= within[:-1] if descending else within[1:] >= within[:-1]
    fits[first[1:] - 1] = True
    return bool(fits.all())


def _blocks(first: np.ndarray, topic: np.ndarray, rows: int) -> np.ndarray:
    """The order that puts whole blocks of rows in the order of their topics: no row is compared with another."""
    order = np.argsort(topic, kind="stable")
    length = np.diff(first, append=rows)[order]
    start = np.cumsum(length) - length
    return np.repeat(first[order] - start, length) + np.arange(rows)


def _tied(topic: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Which rows have the topic and the score of the row before them."""
    tied = np.zeros(len(topic), dtype=bool)
    np.logical_and(topic[1:] == topic[:-1], score[1:] == score[:-1], out=tied[1:])
    return tied


def _by_document(doc: pl.Series, rows: np.ndarray | None, tied: np.ndarray, code: np.ndarray) -> np.ndarray | None:
    """Order tied documents of different grades by descending id (byte order, as ``strcmp``)."""
    differs = tied[1:] & (code[1:] != code[:-1])
    if not differs.any():
        return rows
    group = np.cumsum(~tied)
    mixed = np.zeros(group[-1] + 1, dtype=bool)
    mixed[group[1:][differs]] = True
    place = np.flatnonzero(mixed[group])
    rows = np.arange(len(tied)) if rows is None else rows
    docs = pl.DataFrame({"group": group[place], "doc": doc.gather(rows[place])})
    by_id = docs.select(pl.arg_sort_by("group", "doc", descending=[False, True])).to_series().to_numpy()
    rows[place] = rows[place[by_id]]
    return rows
