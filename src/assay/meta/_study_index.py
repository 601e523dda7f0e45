"""The index page of a study: every table, arranged for reading, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from assay.io.study_record import read_table
from assay.meta._judgments import CUTOFF, arrange_grades
from assay.meta._pool_depth import arrange_pools
from assay.meta._power import arrange_power
from assay.meta._robustness import arrange_ratios
from assay.meta._significance_counts import arrange_counts
from assay.meta.left_out import arrange_reuse
from assay.meta.study_figures import FIGURES
from assay.meta.study_steps import StudyStep
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.markup import render_fragment, render_page
from assay.results.tables import Table, floats_to_integers, percentage_column

INDEX = "index.html"
"""File name of the index page."""
MAX_ROWS = 100
"""Maximum number of rows of a table on the index page."""
_TITLES = {
    "scores": "Means of the runs, sorted by the first measure",
    "scores-topics": "Values by run, topic and measure",
    "judgments": "Relevant documents by topic and grade; all_top and one_top are the two constants of SDCG",
    "judgments-grades": "Number of relevant documents by grade",
    "correlation": "Kendall's tau between the orders of runs by two measures",
    "pool-depth": "Tau between the orders of runs by each pool and by all judgments",
    "pool-depth-scores": "Means of the runs by pool depth (no depth: all judgments)",
    "groups": "Groups: judgments that only one group contributed",
    "groups-runs": "Values of runs without the judgments of their group",
    "groups-reuse": "Pools without the judgments of one group, by measure",
    "significance-counts": "Run pairs that differ significantly (p-values not corrected)",
    "power": "Discriminative power, over the best runs",
    "asl": "Achieved significance level (ASL) of each pair of the best runs",
    "robustness": "Mean tau between the orders of the best runs by samples and by all judgments",
    "robustness-seeds": "Tau of each sample",
    "indicators": "Indicators of effort by run and topic",
    "archetypes": "Number of CRP curves of each archetype",
    "archetype-ranges": "Ranges of indicators by archetype",
    "effort-gain": "Percentage of rankings in each class of effort and gain",
    "residual": "Lower and upper bounds of mean RBP (no pool: all judgments)",
    "order": "Topics on which a run is below, above, equal to or incomparable with other runs",
    "order-measures": "Comparable pairs of rankings that a measure orders wrongly",
    "axioms": "Swap and replacement, with the smallest counterexample",
    "balance": "Balancing index by length of the rankings (near 1: top-heavy; empty: none)",
    "med": "Maximized effectiveness distance (MED) of each pair of the best runs, mean over topics",
}
_HEADINGS = {"power": "test", "correlation": "selection", "significance-counts": "selection"}
_STYLE = (
    "<style>body{max-width:75rem}h2{margin-top:2.5rem}h3{font-size:1rem;margin:1.5rem 0 .3rem}"
    ".assay{overflow-x:auto}figure{margin:1.5rem 0}img{max-width:100%;background:#fff}nav li{display:inline;"
    "margin-right:1rem}nav ul{padding:0}</style>\n"
)


def render_index(
    folder: Path,
    steps: Sequence[tuple[StudyStep, tuple[str, ...]]],
    figures: Iterable[str],
    skipped: Mapping[str, str],
    provenance: Provenance,
) -> str:
    """Render the index page: a section for each of the *steps*, with its tables, and the figures that belong to it."""
    settings, runs = provenance.settings, pluralize(len(provenance.sources), "run")
    sections = [(step, tables) for step, tables in steps if tables or step.name in skipped]
    links = "".join(f'<li><a href="#{step.name}">{step.name}</a></li>\n' for step, _ in sections)
    head = (
        "<h1>Study of measures</h1>\n"
        f"<p>{runs}, seed {settings['seed']}. <em>The best runs</em> are the best {settings['best']:.0%} by MAP. "
        "The Parquet files contain all rows and columns; study.json lists the settings and the inputs.</p>\n"
        f"<nav><ul>\n{links}</ul></nav>\n"
    )
    drawn = set(figures)
    body = "".join(_render_step(folder, step, tables, drawn, skipped) for step, tables in sections)
    return render_page("Study of measures", f"{_STYLE}{head}{body}")


def render_collections(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Render the index page of several studies: a row for each collection, with a link to its index page."""
    names = list(next(iter(counts.values())))
    head = "".join(f"<th>{name}</th>" for name in ("collection", *names))
    rows = "".join(
        f'<tr><td><a href="{quote(collection)}/{INDEX}">{escape(collection)}</a></td>'
        f"{''.join(f'<td>{number}</td>' for number in numbers.values())}</tr>\n"
        for collection, numbers in counts.items()
    )
    style = "<style>table{border-collapse:collapse}th,td{padding:.15em .7em;text-align:left}</style>\n"
    table = f"<table>\n<tr>{head}</tr>\n{rows}</table>\n"
    return render_page("Studies of measures", f"{style}<h1>Studies of measures</h1>\n{table}")


def _render_step(
    folder: Path, step: StudyStep, names: Iterable[str], drawn: set[str], skipped: Mapping[str, str]
) -> str:
    lines = [f'<h2 id="{step.name}">{escape(step.about.removesuffix("."))}</h2>\n']
    if step.name in skipped:
        lines.append(f"<p>Not computed: {escape(skipped[step.name])}</p>\n")
    for name in names:
        table = arrange_table(name, read_table(folder, name))
        shown = len(table.compact)
        truncation = [f"The table shows the first {MAX_ROWS} of {shown:,} rows."] if shown > MAX_ROWS else []
        file = f"{name}.parquet"
        lines += [
            f'<h3 id="table-{name}">{escape(_TITLES.get(name, name))} (<a href="{file}">{file}</a>)</h3>\n',
            render_fragment(table.head(MAX_ROWS), None, truncation),
        ]
    for name, figure in FIGURES.items():
        if figure.step == step.name and name in drawn:
            file = f"{name}.png"
            image = f'<a href="{file}"><img src="{file}" alt="{escape(figure.title)}" loading="lazy"></a>'
            lines.append(f"<figure>{image}<figcaption>{escape(figure.title)}</figcaption></figure>\n")
        elif figure.step == step.name and f"figure {name}" in skipped:
            lines.append(f"<p>Figure {name} not drawn: {escape(skipped[f'figure {name}'])}</p>\n")
    return "".join(lines)


def arrange_table(name: str, frame: pl.DataFrame) -> Table:
    """Return a table of a study. Main tables are arranged as in their analysis; other tables show all columns."""
    compact = _ARRANGE.get(name, _arrange_all_columns)(frame)
    return Table(frame, compact, heading=_HEADINGS.get(name))


def _arrange_all_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that are not empty; grades and percentages are printed as integers if possible."""
    frame = frame.select(column for column in frame if not len(column) or column.null_count() < len(column))
    names = [name for name in ("grade", "ratio") if name in frame.columns]
    return floats_to_integers(frame, *names) if names else frame


def _arrange_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the means as a table of runs x measures, sorted by the first measure."""
    wide = frame.pivot("measure", index="run", values="value", maintain_order=True)
    return wide.sort(wide.columns[1], descending=True, nulls_last=True, maintain_order=True)


def _arrange_correlation(frame: pl.DataFrame) -> pl.DataFrame:
    """Return tau as matrices, measures x measures, one for each selection; empty for a single measure.

    The rows of a matrix with a shallow pool are measures with the pool, and its columns are measures with all
    judgments. The other matrices are symmetric.
    """
    order = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
    matrices = []
    for rows in frame.partition_by("selection", maintain_order=True):
        pairs = rows.select("measure", "other", "tau")
        if not rows["selection"][0].startswith("pool"):
            pairs = pl.concat([pairs, pairs.select(measure="other", other="measure", tau="tau")])
        matrix = pairs.pivot("other", index="measure", values="tau", maintain_order=True)
        missing = [pl.lit(None, pl.Float64).alias(name) for name in order if name not in matrix.columns]
        matrices.append(matrix.with_columns(_repeat(rows), *missing).select("measure", *order, "selection"))
    return pl.concat(matrices) if matrices else frame.select("measure", "selection")


def _repeat(rows: pl.DataFrame) -> pl.Expr:
    """Return the selection of some rows as a constant column."""
    return pl.lit(rows["selection"][0]).alias("selection")


def _arrange_by_selection(frame: pl.DataFrame) -> pl.DataFrame:
    selections = frame.partition_by("selection", maintain_order=True)
    return pl.concat([arrange_counts(rows).with_columns(_repeat(rows)) for rows in selections])


def _arrange_power(frame: pl.DataFrame) -> pl.DataFrame:
    by_test = frame.partition_by("test", maintain_order=True)
    return pl.concat([arrange_power(rows).with_columns(rows["test"]) for rows in by_test])


def _arrange_archetypes(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the number of curves as a table of runs x archetypes; the first row counts all runs."""
    wide = frame.pivot("archetype", index="run", values="curves", maintain_order=True)
    return pl.concat([wide.filter(pl.col("run") == "all"), wide.filter(pl.col("run") != "all")])


def _arrange_classes(frame: pl.DataFrame) -> pl.DataFrame:
    names = ("diagonal", "high_high", "gray", "other", "upper_right", "top_row_right")
    columns = [percentage_column(name.replace("_", " "), frame[name].fill_null(float("nan"))) for name in names]
    return frame.select("measure", "points", *columns)


def _arrange_residual(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the bounds of each persistence side by side, at the largest depth of evaluation."""
    deepest = frame.filter(pl.col("depth") == pl.col("depth").max())
    wide = deepest.pivot("p", index=["run", "pool", "depth"], values=["lower", "upper"], maintain_order=True)
    return wide.rename({name: name.replace("_", ", p = ") for name in wide.columns[3:]})


def _arrange_balance(frame: pl.DataFrame) -> pl.DataFrame:
    named = frame.with_columns(pl.format("n = {}", "n").alias("n"))
    return named.pivot("n", index="measure", values="balance", maintain_order=True)


_ARRANGE: dict[str, Callable[[pl.DataFrame], Any]] = {
    "scores": _arrange_scores,
    "judgments-grades": lambda frame: arrange_grades(frame, CUTOFF),
    "correlation": _arrange_correlation,
    "pool-depth": arrange_pools,
    "groups-reuse": arrange_reuse,
    "significance-counts": _arrange_by_selection,
    "power": _arrange_power,
    "robustness": arrange_ratios,
    "archetypes": _arrange_archetypes,
    "effort-gain": _arrange_classes,
    "residual": _arrange_residual,
    "balance": _arrange_balance,
}
