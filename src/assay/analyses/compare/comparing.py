"""``compare(results)``: which runs differ, by how much, how surely, and on how many topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from assay.analyses.compare.comparable import comparable
from assay.analyses.compare.corrections import CORRECTIONS, adjusted
from assay.analyses.compare.effect import hedges_g
from assay.analyses.compare.equivalence import equivalence
from assay.analyses.compare.seeds import by_system, variance
from assay.analyses.compare.testing import SignificanceTest, significance_test
from assay.analyses.compare.topics_needed import topics_for, topics_needed, variances
from assay.errors import InputError, suggestion
from assay.inputs import count, some
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arrays import Floats, Ints
from assay.results.provenance import Provenance
from assay.results.summary import GEOMETRIC_FLOOR
from assay.results.table import Results

FAMILIES = {
    "measure": "all comparisons of one measure",
    "all": "all comparisons of all measures",
}
COUNTS = ("topics", "wins", "ties", "losses", "topics_needed")
COLUMNS = (
    *("topics", "mean_a", "mean_b", "difference", "low", "high", "effect", "statistic", "p", "p_adjusted"),
    *("wins", "ties", "losses", "p_equivalent", "topics_needed"),
)
"""The numbers of a comparison, in the order of the table."""
_VALUES = 1 << 22  # of pairs of runs looked at together
_SAME = 1e-12  # values that differ by less than this share of them are tied, as they are for the tests


class Margin(NamedTuple):
    """The largest difference that does not matter; *relative*: as a share of the mean of the second run."""

    size: float
    relative: bool

    def __str__(self) -> str:
        return f"{100 * self.size:g}%" if self.relative else f"{self.size:g}"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`compare` returns.

    Attributes
    ----------
    results
        What was compared: the values of runs, or the mean values of the runs of each system.
    pairs
        Pairs x 2: the numbers of the runs a and b. Of a run and a baseline, b is the baseline.
    numbers
        ``COLUMNS``, each measures x pairs; NaN where there is no such number.
    test, correction, family, alpha
        How p was found and adjusted, and over which comparisons; intervals have the confidence 1 - alpha.
    baselines
        The runs that all others were compared with; none if all pairs were compared.
    margin, power, detect
        What differences do not matter, with what probability one is to be found, and which (None: the observed one);
        None if not asked.
    systems
        Which system each run is of, if that was given; a run that is missing is a system by itself.
    shares
        What topics, systems and runs contribute to how values vary: see :func:`.seeds.variance`.
    notes
        What was left out or assumed.
    """

    results: Results
    pairs: Ints
    numbers: Mapping[str, Floats]
    test: SignificanceTest
    correction: str
    family: str
    alpha: float
    baselines: tuple[str, ...]
    margin: Margin | None
    power: float | None
    detect: float | None
    systems: Mapping[str, str]
    shares: pl.DataFrame
    notes: tuple[str, ...]

    def frame(self) -> pl.DataFrame:
        """A row for each measure and pair: ``measure, run_a, run_b``, then ``COLUMNS``, then ``test``.

        *difference* is mean_a - mean_b, over the *topics* for which both runs have a value; *low* and *high* are its
        interval. *effect* is Hedges' g. *wins* counts the topics on which a has the better value: the higher one, or
        the lower one of a measure of cost. *p_adjusted* takes care of there being several comparisons.
        *p_equivalent*, not adjusted, is that of the hypothesis that the difference is at least the margin, and
        *topics_needed* how many topics would show the observed difference, in a t test of one pair at the level alpha,
        with the power asked for (null if there is no difference). For geometric means *difference* and its interval are
        of logarithms.
        """
        measures, pairs = len(self.results.measures), len(self.pairs)
        runs = pl.Series(self.results.runs, dtype=pl.String)
        names = pl.Series([str(measure) for measure in self.results.measures], dtype=pl.String)
        kinds = {name: pl.Int64 if name in COUNTS else pl.Float64 for name in COLUMNS}
        return pl.DataFrame(
            {
                "measure": names.gather(np.repeat(np.arange(measures), pairs)),
                "run_a": runs.gather(np.tile(self.pairs[:, 0], measures)),
                "run_b": runs.gather(np.tile(self.pairs[:, 1], measures)),
                **{
                    name: pl.Series(self.numbers[name].ravel()).fill_nan(None).cast(kind)
                    for name, kind in kinds.items()
                },
                "test": pl.Series([self.test.name] * (measures * pairs), dtype=pl.String),
            }
        )

    def matrix(self, of: str | Measure, column: str = "p_adjusted") -> Floats:
        """One column for one measure as runs x runs; NaN where no comparison was made.

        What has a sign changes it when the runs change places; *mean_a* and the like are no matrix.
        """
        if column not in ("p", "p_adjusted", "p_equivalent", "topics", "difference", "effect", "statistic"):
            raise InputError(f"column {column!r}: it depends on more than the two runs of a comparison")
        self.results.matrix(of)  # refuses a measure that is not among the results
        number = self.results.measures.index(parse_measure(of))
        found = np.full((len(self.results.runs),) * 2, math.nan)
        sign = -1 if column in ("difference", "effect", "statistic") else 1
        first, second = self.pairs.T
        found[first, second] = self.numbers[column][number]
        found[second, first] = sign * self.numbers[column][number]
        return found

    @property
    def least(self) -> float:
        """The smallest p that the test can tell from 0: a share of resamples is not finer than one of them."""
        return 1 / getattr(self.test, "resamples", math.inf)

    def provenance(self) -> dict[str, Any]:
        """The inputs, and how they were compared."""
        how = {
            "test": {"name": self.test.name, **asdict(self.test)},
            "correction": "none" if self.test.corrected else self.correction,
            "family": self.family,
            "alpha": self.alpha,
            "baselines": list(self.baselines),
            "margin": None if self.margin is None else str(self.margin),
            "power": self.power,
            "detect": self.detect,
            "systems": dict(self.systems),
        }
        return {**self.results.provenance.as_dict(), "comparison": how}


def compare(
    results: Results,
    *,
    test: str | SignificanceTest = "t",
    correction: str = "holm",
    family: str = "measure",
    baselines: str | Iterable[str] = (),
    alpha: float = 0.05,
    margin: float | str | None = None,
    power: float | None = None,
    detect: float | None = None,
    systems: Mapping[str, str] | None = None,
    resamples: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare runs with each other, or with baselines, paired by topic.

    Parameters
    ----------
    results
        What :func:`assay.evaluate` returns, with two runs at least.
    test
        ``t``, ``wilcoxon``, ``sign``, ``randomization``, ``bootstrap``, ``tukey``, ``tukey-randomized``, or a test.
    correction
        ``holm``, ``bonferroni``, ``bh`` (Benjamini and Hochberg) or ``none``. Tukey's tests are not corrected again:
        their p is that of all pairs of runs.
    family
        What is corrected for together: the comparisons of one ``measure`` (default), or ``all``.
    baselines
        Runs that every other run is compared with; all pairs of runs are compared if there are none.
    alpha
        Intervals have the confidence 1 - alpha.
    margin
        A difference that does not matter, such as 0.02, or ``"5%"`` of the mean of the baseline: tests whether runs are
        equivalent.
    power
        The probability, such as 0.8, for which to tell the number of topics that show a difference.
    detect
        That difference, such as 0.02: the smallest that is to be found, given the observed variance of the differences
        of a pair (topic-set-size design). By default the observed difference.
    systems
        Which system each run is of: systems are compared by the means of their runs on each topic.
    resamples, seed
        Of the tests that draw at random.
    progress
        Called with the number of measures done and their total.

    Examples
    --------
    >>> import assay
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> first = {f"q{i}": {"a": 2.0, "b": 1.0} for i in range(8)}
    >>> second = {f"q{i}": {"a": 1.0 + i % 4, "b": 2.5} for i in range(8)}
    >>> found = compare(assay.evaluate(qrels, {"first": first, "second": second}, "RR"))
    >>> found.frame().select("run_a", "run_b", "difference", "wins", "ties").rows()
    [('first', 'second', 0.25, 4, 4)]
    """
    chosen = checked(test, correction, family, alpha=alpha, power=power, detect=detect, resamples=resamples, seed=seed)
    compared = results if systems is None else by_system(results, systems)
    named = named_baselines(baselines, compared.runs, compared.provenance)
    pairs = _pairs(compared, named)
    how = _How(chosen, alpha, _margin(margin, compared, named), power, detect)
    found = []
    for number, measure in enumerate(compared.measures):
        values = comparable(compared, number, whole=chosen.corrected)
        found.append(_numbers(values, pairs, measure, how))
        if progress is not None:
            progress(number + 1, len(compared.measures))
    numbers = {name: np.array([each[name] for each in found]) for name in found[0]}
    # Of a p of 0 among resamples it is known that it is less than one of them: that bound can be adjusted, 0 cannot.
    told = np.where(numbers["p"] == 0, 1 / getattr(chosen, "resamples", math.inf), numbers["p"])
    numbers["p_adjusted"] = numbers["p"] if chosen.corrected else _adjusted(told, correction, family)
    done = Comparison(
        results=compared,
        pairs=pairs,
        numbers=numbers,
        test=chosen,
        correction=correction,
        family=family,
        alpha=alpha,
        baselines=named,
        margin=how.margin,
        power=power,
        detect=detect,
        systems=dict(systems or {}),
        shares=variance(results, systems or {}),
        notes=(),
    )
    return replace(done, notes=(*_system_notes(results, compared), *compared.notes, *_notes(done)))


def checked(
    test: str | SignificanceTest,
    correction: str = "holm",
    family: str = "measure",
    *,
    alpha: float = 0.05,
    power: float | None = None,
    detect: float | None = None,
    resamples: int | None = None,
    seed: int = 0,
) -> SignificanceTest:
    """The test; whatever of the arguments of :func:`compare` needs no results to be seen wrong is refused."""
    for name, given, known in (("correction", correction, CORRECTIONS), ("family", family, tuple(FAMILIES))):
        if given not in known:
            raise InputError(f"{name} {given!r}: choose one of {', '.join(known)}{suggestion(str(given), known)}")
    for name, number, such in (("alpha", alpha, 0.05), ("power", power, 0.8)):
        if number is not None and not 0 < number < 1:
            raise InputError(f"{name} must lie between 0 and 1, such as {such}, got {number}")
    if detect is not None and (power is None or not 0 < detect < math.inf):
        raise InputError(f"detect must be a difference above 0, with a power such as 0.8, got {detect}")
    chosen = significance_test(test, seed=seed, **({} if resamples is None else {"resamples": resamples}))
    if resamples is not None and not hasattr(chosen, "resamples"):
        raise InputError(f"resamples: the test {chosen.name} draws none; leave them out")
    return chosen


def named_baselines(baselines: str | Iterable[str], runs: tuple[str, ...], provenance: Provenance) -> tuple[str, ...]:
    """The names of baselines; a file that was read stands for the run in it."""
    given = dict.fromkeys([baselines] if isinstance(baselines, str) else baselines)
    read: dict[str, list[str]] = {}
    for each in provenance.inputs:
        if each.role == "run":
            read.setdefault(each.source, []).append(each.name)
    names = [read[name][0] if name not in runs and len(read.get(name, [])) == 1 else name for name in given]
    for name in names:
        if name not in runs:
            hint = suggestion(name, runs) or f"; they are {some(runs)}"
            raise InputError(f"baseline {name!r} is not among the runs{hint}")
    return tuple(dict.fromkeys(names))


def refuse_one(runs: int) -> None:
    """Refuse to compare what is not two runs at least."""
    if runs < 2:
        raise InputError("comparing needs two runs at least; name another")


def _pairs(results: Results, baselines: tuple[str, ...]) -> Ints:
    """Pairs x 2. Each run against each baseline, baselines among themselves once; or all pairs."""
    many = len(results.runs)
    refuse_one(many)
    if not baselines:
        return np.array(list(combinations(range(many), 2)), dtype=np.int64)
    base = [results.runs.index(name) for name in baselines]
    pairs = [
        (run, against)
        for place, against in enumerate(base)
        for run in range(many)
        if run != against and run not in base[:place]
    ]
    return np.array(pairs, dtype=np.int64)


def _margin(margin: float | str | None, results: Results, baselines: tuple[str, ...]) -> Margin | None:
    if margin is None:
        return None
    text = str(margin).strip()
    relative = text.endswith("%")
    try:
        size = float(text.removesuffix("%")) / (100 if relative else 1)
    except ValueError:
        size = math.nan
    if not (math.isfinite(size) and size > 0):
        raise InputError(f"margin {margin!r}: write a difference above 0 such as 0.02, or a share such as 5%")
    if relative and not baselines:
        raise InputError(f"margin {text} is a share of the mean of a baseline; name one, or write a difference")
    for measure in results.measures:
        if measure.aggregate == "geometric" and not relative:
            raise InputError(f"margin {text}: {measure} is compared by ratios; write a share such as 5%")
    return Margin(size, relative)


class _How(NamedTuple):
    """What one measure is compared by."""

    test: SignificanceTest
    alpha: float
    margin: Margin | None
    power: float | None
    detect: float | None


def _numbers(values: Floats, pairs: Ints, measure: Measure, how: _How) -> dict[str, Floats]:
    """The COLUMNS of one measure, but for the adjusted p."""
    outcome = how.test.compare(values, pairs, how.alpha)
    found = _described(values, pairs, measure.lower_is_better)
    nothing = np.full(len(pairs), math.nan)
    found |= {name: getattr(outcome, name) for name in ("statistic", "p", "low", "high")}
    found["effect"] = hedges_g(values, pairs)
    found["p_equivalent"] = nothing if how.margin is None else _equivalence(values, pairs, measure, how.margin)
    found["topics_needed"] = nothing if how.power is None else _needed(values, pairs, how.power, how)
    if measure.aggregate == "geometric":
        found |= {name: np.exp(found[name]) for name in ("mean_a", "mean_b")}
    return found


def _needed(values: Floats, pairs: Ints, power: float, how: _How) -> Floats:
    """How many topics show the difference that is to be found; NaN if none do."""
    if how.detect is None:
        needed = topics_needed(values, pairs, how.alpha, power)
    else:
        needed = topics_for(how.detect, variances(values, pairs), how.alpha, power)
    return np.where(np.isinf(needed), math.nan, needed)


def _described(values: Floats, pairs: Ints, lower_is_better: bool) -> dict[str, Floats]:
    """Means and their difference over the topics that count, and on how many of them a is better."""
    step = max(1, _VALUES // max(1, values.shape[1]))
    parts = [_part(values, pairs[begin : begin + step]) for begin in range(0, len(pairs), step)]
    topics, mean_a, mean_b, above, below = (np.concatenate(each) for each in zip(*parts, strict=True))
    wins, losses = (below, above) if lower_is_better else (above, below)
    found = {"topics": topics, "mean_a": mean_a, "mean_b": mean_b, "difference": mean_a - mean_b}
    return found | {"wins": wins, "ties": topics - wins - losses, "losses": losses}


def _part(values: Floats, pairs: Ints) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    a, b = values[pairs[:, 0]], values[pairs[:, 1]]
    both = ~(np.isnan(a) | np.isnan(b))
    topics = both.sum(axis=1).astype(np.float64)
    means = []
    for side in (a, b):
        # Added in the order of the topics, so that means are those of an evaluation to the last digit.
        total = np.cumsum(np.where(both, side, 0.0), axis=1)[:, -1] if side.shape[1] else np.zeros(len(pairs))
        means.append(np.divide(total, topics, out=np.full(len(pairs), math.nan), where=topics > 0))
    differ = both & (np.abs(a - b) > _SAME * np.maximum(np.abs(a), np.abs(b)))
    above, below = (differ & (a > b)).sum(axis=1), (differ & (a < b)).sum(axis=1)
    return topics, means[0], means[1], above.astype(np.float64), below.astype(np.float64)


def _equivalence(values: Floats, pairs: Ints, measure: Measure, margin: Margin) -> Floats:
    """The p of two one-sided tests; a share of a geometric mean is a difference of logarithms."""
    if measure.aggregate == "geometric":
        return equivalence(values, pairs, math.log1p(margin.size))
    return equivalence(values, pairs, margin.size, relative=margin.relative)


def _adjusted(p: Floats, correction: str, family: str) -> Floats:
    """Adjusted over measures x pairs together, or measure by measure."""
    if family == "all":
        return adjusted(p.ravel(), correction).reshape(p.shape)
    return np.stack([adjusted(row, correction) for row in p])


def _system_notes(results: Results, compared: Results) -> list[str]:
    if results is compared:
        return []
    sizes = f"{count(len(compared.runs), 'system')} of {count(len(results.runs), 'run')}"
    return [f"{sizes}: on each topic the mean over the runs of a system is compared; topics are the sample, not runs"]


def _notes(of: Comparison) -> list[str]:
    notes = []
    for number, measure in enumerate(of.results.measures):
        notes += _about(measure, of.numbers["p"][number])
        missing = np.isnan(of.results.values[number]).any(axis=0)
        if missing.any():
            which = some([topic for topic, gone in zip(of.results.topics, missing, strict=True) if gone])
            out = "all comparisons" if of.test.corrected else "the comparisons of runs that lack them"
            notes.append(f"{measure}: {count(int(missing.sum()), 'topic')} left out of {out}: {which}")
    if of.test.corrected:
        several = of.family == "all" and len(of.results.measures) > 1
        but = ", though there are several measures" if several else ""
        notes.append(f"{of.test.name}: p is that of all pairs of runs together, and is not corrected again{but}")
    return notes + _too_few_resamples(of)


def _too_few_resamples(of: Comparison) -> list[str]:
    """That p cannot be small enough for so many comparisons, however much runs differ."""
    if of.test.corrected or of.correction not in ("holm", "bonferroni") or not (of.numbers["p"] <= of.least).any():
        return []
    tested = (~np.isnan(of.numbers["p"])).sum(axis=1)
    most = int(tested.sum() if of.family == "all" else tested.max())
    if not of.least or most * of.least < of.alpha:
        return []
    many = f"significant among {most} comparisons; draw more than {math.ceil(most / of.alpha)}"
    return [f"{of.test.name}: from {round(1 / of.least)} resamples no p is small enough to be {many}"]


def _about(measure: Measure, p: Floats) -> list[str]:
    """What is peculiar to the comparisons of a measure."""
    notes = []
    if measure.aggregate == "geometric":
        notes.append(
            f"{measure}: logarithms of values, of at least {GEOMETRIC_FLOOR:g}, are compared; "
            "difference, low and high are differences of logarithms"
        )
    if measure.aggregate == "sum":
        notes.append(f"{measure}: a count, compared by its mean per topic")
    if measure.lower_is_better:
        notes.append(f"{measure}: lower values are better, so that a win is a lower value")
    if np.isnan(p).any():
        notes.append(f"{measure}: {count(int(np.isnan(p).sum()), 'comparison')} with too few topics for a test")
    return notes
