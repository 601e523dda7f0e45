"""Trials that show what the balancing index means: how often a t test calls two simulated runs different.

Down to a rank both runs hold the same share of relevant documents; from there to the end of the top (rank 20) the first
holds more, below it the second holds far more. The later the difference begins, the fewer trials call the runs
different; the rate falls around the balancing index of the measure.

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
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table
from assay.theory._balance import balancing, rankings, valued, write_index

if TYPE_CHECKING:
    from assay.engine.workers import Progress

DRAWINGS = {
    "random-rounding": "each part of a ranking holds its share of relevant documents, rounded up or down at random for "
    "each topic so that the share is right on average, at random places",
    "half-up": "the same, rounded half up: one number for all topics, which leaves kinks in the rates",
    "bernoulli": "each document is relevant with the probability of its part, independently",
}
MEASURE = "RBP(p=0.8)"
"""The default measure."""
TOP = 20
"""Where the second part ends and the third begins, by default."""
_RANKINGS = 1 << 14  # drawn together where only their values are kept
_DOCUMENTS = 1 << 21  # of rankings looked at together where they are scored in full
_NEGLIGIBLE = 1e-15  # share of all weight, for ranks that are left out
_LIMITS = {"trials": (1, 10**8), "topics": (2, 10**5), "top": (1, 10**4)}
_LONGEST = 10**5


class Part(NamedTuple):
    """Some successive ranks of a ranking, counted from 0, and the per cent of them that are relevant."""

    begin: int
    end: int
    percent: float

    def relevant(self, rng: np.random.Generator, many: int, drawing: str) -> Floats:
        """Draw how many documents of the part are relevant, for many rankings."""
        share = self.percent * (self.end - self.begin) / 100
        if drawing == "half-up":
            return np.full(many, np.floor(share + 0.5))
        return np.asarray(np.floor(share) + (rng.random(many) < share % 1))


@dataclass(frozen=True)
class Design:
    """The design of the two runs, in per cent of relevant documents; the defaults are those of the paper.

    Attributes
    ----------
    same
        Of the first part of both runs.
    first, second
        Of either run: between the first part and rank *top*, and below rank *top*.
    top
        Where the second part ends and the third begins.
    drawing
        One of ``DRAWINGS``.
    """

    same: float = 20
    first: tuple[float, float] = (70, 10)
    second: tuple[float, float] = (30, 70)
    top: int = TOP
    drawing: str = "random-rounding"

    def __post_init__(self) -> None:
        for name, shares in (("same", (self.same,)), ("first", self.first), ("second", self.second)):
            few = 1 if name == "same" else 2
            if len(shares) != few or not all(0 <= share <= 100 for share in shares):
                written = ",".join(f"{share:g}" for share in shares)
                such = "a percentage" if few == 1 else "two percentages, such as 70,10,"
                raise InputError(f"{name} must be {such} from 0 to 100, got {written}")
        if self.drawing not in DRAWINGS:
            hint = suggestion(self.drawing, DRAWINGS)
            raise InputError(f"drawing {self.drawing!r}: choose one of {', '.join(DRAWINGS)}{hint}")

    def parts(self, rank: int, n: int, deeper: tuple[float, float]) -> tuple[Part, Part, Part]:
        """Return the parts of a ranking of *n* documents whose first part ends at *rank*."""
        return Part(0, rank, self.same), Part(rank, self.top, deeper[0]), Part(self.top, n, deeper[1])


@dataclass(frozen=True, eq=False)
class Trials(Report):
    """How often a t test calls two simulated runs different, by measure and rank; the report of :func:`trials`.

    Attributes
    ----------
    measures
        The measures.
    frames
        For each of them, the rates as :func:`simulate_trials` returns them.
    balance
        For each of them, the balancing index for rankings as long as those that were drawn; ``-inf``: none.
    provenance
        The settings of the trials.
    notes
        Nothing: all is in the settings.
    """

    measures: tuple[Measure, ...]
    frames: tuple[pl.DataFrame, ...]
    balance: tuple[float, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "trials"
    tables: ClassVar[Mapping[str, str]] = {
        "ranks": "the share of significant trials, by the rank down to which both runs agree"
    }

    def __repr__(self) -> str:
        settings = self.provenance.settings
        return f"Trials({', '.join(map(str, self.measures))}; {settings['trials']} trials, {settings['topics']} topics)"

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and rank: measure, rank, rejected, first, second, difference."""
        each = zip(self.measures, self.frames, strict=True)
        return pl.concat([frame.select(pl.lit(str(one)).alias("measure"), pl.all()) for one, frame in each])

    def summary(self) -> str:
        """Return down to which rank the runs may agree and still differ in most trials, and the balancing index."""
        each = zip(self.measures, self.frames, self.balance, strict=True)
        return " ".join(self._describe(*one) for one in each)

    def _describe(self, measure: Measure, frame: pl.DataFrame, balance: float) -> str:
        index = f"its balancing index for n = {self.provenance.settings['n']} is {write_index(balance)}"
        often = frame.filter(pl.col("rejected") >= 0.5)["rank"].to_list()
        total = pluralize(self.provenance.settings["trials"], "trial")
        if not often:
            return f"{measure} separates the runs in less than half of {total} at every rank; {index}."
        if len(often) == len(frame):
            return f"{measure} separates the runs in at least half of {total} at every rank; {index}."
        last = max(often)
        until = (
            f"if they agree down to rank {last} at most" if often == list(range(last + 1)) else f"at {len(often)} ranks"
        )
        return f"{measure} separates the runs in at least half of {total} {until}; {index}."

    def _show_ranks(self) -> Table:
        frame = self.frame()
        words = {"rank": "agree to rank", "rejected": "significant", "first": "first better", "second": "second better"}
        heading = "measure" if len(self.measures) > 1 else None
        compact = frame.rename({**words, "difference": "mean difference"})
        alpha, same = (f"{self.provenance.settings[name]:g}" for name in ("alpha", "same"))
        caption = (
            f"Share of trials with p < {alpha}, by the rank down to which both runs have the same share of relevant "
            f"documents ({same} %). mean difference: first run minus second."
        )
        return Table(frame, compact if heading else compact.drop("measure"), heading=heading, caption=caption)


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
    """Measure how often a t test calls two simulated runs different, beside the balancing index of each measure.

    Each trial draws two runs of *n* documents for *topics* topics. They agree down to a rank; from there to rank *top*
    the first run is better, and below it the second. The rate is reported for each rank from 0 to *top*, see
    :func:`simulate_trials`. Every measure gets the same seed.

    Parameters
    ----------
    measures
        One measure or several. Those that are not weighted sums over ranks, such as AP, take about a tenth of a second
        for each trial.
    n
        The length of the rankings.
    trials, topics
        The number of trials, and of topics of each.
    drawing
        ``random-rounding``, ``half-up`` or ``bernoulli``: see ``DRAWINGS``.
    same, first, second, top
        The design of the runs, in per cent of relevant documents: see ``Design``. The defaults are those of the paper.
    alpha
        A trial is significant if p < alpha.
    seed
        Seed of numpy's default generator.
    progress
        Called with the number of trials done and their total.

    References
    ----------
    Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval
    effectiveness*, ICTIR 2015, figures 1b and 2.

    Examples
    --------
    >>> trials(n=100, trials=50)
    Trials(RBP(p=0.8); 50 trials, 50 topics)
    """
    chosen = parse_measures(measures)
    design = Design(same, tuple(first), tuple(second), top, drawing)  # type: ignore[arg-type]
    settings: dict[str, Any] = {"trials": trials, "topics": topics, "n": n, "alpha": alpha, "seed": seed}
    settings |= asdict(design)
    frames = []
    for number, one in enumerate(chosen):

        def report_progress(done: int, total: int, before: int = number) -> None:
            if progress is not None:
                progress(before * total + done, len(chosen) * total)

        frames.append(simulate_trials(one, progress=report_progress, **settings))
    plain = {**settings, "first": list(design.first), "second": list(design.second)}
    provenance = Provenance().with_settings(measures=[str(one) for one in chosen], **plain)
    return Trials(chosen, tuple(frames), tuple(balancing(one, n) for one in chosen), provenance)


def simulate_trials(
    measure: str | Measure = "RBP(p=0.8)",
    *,
    trials: int = 10_000,
    topics: int = 50,
    n: int = 1000,
    ranks: Iterable[int] | None = None,
    drawing: str = "random-rounding",
    same: float = 20,
    first: tuple[float, float] = (70, 10),
    second: tuple[float, float] = (30, 70),
    top: int = TOP,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """Return how often a t test calls two runs different whose tops agree down to each of *ranks*.

    Each trial draws two runs for *topics* topics, values them with the *measure* and makes a paired two-sided t test.
    A measure that is a weighted sum over ranks (RBP with one p, P, DCG, nDCG and others) needs the places of relevant
    documents only down to the depth below which less than 1e-15 of all weight lies. Others are scored in full, which
    takes long: choose fewer *trials*. They see a topic with *n* relevant documents.

    For weighted sums the part below rank *top* is the same for all *ranks* of a trial: each rate is what independent
    trials would give, but neighbouring rates are not independent of each other.

    Parameters
    ----------
    ranks
        Where the first part ends: from 0 to *top* (default: each of them).
    drawing
        ``random-rounding``, ``half-up`` or ``bernoulli``: see ``DRAWINGS``.
    same, first, second, top
        The design of the runs, in per cent of relevant documents: see ``Design``. The defaults are those of the paper.
    alpha
        A trial counts as rejected when p < alpha.
    seed
        Seed of numpy's default generator. The same seed and settings give the same rates.

    Returns
    -------
    DataFrame
        For each rank: *rejected*, the share of trials in which the runs differ significantly, then the share of trials
        in which the *first* or the *second* is significantly better, and the mean *difference* first - second.

    Examples
    --------
    >>> simulate_trials(trials=50, ranks=[0, 20])["rejected"].to_list()[0]
    1.0
    """
    chosen, design = parse_measure(measure), Design(same, tuple(first), tuple(second), top, drawing)  # type: ignore[arg-type]
    ends = _checked({"trials": trials, "topics": topics, "top": top}, n, ranks, alpha, seed)
    values = (_weighted if linear(chosen) else _scored)(chosen, n, ends, design)
    rankings = _RANKINGS if linear(chosen) else max(1, _DOCUMENTS // n)
    at_once = max(1, rankings // topics)
    rng, critical = np.random.default_rng(seed), _critical(topics, alpha)
    better, total = np.zeros((2, len(ends)), dtype=np.int64), np.zeros(len(ends))
    for done in range(0, trials, at_once):
        many = min(at_once, trials - done)
        for i, difference in enumerate(values(rng, many * topics)):
            t = _statistic(difference.reshape(many, topics))
            better[:, i] += [(t > critical).sum(), (t < -critical).sum()]
            total[i] += difference.sum()
        if progress is not None:
            progress(done + many, trials)
    return pl.DataFrame(
        {
            "rank": pl.Series(ends, dtype=pl.Int64),
            "rejected": better.sum(axis=0) / trials,
            "first": better[0] / trials,
            "second": better[1] / trials,
            "difference": total / (trials * topics),
        }
    )


def _checked(sizes: dict[str, int], n: int, ranks: Iterable[int] | None, alpha: float, seed: int) -> list[int]:
    """Check the arguments and return the ranks."""
    limits = {**_LIMITS, "n": (sizes["top"] + 1, _LONGEST)}
    for name, number in {**sizes, "n": n}.items():
        least, most = limits[name]
        if not least <= number <= most:
            raise InputError(f"{name} must be from {least} to {most}, got {number}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be above 0 and below 1, got {alpha:g}")
    if isinstance(seed, int) and seed < 0:
        raise InputError(f"seed must be at least 0, got {seed}")
    ends = list(range(sizes["top"] + 1) if ranks is None else ranks)
    if not ends or not all(0 <= rank <= sizes["top"] for rank in ends):
        raise InputError(f"ranks must be from 0 to {sizes['top']}, got {' '.join(map(str, ends)) or 'none'}")
    return ends


def _critical(topics: int, alpha: float) -> float:
    """Return the critical value of the t statistic."""
    from scipy.special import stdtrit

    return float(stdtrit(topics - 1, 1 - alpha / 2))


def _statistic(difference: Floats) -> Floats:
    """Return the t statistic of each row; infinite where all differences are the same, 0 where they are all 0."""
    topics = difference.shape[1]
    mean = difference.mean(axis=1)
    error = difference.std(axis=1, ddof=1) / np.sqrt(topics)
    nothing = ROUNDING * np.abs(difference).max(axis=1)
    same = error <= nothing
    steady = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(same, steady, mean / np.where(same, 1.0, error))


# A weighted sum over ranks ---------------------------------------------------------------------------------------

Values = Callable[[np.random.Generator, int], Iterator[Floats]]
"""Draws a number of pairs of rankings and yields, for each of the ranks, the differences of their values."""


def linear(measure: Measure) -> bool:
    """Return whether a measure is a weighted sum over the ranks of relevant documents."""
    return isinstance(measure, Additive) and measure.is_plain_sum


def weights(measure: Measure, n: int, top: int = TOP) -> Floats:
    """Return what a relevant document adds at each rank, at least to rank *top*, then until the rest is negligible."""
    at_once = max(1, _DOCUMENTS // n)
    rank = np.arange(n)
    [none] = valued(measure, rankings(np.ones((1, n), dtype=np.uint8), _topic(n)))
    blocks = (np.arange(begin, min(begin + at_once, n)) for begin in range(0, n, at_once))
    codes = ((1 + (rank == block[:, None])).astype(np.uint8) for block in blocks)
    each: Floats = np.concatenate([valued(measure, rankings(code, _topic(n))) for code in codes]) - none
    left = np.cumsum(np.abs(each)[::-1])[::-1]
    depth = max(top, int((left > _NEGLIGIBLE * left[0]).sum()))
    return each[:depth]


def _topic(n: int) -> dict[float, int]:
    return {0.0: n, 1.0: n}


def _weighted(measure: Measure, n: int, ends: list[int], design: Design) -> Values:
    weight = weights(measure, n, design.top)

    def worth(rng: np.random.Generator, many: int, part: Part) -> Floats:
        return _worth(rng, many, weight, part, design.drawing)

    def values(rng: np.random.Generator, many: int) -> Iterator[Floats]:
        runs = [(run, worth(rng, many, design.parts(0, n, run)[2])) for run in (design.first, design.second)]
        for rank in ends:
            first, second = (
                tail + sum(worth(rng, many, part) for part in design.parts(rank, n, run)[:2]) for run, tail in runs
            )
            yield first - second

    return values


def _worth(rng: np.random.Generator, many: int, weight: Floats, part: Part, drawing: str) -> Floats:
    """Draw what a part adds to the value of many rankings.

    Ranks are drawn one after the other. With a given number of relevant documents, each is relevant with the share of
    relevant documents that are left among the ranks that are left: every set of places is equally likely, and depths
    where nothing counts need not be drawn.
    """
    worth = np.zeros(many)
    by_chance = drawing == "bernoulli"
    left = np.zeros(0) if by_chance else part.relevant(rng, many, drawing)
    for rank, each in enumerate(weight[part.begin : part.end].tolist(), part.begin):
        hit = rng.random(many) < (part.percent / 100 if by_chance else left / (part.end - rank))
        if not by_chance:
            left -= hit
        worth += each * hit
    return worth


# Any measure -----------------------------------------------------------------------------------------------------


def _scored(measure: Measure, n: int, ends: list[int], design: Design) -> Values:
    """Draw whole rankings and evaluate them with the measure."""

    def values(rng: np.random.Generator, many: int) -> Iterator[Floats]:
        for rank in ends:
            codes = (
                _codes(rng, many, design.parts(rank, n, run), design.drawing) for run in (design.first, design.second)
            )
            first, second = (valued(measure, rankings(code, _topic(n))) for code in codes)
            yield first - second

    return values


def _codes(rng: np.random.Generator, many: int, of: tuple[Part, ...], drawing: str) -> np.ndarray[Any, Any]:
    """Draw codes of rankings, 1 for a document that is not relevant and 2 for one that is."""
    sides = []
    for part in of:
        size = part.end - part.begin
        if drawing == "bernoulli":
            relevant = rng.random((many, size), dtype=np.float32) * 100 < part.percent
        else:
            relevant = rng.permuted(np.arange(size) < part.relevant(rng, many, drawing)[:, None], axis=1)
        sides.append(relevant)
    return (1 + np.concatenate(sides, axis=1)).astype(np.uint8)
