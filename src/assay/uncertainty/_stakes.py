"""What is at stake with each document: by how much its judgment shrinks the uncertainty of the values of runs.

A measure that adds up weight(rank) x gain over the ranks, over a scale that no judgment changes, lies between the sums
with the smallest and with the largest gain for every document that has none yet. Judging a document takes
weight(rank) x (largest - smallest gain) / scale off the width of that interval, whatever the grade turns out to be. So
what documents are worth judging is known beforehand and adds up, over documents, runs and topics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import polars as pl

from assay.errors import InputError, MeasureError, suggestion
from assay.measures import Measure
from assay.measures._base import Additive
from assay.measures._possible_grades import gains_of, possible_grades
from assay.model.arrays import Bools, Codes, Floats, Ints
from assay.model.judged import Judged
from assay.uncertainty._campaign import Campaign

_ROUNDING = 1e-9
_DIGITS = 12


@dataclass(frozen=True)
class Stakes:
    """What one rank is worth: a measure, the range of the gains, and the scale."""

    measure: Additive
    span: float
    scale: float

    @classmethod
    def of(cls, measure: Measure, levels: Floats) -> Stakes:
        """For documents that may get any of the possible grades; refuses what is no such sum."""
        if isinstance(measure, Additive) and not measure.uses_recall_base:
            gains = gains_of(measure, levels, possible_grades(measure, levels))[1]
            span, scale = float(np.ptp(gains)), _scale(measure, levels)
            if span > 0 and scale is not None:
                return cls(measure, span, scale)
        raise MeasureError(
            f"measure '{measure}': what a judgment settles depends on other judgments, as it is no plain sum over "
            "ranks; use RBP, INSQ, P, CG, DCG or SDCG, such as RBP(p=0.8), P@10 or SDCG@10"
        )

    @property
    def cutoff(self) -> int | None:
        """How many ranks count; None if all do."""
        cut: int | None = getattr(self.measure, "cutoff", None)
        return cut

    def of_ranks(self, most: int) -> Floats:
        """What each of the ranks from 1 to *most* is worth."""
        rank: Ints = np.arange(1, most + 1)
        weight = np.where(rank <= (self.cutoff or most), self.measure.weight(rank), 0.0)
        return np.asarray(weight * self.span / self.scale)

    def of_rows(self, campaign: Campaign) -> Floats:
        """What each row is worth; tied documents, if ties are known, share what their ranks are worth."""
        own = self.of_ranks(campaign.longest)[campaign.rank - 1]
        if campaign.tied is None:
            return own
        group = np.cumsum(~campaign.tied) - 1
        return np.asarray((np.bincount(group, weights=own) / np.bincount(group))[group])


def _scale(measure: Additive, levels: Floats) -> float | None:
    """The scale of the sum, or None if the measure is no such sum, or has no single scale.

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


def numbers_of(names: tuple[str, ...], wanted: str | Iterable[str] | None, what: str) -> list[int]:
    """The places of some of the *names* (of *what*), each once, or of all; an unknown one is refused."""
    if wanted is None:
        return list(range(len(names)))
    asked = [wanted] if isinstance(wanted, str) else list(wanted)
    if not asked and what == "topic":
        raise InputError("topics: name at least one topic")
    for name in asked:
        if name not in names:
            raise InputError(f"{what} {name!r}: there is no such {what}{suggestion(str(name), names)}")
    return [names.index(name) for name in dict.fromkeys(asked)]


def pair_of(campaign: Campaign, compare: Iterable[str]) -> tuple[int, int]:
    """The numbers of two runs to compare."""
    numbers = numbers_of(campaign.runs, compare, "run")
    if len(numbers) != 2:
        raise InputError("compare: name two different runs")
    return numbers[0], numbers[1]


@dataclass(frozen=True, eq=False)
class Documents:
    """Documents that several runs may share, each once, as columns.

    *weight* is what is at stake, *runs* in how many of the rankings it stands, *best* the best rank it has there,
    *place* one of its rows, *which* the document of each of the rows that were asked for.
    """

    topic: Ints
    place: Ints
    code: Codes
    weight: Floats
    runs: Ints
    best: Ints
    which: Ints

    @classmethod
    def of(cls, campaign: Campaign, rows: Ints, weight: Floats) -> Documents:
        """Of some rows, each with what it is worth; what is negative takes away (see ``signed``)."""
        key, first, which = np.unique(campaign.key[rows], return_index=True, return_inverse=True)
        best = np.full(len(key), campaign.longest + 1)
        np.minimum.at(best, which, campaign.rank[rows])
        place = rows[first]
        return cls(
            topic=campaign.ranking[place] % len(campaign.topics),
            place=place,
            code=campaign.code[place],
            weight=np.abs(np.bincount(which, weights=weight, minlength=len(key))),
            runs=np.bincount(which, minlength=len(key)),
            best=best,
            which=which,
        )

    @cached_property
    def rounded(self) -> Floats:
        """The weights without the last digits, which depend on the order of addition: what is equal is equal."""
        mantissa, exponent = np.frexp(self.weight)
        return np.asarray(np.ldexp(np.round(mantissa, _DIGITS), exponent))

    def names(self, campaign: Campaign, some: Ints) -> pl.Series:
        """The ids of some of the documents."""
        return campaign.doc.gather(self.place[some])


def signed(campaign: Campaign, weight: Floats, pair: tuple[int, int] | None) -> tuple[Bools, Floats]:
    """The rows that matter, and what they are worth.

    All rows with a weight; of a *pair* of runs those of the two, the second with a minus: a document counts in the
    difference by the difference of its weights.
    """
    if pair is None:
        return weight > 0, weight
    run = campaign.ranking // len(campaign.topics)
    return np.isin(run, pair), np.where(run == pair[1], -weight, weight)
