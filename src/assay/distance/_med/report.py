"""The report of MED: the largest differences that the judgments allow, for every pair, measure and topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from assay.errors import MeasureError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arrays import ROUNDING, Bools, Floats, Ints
from assay.model.notes import count
from assay.model.provenance import Provenance

ALL = "all"


class DocumentLabel(NamedTuple):
    """The grade that a document has where the distance is largest."""

    run_a: str
    run_b: str
    measure: str
    topic: str
    document: str
    grade: float


@dataclass(frozen=True, eq=False)
class MedReport:
    """The report of :func:`med`.

    Attributes
    ----------
    runs, topics, measures
        The runs and topics that were compared, and the measures.
    pairs
        Pairs x 2: the numbers of the runs.
    difference
        Measures x pairs x topics: M(a) - M(b) as judged so far.
    up, down
        Measures x pairs x topics: the largest M(a) - M(b) and the largest M(b) - M(a) that labels of unjudged documents
        reach.
    up_bound, down_bound
        Upper bounds of *up* and *down*; equal to them where these are exact.
    labels
        If requested, the documents whose labels reach the distance, and their grades.
    provenance, notes
        The inputs and policies behind the report, and what was ignored or assumed.
    depth, method, residual, seed
        The arguments of :func:`med`.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    pairs: Ints
    difference: Floats
    up: Floats
    down: Floats
    up_bound: Floats
    down_bound: Floats
    labels: tuple[DocumentLabel, ...]
    provenance: Provenance
    notes: tuple[str, ...] = ()
    depth: int | None = None
    method: str = "exact"
    residual: bool = False
    seed: int = 0

    def __repr__(self) -> str:
        pairs = count(len(self.pairs), "pair")
        return f"MedReport({pairs} x {count(len(self.topics), 'topic')}: {', '.join(map(str, self.measures))})"

    @property
    def distance(self) -> Floats:
        """Measures x pairs x topics: the distance that labels reach; at most ``bound``."""
        return np.maximum(self.up, self.down)

    @property
    def bound(self) -> Floats:
        """Measures x pairs x topics: an upper bound of the distance."""
        return np.maximum(self.up_bound, self.down_bound)

    @property
    def exact(self) -> Bools:
        """Measures x pairs x topics: whether the distance is known exactly."""
        return np.asarray(self.bound <= self.distance + ROUNDING)

    def frame(self, per_topic: bool = False) -> pl.DataFrame:
        """A row for each pair of runs and each measure: the mean over topics; or every topic, then ``all``.

        Columns: run_a, run_b, measure, topic, med, difference, direction (``a`` if labels that favour run_a make the
        distance largest, else ``b``; ``-`` if it is 0), exact, low, high (between which the distance lies), smallest,
        largest (between which M(a) - M(b) lies). In the mean, *smallest* and *largest* bound the difference of means.
        """
        means = self._columns(_mean, [ALL])
        if not per_topic:
            return means
        topics = self.topic_frame()
        both = pl.concat([topics.with_columns(last=pl.lit(0)), means.with_columns(last=pl.lit(1))])
        order = {name: i for i, name in enumerate(self.runs)}
        by_measure = {str(measure): i for i, measure in enumerate(self.measures)}
        keys = [pl.col("run_a").replace_strict(order), pl.col("run_b").replace_strict(order)]
        keys += [pl.col("measure").replace_strict(by_measure), pl.col("last")]
        return both.sort(*keys, maintain_order=True).drop("last")

    def topic_frame(self) -> pl.DataFrame:
        """A row for each pair of runs, measure and topic; the columns of :meth:`frame`."""
        return self._columns(lambda of: of, list(self.topics))

    def _columns(self, over: Callable[[Floats], Floats], topics: list[str]) -> pl.DataFrame:
        """One row for each pair, measure and topic."""

        def flat(of: Floats) -> pl.Series:
            return pl.Series(over(of).transpose(1, 0, 2).ravel()).fill_nan(None)

        shape = (len(self.pairs), len(self.measures), len(topics))
        pair, measure, topic = np.indices(shape).reshape(3, -1)
        one = over is not _mean
        direction = np.where(self.distance > ROUNDING, np.where(self.up >= self.down, "a", "b"), "-")
        names = pl.Series(self.runs, dtype=pl.String)
        return pl.DataFrame(
            {
                "run_a": names.gather(self.pairs[pair, 0]),
                "run_b": names.gather(self.pairs[pair, 1]),
                "measure": pl.Series([str(m) for m in self.measures], dtype=pl.String).gather(measure),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "med": flat(self.distance),
                "difference": flat(self.difference),
                "direction": pl.Series(
                    direction.transpose(1, 0, 2).ravel().tolist() if one else [None] * len(pair), dtype=pl.String
                ),
                "exact": flat(self.exact.astype(np.float64)) >= 1,
                "low": flat(self.distance),
                "high": flat(self.bound),
                "smallest": flat(0.0 - self.down_bound),
                "largest": flat(self.up_bound),
            }
        )

    def label_frame(self) -> pl.DataFrame:
        """run_a, run_b, measure, topic, document, grade: the labels that make each distance as large as it is."""
        schema = {name: pl.String for name in DocumentLabel._fields if name != "grade"}
        return pl.DataFrame(self.labels, schema={**schema, "grade": pl.Float64}, orient="row")

    def matrix(self, of: str | Measure) -> Floats:
        """Runs x runs: the mean distance by one measure."""
        wanted = parse_measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(str, self.measures))
            raise MeasureError(f"measure '{of}' is not among these distances; they have {known}")
        mean = self.distance[self.measures.index(wanted)].mean(axis=1)
        found = np.full((len(self.runs), len(self.runs)), np.nan)
        np.fill_diagonal(found, 0.0)
        found[self.pairs[:, 0], self.pairs[:, 1]] = mean
        found[self.pairs[:, 1], self.pairs[:, 0]] = mean
        return found


def _mean(of: Floats) -> Floats:
    """Over topics; not a number if it is infinite in both directions."""
    with np.errstate(invalid="ignore"):
        return np.asarray(of.mean(axis=2, keepdims=True))
