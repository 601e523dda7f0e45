"""Simulated trials that illustrate the balancing index: the rate at which a t test separates two runs.

Down to some rank, both runs have the same percentage of relevant documents. From this rank to rank 20, the first run
has more relevant documents. Below rank 20, the second run has far more. If the difference begins at a lower rank, fewer
trials are significant. The rate falls around the balancing index of the measure.

References
----------
Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval effectiveness*,
ICTIR 2015, figures 1b and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.errors import InputError, suggestion
from assay.measures import Additive, Measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table
from assay.theory._balance import balance, format_index, judged_from_codes, score_artificial

if TYPE_CHECKING:
    from assay.engine.workers import Progress

DRAWINGS = {
    "random-rounding": "each part of a ranking has its percentage of relevant documents, at random ranks; the number "
    "of relevant documents is rounded up or down at random for each topic, so that the percentage is exact on average",
    "half-up": "as random-rounding, but the number is rounded half up; it is the same for all topics, so that the "
    "rates have small jumps",
    "bernoulli": "each document is relevant independently, with the probability of its part",
}
MEASURE = "RBP(p=0.8)"
"""The default measure."""
TOP = 20
"""Default last rank of the second part; the third part begins at the next rank."""
_RANKINGS = 1 << 14  # Number of rankings in a block if the measure is a weighted sum.
_DOCUMENTS = 1 << 21  # Number of documents in a block if the measure evaluates entire rankings.
_NEGLIGIBLE = 1e-15  # Deep ranks are omitted if their total weight is less than this fraction of the total.


class Part(NamedTuple):
    """A part of a ranking: rank indices *begin* to *end* - 1, from 0, and the percentage of relevant documents."""

    begin: int
    end: int
    percent: float

    def draw_relevant(self, rng: np.random.Generator, rankings: int, drawing: str) -> Floats:
        """Draw the number of relevant documents in the part, for each ranking."""
        expected = self.percent * (self.end - self.begin) / 100
        if drawing == "half-up":
            return np.full(rankings, np.floor(expected + 0.5))
        return np.asarray(np.floor(expected) + (rng.random(rankings) < expected % 1))


@dataclass(frozen=True)
class Design:
    """The design of the trials and of the two runs; the percentages are of relevant documents.

    Attributes
    ----------
    trials, topics
        The number of trials, and the number of topics in each trial.
    n
        The length of the rankings.
    alpha
        A trial is significant if p < alpha.
    seed
        Seed of numpy's default random generator.
    same
        Percentage in the first part of both runs.
    first, second
        Percentages of the first run and of the second run. The first number is for the second part (up to rank *top*),
        the second number is for the third part.
    top
        The last rank of the second part.
    drawing
        One of ``DRAWINGS``.
    """

    trials: int
    topics: int
    n: int
    alpha: float
    seed: int
    same: float
    first: list[float]
    second: list[float]
    top: int
    drawing: str

    def __post_init__(self) -> None:
        for name, percentages in (("same", [self.same]), ("first", self.first), ("second", self.second)):
            count = 1 if name == "same" else 2
            if len(percentages) != count or not all(0 <= percent <= 100 for percent in percentages):
                values = ",".join(f"{percent:g}" for percent in percentages)
                expected = "a percentage" if count == 1 else "two percentages, such as 70,10,"
                raise InputError(f"{name} must be {expected} from 0 to 100, got {values}")
        if self.drawing not in DRAWINGS:
            hint = suggestion(self.drawing, DRAWINGS)
            raise InputError(f"drawing {self.drawing!r}: choose one of {', '.join(DRAWINGS)}{hint}")
        limits = {"trials": (1, 10**8), "topics": (2, 10**5), "top": (1, 10**4), "n": (self.top + 1, 10**5)}
        for name, (low, high) in limits.items():
            if not low <= getattr(self, name) <= high:
                raise InputError(f"{name} must be from {low} to {high}, got {getattr(self, name)}")
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha must be above 0 and below 1, got {self.alpha:g}")
        if isinstance(self.seed, int) and self.seed < 0:
            raise InputError(f"seed must be at least 0, got {self.seed}")

    def parts(self, rank: int, run: list[float]) -> tuple[Part, Part, Part]:
        """Return the parts of a ranking whose first part ends at *rank*.

        *run* contains the percentages of one run: *first* or *second*.
        """
        return Part(0, rank, self.same), Part(rank, self.top, run[0]), Part(self.top, self.n, run[1])


@dataclass(frozen=True, eq=False)
class Trials(Report):
    """Rates of significant trials by measure and rank; the report of :func:`trials`.

    Attributes
    ----------
    measures
        The measures.
    frames
        For each measure, a row for each rank down to which the runs agree. *rejected* is the fraction of trials in
        which the runs differ significantly. *first* and *second* are the fractions of trials in which this run is
        significantly better. *difference* is the mean difference between the first run and the second run.
    balance
        For each measure, the balancing index for rankings of this length; ``-inf`` if there is none.
    provenance
        The settings of the trials.
    notes
        Always empty.
    """

    measures: tuple[Measure, ...]
    frames: tuple[pl.DataFrame, ...]
    balance: tuple[float, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "trials"
    tables: ClassVar[Mapping[str, str]] = {
        "ranks": "the fraction of significant trials, by the rank down to which the runs have the same design"
    }

    def __repr__(self) -> str:
        settings = self.provenance.settings
        return f"Trials({', '.join(map(str, self.measures))}; {settings['trials']} trials, {settings['topics']} topics)"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and rank: measure, rank, rejected, first, second, difference."""
        by_measure = zip(self.measures, self.frames, strict=True)
        return pl.concat([frame.select(pl.lit(str(one)).alias("measure"), pl.all()) for one, frame in by_measure])

    def summary(self) -> str:
        """Return the ranks at which at least half of the trials are significant, and the balancing index."""
        by_measure = zip(self.measures, self.frames, self.balance, strict=True)
        return " ".join(self._describe_measure(*one) for one in by_measure)

    def _describe_measure(self, measure: Measure, frame: pl.DataFrame, balance: float) -> str:
        index = f"its balancing index for n = {self.provenance.settings['n']} is {format_index(balance)}"
        ranks = frame.filter(pl.col("rejected") >= 0.5)["rank"].to_list()
        total = pluralize(self.provenance.settings["trials"], "trial")
        if len(ranks) in (0, len(frame)):
            where = "at every rank"
        elif ranks == list(range(len(ranks))):
            where = f"if they agree at most down to rank {ranks[-1]}"
        else:
            where = f"at {len(ranks)} ranks"
        comparison = "at least" if ranks else "less than"
        return f"{measure} separates the runs in {comparison} half of {total} {where}; {index}."

    def _show_ranks(self) -> Table:
        frame = self.frame()
        labels = {
            "rank": "agree to rank",
            "rejected": "significant",
            "first": "first better",
            "second": "second better",
            "difference": "mean difference",
        }
        several = len(self.measures) > 1
        compact = frame.rename(labels) if several else frame.rename(labels).drop("measure")
        alpha, same = (f"{self.provenance.settings[name]:g}" for name in ("alpha", "same"))
        caption = (
            f"agree to rank: down to this rank, both runs have the same percentage of relevant documents ({same} %). "
            f"significant: fraction of trials with p < {alpha}. first better, second better: fraction of trials in "
            "which this run is significantly better. mean difference: first run minus second run."
        )
        return Table(frame, compact, heading="measure" if several else None, caption=caption)


@check_arguments
def trials(
    measures: str | Measure | Iterable[str | Measure] = MEASURE,
    n: int = 1000,
    *,
    trials: int = 10_000,
    topics: int = 50,
    drawing: str = "random-rounding",
    same: float = 20,
    first: Sequence[float] = (70, 10),
    second: Sequence[float] = (30, 70),
    top: int = TOP,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> Trials:
    """Simulate how often a t test separates two runs, and compare the rate with the balancing index of each measure.

    Each trial draws two runs of *n* documents for *topics* topics. Down to some rank, both runs have the same
    percentage of relevant documents. From this rank to rank *top*, the first run is better; below rank *top*, the
    second run is better. The rate of significant trials is reported for each rank from 0 to *top*. All measures use
    the same seed.

    Parameters
    ----------
    measures
        One or several measures. Measures that are not weighted sums over ranks, such as AP, take about a tenth of a
        second for each trial.
    n
        The length of the rankings.
    trials, topics
        The number of trials, and the number of topics in each trial.
    drawing
        ``random-rounding``, ``half-up`` or ``bernoulli``: see ``DRAWINGS``.
    same, first, second, top
        The design of the runs, as percentages of relevant documents: see ``Design``. The defaults are those of the
        paper.
    alpha
        A trial is significant if p < alpha.
    seed
        Seed of numpy's default random generator.
    progress
        Function that is called with the number of trials done and their total.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, figures 1b and 2.

    Examples
    --------
    >>> trials(n=100, trials=50)
    Trials(RBP(p=0.8); 50 trials, 50 topics)
    """
    parsed = parse_measures(measures)
    design = Design(trials, topics, n, alpha, seed, same, list(first), list(second), top, drawing)
    frames = []
    for number, one in enumerate(parsed):

        def report_progress(done: int, before: int = number * trials) -> None:
            if progress is not None:
                progress(before + done, len(parsed) * trials)

        frames.append(_simulate(one, design, report_progress))
    provenance = Provenance().with_settings(measures=[str(one) for one in parsed], **asdict(design))
    return Trials(parsed, tuple(frames), tuple(balance(parsed, n).values[:, 0].tolist()), provenance)


def _simulate(measure: Measure, design: Design, report_progress: Callable[[int], None]) -> pl.DataFrame:
    """Return the rate of significant trials for each rank, as in ``Trials.frames``.

    Each trial draws two runs for all topics, evaluates them with the *measure* and performs a paired two-sided t
    test. If the measure is a weighted sum over ranks (such as RBP with one p, P, DCG and nDCG), deep ranks with less
    than 1e-15 of the total weight are not drawn. For other measures, entire rankings are drawn and evaluated, for a
    topic with n relevant documents.

    For weighted sums, the part below rank *top* is drawn once for all ranks of a trial. Each rate has the same
    distribution as with independent trials, but the rates of different ranks are correlated.
    """
    topics, trials = design.topics, design.trials
    draw = (_draw_weighted_sums if is_linear(measure) else _draw_rankings)(measure, design)
    rankings_per_block = _RANKINGS if is_linear(measure) else max(1, _DOCUMENTS // design.n)
    block_size = max(1, rankings_per_block // topics)
    rng, critical = np.random.default_rng(design.seed), _critical_value(topics, design.alpha)
    better, total = np.zeros((2, design.top + 1), dtype=np.int64), np.zeros(design.top + 1)
    for done in range(0, trials, block_size):
        block = min(block_size, trials - done)
        for rank, difference in enumerate(draw(rng, block * topics)):
            t = _t_statistic(difference.reshape(block, topics))
            better[:, rank] += [(t > critical).sum(), (t < -critical).sum()]
            total[rank] += difference.sum()
        report_progress(done + block)
    first, second = better
    return pl.DataFrame(
        {
            "rank": np.arange(design.top + 1),
            "rejected": (first + second) / trials,
            "first": first / trials,
            "second": second / trials,
            "difference": total / (trials * topics),
        }
    )


def _critical_value(topics: int, alpha: float) -> float:
    """Return the critical value of the two-sided t test."""
    from scipy.special import stdtrit

    return float(stdtrit(topics - 1, 1 - alpha / 2))


def _t_statistic(difference: Floats) -> Floats:
    """Return the t statistic of each row; infinite if all differences are equal, 0 if all are 0."""
    topics = difference.shape[1]
    mean = difference.mean(axis=1)
    error = difference.std(axis=1, ddof=1) / np.sqrt(topics)
    # If the standard error is 0 within rounding errors, all differences are equal.
    constant = error <= ROUNDING * np.abs(difference).max(axis=1)
    limit = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(constant, limit, mean / np.where(constant, 1.0, error))


# A weighted sum over ranks ---------------------------------------------------------------------------------------

Draw = Callable[[np.random.Generator, int], Iterator[Floats]]
"""Function that draws pairs of rankings and yields the differences of their values, for each rank from 0 to *top*."""


def is_linear(measure: Measure) -> bool:
    """Return True if a measure is a weighted sum over the ranks of relevant documents."""
    return isinstance(measure, Additive) and measure.is_plain_sum


def rank_weights(measure: Measure, n: int, top: int = TOP) -> Floats:
    """Return the weight of each rank: the value that a relevant document at this rank adds.

    The weights end at rank *top* or below, where the total weight of the remaining ranks is negligible.
    """
    block_size = max(1, _DOCUMENTS // n)
    rank = np.arange(n)
    [empty] = _score(measure, np.ones((1, n), dtype=np.uint8))
    blocks = (np.arange(begin, min(begin + block_size, n)) for begin in range(0, n, block_size))
    # One ranking for each rank, with a single relevant document at that rank.
    codes = ((1 + (rank == block[:, None])).astype(np.uint8) for block in blocks)
    weights: Floats = np.concatenate([_score(measure, code) for code in codes]) - empty
    remaining = np.cumsum(np.abs(weights)[::-1])[::-1]
    depth = max(top, int((remaining > _NEGLIGIBLE * remaining[0]).sum()))
    return weights[:depth]


def _score(measure: Measure, codes: np.ndarray[Any, Any]) -> Floats:
    """Evaluate rankings of n documents, given as codes. The topic has n relevant and n non-relevant documents."""
    n = codes.shape[1]
    return score_artificial(measure, judged_from_codes(codes, {0.0: n, 1.0: n}))


def _draw_weighted_sums(measure: Measure, design: Design) -> Draw:
    """Return a function that draws the values of a weighted sum part by part."""
    weight = rank_weights(measure, design.n, design.top)

    def draw_part(rng: np.random.Generator, rankings: int, part: Part) -> Floats:
        return _draw_part_values(rng, rankings, weight, part, design.drawing)

    def draw(rng: np.random.Generator, rankings: int) -> Iterator[Floats]:
        # The third part does not depend on the rank, so it is drawn only once.
        runs = [(run, draw_part(rng, rankings, design.parts(0, run)[2])) for run in (design.first, design.second)]
        for rank in range(design.top + 1):
            first, second = (
                tail + sum(draw_part(rng, rankings, part) for part in design.parts(rank, run)[:2]) for run, tail in runs
            )
            yield first - second

    return draw


def _draw_part_values(rng: np.random.Generator, rankings: int, weight: Floats, part: Part, drawing: str) -> Floats:
    """Draw the value that a part adds, for each ranking.

    Ranks are drawn one after the other. If the number of relevant documents in the part is fixed, the probability of
    relevance at a rank is the number of relevant documents that are not yet placed, divided by the number of remaining
    ranks. Every set of ranks is then equally likely, and ranks without weight need not be drawn.
    """
    values = np.zeros(rankings)
    independent = drawing == "bernoulli"
    unplaced = np.zeros(0) if independent else part.draw_relevant(rng, rankings, drawing)
    for rank, rank_weight in enumerate(weight[part.begin : part.end].tolist(), part.begin):
        relevant = rng.random(rankings) < (part.percent / 100 if independent else unplaced / (part.end - rank))
        if not independent:
            unplaced -= relevant
        values += rank_weight * relevant
    return values


# Any measure -----------------------------------------------------------------------------------------------------


def _draw_rankings(measure: Measure, design: Design) -> Draw:
    """Return a function that draws entire rankings and evaluates them with the measure."""

    def draw(rng: np.random.Generator, rankings: int) -> Iterator[Floats]:
        for rank in range(design.top + 1):
            first, second = (
                _score(measure, _draw_codes(rng, rankings, design.parts(rank, run), design.drawing))
                for run in (design.first, design.second)
            )
            yield first - second

    return draw


def _draw_codes(rng: np.random.Generator, rankings: int, parts: tuple[Part, ...], drawing: str) -> np.ndarray[Any, Any]:
    """Draw rankings as codes, rankings x ranks: 1 for a non-relevant document and 2 for a relevant document."""
    blocks = []
    for part in parts:
        size = part.end - part.begin
        if drawing == "bernoulli":
            relevant = rng.random((rankings, size), dtype=np.float32) * 100 < part.percent
        else:
            relevant_count = part.draw_relevant(rng, rankings, drawing)
            relevant = rng.permuted(np.arange(size) < relevant_count[:, None], axis=1)
        blocks.append(relevant)
    return (1 + np.concatenate(blocks, axis=1)).astype(np.uint8)
