"""The tables of comparisons: pairs of runs, a matrix of one measure, the shares of variance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.model.notes import some
from assay.significance._compare import Comparison
from assay.significance.base import SignificanceTest
from assay.significance.separation import Separation, separate
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
    "bh": "Benjamini and Hochberg's correction",
    "none": "no correction",
}
_SHORT = {"holm": "p (Holm)", "bonferroni": "p (Bonferroni)", "bh": "p (BH)", "none": "p"}


def pairs(comparison: Comparison) -> Table:
    """A row for each measure and pair of runs; people see only the columns that were asked for."""
    frame = comparison.frame()
    corrected = p_label(comparison)
    hidden = {
        "test": True,
        "p": comparison.test.corrected,
        "p_adjusted": corrected == "p",
        "p_equivalent": comparison.margin is None,
        "topics_needed": comparison.power is None,
    }
    wide = frame.drop(name for name, out in hidden.items() if out)
    wide = wide.rename({"low": "CI low", "high": "CI high", "p_adjusted": corrected}, strict=False)
    marks = {corrected: _signs(frame["p_adjusted"], comparison.alpha, SIGNIFICANT)}
    legend = [f"{SIGNIFICANT} {corrected} < {comparison.alpha:g}", interval_words(comparison)]
    if comparison.margin is not None:
        marks["p_equivalent"] = _signs(frame["p_equivalent"], comparison.alpha, EQUIVALENT)
        legend.append(
            f"{EQUIVALENT} equivalent within {comparison.margin} by t tests, p_equivalent < {comparison.alpha:g}"
        )
    if comparison.power is not None:
        detect = "" if comparison.detect is None else f" to find a difference of {comparison.detect:g}"
        legend.append(f"topics_needed for a power of {comparison.power:g}{detect}")
    chances = {corrected: 0.0, "p": comparison.least, "p_equivalent": 0.0}
    lines = [how(comparison), *legend, *conclusions(comparison)]
    return _table(comparison, frame, wide, marks=marks, chances=chances, caption=caption_of(lines))


def matrix(comparison: Comparison, of: Measure) -> Table:
    """Runs x runs: the difference of the run of the row and that of the column, marked where it is significant."""
    runs = comparison.results.runs
    verdicts = comparison.verdicts(of)
    values = pl.DataFrame(comparison.matrix(of, "difference"), schema=dict.fromkeys(runs, pl.Float64), orient="row")
    head = str(of) if str(of) not in runs else f"{of}: run"
    wide = values.with_columns(pl.all().fill_nan(None)).insert_column(0, pl.Series(head, runs, dtype=pl.String))
    significant = np.abs(verdicts) == 1
    marks = {run: [SIGNIFICANT * int(sure) for sure in significant[:, place]] for place, run in enumerate(runs)}
    legend = f"row minus column; {SIGNIFICANT} {p_label(comparison)} < {comparison.alpha:g}"
    return _table(
        comparison, wide, wide, marks=marks, caption=caption_of([legend, how(comparison), *conclusions(comparison)])
    )


def caption_of(lines: Iterable[str]) -> str:
    """Join the lines of a caption; formats that ignore line breaks still separate them."""
    return ";\n".join(lines)


def conclusions(comparison: Comparison) -> list[str]:
    """A line for each measure: how many pairs differ and which runs are tied with the leader, or with baselines."""
    if comparison.baselines:
        return [
            _against_baseline(separate(comparison, measure, baseline))
            for measure in comparison.results.measures
            for baseline in comparison.baselines
        ]
    return [_against_leader(separate(comparison, measure)) for measure in comparison.results.measures]


def _against_baseline(found: Separation) -> str:
    counts = f"{len(found.better):,} significantly better than {found.reference}, {len(found.worse):,} worse"
    return f"{found.measure}: {counts}, {len(found.tied):,} not significantly different" + _untested(found)


def _against_leader(found: Separation) -> str:
    if found.tested == 1 and not found.untested:
        return f"{found.measure}: {_one_pair(found)}"
    differ = f"{found.measure}: {found.significant:,} of {found.tested:,} pairs differ significantly"
    first = f"the leader {found.reference}"
    if found.equal:
        differ, first = f"{differ}; {_tied_for_first(found)}", found.reference
    if not found.tied:
        return f"{differ}; every other run differs from {first}{_untested(found)}"
    many = f"{len(found.tied):,} {'does' if len(found.tied) == 1 else 'do'} not differ significantly from {first}"
    return f"{differ}; {many}: {some(found.tied)}{_untested(found)}"


def _one_pair(found: Separation) -> str:
    [other] = (*found.better, *found.worse, *found.tied)
    if found.equal:
        return f"{found.reference} and {other} are tied: their means are equal"
    verdict = "do not differ significantly" if found.tied else "differ significantly"
    return f"{found.reference} and {other} {verdict}"


def _tied_for_first(found: Separation) -> str:
    return f"{some((found.reference, *found.equal))} are tied for first"


def _untested(found: Separation) -> str:
    return f"; {len(found.untested):,} not tested" if found.untested else ""


def variance(comparison: Comparison) -> Table:
    """Tabulate the contributions of topics, systems and runs to the variance of values."""
    return _table(comparison, comparison.shares, comparison.shares)


def how(comparison: Comparison) -> str:
    """The test, the correction and its family: ``paired t test, Holm's correction over all 15 pairs of runs``."""
    test = titled(comparison.test)
    if comparison.test.corrected:
        return f"{test} over {comparison.family_title}"
    over = "" if comparison.correction == "none" else f" over {comparison.family_title}"
    return f"{test}, {_CORRECTIONS[comparison.correction]}{over}"


def p_label(comparison: Comparison) -> str:
    """The name of the p that decides what is significant: ``p (Holm)``, or ``p`` if nothing is corrected."""
    return "p (all pairs)" if comparison.test.corrected else _SHORT[comparison.correction]


def interval_words(comparison: Comparison) -> str:
    """Describe the comparisons that the intervals of differences, and the p beside them, refer to."""
    level = f"{100 * (1 - comparison.alpha):.6g} % CI"
    if comparison.test.corrected:
        return f"{level} and p hold for all pairs together"
    by = f" by {comparison.test.interval}" if comparison.test.interval else ""
    return f"{level}{by} and p are of each pair alone, not corrected"


def uncorrected(tests: Sequence[SignificanceTest]) -> str:
    """Describe the p of tables that compare measures rather than runs."""
    together = [test.name for test in tests if test.corrected]
    words = [
        "p of each pair alone, not corrected" if len(together) < len(tests) else "",
        f"{', '.join(together)}: p of all pairs together" if together else "",
        "to see which runs differ use assay compare",
    ]
    return "; ".join(filter(None, words))


def titled(test: SignificanceTest) -> str:
    """Return the title of a test in captions."""
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
