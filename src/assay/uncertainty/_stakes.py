"""Stakes: by how much the judgment of each document shrinks the uncertainty of the values of runs.

A measure that is the sum of weight(rank) x gain over the ranks, divided by a scale that no judgment changes, lies
between the sums with the smallest and with the largest gain for every ungraded document. Judging a document narrows
this interval by weight(rank) x (largest - smallest gain) / scale, whatever the grade turns out to be. The benefit of
each judgment is therefore known beforehand, and adds up over documents, runs and topics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures._base import Additive
from assay.measures._possible_grades import gains_of, possible_grades
from assay.model.arrays import Bools, Codes, Floats, Ints
from assay.model.checks import find_positions
from assay.model.judged import Judged
from assay.model.rankings import Rankings

_ROUNDING = 1e-9
_DIGITS = 12


@dataclass(frozen=True)
class Stakes:
    """Contribution of each rank to the uncertainty: a measure, the range of the gains, and the scale."""

    measure: Additive
    span: float
    scale: float

    @classmethod
    def of(cls, measure: Measure, levels: Floats) -> Stakes:
        """Return the stakes of documents that may get any possible grade; refuse measures that are not such a sum."""
        if isinstance(measure, Additive) and not measure.uses_recall_base:
            gains = gains_of(measure, levels, possible_grades(measure, levels))[1]
            span, scale = float(np.ptp(gains)), _scale(measure, levels)
            if span > 0 and scale is not None:
                return cls(measure, span, scale)
        raise MeasureError(
            f"measure '{measure}': is not a weighted sum over ranks, so the benefit of a judgment depends on other "
            "judgments; use RBP, INSQ, P, CG, DCG or SDCG, such as RBP(p=0.8), P@10 or SDCG@10"
        )

    @property
    def cutoff(self) -> int | None:
        """Number of ranks that count; None if all do."""
        cut: int | None = getattr(self.measure, "cutoff", None)
        return cut

    def of_ranks(self, most: int) -> Floats:
        """Return the stakes of the ranks from 1 to *most*."""
        rank: Ints = np.arange(1, most + 1)
        weight = np.where(rank <= (self.cutoff or most), self.measure.weight(rank), 0.0)
        return np.asarray(weight * self.span / self.scale)

    def of_rows(self, rankings: Rankings) -> Floats:
        """Return the stakes of each row; tied documents, if ties are known, share those of their ranks."""
        own = self.of_ranks(rankings.longest)[rankings.rank - 1]
        if rankings.tied is None:
            return own
        group = np.cumsum(~rankings.tied) - 1
        return np.asarray((np.bincount(group, weights=own) / np.bincount(group))[group])


def _scale(measure: Additive, levels: Floats) -> float | None:
    """Return the scale of the sum; None if the measure is not such a sum, or has no single scale.

    Tried on all rankings of up to three documents, for a topic with relevant documents and for one without.
    """
    grades = possible_grades(measure, levels)[[0, -1]]
    codes = [code for length in range(4) for code in product(range(3), repeat=length)]
    judged = Judged(
        levels=grades,
        counts=np.array([[3, 3], [3, 0]]),
        topic=np.repeat([0, 1], len(codes)),
        start=np.concatenate([[0], np.cumsum([len(code) for code in codes] * 2)]),
        code=np.array([one for code in codes for one in code] * 2, dtype=np.uint8),
        answered=np.ones(2 * len(codes), dtype=bool),
    )
    scale = np.unique(np.asarray(measure.scale(judged), dtype=np.float64))
    if len(scale) != 1 or not scale[0] > 0:
        return None
    sums = Additive.score(measure, judged)
    same = np.abs(measure.score(judged) - sums) <= _ROUNDING * np.maximum(1, np.abs(sums))
    return float(scale[0]) if same.all() else None


def stakes_rankings(campaign: Campaign, measure: Measure, *, all_topics: bool = False) -> Rankings:
    """Return the rankings down to the cutoff of the measure, which must have stakes.

    If tied documents share the weights of their ranks, a cutoff may cut through a group: rankings are returned whole.
    """
    cutoff = Stakes.of(measure, np.zeros(0)).cutoff
    depth = None if campaign.policies.ties == "expected" else cutoff
    return campaign.rankings(depth=depth, topics="all" if all_topics else "judged")


def find_pair(runs: tuple[str, ...], pair: Iterable[str]) -> tuple[int, int]:
    """Return the numbers of two runs to compare."""
    numbers = find_positions(runs, pair, "run").tolist()
    if len(numbers) != 2:
        raise InputError("pair: name two different runs")
    return numbers[0], numbers[1]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents to judge, each once although several runs may share it, as columns.

    *weight* is the sum of its stakes, *runs* the number of rankings that have it, *best* its best rank in these,
    *place* one of its rows, *which* the document of each of the requested rows.
    """

    topic: Ints
    place: Ints
    code: Codes
    weight: Floats
    runs: Ints
    best: Ints
    which: Ints

    @classmethod
    def of(cls, rankings: Rankings, rows: Ints, weight: Floats) -> Candidates:
        """Combine some rows with their stakes; negative ones are subtracted (see ``relevant_rows``)."""
        key, first, which = np.unique(rankings.key[rows], return_index=True, return_inverse=True)
        best = np.full(len(key), rankings.longest + 1)
        np.minimum.at(best, which, rankings.rank[rows])
        place = rows[first]
        return cls(
            topic=rankings.ranking[place] % len(rankings.topics),
            place=place,
            code=rankings.code[place],
            weight=np.abs(np.bincount(which, weights=weight, minlength=len(key))),
            runs=np.bincount(which, minlength=len(key)),
            best=best,
            which=which,
        )

    @cached_property
    def rounded(self) -> Floats:
        """The weights without their last digits, which depend on the order of addition: equal weights compare equal."""
        mantissa, exponent = np.frexp(self.weight)
        return np.asarray(np.ldexp(np.round(mantissa, _DIGITS), exponent))

    def names(self, rankings: Rankings, some: Ints) -> pl.Series:
        """Return the ids of some of the documents."""
        return rankings.doc.gather(self.place[some])


def relevant_rows(rankings: Rankings, weight: Floats, pair: tuple[int, int] | None) -> tuple[Bools, Floats]:
    """Return the rows that matter, as a mask, and the stakes of all rows.

    All rows with a weight matter; of a *pair* of runs only those of the two. The stakes of the second run are negative:
    a document changes the difference of the two by the difference of its weights.
    """
    if pair is None:
        return weight > 0, weight
    run = rankings.ranking // len(rankings.topics)
    return np.isin(run, pair), np.where(run == pair[1], -weight, weight)
