"""Comparison of runs in slices of topics, and tests whether a difference depends on the slice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import Floats
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.results import ALL
from assay.results.run_pairs import name_pairs
from assay.results.slices import Slice, Slices
from assay.results.tables import Table, align_texts
from assay.results.tidy_frame import tidy_frame
from assay.significance.comparison import BETTER, WORSE, Comparison
from assay.significance.interaction import METHODS, Interaction, compute_interaction, compute_moments
from assay.significance.own_values import refuse_own_values
from assay.significance.statistics import ComparisonSettings
from assay.significance.tests.t import T
from assay.significance.values import adjust, compute_numbers, prepare_values
from assay.significance.wording import (
    describe_intervals,
    describe_test,
    interval_label,
    p_label,
    write_conclusions,
)

FEW_RUNS = 3
"""The compact table shows all pairs if there are at most this many runs."""
MAX_PAIRS = 20
"""Number of pairs in the compact table, by measure; best runs first."""
_NAMED_PAIRS = 3
_SIGNS = {1.0: BETTER, -1.0: WORSE}


@dataclass(frozen=True, eq=False, kw_only=True)
class SliceComparison(Comparison):
    """The report of :func:`compare` for results in slices: the comparison over all topics, and one in each slice.

    Attributes
    ----------
    slices
        The slices of topics.
    parts
        The comparison in each slice; *p_adjusted* is corrected over all slices. *p* is NaN in slices with fewer than
        *min_topics* topics.
    low_adjusted, high_adjusted
        Slices x measures x pairs: the confidence interval at level 1 - alpha / m, where m is the number of comparisons
        in all slices. These intervals hold together.
    interactions
        For each attribute without overlapping slices: the tests whether the difference depends on the slice, one for
        each measure.
    min_topics
        Number of topics that a slice needs for a test.
    """

    slices: Slices
    parts: tuple[Comparison, ...]
    low_adjusted: Floats
    high_adjusted: Floats
    interactions: Mapping[str, tuple[Interaction, ...]]
    min_topics: int

    name = "slice_comparison"
    tables: ClassVar[Mapping[str, str]] = Comparison.slice_tables

    def __repr__(self) -> str:
        slices, pairs = pluralize(len(self.parts), "slice"), f"{len(self.pairs):,} pairs"
        measures = ", ".join(map(str, self.results.measures))
        return (
            f"SliceComparison({pairs} of {len(self.results.runs)} runs in {slices}: {measures}; {self.test.name} test)"
        )

    @property
    def provenance(self) -> Provenance:
        """Inputs, settings of the comparison, the topics table, and the attributes."""
        return self.slices.add_settings(super().provenance).with_settings(min_topics=self.min_topics)

    def is_small(self, one: Slice) -> bool:
        """Return True if a slice has too few topics for a test."""
        return len(one.topics) < self.min_topics

    def frame(self) -> pl.DataFrame:
        """Return a row for each slice, measure and pair; the first rows are the comparison over all topics.

        The columns are ``attribute, slice``, then those of :meth:`Comparison.frame`, then ``contribution, low_adjusted,
        high_adjusted, small``. For all topics, *attribute* is null and *slice* is ``all``. *contribution* is the
        difference in the slice times the share of its topics; the contributions of the slices by one attribute sum to
        the difference over all topics. *small* slices have too few topics for a test.
        """
        overall = super().frame()
        total = np.tile(overall["topics"].to_numpy(), 1)
        missing = {name: pl.lit(None, pl.Float64) for name in ("contribution", "low_adjusted", "high_adjusted")}
        frames = [add_slice(overall, None, ALL).with_columns(**missing, small=pl.lit(False))]
        for index, (one, part) in enumerate(zip(self.slices.slices, self.parts, strict=True)):
            frame = part.frame()
            share = frame["topics"].to_numpy() / np.where(total > 0, total, math.nan)
            contribution = frame["difference"].to_numpy() * share
            if one.attribute in self.slices.overlapping:
                contribution = np.full(len(frame), math.nan)
            numbers = {
                "contribution": contribution,
                "low_adjusted": self.low_adjusted[index].ravel(),
                "high_adjusted": self.high_adjusted[index].ravel(),
            }
            frames.append(
                add_slice(frame, one.attribute, one.name).with_columns(
                    *(pl.Series(name, column, dtype=pl.Float64).fill_nan(None) for name, column in numbers.items()),
                    small=pl.lit(self.is_small(one)),
                )
            )
        return pl.concat(frames)

    def interaction(self) -> pl.DataFrame:
        """Return the tests whether differences depend on the slice, a row for each attribute, measure and pair.

        The columns are ``attribute, measure, run_a, run_b, slices, topics, statistic, df1, df2, p, p_adjusted,
        method``. *slices* and *topics* count the slices with enough topics. *p_adjusted* is corrected over attributes
        and pairs (with ``family="all"``, also over measures). The module :mod:`assay.significance.interaction` defines
        the test.
        """
        pairs = name_pairs(self.results.runs, self.pairs, ("run_a", "run_b"))
        axes: dict[str, Any] = {"attribute": self.interactions, "measure": self.results.measures, "pair": pairs}
        tests = self.interactions.values()
        numbers = {
            name: np.array([[getattr(one, name) for one in by_measure] for by_measure in tests]).reshape(
                len(self.interactions), len(self.results.measures), len(self.pairs)
            )
            for name in Interaction._fields
        }
        p = numbers["p"].transpose(1, 0, 2)
        adjusted = adjust(p.reshape(len(p), -1), self.test, self.correction, self.family).reshape(p.shape)
        method = pl.Series(
            "method", [METHODS[int(index)] or None for index in numbers.pop("method").ravel()], pl.String
        )
        frame = tidy_frame(axes, {**numbers, "p_adjusted": adjusted.transpose(1, 0, 2)})
        return frame.with_columns(pl.col("slices", "topics").cast(pl.Int64), method)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """State the differences over all topics, and whether they depend on the slice.

        A difference between slices is stated only if the test of the interaction is significant: "significant in one
        slice, but not in another" is not a difference.
        """
        return "\n".join([*write_conclusions(self), *self.describe_interactions()])

    def describe_interactions(self) -> list[str]:
        """State for each measure and attribute whether differences depend on the slice."""
        sentences = []
        for (measure, attribute), rows in self.interaction().group_by("measure", "attribute", maintain_order=True):
            tested = rows.drop_nulls("p")
            significant = tested.filter(pl.col("p_adjusted") < self.alpha)
            if tested.is_empty():
                text = f"too few slices by {attribute} have {self.min_topics} topics for a test of the slices"
            elif len(tested) > 1:
                text = self._name_pairs(significant, len(tested), str(attribute))
            elif significant.is_empty():
                text = (
                    f"there is no significant evidence that the difference depends on {attribute} "
                    f"({self._write_p(tested)}), so the slices should not be contrasted"
                )
            else:
                a, b = significant.row(0)[2:4]
                text = (
                    f"the difference between {a} and {b} depends on {attribute} ({self._write_p(tested)}): "
                    f"{self._describe_slices(str(measure), str(attribute), a, b)}"
                )
            sentences.append(f"{measure}: {text}.")
        return sentences

    def _name_pairs(self, significant: pl.DataFrame, tested_count: int, attribute: str) -> str:
        """State for how many pairs of runs the difference depends on an attribute, and name the first ones."""
        if significant.is_empty():
            pairs = "either pair" if tested_count == 2 else f"any of {tested_count:,} pairs"
            return f"there is no significant evidence for {pairs} of runs that the difference depends on {attribute}"
        names = [
            f"{a} and {b}" for a, b in significant.sort("p").select("run_a", "run_b").head(_NAMED_PAIRS).iter_rows()
        ]
        examples = "; ".join(names) + "; …" * (len(significant) > len(names))
        counts = f"{len(significant):,} of {tested_count:,} pairs of runs"
        return f"the difference depends significantly on {attribute} for {counts} ({examples})"

    def _write_p(self, rows: pl.DataFrame) -> str:
        p = rows["p_adjusted"][0]
        return f"interaction {p_label(self)} {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}"

    def _describe_slices(self, measure: str, attribute: str, a: str, b: str) -> str:
        """Name the slices in which one of two runs is significantly better."""
        runs, better = self.results.runs, {a: [], b: []}  # type: tuple[str, ...], dict[str, list[str]]
        for one, part in zip(self.slices.slices, self.parts, strict=True):
            if one.attribute == attribute:
                verdict = part.verdicts(measure)[runs.index(a), runs.index(b)]
                if abs(verdict) == 1:
                    better[a if verdict > 0 else b].append(one.name)
        texts = [f"{run} is significantly better in {join_names(names)}" for run, names in better.items() if names]
        return "; ".join(texts) or "no slice by itself has a significant difference"

    @property
    def _shows_all(self) -> bool:
        return bool(self.baselines) or len(self.results.runs) <= FEW_RUNS

    def _show_slices(self) -> Table:
        rows = [
            row
            for measure in self.results.measures
            for pair in self._order_pairs(measure)[:MAX_PAIRS]
            for row in self._rows(measure, *pair)
        ]
        label = p_label(self)
        frame = pl.DataFrame(rows, infer_schema_length=None).with_columns(pl.col(pl.Float64).fill_nan(None))
        columns = {"comparison": "comparison", "slice": "slice", "difference": "difference", label: "p_adjusted"}
        compact = frame.select(
            *(pl.col(column).alias(name) for name, column in columns.items()),
            align_texts(frame["W/T/L"]),
            pl.col("contribution").alias("part"),
        )
        several = compact["comparison"].n_unique() > 1
        return Table(
            self.frame(),
            compact if several else compact.drop("comparison"),
            heading="comparison" if several else None,
            probability_columns={label: self.least if label == "p" else 0.0},
            marks={"difference": [_SIGNS.get(verdict, "") for verdict in frame["verdict"]]},
            intervals={"difference": (frame["low"].to_list(), frame["high"].to_list())},
            interval_name=interval_label(self),
            caption=self._slice_caption(label, "" if several else rows[0]["comparison"]),
        )

    def _rows(self, measure: Measure, a: str, b: str) -> list[dict[str, Any]]:
        """Return the rows of one measure and pair: for each attribute, its slices and then all topics."""
        rows = []
        for attribute in self.slices.attributes:
            groups: list[tuple[Slice | None, Comparison]] = [
                (one, part)
                for one, part in zip(self.slices.slices, self.parts, strict=True)
                if one.attribute == attribute
            ]
            by = f", by {attribute}" if len(self.slices.attributes) > 1 else ""
            heading = {"comparison": f"{measure}: {a} minus {b}{by}"}
            rows += [{**heading, **self._row(one, part, measure, (a, b))} for one, part in (*groups, (None, self))]
        return rows

    def _row(self, one: Slice | None, part: Comparison, measure: Measure, pair: tuple[str, str]) -> dict[str, Any]:
        """Return the row of one pair in a slice, or over all topics (None)."""
        numbers, total = part.between(measure, *pair), self.between(measure, *pair)["topics"]
        is_part = one is not None and one.attribute not in self.slices.overlapping and total
        first, second = (self.results.runs.index(run) for run in pair)
        return {
            "slice": f"{ALL if one is None else one.name} ({len(part.results.topics)})",
            **{name: numbers[name] for name in ("difference", "low", "high", "p_adjusted")},
            "W/T/L": "/".join(f"{numbers[name]:.0f}" for name in ("wins", "ties", "losses")),
            "contribution": numbers["difference"] * numbers["topics"] / total if is_part else math.nan,
            "verdict": float(part.verdicts(measure)[first, second]),
        }

    def _slice_caption(self, label: str, comparison: str) -> str:
        """Explain the columns, and state the test and its family."""
        part = next(iter(self.parts), self)
        lines = [f"difference: {comparison}"] if comparison else []
        count = len(self.pairs) if self._shows_all else len(self.results.runs) - 1
        if count < len(self.pairs) or count > MAX_PAIRS:
            others = f"the {MAX_PAIRS} best other runs" if count > MAX_PAIRS else "each other run"
            shown = f"the first {MAX_PAIRS} comparisons" if self._shows_all else f"the best run against {others}"
            lines.append(f"{shown}; all {len(self.pairs):,} pairs: --wide, --format csv")
        signs = f"{BETTER} significantly better, {WORSE} significantly worse ({label} < {self.alpha:g})"
        lines += [
            f"in parentheses: number of topics; {signs}",
            f"{describe_test(part)}; the comparison over all topics is not of this family",
            f"{describe_intervals(self, with_p=False)}; W/T/L: number of topics won, tied and lost",
            "part: contribution to the difference over all topics (difference times share of the topics)",
        ]
        return "\n".join(lines)

    def _show_interaction(self) -> Table:
        frame = self.interaction()
        label = p_label(self)
        compact = frame.select(
            *(["measure"] if len(self.results.measures) > 1 else []),
            "attribute",
            pl.format("{} - {}", "run_a", "run_b").alias("difference"),
            "slices",
            pl.col("statistic").alias("F"),
            *([] if label == "p" else [pl.col("p")]),
            pl.col("p_adjusted").alias(label),
            "method",
        )
        methods = "welch: Welch's test; brown-forsythe: if a slice has no spread; constant: no slice has a spread"
        small = f"slices with fewer than {self.min_topics} topics are not tested"
        summary = "\n".join(self.describe_interactions()) or "No attribute divides the topics into disjoint slices."
        caption = f"{methods}\n{small}; {label} is corrected over attributes and pairs of runs"
        heading = "measure" if "measure" in compact.columns else None
        probabilities = {"p": 0.0, label: 0.0}
        return Table(frame, compact, heading, probability_columns=probabilities, caption=caption, summary=summary)


def add_slice(frame: pl.DataFrame, attribute: str | None, name: str) -> pl.DataFrame:
    """Insert the columns attribute and slice before the other columns."""
    return frame.select(pl.lit(attribute, pl.String).alias("attribute"), pl.lit(name).alias("slice"), pl.all())


def compare_in_slices(
    comparison: Comparison, slices: Slices, settings: ComparisonSettings, min_topics: int
) -> SliceComparison:
    """Compare the runs of a comparison in each slice of its topics.

    The family of comparisons consists of all pairs of runs in all slices with at least *min_topics* topics, by one
    measure or by all measures.
    """
    if slices.weights is not None:
        raise InputError(f"weights {slices.weighted_by!r}: are for means (assay eval); omit weights to compare runs")
    if comparison.test.corrected:
        raise InputError(f"test {comparison.test.name!r}: is not corrected for slices; choose another test, such as t")
    results, pairs = comparison.results, comparison.pairs
    suspicions = refuse_own_values(results, slices)
    in_slices = [results.select(topics=one.topics) for one in slices.slices]
    numbers = [compute_numbers(part, pairs, settings) for part in in_slices]
    for columns in numbers:
        for name in ("p", "p_equivalent"):
            columns[name] = np.where(columns["topics"] < min_topics, math.nan, columns[name])
    p = np.array([columns["p"] for columns in numbers]).reshape(len(numbers), len(results.measures), len(pairs))
    adjusted = adjust(
        p.transpose(1, 0, 2).reshape(p.shape[1], -1), comparison.test, comparison.correction, comparison.family
    )
    adjusted = adjusted.reshape(p.shape[1], p.shape[0], -1).transpose(1, 0, 2)
    for columns, p_adjusted in zip(numbers, adjusted, strict=True):
        columns["p_adjusted"] = p_adjusted
    tested = sum(len(one.topics) >= min_topics for one in slices.slices)
    parts = tuple(
        replace(comparison, results=part, numbers=columns, notes=(), tested_slices=tested)
        for part, columns in zip(in_slices, numbers, strict=True)
    )
    small = [str(one) for one in slices.slices if len(one.topics) < min_topics]
    notes = [f"slices with fewer than {min_topics} topics are not tested: {join_names(small)}"] if small else []
    low, high = _adjust_intervals(parts, p, settings)
    return SliceComparison(
        **{field.name: getattr(comparison, field.name) for field in fields(Comparison) if field.name != "notes"},
        notes=(*comparison.notes, *slices.notes, *suspicions, *notes),
        slices=slices,
        parts=parts,
        low_adjusted=low,
        high_adjusted=high,
        interactions={
            attribute: tuple(
                _test_slices(comparison, slices, attribute, index, min_topics) for index in range(len(results.measures))
            )
            for attribute in slices.attributes
            if attribute not in slices.overlapping
        },
        min_topics=min_topics,
    )


def _adjust_intervals(parts: tuple[Comparison, ...], p: Floats, settings: ComparisonSettings) -> tuple[Floats, Floats]:
    """Return the intervals at level 1 - alpha / m, where m is the number of tests; NaN where there was no test."""
    test = T() if settings.test.interval == T.interval else settings.test
    low, high = np.full_like(p, math.nan), np.full_like(p, math.nan)
    counts = (~np.isnan(p)).sum(axis=(0, 2))
    for index, part in enumerate(parts):
        for measure in range(p.shape[1]):
            is_tested = ~np.isnan(p[index, measure])
            if not is_tested.any():
                continue
            family_size = counts.sum() if part.family == "all" else counts[measure]
            values = prepare_values(part.results, measure)
            outcome = test.compare(values, part.pairs, settings.alpha / int(family_size))
            low[index, measure], high[index, measure] = (
                np.where(is_tested, ends, math.nan) for ends in (outcome.low, outcome.high)
            )
    return low, high


def _test_slices(comparison: Comparison, slices: Slices, attribute: str, measure: int, min_topics: int) -> Interaction:
    """Test whether the differences by one measure depend on the slice of one attribute."""
    values = prepare_values(comparison.results, measure)
    position = {topic: index for index, topic in enumerate(comparison.results.topics)}
    groups = [values[:, [position[topic] for topic in one.topics]] for one in slices.of(attribute)]
    return compute_interaction(compute_moments(groups, comparison.pairs), min_topics)
