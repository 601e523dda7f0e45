"""Does the balancing index tell when a top-heavy measure stops to see a difference? Two runs drawn many times over.

Down to a rank both runs hold the same share of relevant documents; from there to rank 20 the first holds more, below
rank 20 the second holds far more. The later the difference begins, the fewer trials call the runs different.

References
----------
Ferrante, Ferro & Maistro, *Towards a formal framework for utility-oriented measurements of retrieval effectiveness*,
ICTIR 2015, figures 1b and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from assay._version import VERSION
from assay.analyses.theory._geometric import NONE
from assay.analyses.theory.balancing import balancing, rankings, valued
from assay.errors import InputError, suggestion
from assay.measures import Additive, Measure
from assay.measures import measure as parse_measure
from assay.measures import measures as parse_measures
from assay.measures.rbp import RBP
from assay.model.arrays import ROUNDING, Floats

if TYPE_CHECKING:
    from assay.inputs import Progress

DRAWINGS = {
    "exact": "each part of a ranking holds its share of relevant documents, rounded half up, at random places",
    "bernoulli": "each document is relevant with the probability of its part, independently",
}
TOP = 20
"""Where the second part ends and the third begins."""
SAME, FIRST, SECOND = 20, (70, 10), (30, 70)
"""Per cent relevant: in the first part of both runs, then in the second and third part of either."""
_RANKINGS = 1 << 14  # drawn together where only their values are kept
_DOCUMENTS = 1 << 21  # of rankings looked at together where they are scored in full
_NEGLIGIBLE = 1e-15  # share of all weight, for ranks that are left out
_LIMITS = {"trials": (1, 10**8), "topics": (2, 10**5), "n": (TOP + 1, 10**5)}


class Part(NamedTuple):
    """Some successive ranks of a ranking, counted from 0, and the per cent of them that are relevant."""

    begin: int
    end: int
    percent: int

    @property
    def relevant(self) -> int:
        """How many documents are relevant, rounded half up in whole numbers."""
        return (self.percent * (self.end - self.begin) + 50) // 100


def parts(rank: int, n: int, deeper: tuple[int, int]) -> tuple[Part, Part, Part]:
    """The parts of a ranking of *n* documents whose first part ends at *rank*."""
    return Part(0, rank, SAME), Part(rank, TOP, deeper[0]), Part(TOP, n, deeper[1])


@dataclass(frozen=True, eq=False)
class Trials:
    """What :func:`trial_report` returns.

    Attributes
    ----------
    measures
        The measures.
    frames
        For each of them, what :func:`simulate_trials` gives.
    balance
        For each of them, the balancing index for rankings as long as those that were drawn.
    settings
        How the trials were made.
    """

    measures: tuple[Measure, ...]
    frames: tuple[pl.DataFrame, ...]
    balance: tuple[float, ...]
    settings: dict[str, Any]

    def frame(self) -> pl.DataFrame:
        """A polars frame: measure, rank, rejected, first, second, difference."""
        each = zip(self.measures, self.frames, strict=True)
        return pl.concat([frame.select(pl.lit(str(one)).alias("measure"), pl.all()) for one, frame in each])

    @property
    def provenance(self) -> dict[str, Any]:
        """What the numbers depend on."""
        return {"assay": VERSION, "trials": self.settings}

    @property
    def notes(self) -> tuple[str, ...]:
        """The balancing index, with which the rates are to be compared."""
        n = self.settings["n"]
        each = zip(self.measures, self.balance, strict=True)
        return tuple(f"{one}: balancing index {'none' if b == NONE else int(b)} for n = {n}" for one, b in each)


def trial_report(
    measures: str | Measure | Iterable[str | Measure],
    *,
    trials: int = 10_000,
    topics: int = 50,
    n: int = 1000,
    drawing: str = "exact",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> Trials:
    """The trials of :func:`simulate_trials` for several measures, beside the balancing index of each."""
    chosen = parse_measures(measures)
    settings: dict[str, Any] = {"trials": trials, "topics": topics, "n": n}
    settings |= {"drawing": drawing, "alpha": alpha, "seed": seed}
    frames = []
    for number, one in enumerate(chosen):

        def told(done: int, total: int, before: int = number) -> None:
            if progress is not None:
                progress(before * total + done, len(chosen) * total)

        frames.append(simulate_trials(one, progress=told, **settings))
    return Trials(chosen, tuple(frames), tuple(balancing(one, n) for one in chosen), settings)


def simulate_trials(
    measure: str | Measure = "RBP(p=0.8)",
    *,
    trials: int = 10_000,
    topics: int = 50,
    n: int = 1000,
    ranks: Iterable[int] = range(TOP + 1),
    drawing: str = "exact",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> pl.DataFrame:
    """How often two runs are called different by a t test, when their tops agree down to each of *ranks*.

    Each trial draws two runs for *topics* topics, values them with the *measure* and makes a paired two-sided t test.
    A measure that is a weighted sum over ranks (RBP with one p, P, DCG, nDCG and others) needs the places of relevant
    documents only down to the depth below which less than 1e-15 of all weight lies. Others are scored in full, which
    takes long: choose fewer *trials*. They see a topic with *n* relevant documents.

    For weighted sums the part below rank 20 (and with ``bernoulli`` all chance) is the same for all *ranks* of a trial:
    each rate is what independent trials would give, but neighbouring rates are not independent of each other.

    Parameters
    ----------
    ranks
        Where the first part ends: from 0 to 20.
    drawing
        ``exact`` proportions in each part, or ``bernoulli``.
    alpha
        A trial counts as rejected when p < alpha.

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
    chosen = parse_measure(measure)
    ends = _checked((trials, topics, n), ranks, drawing, alpha)
    if isinstance(seed, int) and seed < 0:
        raise InputError(f"seed must be at least 0, got {seed}")
    values = (_weighted if linear(chosen) else _scored)(chosen, n, ends, drawing)
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


def _checked(sizes: tuple[int, int, int], ranks: Iterable[int], drawing: str, alpha: float) -> list[int]:
    """The ranks, when nothing else is wrong either."""
    for (name, (least, most)), number in zip(_LIMITS.items(), sizes, strict=True):
        if not least <= number <= most:
            raise InputError(f"{name} must be from {least} to {most}, got {number}")
    if drawing not in DRAWINGS:
        raise InputError(f"drawing {drawing!r}: choose one of {', '.join(DRAWINGS)}{suggestion(drawing, DRAWINGS)}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must be above 0 and below 1, got {alpha:g}")
    ends = list(ranks)
    if not ends or not all(0 <= rank <= TOP for rank in ends):
        raise InputError(f"ranks must be from 0 to {TOP}, got {' '.join(map(str, ends)) or 'none'}")
    return ends


def _critical(topics: int, alpha: float) -> float:
    """Above this a t statistic is significant."""
    from scipy.special import stdtrit

    return float(stdtrit(topics - 1, 1 - alpha / 2))


def _statistic(difference: Floats) -> Floats:
    """The t statistic of each row; infinite where all differences are the same, 0 where they are all 0."""
    topics = difference.shape[1]
    mean = difference.mean(axis=1)
    error = difference.std(axis=1, ddof=1) / np.sqrt(topics)
    nothing = ROUNDING * np.abs(difference).max(axis=1)
    same = error <= nothing
    steady = np.where(mean == 0, 0.0, np.copysign(np.inf, mean))
    return np.where(same, steady, mean / np.where(same, 1.0, error))


# A weighted sum over ranks ---------------------------------------------------------------------------------------

Values = Callable[[np.random.Generator, int], Iterator[Floats]]
"""Draws so many pairs of rankings and gives, for each of the ranks, the differences of their values."""


def linear(measure: Measure) -> bool:
    """Whether a measure is a weighted sum over the ranks of relevant documents."""
    if isinstance(measure, RBP):
        return measure.p is not None
    return isinstance(measure, Additive) and type(measure).score is Additive.score


def weights(measure: Measure, n: int) -> Floats:
    """What a relevant document at each rank adds, down to the depth below which the rest is negligible."""
    at_once = max(1, _DOCUMENTS // n)
    rank = np.arange(n)
    [none] = valued(measure, rankings(np.ones((1, n), dtype=np.uint8), _topic(n)))
    blocks = (np.arange(begin, min(begin + at_once, n)) for begin in range(0, n, at_once))
    codes = ((1 + (rank == block[:, None])).astype(np.uint8) for block in blocks)
    each: Floats = np.concatenate([valued(measure, rankings(code, _topic(n))) for code in codes]) - none
    left = np.cumsum(np.abs(each)[::-1])[::-1]
    depth = max(TOP, int((left > _NEGLIGIBLE * left[0]).sum()))
    return each[:depth]


def _topic(n: int) -> dict[float, int]:
    return {0.0: n, 1.0: n}


def _weighted(measure: Measure, n: int, ends: list[int], drawing: str) -> Values:
    weight = weights(measure, n)
    exact = drawing == "exact"
    tops = (_exact_tops if exact else _bernoulli_tops)(weight[:TOP], ends)
    tail = _exact_tail if exact else _bernoulli_tail

    def values(rng: np.random.Generator, many: int) -> Iterator[Floats]:
        first, second = (tail(rng, many, weight, Part(TOP, n, percent)) for _, percent in (FIRST, SECOND))
        return (first - second + top for top in tops(rng, many))

    return values


def _bernoulli_tail(rng: np.random.Generator, many: int, weight: Floats, part: Part) -> Floats:
    """The worth of the part below the top, of many rankings."""
    worth = np.zeros(many)
    for each in weight[part.begin :].tolist():
        worth += each * (rng.random(many) * 100 < part.percent)
    return worth


def _exact_tail(rng: np.random.Generator, many: int, weight: Floats, part: Part) -> Floats:
    """The same with an exact number of relevant documents.

    Rank follows rank: a document is relevant with the share of relevant ones among those that are left, so that the
    depths where nothing counts need not be drawn.
    """
    worth = np.zeros(many)
    left = np.full(many, float(part.relevant))
    for rank, each in enumerate(weight[part.begin :].tolist(), part.begin):
        hit = rng.random(many) * (part.end - rank) < left
        left -= hit
        worth += each * hit
    return worth


def _exact_tops(weight: Floats, ends: list[int]) -> Values:
    """The parts of the top, each with a number of relevant documents at random places.

    There are few ways to place them, at most some 40,000 in a part: the worth of each is tabled, and one drawn.
    """
    tables = [[_placed(weight, part) for part in _top_parts(rank)] for rank in ends]

    def tops(rng: np.random.Generator, many: int) -> Iterator[Floats]:
        for same, first, second in tables:
            yield (
                _drawn(rng, same, many)
                - _drawn(rng, same, many)
                + (_drawn(rng, first, many) - _drawn(rng, second, many))
            )

    return tops


def _top_parts(rank: int) -> tuple[Part, Part, Part]:
    return Part(0, rank, SAME), Part(rank, TOP, FIRST[0]), Part(rank, TOP, SECOND[0])


def _placed(weight: Floats, part: Part) -> Floats:
    """The worth of every way to place the relevant documents of a part."""
    places = list(combinations(range(part.begin, part.end), part.relevant))
    worth: Floats = weight[np.array(places, dtype=np.int64).reshape(len(places), part.relevant)].sum(axis=1)
    return worth


def _drawn(rng: np.random.Generator, table: Floats, many: int) -> Floats:
    return table.take(rng.integers(len(table), size=many, dtype=np.uint32))


def _bernoulli_tops(weight: Floats, ends: list[int]) -> Values:
    """The same draws serve all ranks: what is above a rank adds up from the top, what is below it from the end."""

    def worth(rng: np.random.Generator, many: int, percent: int) -> Floats:
        drawn = rng.random((TOP, many)) * 100
        above = np.zeros((TOP + 1, many))
        below = np.zeros((TOP + 1, many))
        np.cumsum(weight[:, None] * (drawn < SAME), axis=0, out=above[1:])
        np.cumsum((weight[:, None] * (drawn < percent))[::-1], axis=0, out=below[:-1][::-1])
        return above + below

    def tops(rng: np.random.Generator, many: int) -> Iterator[Floats]:
        difference = worth(rng, many, FIRST[0]) - worth(rng, many, SECOND[0])
        return (difference[rank] for rank in ends)

    return tops


# Any measure -----------------------------------------------------------------------------------------------------


def _scored(measure: Measure, n: int, ends: list[int], drawing: str) -> Values:
    """Whole rankings, valued by the measure."""
    draw = _exact if drawing == "exact" else _bernoulli

    def values(rng: np.random.Generator, many: int) -> Iterator[Floats]:
        for rank in ends:
            first, second = (
                valued(measure, rankings(draw(rng, many, parts(rank, n, deeper)), _topic(n)))
                for deeper in (FIRST, SECOND)
            )
            yield first - second

    return values


def _exact(rng: np.random.Generator, many: int, of: tuple[Part, ...]) -> np.ndarray[Any, Any]:
    """Codes of rankings, 1 for a document that is not relevant and 2 for one that is."""
    sides = []
    for part in of:
        one = np.ones(part.end - part.begin, dtype=np.uint8)
        one[: part.relevant] = 2
        sides.append(rng.permuted(np.tile(one, (many, 1)), axis=1))
    return np.concatenate(sides, axis=1)


def _bernoulli(rng: np.random.Generator, many: int, of: tuple[Part, ...]) -> np.ndarray[Any, Any]:
    percent = np.repeat([part.percent for part in of], [part.end - part.begin for part in of])
    return (1 + (rng.random((many, len(percent)), dtype=np.float32) * 100 < percent)).astype(np.uint8)
