"""Discriminative power: the fraction of run pairs that a measure separates and the difference that it needs.

Every pair of runs is compared over the topics by a resampling test. The achieved significance level (ASL) of a pair is
its p-value. The discriminative power DP of a measure is the fraction of pairs with ASL < alpha. Delta is an estimate of
the difference of means that is needed for significance. The ASL curve of a measure shows the ASL of all pairs, largest
first: a measure separates many pairs if its curve falls far to the left.

* ``bootstrap``: the paired bootstrap test. B samples of the topics are drawn; all pairs and measures use the same
  samples. The differences of a pair are shifted to mean 0. The ASL is the fraction of samples in which abs(t) of the
  shifted differences is at least abs(t) of the original differences. The difference that a pair needs is the mean of
  the sample with the ceil(alpha B)-th largest abs(t). Delta is the largest of these differences over all pairs. It is
  an estimate: with few topics, a pair with a larger difference may still not be significant. Identical runs have ASL 1
  and no needed difference.
* ``tukey-randomized``: the randomised Tukey HSD test. It corrects for the number of runs, so that it separates fewer
  pairs if there are more runs. Delta is the same for all pairs: if no runs differ, the largest difference between two
  runs exceeds Delta with probability alpha.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError, suggestion
from assay.measures import Measure
from assay.meta._paired import describe_correction, mean_differences
from assay.meta.selection import select_results
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.checks import check_fraction
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import name_pairs, pair_runs
from assay.results.sentences import find_extremes, list_tied
from assay.results.tables import Table, percentage_column
from assay.results.tidy_frame import tidy_frame
from assay.significance.base import SignificanceTest, significance_test
from assay.significance.tests.bootstrap import Bootstrap
from assay.significance.values import prepare_values

MEASURES = ("AP", "nDCG", "nDCG@10", "RBP(p=0.8)", "ERR@20", "P@10", "RR", "bpref", "Twist")
"""The default measures."""
TESTS = ("bootstrap", "tukey-randomized")
RESAMPLES = 1000
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class Power(Report):
    """Discriminative power of measures; the report of :func:`power`.

    Attributes
    ----------
    results
        The values that were compared.
    pairs
        Pairs x 2: the indices of the runs that were compared.
    asl, delta
        Measures x pairs: the achieved significance level of each pair, and the difference that the pair needs for
        significance (NaN for identical runs).
    test, alpha
        The test, and the significance level.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    results: Results
    pairs: Ints
    asl: Floats
    delta: Floats
    test: SignificanceTest
    alpha: float
    provenance: Provenance
    notes: tuple[str, ...]

    name = "power"
    tables: ClassVar[Mapping[str, str]] = {
        "measures": "the percentage of run pairs that each measure separates, and the difference of means needed",
        "pairs": "the achieved significance level (ASL) of every pair, largest first",
    }

    def __repr__(self) -> str:
        measures, pairs = pluralize(len(self.asl), "measure"), pluralize(len(self.pairs), "pair")
        return f"Power({measures}, {pairs} of {pluralize(len(self.results.runs), 'run')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure: measure, test, pairs, dp, delta (null if no pair has one)."""
        largest = np.where(np.isnan(self.delta), -np.inf, self.delta).max(axis=1)
        return tidy_frame(
            {"measure": self.results.measures},
            {
                "test": self.test.name,
                "pairs": len(self.pairs),
                "dp": (self.asl < self.alpha).mean(axis=1),
                "delta": np.where(np.isinf(largest), np.nan, largest),
            },
        )

    def curves(self) -> pl.DataFrame:
        """Return the ASL of all pairs, largest first: measure, place, run, other, difference, asl, delta.

        *place* is the position in this order. *difference* is the difference of means (of mean logarithms for geometric
        means). *delta* is the difference that the pair needs for significance. Pairs without an ASL are last.
        """
        order = np.argsort(-self.asl, axis=1, kind="stable")
        pairs = name_pairs(self.results.runs, self.pairs[order].reshape(-1, 2))
        difference = [
            mean_differences(prepare_values(self.results, number, complete_topics=self.test.corrected), self.pairs)
            for number in range(len(self.asl))
        ]
        numbers = {"difference": np.stack(difference), "asl": self.asl, "delta": self.delta}
        axes = {"measure": self.results.measures, "place": range(1, len(self.pairs) + 1)}
        frame = tidy_frame(axes, {name: np.take_along_axis(values, order, axis=1) for name, values in numbers.items()})
        return frame.select("measure", "place", *pairs, *numbers)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the measures that separate most and fewest pairs of runs."""
        frame, pairs = self.frame(), pluralize(len(self.pairs), "run pair")
        extremes = find_extremes(dict(zip(frame["measure"], frame["dp"], strict=True)))
        if extremes is None or extremes.high == 0:
            subject = "No measure separates" if len(frame) > 1 else f"{frame['measure'][0]} does not separate"
            return f"{subject} any of {pairs} at ASL < {self.alpha:g}."
        percentage = f"{100 * extremes.high:.1f} % of {pairs} at ASL < {self.alpha:g}"
        if len(frame) == 1:
            return f"{frame['measure'][0]} separates {percentage}."
        if extremes.all_equal:
            return f"All measures separate the same number of pairs: {percentage}."
        most, fewest = list_tied(extremes.highest, "separate"), list_tied(extremes.lowest, "separate")
        return f"{most} most pairs: {percentage}; {fewest} fewest ({100 * extremes.low:.1f} %)."

    def _show_measures(self) -> Table:
        test = self.test.title or self.test.name
        caption = (
            f"separated: number of pairs whose achieved significance level (ASL, {test}) is below {self.alpha:g}. "
            "difference needed: estimated difference of means that is needed to separate a pair. "
            f"{describe_correction((self.test,))}"
        )
        return Table(self.frame(), arrange_power(self.frame()), highest_is_best=("separated",), caption=caption)

    def _show_pairs(self) -> Table:
        frame = self.curves()
        compact = frame.drop("place").rename({"asl": "ASL", "delta": "difference needed"})
        smallest = 1 / getattr(self.test, "resamples", RESAMPLES)  # The smallest non-zero p-value of a resampling test.
        caption = describe_correction((self.test,))
        return Table(frame, compact, heading="measure", probability_columns={"ASL": smallest}, caption=caption)


def arrange_power(frame: pl.DataFrame) -> pl.DataFrame:
    """Arrange the frame of measures for reading: measure, pairs, separated, percent, difference needed."""
    separated = (frame["dp"] * frame["pairs"]).round().cast(pl.Int64)
    return frame.select(
        "measure",
        "pairs",
        separated.alias("separated"),
        percentage_column("percent", frame["dp"]),
        pl.col("delta").alias("difference needed"),
    )


@check_arguments
def power(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    test: str | SignificanceTest = "bootstrap",
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
    best: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Power:
    r"""Compare every pair of runs, and report the fraction of pairs that each measure separates.

    .. math:: DP = \frac{|\{(a, b): ASL(a, b) < \alpha\}|}{n (n - 1) / 2}

    for n runs. The achieved significance level ASL of a pair is its p-value in a resampling test. Delta estimates the
    difference of means that is needed for significance.

    Parameters
    ----------
    source
        A campaign of at least two runs, or results.
    measures
        As in ``evaluate`` (default: ``MEASURES``, or all measures of the results).
    test
        ``bootstrap``, ``tukey-randomized``, or a test object with its own number of resamples and seed.
    resamples, seed
        Number of resamples, and the seed of the random generator; all pairs and measures use the same resamples.
    alpha
        A pair is separated if its ASL is below this level.
    best
        Use only this fraction of the runs: the best runs by MAP. The study of Twist uses 0.75.
    progress
        Function that is called with the number of measures done and their total.

    References
    ----------
    Sakai, *Evaluating evaluation metrics based on the bootstrap*, SIGIR 2006. Carterette, *Multiple testing in
    statistical analysis of systems-based information retrieval experiments*, TOIS 30 (2012). Ferro, Silvello,
    Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into account*, JASIST 67
    (2016), Figure 14.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(20)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(20)}
    >>> second = {f"q{i}": {"a": 1.0, "b": i % 4} for i in range(20)}
    >>> campaign = assay.read(qrels, {"first": first, "second": second, "copy of second": second})
    >>> power(campaign, "RR").curves().select("place", "run", "other", "asl").rows()
    [(1, 'second', 'copy of second', 1.0), (2, 'first', 'second', 0.003), (3, 'first', 'copy of second', 0.003)]
    """
    chosen_test, level = parse_test(test, resamples, seed), check_fraction("alpha", alpha)
    results = select_results(source, measures, best, MEASURES)
    pairs = pair_runs(results.runs)
    asl, delta = np.empty((2, len(results.measures), len(pairs)))
    for number in track(range(len(results.measures)), progress):
        values = prepare_values(results, number, complete_topics=chosen_test.corrected)
        asl[number], delta[number] = compute_pair_levels(chosen_test, values, pairs, level)
    return build_power_report(results, chosen_test, level, asl, delta)


def parse_test(test: str | SignificanceTest, resamples: int, seed: int) -> SignificanceTest:
    """Return the test with the given name, or a test object unchanged; raise an error for a name not in ``TESTS``."""
    if isinstance(test, str) and test not in TESTS:
        raise InputError(f"test {test!r}: choose one of {', '.join(TESTS)}{suggestion(test, TESTS)}")
    return significance_test(test, resamples=resamples, seed=seed)


def build_power_report(results: Results, test: SignificanceTest, alpha: float, asl: Floats, delta: Floats) -> Power:
    """Build the report from the ASL and the needed difference of every pair, both measures x pairs."""
    pairs = pair_runs(results.runs)
    untested = int(np.isnan(asl).any(axis=0).sum())
    notes = [f"counted {pluralize(untested, 'pair')} with too few common topics as not separated"] if untested else []
    resamples = getattr(test, "resamples", None)
    if resamples is not None and resamples * alpha < 1:
        notes.append(f"{resamples} resamples are too few for alpha {alpha:g}; use at least {math.ceil(1 / alpha)}")
    settings = {"runs": len(results.runs), "test": test.name, **asdict(test), "alpha": alpha}
    provenance = results.provenance.with_settings(**settings)
    return Power(results, pairs, asl, delta, test, alpha, provenance, (*results.notes, *notes))


def compute_pair_levels(test: SignificanceTest, values: Floats, pairs: Ints, alpha: float) -> tuple[Floats, Floats]:
    """Return the ASL and the needed difference of each pair.

    For Tukey's test, the needed difference is half the width of the confidence interval.
    """
    if isinstance(test, Bootstrap):
        return test.asl(values, pairs, alpha)
    outcome = test.compare(values, pairs, alpha)
    half_width = (outcome.high - outcome.low) / 2
    return outcome.p, np.where(half_width > 0, half_width, np.nan)
