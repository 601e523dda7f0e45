"""Agreement of significant differences in gain and in effort, for every pair of runs.

Each run belongs to one of four quadrants: its mean gain is high or low, and its mean effort is low or high. The median
over the runs divides high from low. For each pair of runs, differences of gain and of Twist are tested, and the pairs
are counted by outcome and by the quadrants of the two runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np
import polars as pl

from assay.effort._against_gain import evaluate_effort, parse_effort_measure
from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats, Ints
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import name_pairs
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame
from assay.significance._compare import compare
from assay.significance.base import SignificanceTest
from assay.significance.comparison import Comparison
from assay.significance.wording import describe_test

MEASURES = ("AP", "nDCG")
"""The default measures of gain."""
OUTCOMES = ("both_same", "both_opposite", "gain_only", "effort_only", "neither")
OUTCOME_LABELS = dict(zip(OUTCOMES, ("same", "opposite", "gain only", "effort only", "neither"), strict=True))
QUADRANTS = ("high gain, low effort", "high gain, high effort", "low gain, low effort", "low gain, high effort")
QUADRANT_PAIRS = tuple(combinations_with_replacement(range(4), 2))
GROUPS = ("same quadrant", "different quadrants", "all")


@dataclass(frozen=True, eq=False)
class Agreement(Report):
    """Pairs of runs by the significance of their differences in gain and effort; the report of :func:`agreement`.

    Attributes
    ----------
    comparison
        The comparison of all pairs of runs by Twist, then by the measures of gain.
    outcome
        Measures x pairs: the outcome of each pair, an index in ``OUTCOMES``.
    quadrant
        Measures x runs: the quadrant of each run, an index in ``QUADRANTS``.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    comparison: Comparison
    outcome: Ints
    quadrant: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "agreement"
    tables: ClassVar[Mapping[str, str]] = {
        "counts": "the number of run pairs by outcome, within and across quadrants",
        "quadrants": "the number of run pairs by outcome, for each pair of quadrants",
        "pairs": "the differences and p-values of every pair of runs",
        "runs": "the mean gain, the mean Twist and the quadrant of each run",
    }

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The gain measures."""
        return self.comparison.results.measures[1:]

    def __repr__(self) -> str:
        pairs = pluralize(len(self.comparison.pairs), "pair")
        return f"Agreement({pairs} of runs: {', '.join(map(str, self.measures))})"

    def frame(self) -> pl.DataFrame:
        """Return the number of pairs by outcome: measure, quadrants, pairs, and a column for each of ``OUTCOMES``.

        *quadrants* is ``same quadrant``, ``different quadrants`` or ``all``. *both_same*: gain and Twist differ
        significantly, and the same run is better. *both_opposite*: gain and Twist differ significantly, and different
        runs are better. *gain_only*, *effort_only*: only one of them differs significantly.
        """
        first, second = self._pair_quadrants()
        groups = np.stack([first == second, first != second, np.ones_like(first, dtype=bool)], axis=1)
        return self._count({"measure": self.measures, "quadrants": GROUPS}, groups)

    def by_quadrants(self) -> pl.DataFrame:
        """Return the number of pairs by outcome for each pair of quadrants: measure, quadrant, other, pairs, …."""
        low, high = np.sort(self._pair_quadrants(), axis=0)
        groups = np.stack([(low == one) & (high == other) for one, other in QUADRANT_PAIRS], axis=1)
        names = [(QUADRANTS[one], QUADRANTS[other]) for one, other in QUADRANT_PAIRS]
        axis = pl.DataFrame(names, schema=["quadrant", "other"], orient="row")
        return self._count({"measure": self.measures, "quadrants": axis}, groups)

    def _pair_quadrants(self) -> tuple[Ints, Ints]:
        """Return the quadrants of the first and of the second run of each pair, measures x pairs."""
        return self.quadrant[:, self.comparison.pairs[:, 0]], self.quadrant[:, self.comparison.pairs[:, 1]]

    def _count(self, axes: Mapping[str, Iterable[object] | pl.DataFrame], groups: np.ndarray) -> pl.DataFrame:
        """Count the pairs of each outcome in each group; *groups* is a mask, measures x groups x pairs."""
        outcomes = self.outcome[:, None] == np.arange(len(OUTCOMES))[:, None, None, None]
        counts = (outcomes & groups).sum(axis=-1)
        return tidy_frame(axes, {"pairs": counts.sum(axis=0), **dict(zip(OUTCOMES, counts, strict=True))})

    def pairs(self) -> pl.DataFrame:
        """Return a row for each measure and pair of runs.

        The columns are measure, run, other, gain_difference, gain_p, twist_difference, twist_p, outcome, quadrant and
        other_quadrant. Differences are those of *run* minus *other*; p-values are corrected.
        """
        difference, p = (self.comparison.numbers[name] for name in ("difference", "p_adjusted"))
        first, second = self._pair_quadrants()
        names = np.array(QUADRANTS)
        runs = name_pairs(self.comparison.results.runs, self.comparison.pairs)
        return tidy_frame(
            {"measure": self.measures, "pair": runs},
            {
                "gain_difference": difference[1:],
                "gain_p": p[1:],
                "twist_difference": difference[0],
                "twist_p": p[0],
                "outcome": np.array(OUTCOMES)[self.outcome],
                "quadrant": names[first],
                "other_quadrant": names[second],
            },
        )

    def by_run(self) -> pl.DataFrame:
        """Return the mean gain, the mean Twist and the quadrant of each run: measure, run, gain, twist, quadrant."""
        means = self.comparison.results.overall().T
        return tidy_frame(
            {"measure": self.measures, "run": self.comparison.results.runs},
            {"gain": means[1:], "twist": means[0], "quadrant": np.array(QUADRANTS)[self.quadrant]},
        )

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the number of pairs that differ in gain and effort, in one of them, and in opposite directions."""
        effort = self.comparison.results.measures[0]
        sentences = []
        for row in self.frame().filter(quadrants="all").to_dicts():
            both, opposite = row["both_same"] + row["both_opposite"], row["both_opposite"]
            sentences.append(
                f"{both} in both {row['measure']} and {effort} ({opposite} in opposite directions), {row['gain_only']} "
                f"only in {row['measure']}, and {row['effort_only']} only in {effort}"
            )
        pairs = pluralize(len(self.comparison.pairs), "pair")
        return f"Significant differences of {pairs} of runs: {'; '.join(sentences)}."

    @property
    def _caption(self) -> str:
        twist = self.comparison.results.measures[0]
        return (
            f"Pairs of runs by significant differences of gain and of {twist} ({describe_test(self.comparison)}, "
            f"p < {self.comparison.alpha:g}). same, opposite: both differ, and the same run or different runs are "
            "better. Quadrants: the gain of a run is high if its mean is at least the median of the runs, and its "
            "effort is low if its mean Twist is."
        )

    def _show_counts(self) -> Table:
        frame = self.frame()
        return Table(frame, frame.rename(OUTCOME_LABELS), heading="measure", caption=self._caption)

    def _show_quadrants(self) -> Table:
        frame = self.by_quadrants()
        short = {name: name.replace(" gain, ", "/").replace(" effort", "") for name in QUADRANTS}
        compact = frame.with_columns(pl.col("quadrant", "other").replace(short)).filter(pl.col("pairs") > 0)
        caption = f"quadrant, other: gain/effort of the two runs. {self._caption}"
        return Table(frame, compact.rename(OUTCOME_LABELS), heading="measure", caption=caption)

    def _show_pairs(self) -> Table:
        frame = self.pairs()
        labels = {"gain_difference": "gain", "gain_p": "p", "twist_difference": "Twist", "twist_p": "p (Twist)"}
        compact = frame.select("measure", "run", "other", *labels, "outcome").rename(labels)
        compact = compact.with_columns(pl.col("outcome").replace(OUTCOME_LABELS))
        caption = f"gain, Twist: mean differences. p: of the difference of gain. {self._caption}"
        return Table(
            frame,
            compact,
            heading="measure",
            probability_columns=dict.fromkeys(("p", "p (Twist)"), 0.0),
            caption=caption,
        )

    def _show_runs(self) -> Table:
        frame = self.by_run()
        return Table(frame, frame.rename({"twist": "Twist"}), heading="measure", caption=self._caption)


@check_arguments
def agreement(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    twist: str | Measure = "Twist",
    test: str | SignificanceTest = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Agreement:
    """Test whether significant differences in gain correspond to significant differences in effort.

    Every pair of runs is compared by each measure of gain and by Twist. The report counts the pairs that differ
    significantly in both (in the same or in opposite directions), only in gain, only in effort, or in neither, and
    separates pairs within a quadrant of gain and effort from pairs across quadrants.

    Parameters
    ----------
    source
        A campaign of at least two runs, or results with the values of Twist and of the measures of gain.
    measures
        Measures of gain.
    twist
        The measure of effort: ``Twist``, possibly with parameters.
    test, correction, alpha, resamples, seed
        As in :func:`assay.compare`. p-values are corrected separately for each measure.
    progress
        Called with the number of measures done and their total.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016): the comparison that the conclusions propose as future work.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(8)}
    >>> second = {f"q{i}": {"a": 1.0, "b": 2.0 if i else 0.5} for i in range(8)}
    >>> report = agreement(assay.read(qrels, {"first": first, "second": second}), "AP")
    >>> report.frame().select("quadrants", "pairs", "both_same", "neither").rows()[-1]
    ('all', 1, 1, 0)
    """
    effort = parse_effort_measure(twist)
    results = evaluate_effort(source, effort, parse_measures(measures))
    comparison = compare(
        results, test=test, correction=correction, alpha=alpha, resamples=resamples, seed=seed, progress=progress
    )
    settings = {
        "measures": list(map(str, results.measures[1:])),
        "twist": str(effort),
        "test": comparison.test.name,
        "correction": correction,
        "alpha": alpha,
        "resamples": resamples,
        "seed": seed,
    }
    return Agreement(
        comparison=comparison,
        outcome=_classify_pairs(comparison),
        quadrant=_find_quadrants(results),
        provenance=results.provenance.with_settings(**settings),
        notes=comparison.notes,
    )


def _classify_pairs(comparison: Comparison) -> Ints:
    """Return the outcome of each pair, measures of gain x pairs. Pairs that cannot be tested do not differ."""
    better: Floats = np.sign(comparison.numbers["difference"])
    for number, measure in enumerate(comparison.results.measures):
        if measure.lower_is_better:
            better[number] *= -1
    differs = comparison.numbers["p_adjusted"] < comparison.alpha
    effort, gain = differs[0], differs[1:]
    conditions = [gain & effort & (better[1:] == better[0]), gain & effort, gain, np.broadcast_to(effort, gain.shape)]
    return np.select(conditions, list(range(4)), default=OUTCOMES.index("neither"))


def _find_quadrants(results: Results) -> Ints:
    """Return the quadrant of each run, measures of gain x runs; a mean equal to the median counts as better."""
    is_better = np.stack(
        [
            _is_upper_half(-values if measure.lower_is_better else values)
            for values, measure in zip(results.overall().T, results.measures, strict=True)
        ]
    )
    # High Twist means low effort.
    return np.where(is_better[1:], 0, 2) + np.where(is_better[0], 0, 1)


def _is_upper_half(values: Floats) -> Bools:
    """Return whether each value is at least the median; NaN is not."""
    known = values[~np.isnan(values)]
    return np.asarray(values >= np.median(known)) if len(known) else np.zeros(len(values), dtype=bool)
