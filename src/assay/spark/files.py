"""``assay eval --engine spark``: from files to results, runs being read, joined and evaluated in executors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.engine.description import describe
from assay.engine.joining import add_topic_notes
from assay.engine.sources import as_qrels
from assay.io.source import passed_over
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.measures._threshold import refuse_unreached
from assay.measures._values import values
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.results._evaluate import ValueTable
from assay.results.table import Results
from assay.spark._file_join import JoinedFiles, file_sources, join_files
from assay.spark._gathering import collected
from assay.spark._shared import SharedQrels
from assay.spark.session import one_line_errors, told, working

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

BROADCAST = 5_000_000
"""Up to how many judgments each Python worker holds: about 300 MB."""
_VALUES = "file int, number int, topic binary, value binary, error binary"


def evaluate_files(
    qrels: Any,
    runs: Any,
    measures: Any,
    *,
    master: str | None = None,
    grades: Mapping[float, float] | None = None,
    lenient: bool = False,
    **given: Any,
) -> Results:
    """Evaluate runs in files on a cluster; *given* are policies. The results are those of one machine.

    The judgments are read here, on the driver; runs are read where they are evaluated.
    """
    chosen, policies = parse_measures(measures), Policies(**given)
    judgments = as_qrels(qrels, lenient=lenient)
    judgments = judgments.regraded(grades) if grades else judgments
    with working(master) as spark:
        if len(judgments) > BROADCAST:
            from assay.spark._grouped_files import evaluate_grouped

            return evaluate_grouped(spark, judgments, runs, chosen, policies, lenient=lenient)
        shared = SharedQrels(spark, judgments)
        try:
            return _evaluate(spark, shared, runs, chosen, policies, lenient=lenient)
        finally:
            shared.release()


def _evaluate(
    spark: SparkSession,
    shared: SharedQrels,
    runs: Any,
    measures: tuple[Measure, ...],
    policies: Policies,
    *,
    lenient: bool,
) -> Results:
    judgments = shared.get()
    joined = join_files(spark, file_sources(runs, lenient), shared, policies.ties, lenient=lenient)
    described = [add_topic_notes(run, judgments, policies) for _, _, run in joined.runs]
    skipped = passed_over(runs if isinstance(runs, list | tuple) else [runs])
    names, provenance, notes = describe(judgments, described, policies, skipped)
    refuse_unreached(measures, judgments.levels)
    longest = max((int(run.length.max(initial=0)) for run in described), default=0)
    table = ValueTable(measures, names, judgments.topics, policies)
    _fill_missing(table, judgments, measures, policies, (longest, joined.condensed))
    answered = np.stack([run.answered for run in described])
    table.answered[:] = answered
    place = {(file, number): position for position, (file, number, _) in enumerate(joined.runs)}
    for file, number, topic, value, error in _scored(joined, shared, measures, policies, longest):
        run = place[file, number]
        table.value[:, run, topic] = value
        if error is not None:
            for measure, of_measure in enumerate(error):
                table.errors_of(measure)[run, topic] = of_measure
    joined.codes.unpersist()
    return table.results(provenance, notes)


def _fill_missing(
    table: ValueTable, qrels: Qrels, measures: tuple[Measure, ...], policies: Policies, depths: tuple[int, int]
) -> None:
    """Give every run the values of empty rankings, which those that it has replace."""
    empty = np.zeros((1, len(qrels.topics)), dtype=np.int64)
    code = np.zeros(0, dtype=qrels.code_type)
    tied = np.zeros(0, dtype=bool) if policies.ties == "expected" else None
    judged = Judged.from_columns(qrels, empty, code, tied, policies).with_max_depth(*depths).with_policies(policies)
    for number, measure in enumerate(measures):
        of_empty = values(measure, judged)
        table.value[number] = of_empty.value  # the same for all runs
        table.undefined[number] = of_empty.undefined


def _scored(
    joined: JoinedFiles, shared: SharedQrels, measures: tuple[Measure, ...], policies: Policies, longest: int
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray, np.ndarray | None]]:
    """Yield file, number, topics, values and standard errors (measures x topics) of each chunk."""
    score = partial(_score, shared=shared, measures=measures, policies=policies, depths=(longest, joined.condensed))
    with one_line_errors():
        rows = collected(joined.codes.mapInArrow(lambda batches: told(score, batches), _VALUES))
    for file, number, topic, value, error in rows.iter_rows():
        shape = (len(measures), -1)
        errors = None if error is None else np.frombuffer(error).reshape(shape)
        yield file, number, np.frombuffer(topic, dtype=np.int64), np.frombuffer(value).reshape(shape), errors


def _score(
    batches: Any,
    *,
    shared: SharedQrels,
    measures: tuple[Measure, ...],
    policies: Policies,
    depths: tuple[int, int],
) -> Iterator[pa.RecordBatch]:
    """Evaluate the rankings of chunks, in an executor."""
    import pyarrow as pa

    qrels = shared.get()
    kinds = [pa.int32(), pa.int32(), pa.binary(), pa.binary(), pa.binary()]
    for batch in batches:
        for row in batch.select(["file", "number", "topic", "length", "code", "tied"]).to_pylist():
            judged = _chunk_rankings(row, qrels, policies).with_max_depth(*depths).with_policies(policies)
            scored = [values(measure, judged) for measure in measures]
            value = np.stack([one.value for one in scored]).tobytes()
            error = None
            if any(one.error is not None for one in scored):
                zeros = np.zeros(len(judged))
                error = np.stack([zeros if one.error is None else one.error for one in scored]).tobytes()
            record = [row["file"], row["number"], row["topic"], value, error]
            arrays = [pa.array([item], kind) for item, kind in zip(record, kinds, strict=True)]
            yield pa.record_batch(arrays, names=["file", "number", "topic", "value", "error"])


def _chunk_rankings(row: dict[str, Any], qrels: Qrels, policies: Policies) -> Judged:
    """Return the rankings of a chunk; its topics are all that they know."""
    topic, length = (np.frombuffer(row[name], dtype=np.int64) for name in ("topic", "length"))
    tied = None if row["tied"] is None else np.frombuffer(row["tied"], dtype=bool)
    return Judged(
        levels=qrels.levels,
        counts=qrels.counts[topic],
        topic=np.arange(len(topic)),
        start=np.concatenate([[0], np.cumsum(length)]),
        code=np.frombuffer(row["code"], dtype=qrels.code_type),
        answered=np.ones(len(topic), dtype=bool),
        policies=replace(policies, unjudged="nonrelevant"),
        tied=tied,
        streams=None if tied is None else qrels.streams[topic],
    )
