"""Stratified random samples of the judgments, as if only a fraction of the pool had been judged.

Each pair of topic and grade is a stratum. The judgments of a stratum are shuffled once. A sample of P percent consists
of the first judgments in the shuffled order, so that samples are nested: a smaller sample is a subset of a larger one.
From n documents with a relevant grade, a sample keeps max(1, P n / 100), so that no grade disappears. From n
non-relevant documents, it keeps max(10, P n / 100), or all n if there are fewer. P n / 100 is rounded half up. If the
strata are small, only few judgments can be left out.

Negative grades mean that a document is spam, or was pooled but not judged. They do not count as judgments, and samples
always keep them. To sample them as well, map them to another grade first: ``Qrels.with_grades({-2: 0})``.

References
----------
Buckley & Voorhees, *Retrieval evaluation with incomplete information*, SIGIR 2004 (binary grades).
Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation*, JASIST 67 (2016; several
grades). One sentence of this paper states that a sample keeps at least one relevant document per topic; the next
sentence states that it keeps at least one document of each grade. This module keeps one document of each grade.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Bools, Floats, Ints
from assay.model.qrels import Qrels

MIN_RELEVANT = 1
"""Minimum number of documents of each topic and relevant grade in a sample."""
MIN_NONRELEVANT = 10
"""Minimum number of non-relevant documents of each topic in a sample."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Judgments grouped into strata, by topic and grade.

    Attributes
    ----------
    canonical
        The row indices of ``qrels.frame()``, sorted by topic, grade and document. Samples therefore do not depend on
        the order of the judgments in a file.
    size
        Number of judgments in each stratum.
    grade
        The grade of each stratum.
    """

    canonical: Ints
    size: Ints
    grade: Floats

    @classmethod
    def of(cls, qrels: Qrels) -> Strata:
        """Group the judgments by topic and grade."""
        frame = qrels.frame()
        order = frame.select(pl.arg_sort_by("topic", "grade", "doc")).to_series().to_numpy()
        strata = frame[order].select(pl.struct("topic", "grade").rle()).unnest("topic").unnest("value")
        return cls(order.astype(np.int64), strata["len"].to_numpy().astype(np.int64), strata["grade"].to_numpy())

    def sample_sizes(self, percent: float) -> Ints:
        """Return the number of judgments that a sample of *percent* keeps in each stratum.

        >>> qrels = Qrels.from_dict({"q": {"a": 1, "b": 1, "c": 1, "d": 2, **{f"n{i}": 0 for i in range(25)}}})
        >>> Strata.of(qrels).sample_sizes(50).tolist(), Strata.of(qrels).sample_sizes(10).tolist()
        ([13, 2, 1], [10, 1, 1])
        """
        rounded = np.floor(check_ratio(percent) * self.size / 100 + 0.5).astype(np.int64)
        minimum = np.where(self.grade > 0, MIN_RELEVANT, MIN_NONRELEVANT)
        return np.where(self.grade < 0, self.size, np.minimum(self.size, np.maximum(minimum, rounded)))

    def shuffle(self, seed: int) -> ShuffledJudgments:
        """Shuffle the judgments within each stratum."""
        stratum = np.repeat(np.arange(len(self.size)), self.size)
        # Sort by stratum, then by a random number: a random permutation within each stratum.
        order = np.lexsort((np.random.default_rng(seed).random(len(stratum)), stratum))
        first = np.cumsum(self.size) - self.size
        shuffled = ShuffledJudgments(self, np.empty_like(stratum), np.empty_like(stratum))
        shuffled.stratum[self.canonical] = stratum
        shuffled.position[self.canonical[order]] = np.arange(len(stratum)) - first[stratum]
        return shuffled


@dataclass(frozen=True, eq=False)
class ShuffledJudgments:
    """Judgments shuffled within their strata.

    *stratum* and *position* have one entry for each row of ``qrels.frame()``: the index of its stratum, and its
    position in the shuffled stratum.
    """

    strata: Strata
    stratum: Ints
    position: Ints

    def sample(self, percent: float) -> Bools:
        """Return a mask of the rows of ``qrels.frame()`` that a sample of *percent* keeps."""
        return np.asarray(self.position < self.strata.sample_sizes(percent)[self.stratum])


def check_ratio(percent: Any) -> float:
    """Return a percentage as a float; raise an error unless it is from 1 to 100, since 0.9 probably means 90 %."""
    if isinstance(percent, bool) or not isinstance(percent, int | float | np.number) or not 1 <= percent <= 100:
        raise InputError(f"ratios are percentages from 1 to 100, such as 90, got {percent!r}")
    return float(percent)
