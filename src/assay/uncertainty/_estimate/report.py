"""Estimates of values next to other treatments of unjudged documents; the report of ``estimate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.measures import Measure
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.sentences import list_names
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame
from assay.uncertainty._bounds import Bounds
from assay.uncertainty._estimate.accuracy import EstimateAccuracy
from assay.uncertainty._estimate.run_estimates import RunEstimate

CERTAIN = 0.95
"""Probability from which on the order of two runs counts as decided."""
_MAX_PAIRS = 45  # with more pairs, the table shows only pairs whose order is undecided
PRIOR_TEXTS = {
    "unique": "documents that exactly one other group contributed to the pool",
    "pool": "all judged documents of the topic",
    "run": "the judged documents of the ranking",
    "rank": "the judged documents of the run, by rank",
}
_METHOD_TEXTS = {"zero": "zero", "condensed": "condensed", "middle": "middle of bounds"}
_COLUMNS = ("value", "condensed", "mean", "q05", "q50", "q95", "low", "high", "unjudged", "exact")


@dataclass(frozen=True, eq=False)
class Estimates(Report):
    """Estimates of the values that runs would have if all documents of their rankings were judged.

    Attributes
    ----------
    bounds
        Values with unjudged documents as non-relevant, and their bounds without relevant documents after the end of a
        ranking.
    condensed
        Measures x runs: the means of condensed rankings.
    mean, quantiles
        Estimates by topic: measures x runs x topics, and quantiles (5 %, 50 %, 95 %) x measures x runs x topics.
    overall, overall_quantiles
        Estimates over topics: measures x runs, and quantiles x measures x runs.
    exact
        Measures x runs: True if the mean over topics is exact; False if it was sampled.
    better
        Measures x runs x runs: the fraction of draws in which the first run has a better mean than the second.
    prior, groups, pool, ideal, samples, seed
        The settings: see :func:`estimate`; *groups* is the number of groups.
    accuracy
        Errors of all methods with hidden judgments; None if they were not measured.
    """

    bounds: Bounds
    condensed: Floats
    mean: Floats
    quantiles: Floats
    overall: Floats
    overall_quantiles: Floats
    exact: Bools
    better: Floats
    prior: str
    groups: int
    pool: int
    ideal: str
    samples: int
    seed: int
    accuracy: EstimateAccuracy | None = None

    name = "estimates"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "estimates of each run over topics, next to other treatments of unjudged documents",
        "topics": "the estimates of each topic",
        "pairs": "the probability that one run is better than another",
        "accuracy": "errors of each method if the judgments of one group at a time are hidden",
    }

    def __post_init__(self) -> None:
        """Drop the table of the accuracy if it was not measured."""
        if self.accuracy is None:
            tables = {name: text for name, text in self.tables.items() if name != "accuracy"}
            object.__setattr__(self, "tables", tables)

    @classmethod
    def build(
        cls,
        bounds: Bounds,
        condensed: Floats,
        estimates: Sequence[Sequence[RunEstimate]],
        *,
        accuracy: EstimateAccuracy | None,
        prior: str,
        groups: int,
        pool: int,
        ideal: str,
        samples: int,
        seed: int,
    ) -> Estimates:
        """Combine the estimates of runs (runs x measures) into a report."""
        by_measure = list(zip(*estimates, strict=True))
        measures = bounds.results.measures
        pairs = [
            _compare_draws(np.stack([one.draws for one in row]), measure)
            for measure, row in zip(measures, by_measure, strict=True)
        ]
        return cls(
            bounds=bounds,
            condensed=condensed,
            mean=np.array([[one.mean for one in row] for row in by_measure]),
            quantiles=np.array([[one.quantiles for one in row] for row in by_measure]).transpose(2, 0, 1, 3),
            overall=np.array([[one.overall for one in row] for row in by_measure]),
            overall_quantiles=np.array([[one.overall_quantiles for one in row] for row in by_measure]).transpose(
                2, 0, 1
            ),
            exact=np.array([[one.exact for one in row] for row in by_measure]),
            better=np.stack(pairs),
            prior=prior,
            groups=groups,
            pool=pool,
            ideal=ideal,
            samples=samples,
            seed=seed,
            accuracy=accuracy,
        )

    def __repr__(self) -> str:
        runs, measures = pluralize(len(self.runs), "run"), ", ".join(map(str, self.measures))
        return f"Estimates({runs}, prior {self.prior}: {measures})"

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs."""
        return self.bounds.results.runs

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures."""
        return self.bounds.results.measures

    @property
    def provenance(self) -> Provenance:
        """Inputs and policies of the values, and the settings of the estimates."""
        return self.bounds.results.provenance.with_settings(
            measures=[str(measure) for measure in self.measures],
            prior=self.prior,
            groups=self.groups,
            pool=self.pool,
            ideal=self.ideal,
            samples=self.samples,
            seed=self.seed,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on reading, on the recall base, on the bounds, and on the accuracy."""
        notes = [*self.bounds.results.notes]
        with_base = [str(measure) for measure in self.measures if measure.uses_recall_base]
        if with_base and self.ideal == "completed":
            notes.append(
                f"{list_names(with_base)}: relevant documents outside a ranking are not estimated, so the recall base "
                "contains only judged documents and documents of the ranking"
            )
        elif with_base:
            notes.append(
                f"{list_names(with_base)}: the recall base contains only judged documents (ideal=judged), so estimates "
                "can exceed the bounds"
            )
        if self.accuracy is None and self.groups < 2:
            notes.append("the accuracy was not measured, because this needs the runs of two groups")
        return tuple(notes)

    def frame(self) -> pl.DataFrame:
        """Return the estimates over topics.

        The columns are run, measure, value, condensed, mean, q05, q50, q95, low, high, unjudged, exact. *value* is the
        value with unjudged documents as non-relevant, *condensed* without unjudged documents. *mean* is the estimate;
        *q05*, *q50* and *q95* are quantiles. *low* and *high* are bounds. *unjudged* is the share of unjudged documents
        among those that the measure evaluates. *exact* is true if *mean* was not sampled.
        """
        means = self.bounds.means()
        columns = {"condensed": self.condensed, "mean": self.overall, **self._name_quantiles(self.overall_quantiles)}
        return (
            means.drop("exact")
            .with_columns(
                *(pl.Series(name, values.T.ravel()).fill_nan(None) for name, values in columns.items()),
                unjudged=1 - pl.col("judged"),
                exact=pl.Series(self.exact.T.ravel()),
            )
            .select("run", "measure", *_COLUMNS)
        )

    def by_topic(self) -> pl.DataFrame:
        """Return a row for each run, measure and topic: run, measure, topic, value, mean, q05, q50, q95, low, high."""
        columns = {"mean": self.mean, **self._name_quantiles(self.quantiles)}
        values = {name: values.transpose(1, 0, 2) for name, values in columns.items()}
        axes = {"run": self.runs, "measure": self.measures, "topic": self.bounds.results.topics}
        estimates = tidy_frame(axes, values)
        frame = self.bounds.frame().with_columns(estimates.select(list(columns)))
        return frame.select("run", "measure", "topic", "value", *columns, "low", "high", unjudged=1 - pl.col("judged"))

    @staticmethod
    def _name_quantiles(quantiles: Floats) -> dict[str, Floats]:
        return dict(zip(("q05", "q50", "q95"), quantiles, strict=True))

    def pairs(self) -> pl.DataFrame:
        """Return a row for each measure and pair of runs.

        The columns are measure, first, second, difference, first_better, equal, second_better. *first* is the run with
        the better estimate, and *difference* its estimate minus that of *second*. *first_better*, *equal* and
        *second_better* are fractions of the draws.
        """
        rows = []
        for i, measure in enumerate(self.measures):
            values = self.overall[i] * (-1 if measure.lower_is_better else 1)
            order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable").tolist()
            for place, a in enumerate(order):
                for b in order[place + 1 :]:
                    better, worse = float(self.better[i, a, b]), float(self.better[i, b, a])
                    difference = float(self.overall[i, a] - self.overall[i, b])
                    equal = max(0.0, 1 - better - worse)
                    rows.append((str(measure), self.runs[a], self.runs[b], difference, better, equal, worse))
        numbers = ("difference", "first_better", "equal", "second_better")
        schema = {**dict.fromkeys(("measure", "first", "second"), pl.String), **dict.fromkeys(numbers, pl.Float64)}
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(pl.Float64).fill_nan(None))

    # Tables -----------------------------------------------------------------------------------------------------

    def table(self, show: str | None = None) -> Table:
        """Return one of the ``tables``."""
        if show == "accuracy":
            self._require_accuracy()
        return super().table(show)

    def _require_accuracy(self) -> EstimateAccuracy:
        if self.accuracy is None:
            raise InputError("show accuracy: the accuracy was not measured; this needs two groups and leave_out=True")
        return self.accuracy

    def summary(self) -> str:
        """State how far estimates are from the values, the undecided pairs, the accuracy and the assumption."""
        if not (self.bounds.high - self.bounds.low > ROUNDING).any():
            return "No unjudged document of a ranking can change its values."
        assumption = (
            f"The estimates assume that unjudged documents have grades like {PRIOR_TEXTS[self.prior]}, independently "
            "of each other."
        )
        return " ".join(
            filter(None, [self._describe_means(), self._describe_pairs(), self._describe_accuracy(), assumption])
        )

    def _describe_means(self) -> str:
        measure, frame = self.measures[0], self.frame()
        frame = frame.filter((pl.col("measure") == str(measure)) & pl.col("mean").is_not_null())
        if frame.is_empty():
            return f"No run has a value by {measure}."
        if len(frame) == 1:
            row = frame.row(0, named=True)
            return (
                f"{measure} of {row['run']} is estimated as {row['mean']:.4f} (90 % interval {row['q05']:.4f} to "
                f"{row['q95']:.4f}); it is {row['value']:.4f} if unjudged documents are non-relevant."
            )
        change = (frame["mean"] - frame["value"]).to_numpy()
        most = int(np.abs(change).argmax())
        return (
            f"By {measure}, estimates differ from the values with unjudged documents as non-relevant by "
            f"{change.mean():+.4f} on average, and most for {frame['run'][most]} ({change[most]:+.4f})."
        )

    def _describe_pairs(self) -> str:
        pairs = self.pairs()
        pairs = pairs.filter(pl.col("measure") == str(self.measures[0])).drop_nulls()
        if pairs.is_empty():
            return ""
        decided = pairs.filter(pl.col("first_better") >= CERTAIN).height
        return (
            f"Under this prior, one run is better with probability {CERTAIN:g} or more for {decided} of "
            f"{pluralize(len(pairs), 'pair')} of runs."
        )

    def _describe_accuracy(self) -> str:
        if self.accuracy is None:
            return ""
        prior, zero = (self.accuracy.bias(method)[0] for method in (self.prior, "zero"))
        return (
            f"With the judgments of one group at a time hidden, the mean error of {self.measures[0]} is {prior:+.4f} "
            f"for this prior and {zero:+.4f} for unjudged documents as non-relevant."
        )

    def _show_means(self) -> Table:
        return self._build_table(self.frame(), ["run"], ["condensed"])

    def _show_topics(self) -> Table:
        return self._build_table(self.by_topic(), ["run", "topic"], [])

    def _build_table(self, frame: pl.DataFrame, keys: list[str], further: list[str]) -> Table:
        compact = frame.select(
            "measure",
            *keys,
            pl.col("value").alias("zero"),
            *further,
            pl.col("mean").alias("estimate"),
            pl.col("q05").alias("5 %"),
            pl.col("q95").alias("95 %"),
            pl.col("low").alias("lowest"),
            pl.col("high").alias("highest"),
            "unjudged",
        )
        condensed = "condensed: without unjudged documents; " if further else ""
        caption = (
            f"zero: unjudged documents are non-relevant; {condensed}estimate: mean under the prior {self.prior} "
            f"({PRIOR_TEXTS[self.prior]}); 5 %, 95 %: quantiles under this prior; lowest, highest: bounds; unjudged: "
            "share of the documents that the measure evaluates"
        )
        order = pl.col("measure").replace_strict({str(one): i for i, one in enumerate(self.measures)})
        return Table(frame, compact.sort(order, maintain_order=True), heading="measure", caption=caption)

    def _show_pairs(self) -> Table:
        frame = self.pairs()
        undecided = (
            frame if len(frame) <= _MAX_PAIRS * len(self.measures) else frame.filter(pl.col("first_better") < CERTAIN)
        )
        compact = undecided.rename({"first_better": "P(first)", "equal": "P(equal)", "second_better": "P(second)"})
        omitted = len(frame) - len(undecided)
        caption = (
            f"P(first), P(second): probability, under the prior {self.prior}, that this run has the better mean; a "
            "document has the same random number in all runs"
        )
        if omitted:
            caption += f"; omitted: {omitted} rows with P(first) of at least {CERTAIN:g}"
        return Table(frame, compact, heading="measure", caption=caption)

    def _show_accuracy(self) -> Table:
        accuracy = self._require_accuracy()
        frame = accuracy.frame()
        labels = {**_METHOD_TEXTS, **{name: f"prior {name}" for name in PRIOR_TEXTS}}
        compact = frame.select(
            "measure",
            pl.col("method").replace_strict(labels).alias("method"),
            "bias",
            pl.col("mae").alias("mean |error|"),
            pl.col("rmse").alias("RMSE"),
            "tau",
            "coverage",
        )
        shares = ", ".join(
            f"{share:.1%} ({m})" for m, share in zip(self.measures, accuracy.unjudged.mean(axis=1), strict=True)
        )
        runs = pluralize(len(self.runs), "run")
        caption = (
            f"Errors of the means of {runs}, without the judgments that only their own group contributed to the pool "
            f"of depth {self.pool} ({self.groups} groups). zero: unjudged documents are non-relevant. tau: with the "
            "order of runs by all judgments. coverage: share of runs whose 90 % interval (or bounds) contains the "
            f"mean by all judgments. Unjudged: {shares}."
        )
        return Table(frame, compact, heading="measure", caption=caption, summary=self._summarize_accuracy(accuracy))

    def _summarize_accuracy(self, accuracy: EstimateAccuracy) -> str:
        """Name the method with the smallest RMSE for each measure."""
        frame = accuracy.frame().drop_nulls("rmse")
        best = frame.group_by("measure", maintain_order=True).agg(pl.all().get(pl.col("rmse").arg_min()))
        labels = {**_METHOD_TEXTS, **{name: f"prior {name}" for name in PRIOR_TEXTS}}
        phrases = [
            f"{labels[row['method']]} for {row['measure']} ({row['rmse']:.4f})" for row in best.iter_rows(named=True)
        ]
        return f"Smallest RMSE on hidden judgments: {list_names(phrases, None)}."


def _compare_draws(draws: Floats, measure: Measure) -> Floats:
    """Return runs x runs: the fraction of draws in which the first run is better; *draws* are runs x samples."""
    signed = -draws if measure.lower_is_better else draws
    return np.stack([(one - signed > ROUNDING).mean(axis=1) for one in signed])
