"""Means of runs by the human judge, from few human and many machine judgments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.judges import read_judges
from assay.errors import InputError, MeasureError, suggestion
from assay.judges._effect import check_shared_runs, warn_of_shared_runs
from assay.judges.prediction_powered import (
    FEWEST_DISAGREEMENTS,
    FEWEST_HUMAN,
    FEWEST_MACHINE,
    PoweredEstimate,
    Sample,
    estimate_mean,
)
from assay.measures import Measure
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats
from assay.model.checks import check_fraction
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.tables import Table

MEASURES = ("nDCG@10",)
"""The default measure."""
_FEW_TOPICS = 10


@check_arguments
def combine(
    campaign: Campaign,
    judges: Mapping[str, Any],
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    baseline: str | None = None,
    lam: float | None = None,
    shared: Mapping[str, Sequence[str]] | None = None,
    confidence: float = 0.95,
) -> CombinedEstimates:
    """Estimate the means that the human judge would give over all topics, from few human and many machine judgments.

    Parameters
    ----------
    campaign
        The runs; its own judgments are not used.
    judges
        Two judges: first the human judge, with judgments for some of the topics; then the machine, with judgments for
        all topics. The topics with human judgments must be a random sample of all topics.
    measures
        Measures to evaluate.
    baseline
        A run; the differences of all other runs from it are estimated, too.
    lam
        The weight of the machine values, from 0 to 1; by default, it is tuned for each estimate (PPI++).
    shared
        Names of the runs that use the model of the machine judge, by judge; the report warns of them.
    confidence
        Level of the intervals.

    References
    ----------
    See :mod:`assay.judges.prediction_powered`.

    Examples
    --------
    >>> import assay
    >>> machine = {f"q{i:02}": {"a": int(i % 3 > 0), "b": 1} for i in range(40)}
    >>> human = {f"q{i:02}": {"a": int(i % 2 > 0), "b": 1} for i in range(12)}
    >>> run = {f"q{i:02}": {"a": 2.0, "b": 1.0} for i in range(40)}
    >>> campaign = assay.read(machine, {"bm25": run}, keep="documents")
    >>> combined = combine(campaign, {"human": human, "llm": machine}, "P@1")
    >>> combined.frame().select("topics_human", "topics_machine", "human").rows()
    [(12, 28, 0.5)]
    """
    check_fraction("confidence", confidence)
    if lam is not None and not 0 <= lam <= 1:
        raise InputError(f"lam must be from 0 to 1, got {lam:g}")
    if len(judges) != 2:
        raise InputError(f"judges: name two judges, first the human judge and then the machine; got {len(judges)}")
    if baseline is not None and baseline not in campaign.runs:
        hint = suggestion(baseline, campaign.runs) or f"; the runs are {join_names(list(campaign.runs))}"
        raise InputError(f"baseline {baseline!r} is not among the runs{hint}")
    marked = check_shared_runs(shared or {}, tuple(judges), campaign.runs)
    results = {name: evaluate(campaign.with_qrels(qrels), measures) for name, qrels in read_judges(judges).items()}
    (human_name, human), (machine_name, machine) = results.items()
    _check_topics(human_name, human, machine_name, machine)
    rows = [
        CombinedRow(measure, run, None if reference is None else reference, _estimate(samples, lam, confidence))
        for index, measure in enumerate(human.measures)
        for run, reference, samples in _list_samples(human, machine, index, baseline)
    ]
    notes = (*warn_of_shared_runs(marked), *_write_notes(rows, human_name, human, machine_name))
    settings = {
        "human": human_name,
        "machine": machine_name,
        "baseline": baseline,
        "lam": lam,
        "confidence": confidence,
    }
    provenance = human.provenance.with_settings(**settings)
    topics = len(human.topics), len(machine.topics) - len(human.topics)
    return CombinedEstimates(tuple(rows), topics, (human_name, machine_name), confidence, provenance, notes)


def _check_topics(human_name: str, human: Results, machine_name: str, machine: Results) -> None:
    """Raise an error for topics that the machine did not judge, for too few topics, and for counts."""
    lacking = [topic for topic in human.topics if topic not in set(machine.topics)]
    if lacking:
        raise InputError(
            f"judges: {machine_name} has no judgments for {pluralize(len(lacking), 'topic')} of {human_name}, such as "
            f"{lacking[0]}; the machine must judge all topics"
        )
    rest = len(machine.topics) - len(human.topics)
    if len(human.topics) < FEWEST_HUMAN or rest < FEWEST_MACHINE:
        raise InputError(
            f"judges: need at least {FEWEST_HUMAN} topics of {human_name} and {FEWEST_MACHINE} other topics of "
            f"{machine_name}, got {len(human.topics)} and {rest}"
        )
    for measure in human.measures:
        if measure.aggregate != "mean":
            raise MeasureError(f"measure '{measure}': has no arithmetic mean over topics; choose another measure")


def _list_samples(
    human: Results, machine: Results, index: int, baseline: str | None
) -> list[tuple[str, str | None, Sample]]:
    """Return the values of each run, and of the difference of each run from the baseline."""
    both = [machine.topics.index(topic) for topic in human.topics]
    rest = [i for i, topic in enumerate(machine.topics) if topic not in set(human.topics)]
    samples: dict[str, Sample] = {
        run: Sample(human.values[index, j], machine.values[index, j, both], machine.values[index, j, rest])
        for j, run in enumerate(human.runs)
    }
    rows: list[tuple[str, str | None, Sample]] = [(run, None, sample) for run, sample in samples.items()]
    if baseline is not None:
        rows += [
            (run, baseline, Sample(*(_subtract(a, b) for a, b in zip(sample, samples[baseline], strict=True))))
            for run, sample in samples.items()
            if run != baseline
        ]
    return rows


def _subtract(a: Floats, b: Floats) -> Floats:
    return np.asarray(a - b)


def _estimate(sample: Sample, lam: float | None, confidence: float) -> PoweredEstimate:
    human, machine = sample.human, sample.machine
    known = ~(np.isnan(human) | np.isnan(machine))
    return estimate_mean(
        Sample(human[known], machine[known], sample.machine_only[~np.isnan(sample.machine_only)]), lam, confidence
    )


def _write_notes(rows: list[CombinedRow], human_name: str, human: Results, machine_name: str) -> list[str]:
    """State the assumption, and where the machine judgments do not help."""
    count = len(human.topics)
    notes = [f"the topics with judgments of {human_name} are assumed to be a random sample of all topics"]
    if count < _FEW_TOPICS:
        notes.append(f"only {count} topics with judgments of {human_name}; intervals of fewer than 10 are uncertain")
    few = [row for row in rows if row.estimate.method == "human"]
    if few:
        notes.append(
            f"{pluralize(len(few), 'estimate')}: the judges give different values on fewer than {FEWEST_DISAGREEMENTS} "
            f"topics, so that only the judgments of {human_name} are used"
        )
    weak = [row for row in rows if row.estimate.method == "ppi++" and row.estimate.rho**2 < 1 / (count - 2)]
    if weak:
        notes.append(
            f"{pluralize(len(weak), 'estimate')}: the correlation with {machine_name} is too weak for its judgments to "
            "help"
        )
    return notes


@dataclass(frozen=True)
class CombinedRow:
    """The estimate of a run, or of its difference from a baseline, by one measure."""

    measure: Measure
    run: str
    baseline: str | None
    estimate: PoweredEstimate


@dataclass(frozen=True, eq=False)
class CombinedEstimates(Report):
    """Estimates from human and machine judgments; the report of :func:`combine`.

    Attributes
    ----------
    rows
        The estimates.
    topics
        Number of topics with human judgments, and of topics with machine judgments only.
    judges
        Names of the human judge and of the machine.
    confidence
        Level of the intervals.
    provenance, notes
        The inputs and settings, and notes on assumptions.
    """

    rows: tuple[CombinedRow, ...]
    topics: tuple[int, int]
    judges: tuple[str, str]
    confidence: float
    provenance: Provenance
    notes: tuple[str, ...]

    name = "combine"
    tables: ClassVar[Mapping[str, str]] = {
        "estimates": "estimated means and differences, next to those of the human judgments alone",
    }

    def __repr__(self) -> str:
        return f"CombinedEstimates({pluralize(len(self.rows), 'estimate')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each estimate.

        Columns: measure, run_a, run_b (the baseline of a difference, or null), topics_human, topics_machine, lambda,
        method (ppi++, ppi or human), estimate, low, high, se, df; the mean of the human values alone with its interval
        (human, human_low, human_high); the mean of all machine values, whose bias is unknown (machine); the correlation
        rho of human and machine values; effective_topics, the number of topics with human judgments alone that would
        give the same standard error; and disagreements, the number of topics on which the values differ.
        """
        rows = []
        for row in self.rows:
            one = row.estimate
            rows.append(
                {
                    "measure": str(row.measure),
                    "run_a": row.run,
                    "run_b": row.baseline,
                    "topics_human": self.topics[0],
                    "topics_machine": self.topics[1],
                    "lambda": one.lam,
                    "method": one.method,
                    "estimate": one.estimate,
                    "low": one.low,
                    "high": one.high,
                    "se": one.error,
                    "df": one.df,
                    "human": one.human,
                    "human_low": one.human_low,
                    "human_high": one.human_high,
                    "machine": one.machine,
                    "rho": one.rho,
                    "effective_topics": one.effective_topics,
                    "disagreements": one.disagreements,
                }
            )
        frame = pl.DataFrame(rows, schema_overrides={"run_b": pl.String}, infer_schema_length=None)
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def summary(self) -> str:
        """State for how many estimates the machine judgments give a narrower interval."""
        narrower = sum(
            row.estimate.high - row.estimate.low < row.estimate.human_high - row.estimate.human_low for row in self.rows
        )
        human, machine = self.judges
        topics = pluralize(self.topics[0], "topic")
        effective = [row.estimate.effective_topics for row in self.rows]
        first = (
            f"With the judgments of {machine}, {narrower} of {pluralize(len(self.rows), 'interval')} "
            f"{'is' if narrower == 1 else 'are'} narrower than with {human} alone."
        )
        known = [number for number in effective if not np.isnan(number)]
        if not known:
            return first
        return (
            f"{first} {topics} of {human} with {machine} on {self.topics[1]:,} others are worth "
            f"{min(known):.0f} to {max(known):.0f} topics of {human} alone."
        )

    def _show_estimates(self) -> Table:
        frame = self.frame()
        heading = (
            pl.when(pl.col("run_b").is_null())
            .then(pl.col("measure"))
            .otherwise(pl.format("{}, difference from {}", "measure", "run_b"))
        )
        human = self.judges[0]
        compact = frame.select(
            heading.alias("estimate of"),
            pl.col("run_a").alias("run"),
            "estimate",
            pl.col("human").alias(f"{human} alone"),
            pl.col("effective_topics").round(0).cast(pl.Int64).alias("worth topics"),
            "rho",
        )
        return Table(
            frame,
            compact,
            heading="estimate of",
            intervals={"estimate": (frame["low"].to_list(), frame["high"].to_list())},
            interval_name=f"{100 * self.confidence:.6g} % CI",
            caption=(
                f"estimate: by the judgments of both; {human} alone: mean of the topics with judgments of {human}; its "
                "interval: --wide\n"
                f"worth topics: number of topics of {human} alone that would give this precision; rho: correlation of "
                "the values of both judges"
            ),
        )
