"""``evaluate`` on a cluster: each task is an evaluation of the topics of one bucket, with the measures as they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import polars as pl

from assay.errors import PolicyError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import check_thresholds
from assay.measures._values import compute_values
from assay.model.judged import Judged
from assay.model.notes import Note
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results._evaluate import note_caveats, note_undefined
from assay.results.results import Results
from assay.spark import _input_frames
from assay.spark._buckets import Bucket, to_arrow
from assay.spark._campaigns import add_condensed_depth, build_provenance, judge_bucket
from assay.spark._collect import collect, index_names
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._session import require_pyspark
from assay.spark._topic_notes import build_run_notes, refuse_disjoint_runs

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "run string, topic string, measure string, value double"


@dataclass(frozen=True, eq=False)
class SparkResults:
    """What :func:`evaluate` returns: a DataFrame that Spark has yet to work out, and how it is made.

    Attributes
    ----------
    frame
        One row for each run, topic and measure: run, topic, measure, value (null where the policies leave a topic
        out). Nothing is evaluated before it is used; keep it with ``frame.persist()`` if it is used twice.
    runs, measures
        What the values belong to.
    provenance
        The version, the inputs and the policies behind the values.
    """

    frame: DataFrame
    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    provenance: Provenance
    campaign: DistributedCampaign
    before: tuple[str, ...] = ()
    run_notes: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"SparkResults({len(self.runs)} runs x {self.campaign.topics} topics: {shown})"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed, one line each; run_work out when asked for."""
        given = self.run_notes or [((), ())] * len(self.runs)
        own = [
            note
            for (before, behind), found in zip(given, self._topic_notes(), strict=True)
            for note in (*before, *found, *behind)
        ]
        return (*dict.fromkeys((*self.before, *own)), *note_caveats(self.measures), *self._undefined_notes())

    def results(self) -> Results:
        """Every value gathered to the driver, as :func:`assay.evaluate` returns them."""
        rows = collect(self.frame)
        topics = rows["topic"].unique().sort()
        shape = (len(self.measures), len(self.runs), len(topics))
        found = np.full(shape, np.nan)
        place = [index_names(rows["measure"], map(str, self.measures)), index_names(rows["run"], self.runs)]
        place.append(topics.search_sorted(rows["topic"]).to_numpy())
        found[tuple(place)] = rows["value"].fill_null(np.nan).to_numpy()
        return Results(
            runs=self.runs,
            topics=tuple(topics.to_list()),
            measures=self.measures,
            values=found,
            errors=np.zeros(shape),
            provenance=self.provenance,
            notes=self.notes,
        )

    def _topic_notes(self) -> list[list[Note]]:
        left_out = self.provenance.policies.missing == "exclude"
        ties = self.provenance.policies.ties
        return build_run_notes(self.campaign, self.provenance.sources, left_out=left_out, ties=ties)

    def _undefined_notes(self) -> list[str]:
        """Notes on topics that lack what a measure needs, which their judgments tell."""
        policies = self.provenance.policies
        lacking = undefined(self.campaign, self.measures, policies)
        return [
            note
            for number, measure in enumerate(self.measures)
            for note in note_undefined(measure, lacking.get(number, []), policies)
        ]


class Options(TypedDict, total=False):
    """The options of :func:`evaluate`, for functions that pass them on."""

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
    """Evaluate runs on a cluster: one value for each run, topic and measure, the same as of :func:`assay.evaluate`.

    Parameters
    ----------
    spark
        A session; see :func:`assay.spark.session`.
    qrels_df
        Judgments: topic, doc, grade (or names that frames may have elsewhere in assay, such as qid, docno, label).
    runs_df
        All the runs: run, topic, doc, score, and rank for ``ties="rank"``.
    measures
        Measures or their names, such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"``.
    ties, missing, undefined, unjudged
        As in :func:`assay.evaluate`. Ties of ``file`` and ``score-file`` are refused, because a DataFrame has no
        order of rows, and so is ``expected`` for measures that would have to draw orders.
    broadcast
        Send the judgments whole to every task (True) or shuffle them with the runs (False); by default sent up to
        half a million judgments.
    buckets
        Into how many tasks topics go; by default one for each 1.5 million rows, at least two for each core.
    """
    require_pyspark()
    chosen, policies = parse_measures(measures), Policies(ties, missing, undefined, unjudged)
    _input_frames.refuse_ties(ties)
    refuse_sampling(chosen, policies)
    campaign = DistributedCampaign.build(
        spark, qrels_df, runs_df, broadcast=broadcast, rank=ties == "rank", buckets=buckets
    )
    return evaluated(campaign, chosen, build_provenance(campaign.names, policies))


def evaluated(
    campaign: DistributedCampaign,
    measures: tuple[Measure, ...],
    provenance: Provenance,
    *,
    before: tuple[str, ...] = (),
    run_notes: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (),
) -> SparkResults:
    """The values of measures of a campaign whose inputs are known.

    Notes: *before* all others, and *run_notes* those that stand before and behind what is said on the topics of a run.
    """
    policies = provenance.policies
    refuse_disjoint_runs(campaign, provenance.sources)
    check_thresholds(measures, campaign.plan.levels)
    campaign = add_condensed_depth(campaign, measures, policies)

    def work(bucket: Bucket) -> pa.Table:
        return evaluate_bucket(bucket, measures, policies)

    frame = campaign.map_buckets(work, SCHEMA)
    return SparkResults(frame, campaign.names, measures, provenance, campaign, before, run_notes)


def refuse_sampling(measures: tuple[Measure, ...], policies: Policies) -> None:
    """Refuse expected ties of measures that need sampling."""
    if policies.ties == "expected":
        tied = Judged.from_grades([[1, 0]], policies=policies)
        tied = replace(tied, tied=np.array([False, True]))
        drawn = [measure for measure in measures if measure.expected(tied) is None]
        if drawn:
            raise PolicyError(
                f"ties 'expected': {drawn[0]} needs sampled orders, which DataFrames do not support; evaluate files, "
                "or choose another tie policy"
            )


def evaluate_bucket(bucket: Bucket, measures: tuple[Measure, ...], policies: Policies) -> pa.Table:
    """The values of the topics of one bucket: run, topic, measure, value."""
    judged = judge_bucket(bucket, policies)
    found = np.stack([compute_values(measure, judged).value for measure in measures], axis=-1).ravel()
    runs, topics = [run.name for run in bucket.runs], bucket.qrels.topics
    run, topic, measure = np.indices((len(runs), len(topics), len(measures))).reshape(3, -1)
    return to_arrow(
        pl.DataFrame(
            {
                "run": pl.Series(runs, dtype=pl.String).gather(run),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "measure": pl.Series([str(one) for one in measures], dtype=pl.String).gather(measure),
                "value": found,
            }
        )
    )


def undefined(campaign: DistributedCampaign, measures: tuple[Measure, ...], policies: Policies) -> dict[int, list[str]]:
    """Of each measure, by its number, the topics that lack what it needs."""

    def work(bucket: Bucket) -> pa.Table:
        judged = judge_bucket(replace(bucket, runs=bucket.runs[:1]), policies)
        lacks = [np.flatnonzero(~measure.defined(judged)) for measure in measures]
        number = np.repeat(np.arange(len(measures)), [len(own) for own in lacks])
        topic = pl.Series(bucket.qrels.topics, dtype=pl.String).gather(np.concatenate(lacks))
        return to_arrow(pl.DataFrame({"measure": pl.Series(number, dtype=pl.Int32), "topic": topic}))

    found = campaign.map_buckets(work, "measure int, topic string", runs=False)
    rows = collect(found).sort("measure", "topic")
    return {
        int(str(number)): part["topic"].to_list()
        for (number,), part in rows.partition_by("measure", as_dict=True).items()
    }
