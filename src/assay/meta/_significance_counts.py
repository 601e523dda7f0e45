"""Number of run pairs that differ significantly under a measure, by several tests and at several levels.

Every pair of runs is compared over the topics. With the same runs and topics, more pairs differ significantly under a
measure whose differences between systems are larger relative to their variation over topics. As in the reference,
p-values are not corrected for multiple comparisons: the counts compare measures and do not show which systems differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError
from assay.measures import Measure
from assay.meta._paired import describe_correction
from assay.meta.selection import select_results
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import name_pairs, pair_runs
from assay.results.sentences import find_extremes, list_names, list_tied
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame
from assay.significance.base import SignificanceTest, significance_test
from assay.significance.values import prepare_values

MEASURES = ("RR", "P@10", "Rprec", "AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG")
"""The default measures."""
TESTS = ("t", "wilcoxon")
LEVELS = (0.05, 0.01)


@dataclass(frozen=True, eq=False)
class SignificanceCounts(Report):
    """Number of significant differences by measure, test and level; the report of :func:`significance_counts`.

    Attributes
    ----------
    results
        The values that were compared.
    tests, levels
        The tests, and the significance levels: a pair differs significantly if its p-value is below the level.
    pairs
        Pairs x 2: the indices of the runs that were compared.
    p
        Measures x tests x pairs: the two-sided p-value of each comparison.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    results: Results
    tests: tuple[SignificanceTest, ...]
    levels: tuple[float, ...]
    pairs: Ints
    p: Floats
    provenance: Provenance
    notes: tuple[str, ...]

    name = "significance_counts"
    tables: ClassVar[Mapping[str, str]] = {
        "counts": "the number of run pairs that differ significantly, by measure, test and level",
        "pairs": "the p-value of every pair",
    }

    def __repr__(self) -> str:
        measures, pairs = pluralize(len(self.p), "measure"), pluralize(len(self.pairs), "pair")
        return f"SignificanceCounts({measures}, {pairs} of {pluralize(len(self.results.runs), 'run')})"

    def counts(self) -> Ints:
        """Return the number of pairs that differ significantly, measures x tests x levels."""
        return np.stack([(self.p < level).sum(axis=-1) for level in self.levels], axis=-1)

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure, test and level: measure, test, level, pairs, significant, share."""
        counts = self.counts()
        axes = {"measure": self.results.measures, "test": self._test_names, "level": self.levels}
        return tidy_frame(axes, {"pairs": len(self.pairs), "significant": counts, "share": counts / len(self.pairs)})

    def each(self) -> pl.DataFrame:
        """Return a row for each measure, test and pair of runs: measure, test, run, other, p."""
        pairs = name_pairs(self.results.runs, self.pairs)
        return tidy_frame({"measure": self.results.measures, "test": self._test_names, "pair": pairs}, {"p": self.p})

    @property
    def _test_names(self) -> list[str]:
        return [test.name for test in self.tests]

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the measures under which most and fewest pairs differ significantly, for the first test and level."""
        counts = dict(zip(map(str, self.results.measures), self.counts()[:, 0, 0].tolist(), strict=True))
        test = f"({self.tests[0].title or self.tests[0].name}, p < {self.levels[0]:g})"
        pairs = pluralize(len(self.pairs), "run pair")
        extremes = find_extremes(counts)
        if extremes is None or extremes.high == 0:
            return f"None of {pairs} differs significantly {test}."
        if len(counts) == 1:
            return f"{extremes.high} of {pairs} differ significantly under {extremes.highest[0]} {test}."
        if extremes.all_equal:
            return f"Under each of the {len(counts)} measures, {extremes.high} of {pairs} differ significantly {test}."
        return (
            f"Most pairs differ significantly under {list_tied(extremes.highest)}: {extremes.high} of {pairs} {test}. "
            f"Fewest pairs differ significantly under {list_tied(extremes.lowest)}: {extremes.low}."
        )

    def _show_counts(self) -> Table:
        compact = arrange_counts(self.frame())
        caption = f"The numbers are counts of pairs whose p-value is below the level. {describe_correction(self.tests)}"
        return Table(self.frame(), compact, highest_is_best=tuple(compact.columns[2:]), caption=caption)

    def _show_pairs(self) -> Table:
        frame = self.each()
        labelled = frame.with_columns(pl.format("p ({})", "test").alias("test"))
        compact = labelled.pivot("test", index=["measure", "run", "other"], values="p", maintain_order=True)
        probability_columns = dict.fromkeys(compact.columns[3:], 0.0)
        caption = describe_correction(self.tests)
        return Table(frame, compact, heading="measure", probability_columns=probability_columns, caption=caption)


def arrange_counts(frame: pl.DataFrame) -> pl.DataFrame:
    """Arrange the frame of counts for reading: measure, pairs, and a column of counts for each test and level."""
    column = pl.Series("column", [f"{test} < {level:g}" for test, level in frame.select("test", "level").rows()])
    return frame.with_columns(column).pivot(
        "column", index=["measure", "pairs"], values="significant", maintain_order=True
    )


@check_arguments
def significance_counts(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    tests: Iterable[str | SignificanceTest] = TESTS,
    levels: Iterable[float] = LEVELS,
    resamples: int | None = None,
    best: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SignificanceCounts:
    """Compare every pair of runs with every test, and count the significant differences.

    p-values are not corrected for multiple comparisons: the counts compare measures. To test which systems differ, use
    :func:`assay.compare`.

    Parameters
    ----------
    source
        A campaign of at least two runs, or results.
    measures
        As in ``evaluate`` (default: ``MEASURES``, or all measures of the results).
    tests
        Names of significance tests, or test objects.
    levels
        Significance levels. Pairs with a p-value below the level are counted, separately for each level.
    resamples, seed
        Number of resamples and seed of resampling tests (*resamples* None: the default of each test).
    best
        Use only this fraction of the runs, such as 0.75: the best runs by MAP.
    progress
        Function that is called with the number of comparisons done (one for each measure and test) and their total.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), Table IV.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(8)}
    >>> second = {f"q{i}": {"a": 1.0, "b": 2.0 if i else 0.5} for i in range(8)}
    >>> campaign = assay.read(qrels, {"first": first, "second": second})
    >>> significance_counts(campaign, "RR", levels=[0.05]).frame().select("test", "pairs", "significant").rows()
    [('t', 1, 1), ('wilcoxon', 1, 1)]
    """
    parsed_tests, checked_levels = _parse_tests(tests, resamples, seed), _check_levels(levels)
    results = select_results(source, measures, best, MEASURES)
    pairs = pair_runs(results.runs)
    p = np.empty((len(results.measures), len(parsed_tests), len(pairs)))
    for i, j in track(list(np.ndindex(p.shape[:2])), progress):
        test = parsed_tests[j]
        p[i, j] = test.compare(prepare_values(results, i, complete_topics=test.corrected), pairs).p
    untested = int(np.isnan(p).any(axis=(0, 1)).sum())
    notes = [f"counted {pluralize(untested, 'pair')} with too few common topics as not significant"] if untested else []
    settings = {
        "runs": len(results.runs),
        "tests": [{"name": test.name, **asdict(test)} for test in parsed_tests],
        "levels": list(checked_levels),
    }
    provenance = results.provenance.with_settings(**settings)
    return SignificanceCounts(results, parsed_tests, checked_levels, pairs, p, provenance, (*results.notes, *notes))


def _parse_tests(
    tests: Iterable[str | SignificanceTest], resamples: int | None, seed: int
) -> tuple[SignificanceTest, ...]:
    """Return the tests; refuse duplicates, and resamples that no test uses."""
    options = {"seed": seed} if resamples is None else {"seed": seed, "resamples": resamples}
    parsed = tuple(significance_test(test, **options) for test in ([tests] if isinstance(tests, str) else tests))
    names = [test.name for test in parsed]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"tests: duplicate test {name}")
    if not parsed:
        raise InputError("tests: name at least one test, such as t")
    if resamples is not None and not any(hasattr(test, "resamples") for test in parsed):
        raise InputError(f"resamples: not used by {list_names(names)}; omit it or choose a resampling test")
    return parsed


def _check_levels(levels: Iterable[float]) -> tuple[float, ...]:
    checked = tuple(dict.fromkeys(check_fraction("levels", level) for level in levels))
    if not checked:
        raise InputError("levels: name at least one level, such as 0.05")
    return checked
