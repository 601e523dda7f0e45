"""Reading of judgments and runs by the rules of trec_eval."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.compat.trec_eval.parameters import truncation_notes
from assay.engine.sources import as_qrels
from assay.io import files, parquet_dataset, trec
from assay.io import source as sources
from assay.io.paths import IRDS
from assay.io.table import RowTable
from assay.io.text import BOM
from assay.model.notes import pluralize
from assay.model.qrels import Qrels

if TYPE_CHECKING:
    from assay.compat.trec_eval.options import TrecEvalOptions
    from assay.compat.trec_eval.selection import Item
    from assay.io.source import Source
    from assay.model.arrays import Bools

# The exponent of a grade, which is the last column of a line. The pattern starts with the letter for a fast search;
# a lookbehind checks the preceding digit.
_EXPONENT = re.compile(rb"[eE](?<=[\d.].)[+-]?\d+(?=[ \t\r\v\f]*$)", re.MULTILINE)


def read_qrels(path: str) -> Qrels:
    """Read judgments; like trec_eval, read only the leading integer of a grade, so 1.9 and 1e2 become 1."""
    if path.startswith(IRDS) or parquet_dataset.is_dataset(path):
        qrels = as_qrels(path)
    else:
        source = sources.read(path)
        qrels = Qrels(files.read_source_qrels(prepare_qrels(source) if files.is_trec(source) else source))
    truncated = {grade: float(np.trunc(grade)) for grade in qrels.levels.tolist() if grade != np.trunc(grade)}
    if not truncated:
        return qrels
    count = int(qrels.counts[:, np.isin(qrels.levels, list(truncated))].sum())
    regraded = qrels.with_grades(truncated)
    regraded.notes = (*qrels.notes, *truncation_notes(path, count))
    return regraded


def prepare_qrels(source: Source) -> Source:
    """Remove the exponents of grades from TREC text, and add a note about it."""
    data, count = _EXPONENT.subn(b"", source.data)
    grades = pluralize(count, "grade")
    note = (f"{source.path}: ignored the exponent of {grades} (1e2 is read as 1), as trec_eval does",) * (count > 0)
    return replace(source, data=data, notes=(*source.notes, *note, *_bom_notes(source)))


def read_runs(path: str, topics: Sequence[str], items: Sequence[Item], options: TrecEvalOptions) -> list[RowTable]:
    """Read the runs of a file.

    Columns after the tag in a line of TREC text are ignored. A duplicate document is an error only among the rows that
    trec_eval evaluates: those of the evaluated *topics* of the qrels, down to the rank given by ``-M``.
    """
    source = sources.read(path)
    if not files.is_trec(source):
        return files.read_source_runs(source, rank=False)
    # If all measures are like num_q, which need no rankings, trec_eval reads none.
    read_topics = topics if any(item.spec.family is not None for item in items) else ()
    is_evaluated = partial(_mask_evaluated_rows, topics=read_topics, options=options)
    tables = trec.read_runs(source, rank=False, allow_more=True, evaluated=is_evaluated)
    return [replace(table, notes=(*table.notes, *_bom_notes(source))) for table in tables]


def _bom_notes(source: Source) -> tuple[str, ...]:
    note = f"{source.path}: ignored a byte order mark, which trec_eval would read as part of the first topic id"
    return (note,) if source.data.startswith(BOM) else ()


def _mask_evaluated_rows(rows: pl.DataFrame, topics: Sequence[str], options: TrecEvalOptions) -> Bools:
    """Return a mask of the rows that trec_eval evaluates."""
    evaluated_topics = topics if options.topic is None else [options.topic]
    mask = rows["topic"].is_in(list(evaluated_topics)).to_numpy()
    if options.max_documents is None:
        return mask
    # Preference measures sort tied documents by ascending id, and all other measures sort them by descending id.
    descending = options.layout not in ("prefs", "qrels_prefs")
    score = pl.col("value").cast(pl.Float32 if options.profile == "9.0.8" else pl.Float64)
    ranked = rows.with_row_index("row").with_columns(score).sort("value", "doc", descending=[True, descending])
    top = ranked.filter(pl.int_range(pl.len()).over("topic") < options.max_documents)["row"].to_numpy()
    return mask & np.isin(np.arange(len(rows)), top)
