"""Random samples of the judgments, as if only a share of the pool had been judged.

Within each topic and grade the judgments are shuffled once, and a share P of them is the first of the shuffled list, so
that a smaller pool is always a part of a larger one. Of n documents of a relevant grade max(1, P n) are kept, so that
no grade dies out, and of those that are not relevant max(10, P n), or all if there are fewer; P n is rounded, halves
up. A grade is a stratum of its own: where hardly two documents share a grade, hardly anything can be left out.

Negative grades stand for no judgment (spam, or pooled and not judged); they are neither drawn nor dropped. To sample
them as well, take them for a grade first: ``Qrels.regraded({-2: 0})``.

References
----------
Buckley & Voorhees, *Retrieval evaluation with incomplete information*, SIGIR 2004, for binary grades; for several
grades Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation*, JASIST 67 (2016), where
one sentence wants a relevant document overall and the next one of each grade: here it is one of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Bools, Floats, Ints
from assay.model.qrels import Qrels

LEAST_RELEVANT = 1
"""Least number of documents of each relevant grade that are kept."""
LEAST_OTHER = 10
"""Least number of documents that are not relevant that are kept."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Judgments by topic and grade.

    Attributes
    ----------
    canonical
        The rows of ``qrels.frame()`` by topic, grade and document: the same judgments give the same samples whatever
        their order in a file.
    size
        Number of judgments of each topic and grade.
    grade
        The grade of each of these.
    """

    canonical: Ints
    size: Ints
    grade: Floats

    @classmethod
    def of(cls, qrels: Qrels) -> Strata:
        """Group all judgments."""
        frame = qrels.frame()
        keys = ("topic", "grade", "doc")
        order = frame.select(pl.arg_sort_by(*(pl.col(key) for key in keys))).to_series().to_numpy()
        runs = frame[order].select(pl.struct("topic", "grade").rle()).unnest("topic").unnest("value")
        return cls(order.astype(np.int64), runs["len"].to_numpy().astype(np.int64), runs["grade"].to_numpy())

    def sample_sizes(self, percent: float) -> Ints:
        """Return how many judgments of each topic and grade a share keeps.

        >>> qrels = Qrels.from_dict({"q": {"a": 1, "b": 1, "c": 1, "d": 2, **{f"n{i}": 0 for i in range(25)}}})
        >>> Strata.of(qrels).sample_sizes(50).tolist(), Strata.of(qrels).sample_sizes(10).tolist()
        ([13, 2, 1], [10, 1, 1])
        """
        rounded = np.floor(check_ratio(percent) * self.size / 100 + 0.5).astype(np.int64)
        least = np.where(self.grade > 0, LEAST_RELEVANT, LEAST_OTHER)
        return np.where(self.grade < 0, self.size, np.minimum(self.size, np.maximum(least, rounded)))

    def shuffle(self, seed: int) -> Shuffled:
        """Put the judgments of each topic and grade in a random order."""
        stratum = np.repeat(np.arange(len(self.size)), self.size)
        order = np.lexsort((np.random.default_rng(seed).random(len(stratum)), stratum))
        place = np.empty(len(stratum), dtype=np.int64)
        place[self.canonical[order]] = np.arange(len(stratum)) - (np.cumsum(self.size) - self.size)[stratum]
        of_row = np.empty(len(stratum), dtype=np.int64)
        of_row[self.canonical] = stratum
        return Shuffled(self, of_row, place)


@dataclass(frozen=True, eq=False)
class Shuffled:
    """Judgments shuffled once: the topic and grade of each row of ``qrels.frame()``, and its place there, from 0."""

    strata: Strata
    stratum: Ints
    place: Ints

    def sample(self, percent: float) -> Bools:
        """Return a truth value for each row of ``qrels.frame()``: whether a share of *percent* keeps it."""
        return np.asarray(self.place < self.strata.sample_sizes(percent)[self.stratum])


def check_ratio(percent: Any) -> float:
    """Return a share of the judgments in percent; 0.9 is refused, for which 90 is more likely meant."""
    if isinstance(percent, bool) or not isinstance(percent, int | float | np.number) or not 1 <= percent <= 100:
        raise InputError(f"ratios are percentages from 1 to 100, such as 90, got {percent!r}")
    return float(percent)
