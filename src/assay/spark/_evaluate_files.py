"""``assay eval --engine spark``: read, join and evaluate runs in files in executors."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engine.joining import add_topic_notes, describe
from assay.engine.sources import SourceOptions, as_qrels, source_options
from assay.io.source import note_ignored_entries
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._facets import refuse_facets
from assay.measures._threshold import check_thresholds
from assay.measures._values import compute_values
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.results._evaluate import MEASURES, ValueTable
from assay.results.results import Results
from assay.spark._campaign import DistributedCampaign
from assay.spark._evaluate import evaluate_campaign, refuse_sampling
from assay.spark._file_join import ChunkRecord, SharedQrels, find_file_sources, join_files
from assay.spark._frames import IN_INPUT_ORDER, collect, to_arrow
from assay.spark._read_runs import read_rows
from assay.spark._session import one_line_errors, temporary_session, wrap_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

BROADCAST = 5_000_000
"""Maximum number of judgments that each Python worker keeps in memory: about 300 MB."""


def evaluate_files(
    qrels: Any,
    runs: Any,
    measures: Any = None,
    *,
    master: str | None = None,
    grades: Mapping[float, float] | None = None,
    lenient: bool = False,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    name_by: str = "tag",
    **policies: Any,
) -> Results:
    """Evaluate runs in files on a cluster; the results are the same as on one machine.

    The driver reads the judgments, and executors read the runs. *policies* are the arguments of ``Policies``, such as
    ``ties``. The other arguments are those of :func:`assay.evaluate`.
    """
    parsed_measures = parse_measures(MEASURES if measures is None else measures)
    parsed_policies = Policies(**policies)
    options = source_options(lenient, columns, name_by)
    judgments = as_qrels(qrels, options)
    judgments = judgments.with_grades(grades) if grades else judgments
    with temporary_session(master) as spark:
        if len(judgments) > BROADCAST:
            return _evaluate_by_topic(spark, judgments, runs, parsed_measures, parsed_policies, options=options)
        with SharedQrels(spark, judgments) as shared:
            return _evaluate(spark, shared, runs, parsed_measures, parsed_policies, options=options)


def _evaluate(
    spark: SparkSession,
    shared: SharedQrels,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    options: SourceOptions,
) -> Results:
    """Join the runs, evaluate their chunks in executors, and put the values into a table on the driver."""
    judgments = shared.get()
    joined = join_files(spark, find_file_sources(runs, options), shared, policies.ties)
    joined_runs = [add_topic_notes(run, judgments, policies) for run in joined.runs.values()]
    names, provenance, notes = describe(judgments, joined_runs, policies, note_ignored_entries(runs))
    check_thresholds(measures, judgments.levels)
    refuse_facets(measures, "values on a cluster")
    depths = max((int(run.length.max(initial=0)) for run in joined_runs), default=0), joined.condensed_depth
    table = ValueTable(measures, names, judgments.topics, policies)
    table.answered[:] = [run.answered for run in joined_runs]
    _fill_missing(table, judgments, measures, policies, depths)
    index = {key: number for number, key in enumerate(joined.runs)}
    score = partial(_score_chunks, shared=shared, measures=measures, policies=policies, depths=depths)
    with one_line_errors():
        scores = collect(joined.codes.mapInArrow(wrap_errors(score), "scores binary"))
    for key, topic, value, errors in map(pickle.loads, scores["scores"]):
        table.value[:, index[key], topic] = value
        for measure, error in errors.items():
            table.standard_errors(measure)[index[key], topic] = error
    joined.codes.unpersist()
    return table.to_results(provenance, notes)


def _evaluate_by_topic(
    spark: SparkSession,
    judgments: Qrels,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    options: SourceOptions,
) -> Results:
    """Group the rows of run files and the judgments by topic in a shuffle, then evaluate them.

    This needs less memory in each worker than a copy of all judgments.
    """
    refuse_sampling(measures, policies)
    by_line = policies.ties in IN_INPUT_ORDER
    files = read_rows(spark, runs, options, rank=policies.ties == "rank", by_line=by_line)
    with one_line_errors():
        table = spark.createDataFrame(to_arrow(judgments.frame()))
    sources = [run.source for run in files.runs]
    campaign = DistributedCampaign.build(
        spark, table, files.rows, policies, names=files.names, sources=sources, broadcast=False
    )
    noted_runs = [
        run._replace(notes=(*run.notes, *notes)) for run, notes in zip(files.runs, campaign.run_notes(), strict=True)
    ]
    _, provenance, notes = describe(judgments, noted_runs, policies, note_ignored_entries(runs))
    return evaluate_campaign(campaign, measures, provenance, notes).results()


def _fill_missing(
    table: ValueTable, qrels: Qrels, measures: tuple[Measure, ...], policies: Policies, depths: tuple[int, int]
) -> None:
    """Fill the table with the values of empty rankings; the values of existing rankings replace them later."""
    empty = np.zeros(0, dtype=np.int64)
    tied = empty.astype(bool) if policies.ties == "expected" else None
    length = np.zeros((1, len(qrels.topics)), dtype=np.int64)
    judged = Judged.from_columns(qrels, length, empty.astype(qrels.code_type), tied, policies)
    for number, measure in enumerate(measures):
        result = compute_values(measure, judged.with_max_depth(*depths).with_policies(policies))
        table.value[number] = result.value
        table.undefined[number] = result.undefined


def _score_chunks(
    batches: Any,
    *,
    shared: SharedQrels,
    measures: tuple[Measure, ...],
    policies: Policies,
    depths: tuple[int, int],
) -> Iterator[pa.RecordBatch]:
    """Evaluate the rankings of chunks in an executor: yield pickled run keys, topics, values and standard errors."""
    import pyarrow as pa

    qrels = shared.get()
    for batch in batches:
        for row in batch.to_pylist():
            record: ChunkRecord = pickle.loads(row["record"])
            if not isinstance(record.chunk, JoinedRun):
                continue
            code = np.frombuffer(row["code"], dtype=qrels.code_type)
            judged = _judge_chunk(record.chunk._replace(code=code, tied=record.tied), qrels, policies)
            judged = judged.with_max_depth(*depths).with_policies(policies)
            results = [compute_values(measure, judged) for measure in measures]
            errors = {number: result.error for number, result in enumerate(results) if result.error is not None}
            key = row["file"], row["number"]
            scores = key, record.chunk.topic, np.stack([result.value for result in results]), errors
            yield pa.record_batch({"scores": pa.array([pickle.dumps(scores)], pa.binary())})


def _judge_chunk(chunk: JoinedRun, qrels: Qrels, policies: Policies) -> Judged:
    """Return the rankings of a chunk, one for each topic that occurs in it."""
    return Judged(
        levels=qrels.levels,
        counts=qrels.counts[chunk.topic],
        topic=np.arange(len(chunk.topic)),
        start=np.concatenate([[0], np.cumsum(chunk.length)]),
        code=chunk.code,
        answered=np.ones(len(chunk.topic), dtype=bool),
        policies=replace(policies, unjudged="nonrelevant"),
        tied=chunk.tied,
        streams=None if chunk.tied is None else qrels.streams[chunk.topic],
    )
