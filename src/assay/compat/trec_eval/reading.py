"""Judgments and runs as trec_eval reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.compat.trec_eval.parameters import cut_notes
from assay.engine.sources import IRDS, as_qrels
from assay.io import files, parquet_dataset, trec
from assay.io import source as sources
from assay.io.table import RowTable
from assay.io.text import BOM
from assay.model.notes import pluralize
from assay.model.qrels import Qrels

if TYPE_CHECKING:
    from assay.compat.trec_eval.options import TrecEvalOptions
    from assay.compat.trec_eval.selection import Item
    from assay.io.source import Source
    from assay.model.arrays import Bools

# The grade is the last column of a line; the letter comes first in the pattern because that is fast to search.
_EXPONENT = re.compile(rb"[eE](?<=[\d.].)[+-]?\d+(?=[ \t\r\v\f]*$)", re.MULTILINE)


def read_qrels(path: str) -> Qrels:
    """Read judgments; of a grade trec_eval reads the whole number at its start, so that 1.9 and 1e2 are 1."""
    if path.startswith(IRDS) or parquet_dataset.is_dataset(path):
        qrels = as_qrels(path)
    else:
        source = sources.read(path)
        module = files.find_format(source)
        source = prepare_qrels(source) if module is trec else source
        qrels = Qrels(module.read_qrels(source))
        qrels.notes = (*source.notes, *qrels.notes)
    cut = {grade: float(np.trunc(grade)) for grade in qrels.levels.tolist() if grade != np.trunc(grade)}
    if not cut:
        return qrels
    number = int(qrels.counts[:, np.isin(qrels.levels, list(cut))].sum())
    whole = qrels.regraded(cut)
    whole.notes = (*qrels.notes, *cut_notes(path, number))
    return whole


def prepare_qrels(source: Source) -> Source:
    """Remove the exponents of grades from TREC text, with a note that says so."""
    data, number = _EXPONENT.subn(b"", source.data)
    grades = pluralize(number, "grade")
    note = (f"{source.path}: {grades} with an exponent read up to it (1e2 is 1), as trec_eval does",) * (number > 0)
    return replace(source, data=data, notes=(*source.notes, *note, *_mark_notes(source)))


def read_runs(path: str, topics: Sequence[str], items: Sequence[Item], options: TrecEvalOptions) -> list[RowTable]:
    """Read the runs of a file.

    What follows the tag in a line of TREC text is ignored. A document that comes twice is an error only where
    trec_eval looks: in the *topics* of the qrels that are evaluated, and down to the rank of ``-M``.
    """
    source = sources.read(path)
    module = files.find_format(source)
    if module is not trec:
        return list(module.read_runs(source, rank=False))
    # Measures such as num_q never make trec_eval look at a ranking.
    seen = topics if any(item.spec.family is not None for item in items) else ()
    among = partial(_rows_seen, topics=seen, options=options)
    tables = trec.read_runs(source, rank=False, more=True, evaluated=among)
    return [replace(table, notes=(*table.notes, *_mark_notes(source))) for table in tables]


def _mark_notes(source: Source) -> tuple[str, ...]:
    note = f"{source.path}: byte order mark ignored; trec_eval would read it as a part of the first topic id"
    return (note,) if source.data.startswith(BOM) else ()


def _rows_seen(rows: pl.DataFrame, topics: Sequence[str], options: TrecEvalOptions) -> Bools:
    """Return a mask of the rows that trec_eval looks at."""
    evaluated = topics if options.topic is None else [options.topic]
    seen = rows["topic"].is_in(list(evaluated)).to_numpy()
    if options.most is None:
        return seen
    # Preference measures order tied documents by ascending id, all others by descending id.
    descending = options.layout not in ("prefs", "qrels_prefs")
    score = pl.col("value").cast(pl.Float32 if options.profile == "9.0.8" else pl.Float64)
    ranked = rows.with_row_index("row").with_columns(score).sort("value", "doc", descending=[True, descending])
    top = ranked.filter(pl.int_range(pl.len()).over("topic") < options.most)["row"].to_numpy()
    return seen & np.isin(np.arange(len(rows)), top)
