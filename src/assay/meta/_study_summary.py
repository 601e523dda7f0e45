"""The summary of a study in Markdown: its main tables, arranged for reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import polars as pl

from assay.io.study_record import read_table
from assay.meta._judgments import CUTOFF, arrange_grades
from assay.meta._pool_depth import arrange_pools
from assay.meta._power import arrange_power
from assay.meta._robustness import arrange_ratios
from assay.meta._significance_counts import arrange_counts
from assay.meta.left_out import arrange_reuse
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.markup import render_markdown
from assay.results.tables import Table, floats_to_integers

SUMMARY = "summary.md"
"""File name of the summary."""
_MAX_RUNS = 40  # Maximum number of runs in the table of means.
_TITLES = {
    "scores": "Means of the runs, sorted by the first measure",
    "judgments-grades": "Judgments: number of relevant documents by grade",
    "correlation-best": "Kendall's tau between measures, over the best runs",
    "pool-depth": "Pool depth: tau between the orders of runs by each pool and by all judgments",
    "groups-reuse": "Reusability: pools without the judgments of one group",
    "significance-counts": "Run pairs that differ significantly (p-values not corrected), all runs",
    "significance-counts-best": "Run pairs that differ significantly (p-values not corrected), best runs",
    "power": "Discriminative power, over the best runs",
    "robustness": "Robustness: mean tau between the orders of the best runs by samples and by all judgments",
}


def render_study(folder: Path, tables: Iterable[str], provenance: Provenance) -> str:
    """Render the main tables of a study as Markdown, with a heading for each."""
    settings, runs = provenance.settings, pluralize(len(provenance.sources), "run")
    lines = [
        "# Study of measures",
        "",
        f"{runs}, seed {settings['seed']}; *the best runs* are the best {settings['best']:.0%} by MAP.",
        "The folder of this file contains all tables as Parquet and CSV; study.json lists the settings and the inputs.",
    ]
    for name in tables:
        if name in _TITLES:
            table = arrange_table(name, read_table(folder, name))
            rows = len(table.compact)
            truncation = (
                [f"The table shows the first {_MAX_RUNS} of {rows} runs."]
                if name == "scores" and rows > _MAX_RUNS
                else []
            )
            table = table.head(_MAX_RUNS) if name == "scores" else table
            lines += ["", f"## {_TITLES[name]}", "", render_markdown(table, None, truncation).rstrip()]
    return "\n".join(lines) + "\n"


def arrange_table(name: str, frame: pl.DataFrame) -> Table:
    """Return a table of a study. Main tables are arranged as in their analysis; other tables show all columns."""
    compact = _ARRANGE.get(name, _arrange_all_columns)(frame)
    return Table(frame, compact, heading="test" if name == "power" else None)


def _arrange_all_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return all columns; grades and percentages are printed as integers if possible."""
    names = [name for name in ("grade", "ratio") if name in frame.columns]
    return floats_to_integers(frame, *names) if names else frame


def _arrange_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the means as a table of runs x measures, sorted by the first measure."""
    wide = frame.pivot("measure", index="run", values="value", maintain_order=True)
    return wide.sort(wide.columns[1], descending=True, nulls_last=True, maintain_order=True)


def _arrange_taus(frame: pl.DataFrame) -> pl.DataFrame:
    """Return tau as a matrix, measures x measures; empty for a single measure."""
    pairs = frame.select("measure", "other", "tau")
    both = pl.concat([pairs, pairs.select(measure="other", other="measure", tau="tau")])
    order = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    return both.pivot("other", index="measure", values="tau", maintain_order=True).select("measure", *order)


def _arrange_power(frame: pl.DataFrame) -> pl.DataFrame:
    by_test = frame.partition_by("test", maintain_order=True)
    return pl.concat([arrange_power(rows).with_columns(rows["test"]) for rows in by_test])


_ARRANGE: dict[str, Callable[[pl.DataFrame], Any]] = {
    "scores": _arrange_scores,
    "judgments-grades": lambda frame: arrange_grades(frame, CUTOFF),
    "correlation": _arrange_taus,
    "correlation-best": _arrange_taus,
    "pool-depth": arrange_pools,
    "groups-reuse": arrange_reuse,
    "significance-counts": arrange_counts,
    "significance-counts-best": arrange_counts,
    "power": _arrange_power,
    "robustness": arrange_ratios,
}
