"""Report of MED: the largest differences that the judgments allow, for every pair, measure and topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.distance._med.places import PlaceRange
from assay.distance._med.trace import TraceStep
from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arrays import ROUNDING, Bools, Floats, Ints, subtract
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.square_frame import to_square_frame
from assay.results.tables import Table, floats_to_integers

ALL = "all"
_MAX_NAMES = 6  # measures listed in a summary


class DocumentLabel(NamedTuple):
    """The grade of an unjudged document in the labeling that attains a distance."""

    run_a: str
    run_b: str
    measure: str
    topic: str
    document: str
    grade: float


@dataclass(frozen=True, eq=False)
class MedReport(Report):
    """The report of :func:`med`: the distance of each pair of runs by each measure.

    Attributes
    ----------
    runs, topics, measures
        The runs and topics compared, and the measures.
    pairs
        Pairs x 2: the indices of the two runs.
    difference
        Measures x pairs x topics: M(a) - M(b) as judged so far.
    up, down
        Measures x pairs x topics: the largest M(a) - M(b) and the largest M(b) - M(a) that labels of unjudged documents
        attain.
    up_bound, down_bound
        Upper bounds of *up* and *down*. Where *up* is exact, it equals its bound, and likewise for *down*.
    labels
        The documents whose labels attain the distance, and their grades; None if labels were not requested.
    trace
        The steps of Algorithm 1; None if they were not requested.
    places
        The places that labels allow on the leaderboard; None if they were not requested.
    provenance, notes
        The inputs and policies of the report, and notes on what was ignored or assumed.
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
    labels: tuple[DocumentLabel, ...] | None
    provenance: Provenance
    notes: tuple[str, ...] = ()
    depth: int | None = None
    method: str = "exact"
    residual: bool = False
    seed: int = 0
    trace: tuple[TraceStep, ...] | None = None
    places: tuple[PlaceRange, ...] | None = None

    name = "med"
    tables: ClassVar[Mapping[str, str]] = {
        "pairs": "the mean distance of each pair of runs over topics",
        "topics": "the distance on each topic, then the mean",
        "matrix": "runs x runs: the mean distance by one measure",
        "labels": "the labels that attain each distance",
        "trace": "the steps of Algorithm 1 for nDCG, nCG, recall and F@k",
        "places": "the best and the worst place of each run that labels allow",
    }

    def __repr__(self) -> str:
        pairs = pluralize(len(self.pairs), "pair")
        return f"MedReport({pairs} x {pluralize(len(self.topics), 'topic')}: {', '.join(map(str, self.measures))})"

    @property
    def distance(self) -> Floats:
        """Measures x pairs x topics: the distance that labels attain; at most ``bound``."""
        return np.maximum(self.up, self.down)

    @property
    def bound(self) -> Floats:
        """Measures x pairs x topics: an upper bound of the distance."""
        return np.maximum(self.up_bound, self.down_bound)

    @property
    def exact(self) -> Bools:
        """Measures x pairs x topics: True where the distance is known exactly."""
        return np.asarray(self.bound <= self.distance + ROUNDING)

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs and each measure: the mean over topics.

        Columns: run_a, run_b, measure, topic (``all``), med, difference, direction, exact, low and high (the interval
        of the distance), smallest and largest (the interval of M(a) - M(b)). The direction of a topic is ``a`` if
        labels that favour run_a attain the distance, ``b`` if labels that favour run_b attain it, and ``-`` if the
        distance is 0. The means of *smallest* and *largest* are bounds of the difference of means.
        """
        return self._tabulate(means=True)

    def topic_frame(self) -> pl.DataFrame:
        """Return a row for each pair of runs, measure and topic, with the columns of :meth:`frame`."""
        return self._tabulate(topics=True)

    def _tabulate(self, *, topics: bool = False, means: bool = False) -> pl.DataFrame:
        """Return, for each pair and measure, the rows of its *topics*, their mean (the topic ``all``), or both."""
        labels = [*(self.topics if topics else ()), *([ALL] if means else ())]

        def flatten(values: Floats, average: Callable[[Floats], Floats] = _mean) -> pl.Series:
            columns = [*([values] if topics else []), *([average(values)] if means else [])]
            return pl.Series(np.concatenate(columns, axis=2).transpose(1, 0, 2).ravel()).fill_nan(None)

        pair, measure, topic = np.indices((len(self.pairs), len(self.measures), len(labels))).reshape(3, -1)
        # Indices in the texts -, a and b; a mean over topics has no direction.
        direction = np.where(self.distance > ROUNDING, np.where(self.up >= self.down, 1.0, 2.0), 0.0)
        directions = flatten(direction, lambda values: np.full((*values.shape[:2], 1), np.nan))
        names = pl.Series(self.runs, dtype=pl.String)
        return pl.DataFrame(
            {
                "run_a": names.gather(self.pairs[pair, 0]),
                "run_b": names.gather(self.pairs[pair, 1]),
                "measure": pl.Series([str(m) for m in self.measures], dtype=pl.String).gather(measure),
                "topic": pl.Series(labels, dtype=pl.String).gather(topic),
                "med": flatten(self.distance),
                "difference": flatten(self.difference),
                "direction": pl.Series(["-", "a", "b"]).gather(directions.cast(pl.UInt32)),
                "exact": flatten(self.exact.astype(np.float64)) >= 1,
                "low": flatten(self.distance),
                "high": flatten(self.bound),
                "smallest": flatten(0.0 - self.down_bound),
                "largest": flatten(self.up_bound),
            }
        )

    def label_frame(self) -> pl.DataFrame:
        """Return run_a, run_b, measure, topic, document, grade: the labels that attain each distance."""
        if self.labels is None:
            raise InputError("no labels in this report; compute the distances with labels=True (--labels)")
        schema = {name: pl.String for name in DocumentLabel._fields if name != "grade"}
        return pl.DataFrame(self.labels, schema={**schema, "grade": pl.Float64}, orient="row")

    def trace_frame(self) -> pl.DataFrame:
        """Return a row for each step of Algorithm 1, with the columns of ``TraceStep``; NaN is null."""
        if self.trace is None:
            raise InputError("no trace in this report; compute the distances with trace=True (--show trace)")
        schema = {
            **dict.fromkeys(TraceStep._fields, pl.Float64),
            **dict.fromkeys(("run_a", "run_b", "measure", "topic", "favours", "document"), pl.String),
            **dict.fromkeys(("step", "relevant"), pl.Int64),
            "largest": pl.Boolean,
        }
        return pl.DataFrame(self.trace, schema=schema, orient="row").with_columns(pl.col("ratio").fill_nan(None))

    def place_frame(self) -> pl.DataFrame:
        """Return a row for each measure and run, with the columns of ``PlaceRange``, and exact.

        A range of places is exact if labels attain its best and its worst place.
        """
        if self.places is None:
            raise InputError("no places in this report; compute the distances with places=True (--show places)")
        schema = {
            **dict.fromkeys(PlaceRange._fields, pl.Int64),
            "measure": pl.String,
            "run": pl.String,
            "value": pl.Float64,
        }
        frame = pl.DataFrame(self.places, schema=schema, orient="row").with_columns(pl.col("value").fill_nan(None))
        is_exact = (pl.col("best") == pl.col("best_attained")) & (pl.col("worst") == pl.col("worst_attained"))
        return frame.with_columns(exact=is_exact)

    def matrix(self, of: str | Measure) -> Floats:
        """Return runs x runs: the mean distance by one measure."""
        chosen = parse_measure(of)
        if chosen not in self.measures:
            known = ", ".join(map(str, self.measures))
            raise MeasureError(f"measure '{of}': not in this report; choose one of {known}")
        mean = self.distance[self.measures.index(chosen)].mean(axis=1)
        table = np.full((len(self.runs), len(self.runs)), np.nan)
        np.fill_diagonal(table, 0.0)
        table[self.pairs[:, 0], self.pairs[:, 1]] = mean
        table[self.pairs[:, 1], self.pairs[:, 0]] = mean
        return table

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the number of pairs of runs whose order the judgments determine, and the closest pair."""
        return " ".join([_describe_orders(self), *_describe_closest(self)])

    def _show_pairs(self) -> Table:
        return _build_table(self.frame(), [])

    def _show_topics(self) -> Table:
        return _build_table(self._tabulate(topics=True, means=True), ["topic"])

    def _show_matrix(self) -> Table:
        if len(self.measures) != 1:
            raise InputError(
                f"a matrix shows one measure; name a single measure instead of {', '.join(map(str, self.measures))}"
            )
        frame = to_square_frame(self.runs, self.matrix(self.measures[0]))
        return Table(frame, frame, caption=f"mean distance by {self.measures[0]}")

    def _show_labels(self) -> Table:
        frame = self.label_frame()
        names = {"run_a": "run", "run_b": "other run"}
        compact = floats_to_integers(frame, "grade").rename(names)
        compact = compact.select("measure", *names.values(), "topic", "document", "grade")
        caption = "grades of unjudged documents that attain the distance"
        return Table(frame, compact, heading="measure", caption=caption)

    def _show_trace(self) -> Table:
        frame = self.trace_frame()
        compact = frame.select(
            "measure",
            *([pl.col("run_a").alias("run"), pl.col("run_b").alias("other run")] if len(self.pairs) > 1 else []),
            *(["topic"] if len(self.topics) > 1 else []),
            "favours",
            pl.col("document").fill_null("(judged)"),
            pl.col("weight_a").alias("weight"),
            pl.col("weight_b").alias("other"),
            "difference",
            pl.col("relevant").alias("R"),
            "numerator",
            pl.col("denominator").alias("divisor"),
            "ratio",
        )
        caption = (
            "each row labels one more document as relevant, first in favour of the run, then in favour of the other "
            "run; weight, other: the weight of its rank in the run and in the other run; R: relevant documents, for "
            "nDCG and nCG at most the cutoff; ratio: the difference of the two values in favour of a run"
        )
        return Table(frame, compact, heading="measure", caption=caption, summary=describe_trace(frame))

    def _show_places(self) -> Table:
        frame = self.place_frame()
        compact = frame.sort("place", maintain_order=True).select(
            "measure",
            "run",
            "value",
            "place",
            "best",
            "worst",
            *([] if frame["exact"].all() else [_range("best_attained", "worst_attained").alias("attained")]),
        )
        compact = pl.concat([compact.filter(measure=str(measure)) for measure in self.measures])
        caption = (
            "value: mean over topics as judged so far; best, worst: no labels of unjudged documents give the run a "
            "better or a worse place"
        )
        if not frame["exact"].all():
            caption += "; attained: the range of places for which labels were found, within best and worst"
        summary = describe_places(frame, [str(measure) for measure in self.measures])
        return Table(frame, compact, heading="measure", caption=caption, summary=summary)


def _range(low: str, high: str) -> pl.Expr:
    """Return texts such as 3–7 from two columns."""
    return pl.concat_str(low, pl.lit("–"), high)


def _mean(values: Floats) -> Floats:
    """Return the mean over topics; NaN if both +inf and -inf occur."""
    with np.errstate(invalid="ignore"):
        return np.asarray(values.mean(axis=2, keepdims=True))


def _build_table(frame: pl.DataFrame, keys: list[str]) -> Table:
    """Return the table of distances, with a column of upper bounds if some distances are not exact."""
    all_exact, all_bounded = frame["exact"].all(), bool(frame["high"].is_finite().all())
    has_differences = bool((frame["difference"] != 0).any())  # without judgments all differences are 0
    compact = frame.select(
        "measure",
        pl.col("run_a").alias("run"),
        pl.col("run_b").alias("other run"),
        *keys,
        pl.col("med").alias("MED" if all_exact or all_bounded else "MED at least"),
        *([] if all_exact or not all_bounded else [pl.col("high").alias("MED at most")]),
        *(["difference"] if has_differences else []),
        *([pl.col("smallest").alias("lowest"), pl.col("largest").alias("highest")] if all_bounded else []),
    )
    caption = "MED: largest absolute difference that labels of unjudged documents allow on a topic, mean over topics"
    if has_differences:
        caption += "; difference: run - other run as judged so far"
    if all_bounded:
        caption += "; lowest, highest: range of the difference run - other run that labels allow"
    return Table(frame, compact, heading="measure", caption=caption)


# Summary ---------------------------------------------------------------------------------------------------------


def _describe_orders(report: MedReport) -> str:
    """Return a sentence on the number of pairs of runs whose order no labels change.

    The order is fixed if the smallest and the largest difference have the same sign.
    """
    with np.errstate(invalid="ignore"):
        lowest, highest = 0.0 - report.down_bound.mean(axis=2), report.up_bound.mean(axis=2)
    ends = np.sign(subtract(lowest, 0.0)), np.sign(subtract(highest, 0.0))
    is_fixed = ends[0] == ends[1]  # False if one end is NaN
    if len(report.pairs) == 1:
        return _describe_pair(report, is_fixed[:, 0], ends[0][:, 0])
    first, *others = zip(is_fixed.sum(axis=1).tolist(), report.measures, strict=True)
    counts = [f"{first[0]} of {pluralize(len(report.pairs), 'pair')} of runs by {first[1]}"]
    counts += [f"{number} by {measure}" for number, measure in others]
    return f"No labels of unjudged documents change the order of {join_names(counts, _MAX_NAMES)}."


def _describe_pair(report: MedReport, is_fixed: Bools, sign: Floats) -> str:
    """Return a sentence on the order of two runs; *is_fixed* and *sign* (of the difference) are arrays by measure."""
    one, other = (report.runs[run] for run in report.pairs[0])
    sentences: dict[str, list[str]] = {}
    for measure, fixed, difference in zip(report.measures, is_fixed, sign, strict=True):
        better = -difference if measure.lower_is_better else difference
        first, second = (one, other) if better > 0 else (other, one)
        order = f"{first} stays ahead of {second}" if better else f"{one} and {other} stay tied"
        fixed_order = f"{order} for any labels of their unjudged documents"
        is_judged = any(entry.role == "qrels" for entry in report.provenance.inputs)
        runs = f"the order of {one} and {other}"
        open_order = f"the judgments leave {runs} open" if is_judged else f"{runs} depends on the labels"
        sentences.setdefault(fixed_order if fixed else open_order, []).append(str(measure))
    return " ".join(f"By {join_names(names, _MAX_NAMES)} {text}." for text, names in sentences.items())


def _describe_closest(report: MedReport) -> list[str]:
    """Return a sentence on the pair of runs with the smallest mean distance by the first measure."""
    mean = report.distance[0].mean(axis=1) if len(report.measures) else np.zeros(0)
    if len(mean) < 2 or not np.isfinite(mean).any():
        return []
    smallest = float(np.nanmin(mean))
    closest = np.flatnonzero(subtract(mean, smallest) == 0)
    names = [report.runs[run] for run in report.pairs[closest[0]]]
    pair = f"{names[0]} and {names[1]}" if len(closest) == 1 else f"{len(closest)} tied pairs"
    return [f"Closest by {report.measures[0]}: {pair} (mean MED {smallest:.4f})."]


def describe_trace(frame: pl.DataFrame) -> str:
    """Return a sentence on the largest ratio of a trace of one pair; of several pairs, their number."""
    pairs = frame.select("run_a", "run_b", "measure", "topic").n_unique()
    largest = frame.filter("largest")
    if pairs != 1 or largest.is_empty():
        return f"The trace has {pluralize(len(frame), 'step')} for {pluralize(pairs, 'combination')} of runs and topic."
    favours, step, ratio = largest.select("favours", "step", "ratio").row(0)
    labelled = frame.filter((pl.col("favours") == favours) & (pl.col("step") > 0) & (pl.col("step") <= step))
    names = join_names(labelled["document"].to_list(), _MAX_NAMES)
    reason = f"the labelled documents are {names}" if step else "no document is labelled"
    return f"The largest ratio is {ratio:.4f}, in favour of {favours}; {reason}."


def describe_places(frame: pl.DataFrame, measures: list[str]) -> str:
    """Return sentences on the runs that keep their places, the leader, and the largest change of a place."""
    return " ".join(_describe_places_by(measure, frame.filter(measure=measure)) for measure in measures[:_MAX_NAMES])


def _describe_places_by(measure: str, frame: pl.DataFrame) -> str:
    kept = frame.filter((pl.col("best") == pl.col("place")) & (pl.col("worst") == pl.col("place")))
    change = frame.with_columns(
        possible=pl.max_horizontal(pl.col("place") - pl.col("best"), pl.col("worst") - pl.col("place")),
        found=pl.max_horizontal(pl.col("place") - pl.col("best_attained"), pl.col("worst_attained") - pl.col("place")),
    )
    share = f"{len(kept)} of {pluralize(len(frame), 'run')}"
    if len(kept) == len(frame):
        return f"By {measure}, no labels change the place of any run."
    run, place, possible, found = (
        change.sort("possible", descending=True, maintain_order=True).select("run", "place", "possible", "found").row(0)
    )
    leaders = frame.filter(pl.col("worst") == 1)["run"].to_list()
    first = f" {leaders[0]} stays first." if len(leaders) == 1 else ""
    limit = f"by {pluralize(possible, 'place')}" if found == possible else f"by {found} to {possible} places"
    exact = "" if frame["exact"].all() else f" The range of places is exact for {int(frame['exact'].sum())} runs."
    return (
        f"By {measure}, {share} keep their place for any labels of unjudged documents.{first} The largest possible "
        f"change is that of {run} (place {place}), {limit}.{exact}"
    )
