"""The tables of comparisons: pairs of runs, a matrix of one measure, the shares of variance."""

from __future__ import annotations

import polars as pl

from assay.analyses.compare.comparing import Comparison
from assay.analyses.compare.testing import SignificanceTest
from assay.measures import Measure
from assay.views.tables import Table

SHOWN = {
    "pairs": "a row for each pair of runs",
    "matrix": "runs x runs of one measure: by how much the run of the row is above that of the column",
    "variance": "what topics, systems and the runs of a system contribute to how values vary",
}
SIGNIFICANT = "*"
EQUIVALENT = "="
_CORRECTIONS = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "correction of Benjamini and Hochberg",
    "none": "no correction",
}
_FAMILIES = {"measure": "over the comparisons of a measure", "all": "over all comparisons"}


def pairs(comparison: Comparison) -> Table:
    """A row for each measure and pair of runs; what was not asked for is left out for people."""
    frame = comparison.frame()
    asked = {"p_equivalent": comparison.margin, "topics_needed": comparison.power}
    unneeded = [name for name, given in asked.items() if given is None]
    wide = frame.drop("test", *unneeded)
    marks = {"p_adjusted": _signs(frame["p_adjusted"], comparison.alpha, SIGNIFICANT)}
    says = [f"{SIGNIFICANT} p_adjusted < {comparison.alpha:g}"]
    if comparison.margin is not None:
        marks["p_equivalent"] = _signs(frame["p_equivalent"], comparison.alpha, EQUIVALENT)
        says.append(
            f"{EQUIVALENT} equivalent within {comparison.margin} by t tests, p_equivalent < {comparison.alpha:g}"
        )
    if comparison.power is not None:
        detect = "" if comparison.detect is None else f" to find a difference of {comparison.detect:g}"
        says.append(f"topics_needed for a power of {comparison.power:g}{detect}")
    chances = {"p": comparison.least, "p_adjusted": 0.0, "p_equivalent": 0.0}
    return _table(comparison, frame, wide, marks=marks, chances=chances, caption="; ".join([how(comparison), *says]))


def matrix(comparison: Comparison, of: Measure) -> Table:
    """Runs x runs: the difference of the run of the row and that of the column, marked where it is significant."""
    runs = comparison.results.runs
    below = comparison.matrix(of) < comparison.alpha
    values = pl.DataFrame(comparison.matrix(of, "difference"), schema=dict.fromkeys(runs, pl.Float64), orient="row")
    head = str(of) if str(of) not in runs else f"{of}: run"
    wide = values.with_columns(pl.all().fill_nan(None)).insert_column(0, pl.Series(head, runs, dtype=pl.String))
    marks = {run: [SIGNIFICANT * int(found) for found in below[:, place]] for place, run in enumerate(runs)}
    caption = f"row minus column; {how(comparison)}; {SIGNIFICANT} p_adjusted < {comparison.alpha:g}"
    return _table(comparison, wide, wide, marks=marks, caption=caption)


def variance(comparison: Comparison) -> Table:
    """What topics, systems and runs contribute to how values vary."""
    return _table(comparison, comparison.shares, comparison.shares)


def how(comparison: Comparison) -> str:
    """The test and the correction in words: ``paired t test, Holm's correction over the comparisons of a measure``."""
    test = titled(comparison.test)
    if comparison.test.corrected:
        return f"{test} over all runs"
    over = "" if comparison.correction == "none" else f" {_FAMILIES[comparison.family]}"
    return f"{test}, {_CORRECTIONS[comparison.correction]}{over}"


def titled(test: SignificanceTest) -> str:
    """What a test is called in captions."""
    return test.title or f"test {test.name}"


def _signs(chances: pl.Series, alpha: float, sign: str) -> list[str]:
    return [sign if p is not None and p < alpha else "" for p in chances]


def _table(
    comparison: Comparison,
    tidy: pl.DataFrame,
    wide: pl.DataFrame,
    *,
    marks: dict[str, list[str]] | None = None,
    chances: dict[str, float] | None = None,
    caption: str = "",
) -> Table:
    return Table(
        tidy,
        wide,
        provenance=comparison.provenance(),
        notes=comparison.notes,
        chances=chances or {},
        marks=marks or {},
        caption=caption,
    )
