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
from assay.measures._threshold import refuse_unreached
from assay.measures._values import values
from assay.model.judged import Judged
from assay.model.notes import Note
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results._evaluate import caveats, undefined_notes
from assay.results.results import Results
from assay.spark import _tables
from assay.spark._buckets import Bucket, as_arrow
from assay.spark._distributed_campaign import DistributedCampaign
from assay.spark._gathering import collected, numbers
from assay.spark._joining import judged_of, of_frames, of_one_length
from assay.spark._topics import notes_of_runs, refuse_strangers
from assay.spark.session import require_pyspark

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
    of_run: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        return f"SparkResults({len(self.runs)} runs x {self.campaign.topics} topics: {shown})"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed, one line each; worked out when asked for."""
        given = self.of_run or [((), ())] * len(self.runs)
        own = [
            note
            for (before, behind), found in zip(given, self._topic_notes(), strict=True)
            for note in (*before, *found, *behind)
        ]
        return (*dict.fromkeys((*self.before, *own)), *caveats(self.measures), *self._undefined_notes())

    def results(self) -> Results:
        """Every value gathered to the driver, as :func:`assay.evaluate` returns them."""
        rows = collected(self.frame)
        topics = rows["topic"].unique().sort()
        shape = (len(self.measures), len(self.runs), len(topics))
        found = np.full(shape, np.nan)
        place = [numbers(rows["measure"], map(str, self.measures)), numbers(rows["run"], self.runs)]
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
        return notes_of_runs(self.campaign, self.provenance.sources, left_out=left_out, ties=ties)

    def _undefined_notes(self) -> list[str]:
        """Notes on topics that lack what a measure needs, which their judgments tell."""
        policies = self.provenance.policies
        lacking = undefined(self.campaign, self.measures, policies)
        return [
            note
            for number, measure in enumerate(self.measures)
            for note in undefined_notes(measure, lacking.get(number, []), policies)
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
    _tables.refuse_ties(ties)
    refuse_sampling(chosen, policies)
    campaign = DistributedCampaign.of(
        spark, qrels_df, runs_df, broadcast=broadcast, rank=ties == "rank", buckets=buckets
    )
    return evaluated(campaign, chosen, of_frames(campaign.names, policies))


def evaluated(
    campaign: DistributedCampaign,
    measures: tuple[Measure, ...],
    provenance: Provenance,
    *,
    before: tuple[str, ...] = (),
    of_run: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (),
) -> SparkResults:
    """The values of measures of a campaign whose inputs are known.

    Notes: *before* all others, and *of_run* those that stand before and behind what is said on the topics of a run.
    """
    policies = provenance.policies
    refuse_strangers(campaign, provenance.sources)
    refuse_unreached(measures, campaign.plan.levels)
    campaign = of_one_length(campaign, measures, policies)

    def work(bucket: Bucket) -> pa.Table:
        return bucket_values(bucket, measures, policies)

    frame = campaign.each_bucket(work, SCHEMA)
    return SparkResults(frame, campaign.names, measures, provenance, campaign, before, of_run)


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


def bucket_values(bucket: Bucket, measures: tuple[Measure, ...], policies: Policies) -> pa.Table:
    """The values of the topics of one bucket: run, topic, measure, value."""
    judged = judged_of(bucket, policies)
    found = np.stack([values(measure, judged).value for measure in measures], axis=-1).ravel()
    runs, topics = [run.name for run in bucket.runs], bucket.qrels.topics
    run, topic, measure = np.indices((len(runs), len(topics), len(measures))).reshape(3, -1)
    return as_arrow(
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
        judged = judged_of(replace(bucket, runs=bucket.runs[:1]), policies)
        lacks = [np.flatnonzero(~measure.defined(judged)) for measure in measures]
        number = np.repeat(np.arange(len(measures)), [len(own) for own in lacks])
        topic = pl.Series(bucket.qrels.topics, dtype=pl.String).gather(np.concatenate(lacks))
        return as_arrow(pl.DataFrame({"measure": pl.Series(number, dtype=pl.Int32), "topic": topic}))

    found = campaign.each_bucket(work, "measure int, topic string", runs=False)
    rows = collected(found).sort("measure", "topic")
    return {
        int(str(number)): part["topic"].to_list()
        for (number,), part in rows.partition_by("measure", as_dict=True).items()
    }
