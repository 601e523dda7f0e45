"""``evaluate`` on a cluster: each task evaluates the topics of one bucket with the ordinary measures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import polars as pl

from assay.errors import PolicyError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import refuse_facets
from assay.measures._threshold import check_thresholds
from assay.measures._values import compute_values
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results._evaluate import note_undefined
from assay.results.results import Results
from assay.spark._buckets import Bucket
from assay.spark._campaign import DistributedCampaign
from assay.spark._frames import collect, index_names, refuse_ties, to_arrow
from assay.spark._session import require_pyspark

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "run string, topic string, measure string, value double"


@dataclass(frozen=True, eq=False)
class SparkResults:
    """Result of :func:`evaluate`: a lazy DataFrame of values, with their provenance.

    Attributes
    ----------
    frame
        A row for each run, topic and measure: run, topic, measure, value (null if the policies exclude the topic).
        Values are computed when the DataFrame is used; call ``frame.persist()`` to use it more than once.
    runs, measures
        The runs and measures that were evaluated, in order.
    provenance
        The version, the inputs and the policies of the values.
    """

    frame: DataFrame
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    provenance: Provenance
    campaign: DistributedCampaign
    input_notes: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"SparkResults({len(self.runs)} runs x {self.campaign.topic_count} topics: {shown})"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Notes on data that was ignored or assumed, one line each; computed when first used."""
        input_notes = self.input_notes
        if input_notes is None:
            input_notes = tuple(note for notes in self.campaign.run_notes() for note in notes)
        return (*dict.fromkeys(input_notes), *self._undefined_notes())

    def results(self) -> Results:
        """Collect all values to the driver, and return the results of :func:`assay.evaluate`."""
        rows = collect(self.frame)
        topics = rows["topic"].unique().sort()
        shape = (len(self.measures), len(self.runs), len(topics))
        values = np.full(shape, np.nan)
        indices = (
            index_names(rows["measure"], map(str, self.measures)),
            index_names(rows["run"], self.runs),
            topics.search_sorted(rows["topic"]).to_numpy(),
        )
        values[indices] = rows["value"].fill_null(np.nan).to_numpy()
        return Results(
            runs=self.runs,
            topics=tuple(topics.to_list()),
            measures=self.measures,
            values=values,
            errors=np.zeros(shape),
            provenance=self.provenance,
            notes=self.notes,
        )

    def _undefined_notes(self) -> list[str]:
        """Return notes on topics for which a measure is undefined; this depends on the judgments only."""
        work = partial(find_undefined_topics, measures=self.measures, policies=self.provenance.policies)
        rows = collect(self.campaign.map_buckets([work], "measure int, topic string", runs=False))
        topics = dict(rows.sort("measure", "topic").group_by("measure").agg("topic").iter_rows())
        return [
            note
            for number, measure in enumerate(self.measures)
            for note in note_undefined(measure, topics.get(number, []), self.provenance.policies)
        ]


class Options(TypedDict, total=False):
    """Options that other functions pass on to :func:`evaluate`."""

    ties: str
    missing: str
    undefined: str
    unjudged: str
    broadcast: bool | None
    buckets: int | None


def evaluate(
    spark: SparkSession,
    qrels_df: DataFrame,
    runs_df: DataFrame,
    measures: str | Measure | Iterable[str | Measure],
    *,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    broadcast: bool | None = None,
    buckets: int | None = None,
) -> SparkResults:
    """Evaluate runs on a cluster: the values of :func:`assay.evaluate` for each run, topic and measure.

    Parameters
    ----------
    spark
        A session; see :func:`assay.spark.session`.
    qrels_df
        Judgments: topic, doc, grade. Other column names that assay accepts in tables are allowed, such as qid, docno,
        label.
    runs_df
        All runs: run, topic, doc, score, and rank for ``ties="rank"``.
    measures
        Measures or their names, such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``.
    ties, missing, undefined, unjudged
        As in :func:`assay.evaluate`. The tie policies ``file`` and ``score-file`` are refused, because a DataFrame has
        no order of rows. ``expected`` is refused for measures whose expectation must be sampled.
    broadcast
        If True, send all judgments to every task; if False, shuffle them together with the runs. By default, up to
        half a million judgments are sent to every task.
    buckets
        Number of tasks over which topics are distributed; by default one for every 1.5 million rows, but at least two
        per core.
    """
    require_pyspark()
    parsed_measures, policies = parse_measures(measures), Policies(ties, missing, undefined, unjudged)
    refuse_ties(ties)
    refuse_sampling(parsed_measures, policies)
    campaign = DistributedCampaign.build(spark, qrels_df, runs_df, policies, broadcast=broadcast, buckets=buckets)
    return evaluate_campaign(campaign, parsed_measures, campaign.provenance())


def evaluate_campaign(
    campaign: DistributedCampaign,
    measures: tuple[Measure, ...],
    provenance: Provenance,
    input_notes: tuple[str, ...] | None = None,
) -> SparkResults:
    """Evaluate measures on a campaign; *input_notes* replace the notes on runs and topics of DataFrames."""
    check_thresholds(measures, campaign.plan.levels)
    refuse_facets(measures, "values on a cluster")
    campaign = campaign.with_condensed_depth(measures)
    work = partial(evaluate_bucket, measures=measures, policies=campaign.policies)
    frame = campaign.map_buckets([work], SCHEMA)
    return SparkResults(frame, campaign.names, measures, provenance, campaign, input_notes)


def refuse_sampling(measures: tuple[Measure, ...], policies: Policies) -> None:
    """Refuse the tie policy ``expected`` for measures whose expectation must be sampled."""
    if policies.ties == "expected":
        # A measure without a closed form returns None for any rankings, so two tied documents suffice to find out.
        tied = Judged.from_grades([[1, 0]], policies=policies)
        tied = replace(tied, tied=np.array([False, True]))
        sampled = [measure for measure in measures if measure.expected_values(tied) is None]
        if sampled:
            raise PolicyError(
                f"ties 'expected': {sampled[0]} needs sampled orders, which DataFrames do not support; evaluate files, "
                "or choose another tie policy"
            )


def evaluate_bucket(bucket: Bucket, measures: tuple[Measure, ...], policies: Policies) -> pa.Table:
    """Return the values of the topics of one bucket: run, topic, measure, value."""
    judged = bucket.judge(policies)
    values = np.stack([compute_values(measure, judged).value for measure in measures], axis=-1).ravel()
    runs, topics = [run.name for run in bucket.runs], bucket.qrels.topics
    run, topic, measure = np.indices((len(runs), len(topics), len(measures))).reshape(3, -1)
    return to_arrow(
        pl.DataFrame(
            {
                "run": pl.Series(runs, dtype=pl.String).gather(run),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "measure": pl.Series(list(map(str, measures)), dtype=pl.String).gather(measure),
                "value": values,
            }
        )
    )


def find_undefined_topics(bucket: Bucket, measures: tuple[Measure, ...], policies: Policies) -> pa.Table:
    """Return the topics of one bucket for which a measure is undefined, with the index of the measure."""
    # Whether a measure is defined depends on the judgments only, so one run suffices.
    judged = replace(bucket, runs=bucket.runs[:1]).judge(policies)
    undefined = [np.flatnonzero(~measure.is_defined(judged)) for measure in measures]
    number = np.repeat(np.arange(len(measures)), [len(topics) for topics in undefined])
    topic = pl.Series(bucket.qrels.topics, dtype=pl.String).gather(np.concatenate(undefined))
    return to_arrow(pl.DataFrame({"measure": pl.Series(number, dtype=pl.Int32), "topic": topic}))
