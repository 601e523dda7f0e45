"""Values of runs in slices of topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import polars as pl

from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.aggregation import Aggregate, aggregate_with_interval, compute_weighted_mean
from assay.results.report import Report
from assay.results.results import ALL, Results
from assay.results.slices import Slice, Slices
from assay.results.tables import Table, floats_to_integers

CONFIDENCE = 0.95
FEW_TOPICS = 5
"""A slice with fewer topics is mentioned in a note."""
_SCHEMA = {
    **dict.fromkeys(("attribute", "slice", "run", "measure"), pl.String),
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "topics": pl.Int64,
}


@dataclass(frozen=True, eq=False)
class SlicedResults(Report):
    """Values of runs in slices of topics; the report of :meth:`assay.Results.by`.

    Attributes
    ----------
    results
        The values of all topics.
    slices
        The slices and the weights of topics.
    """

    results: Results
    slices: Slices

    name = "slices"
    tables: ClassVar[Mapping[str, str]] = Results.slice_tables

    def __repr__(self) -> str:
        by = f" by {', '.join(self.slices.attributes)}" if self.slices.slices else ""
        weights = f", weighted by {self.slices.weighted_by}" if self.slices.weighted_by else ""
        runs = pluralize(len(self.results.runs), "run")
        return f"SlicedResults({runs} in {pluralize(len(self.slices.slices), 'slice')}{by}{weights})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the results, and notes on slices."""
        small = [str(one) for one in self.slices.slices if len(one.topics) < FEW_TOPICS]
        few = [f"slices with fewer than {FEW_TOPICS} topics: {join_names(small)}"] if small else []
        return (*self.results.notes, *self.slices.notes, *few)

    @property
    def provenance(self) -> Provenance:
        """Inputs and policies of the results, the topics table, and the attributes."""
        return self.slices.add_settings(self.results.provenance)

    def parts(self) -> Iterator[tuple[Slice, Results]]:
        """Yield each slice with the results of its topics."""
        for one in self.slices.slices:
            yield one, self.results.select(topics=one.topics)

    @cached_property
    def _aggregates(self) -> list[list[list[Aggregate]]]:
        """Values by group of topics (all topics, then the slices), measure and run."""
        results = self.results
        weights = None
        if self.slices.weights is not None:
            weights = np.array([self.slices.weights[topic] for topic in results.topics])
        position = {topic: index for index, topic in enumerate(results.topics)}
        groups = [np.array([position[topic] for topic in one.topics]) for one in self.slices.slices]
        return [
            [
                [
                    aggregate_with_interval(row[group], measure.aggregate, CONFIDENCE)
                    if weights is None
                    else compute_weighted_mean(row[group], weights[group], measure.aggregate, CONFIDENCE)
                    for row in values
                ]
                for measure, values in zip(results.measures, results.values, strict=True)
            ]
            for group in (np.arange(len(results.topics)), *groups)
        ]

    def frame(self) -> pl.DataFrame:
        """Return a row for each slice, run and measure: attribute, slice, run, measure, value, low, high, topics.

        The first rows are the values over all topics: their *attribute* is null and their *slice* is ``all``. *low* and
        *high* are the 95 % confidence interval of the mean over the topics of the slice, by Student's t; they are null
        for counts and for fewer than two topics. With weights, all values except counts are weighted means (see
        :func:`assay.results.aggregation.compute_weighted_mean`). *topics* is the number of topics that count.
        """
        keys = [(None, ALL), *((one.attribute, one.name) for one in self.slices.slices)]
        rows = [
            (*key, run, str(measure), *aggregate)
            for key, by_measure in zip(keys, self._aggregates, strict=True)
            for measure, by_run in zip(self.results.measures, by_measure, strict=True)
            for run, aggregate in zip(self.results.runs, by_run, strict=True)
        ]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row").with_columns(
            pl.col("value", "low", "high").fill_nan(None)
        )

    def titles(self) -> list[str]:
        """Return column titles: all topics, then the slices, each with its number of topics."""
        return [f"{ALL} ({len(self.results.topics)})", *self.slices.titles()]

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the run with the best mean by the first measure over all topics, and the number of slices it leads."""
        results, measure = self.results, self.results.measures[0]
        weighted = f" weighted by {self.slices.weighted_by}" if self.slices.weighted_by else ""
        means = np.array([[aggregate.value for aggregate in by_measure[0]] for by_measure in self._aggregates])
        if len(results.runs) == 1:
            sentence = f"Means{weighted} of {results.runs[0]} in {pluralize(len(self.slices.slices), 'slice')}."
        elif np.isnan(means[0]).all() or measure.aggregate == "sum":
            sentence = f"Values{weighted} in {pluralize(len(self.slices.slices), 'slice')}."
        else:
            sentence = self._describe_leader(-means if measure.lower_is_better else means, weighted)
        hint = " assay compare tests whether differences depend on the slice." if self.slices.slices else ""
        return sentence + (hint if len(results.runs) > 1 else "")

    def _describe_leader(self, quality: np.ndarray, weighted: str) -> str:
        """Return the leader over all topics and the slices that others lead; higher *quality* is better."""
        results = self.results
        known = np.where(np.isnan(quality), -np.inf, quality)
        leader = int(known[0].argmax())
        behind = [str(one) for one, row in zip(self.slices.slices, known[1:], strict=True) if row[leader] < row.max()]
        best = "lowest" if results.measures[0].lower_is_better else "highest"
        sentence = f"{results.runs[leader]} has the {best} mean {results.measures[0]}{weighted} over all topics"
        if not self.slices.slices:
            return f"{sentence}."
        if not behind:
            return f"{sentence} and in all {pluralize(len(self.slices.slices), 'slice')}."
        return f"{sentence}; another run has the {best} mean in {len(behind)} of {len(self.slices.slices)} slices."

    def _caption(self) -> str:
        lines = []
        if self.slices.slices:
            lines.append(f"columns: slices by {', '.join(self.slices.attributes)} (number of topics)")
        if self.slices.weighted_by is not None:
            lines.append(f"means weighted by {self.slices.weighted_by}" + self._count_note())
        return "\n".join(lines)

    def _count_note(self) -> str:
        counts = [str(measure) for measure in self.results.measures if measure.aggregate == "sum"]
        return f"; sums of {', '.join(counts)} are not weighted" if counts else ""

    def _show_slices(self) -> Table:
        measures = self.results.measures
        titles = self.titles()
        names = [str(measure) for measure in measures for _ in self.results.runs]
        columns = [pl.Series("measure", names, dtype=pl.String), pl.Series("run", self.results.runs * len(measures))]
        for title, by_measure in zip(titles, self._aggregates, strict=True):
            values = [aggregate.value for by_run in by_measure for aggregate in by_run]
            columns.append(pl.Series(title, values, dtype=pl.Float64).fill_nan(None))
        compact = pl.DataFrame(columns)
        if all(measure.aggregate == "sum" for measure in measures):
            compact = floats_to_integers(compact, *titles)
        # A table has one direction, so nothing is emphasised if measures differ in their direction.
        directions = {measure.lower_is_better for measure in measures if measure.aggregate != "sum"}
        return Table(
            self.frame(),
            compact if len(measures) > 1 else compact.drop("measure"),
            heading="measure" if len(measures) > 1 else None,
            highest_is_best=tuple(titles) if directions == {False} else (),
            lowest_is_best=tuple(titles) if directions == {True} else (),
            caption=self._caption(),
        )

    def _show_intervals(self) -> Table:
        frame = self.frame()
        titles = [title for title in self.titles() for _ in range(len(frame) // len(self.titles()))]
        measure = ["measure"] if len(self.results.measures) > 1 else []
        compact = frame.select(pl.Series("slice", titles), "run", *measure, pl.col("value").alias("mean"))
        weights = f"weighted by {self.slices.weighted_by}; " if self.slices.weighted_by else ""
        return Table(
            frame,
            compact,
            heading="slice",
            intervals={"mean": (frame["low"].to_list(), frame["high"].to_list())},
            caption=f"{weights}in parentheses: number of topics; 95 % CI of the mean over the topics of the slice",
        )
