"""Output of trec_eval and ir_measures: lines of three columns without a header."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from assay.errors import InputError
from assay.io.source import Source
from assay.io.text import refuse_cr, strip_bom
from assay.measures._trec_eval import TEXTS
from assay.model.notes import Note, pluralize
from assay.results.external.cells import Cells, find_resolution, parse_values, split_summaries, take_rows
from assay.results.external.measures import is_known_name
from assay.results.results import ALL

COLUMNS = {"trec_eval": ("measure", "topic", "value"), "ir_measures": ("topic", "measure", "value")}
"""Columns of each format, in order."""
_LOOKALIKES = {4: ", as in qrels", 6: ", as in a run"}
_MEANS_ONLY = "contains means only, without values of topics; write them with trec_eval -q or ir_measures -q"


def read_text(source: Source, run: str, origin: str | None = None) -> Cells:
    """Read the output of trec_eval -q or ir_measures -q; *run* is the name of a run that the file does not name."""
    frame, locate = _split_lines(source)
    first, second, value = (frame[name] for name in frame.columns)
    origin = origin or detect_columns(first.unique().to_list(), second.unique().to_list(), source.path)
    columns = dict(zip(COLUMNS[origin], (first, second, value), strict=True))
    names = value.filter((columns["measure"] == "runid") & (columns["topic"] == ALL))
    named_run = run if names.is_empty() else names[0]
    is_name = columns["measure"] == "runid"
    is_text = ~is_name & (columns["measure"].is_in(list(TEXTS)) | value.str.starts_with("'"))
    texts = int((is_text & (columns["topic"] != ALL)).sum())
    rows, locate = take_rows(pl.DataFrame(columns), locate, ~(is_name | is_text))
    rows = rows.select(pl.lit(named_run).alias("run"), "topic", "measure", "value")
    resolution = find_resolution(rows["value"])
    rows = rows.with_columns(parse_values(rows["value"], locate))
    by_topic, summaries = split_summaries(rows)
    if by_topic.is_empty() and len(summaries):
        raise InputError(f"{source.path}: {_MEANS_ONLY}")
    _, locate = take_rows(rows, locate, rows["topic"] != ALL)
    text = f"{source.path}: left out {pluralize(texts, 'value')} that are texts, such as the grades of relstring"
    notes = (Note(text, kind="values that are texts", source=source.path, number=texts),) if texts else ()
    return Cells(
        by_topic,
        origin,
        source.path,
        source.digest,
        locate,
        summaries=summaries,
        texts=texts,
        resolution=resolution,
        notes=(*source.notes, *notes),
        one_run=True,
    )


def _split_lines(source: Source) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Return the three columns of each line as text, and a function that returns the place of a row."""
    data = strip_bom(source.data, source.path)
    refuse_cr(data, source.path)
    lines = pl.Series("line", decode(data, source.path).split("\n"), dtype=pl.String).str.strip_chars("\r")
    table = lines.to_frame().with_row_index("number", offset=1).filter(pl.col("line").str.strip_chars() != "")
    # Measures of ir_measures may contain blanks, so a line is split at blanks only if it has no tab.
    has_tab = pl.col("line").str.contains("\t", literal=True)
    by_blanks = pl.col("line").str.strip_chars().str.replace_all(r"\s+", "\t")
    table = table.with_columns(pl.when(has_tab).then("line").otherwise(by_blanks).str.split("\t").alias("fields"))
    numbers = table["number"]
    count = table["fields"].list.len()
    if table.is_empty():
        raise InputError(f"{source.path}: contains no values")
    if (count != 3).any():
        if (count == 2).all() and is_known_name(table["fields"][0][0].strip()):
            raise InputError(f"{source.path}: {_MEANS_ONLY}")
        row = int((count != 3).arg_true()[0])
        lookalike = _LOOKALIKES.get(int(count[0]), "")
        raise InputError(
            f"{source.path}:{numbers[row]}: expected 3 columns, found {count[row]}{lookalike}; values without a header "
            "are the output of trec_eval -q (measure, topic, value) or ir_measures -q (topic, measure, value)"
        )
    columns = [table["fields"].list.get(i).str.strip_chars().alias(f"column {i}") for i in range(3)]
    return pl.DataFrame(columns), lambda row: f"{source.path}:{numbers[row]}"


def decode(data: bytes, path: str) -> str:
    """Decode UTF-8; an error names the line."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}: invalid UTF-8; save the file as UTF-8") from None


def detect_columns(first: list[str], second: list[str], path: str) -> str:
    """Return the format: measures are in the first column of trec_eval, and in the second column of ir_measures.

    >>> detect_columns(["map", "P_5"], ["301"], "bm25.eval"), detect_columns(["301"], ["AP"], "bm25.eval")
    ('trec_eval', 'ir_measures')
    """
    in_first, in_second = any(map(is_known_name, first)), any(map(is_known_name, second))
    if in_first == in_second:
        columns = "both of the first two columns" if in_first else "neither of the first two columns"
        raise InputError(
            f"{path}: {columns} contain names of measures; choose format 'trec_eval' (measure, topic, value) "
            "or 'ir_measures' (topic, measure, value)"
        )
    return "trec_eval" if in_first else "ir_measures"
