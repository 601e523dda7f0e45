"""Runs against judgments that come in groups: preferences and several judges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assay.compat.trec_eval.evaluation import counted, refuse_missing, ties
from assay.compat.trec_eval.judges import judge_values, read_judges
from assay.compat.trec_eval.options import Options
from assay.compat.trec_eval.plan import Item
from assay.compat.trec_eval.preferences import preference_values, read_preferences
from assay.compat.trec_eval.reading import read_runs
from assay.compat.trec_eval.report import Block
from assay.compat.trec_eval.zscores import given_zscores
from assay.engine.workers import Progress
from assay.io.source import expand
from assay.model.arrays import Bools, Floats
from assay.model.notes import TopicCoverage, topic_notes
from assay.model.run import Run

Found = tuple[dict[str, Floats], Bools]


@dataclass(frozen=True)
class Grouped:
    """Runs and their values."""

    runs: Sequence[Run]
    found: Sequence[Block]
    notes: tuple[str, ...] = ()
    relevant: int = 0

    def blocks(self, run: int) -> Iterator[Block]:
        """The values of a run, all at once."""
        yield self.found[run]


def grouped(options: Options, items: Sequence[Item], progress: Progress | None = None) -> Grouped:
    """Read the judgments and the runs, and compute the values of all."""
    topics, values, notes = _judgments(options, items)
    labels = [column.label for item in items for column in item.columns]
    zscores = given_zscores(options.zscores)
    files = expand(options.runs)
    runs: list[Run] = []
    blocks: list[Block] = []
    for done, path in enumerate(files, 1):
        for run in read_runs(path, topics, items, options):
            found, answered = values(run)
            found["num_q"] = np.ones(len(topics))
            table = np.array([found[label] for label in labels]).reshape(len(labels), len(topics))
            foreign = set(run.topic.unique().to_list()) - set(topics)
            refuse_missing(run.source, topics, answered, foreign, options)
            left_out = options.profile == "9.0.8" and not options.complete
            rows = int(run.topic.is_in(list(foreign)).sum())
            standing = TopicCoverage(int(answered.sum()), len(foreign), rows)
            notes += topic_notes(run.source, standing, len(topics), foreign, left_out)
            table = zscores(topics, labels, table) if zscores is not None else table
            blocks.append(Block(topics, table, [], counted(topics, answered, options)))
            runs.append(run)
        if progress is not None:
            progress(done, len(files))
    return Grouped(runs, blocks, tuple(notes))


def _judgments(options: Options, items: Sequence[Item]) -> tuple[tuple[str, ...], Callable[[Run], Found], list[str]]:
    """The topics, what gives the values of a run, and notes."""
    order, most = ties(options.profile), options.most
    if options.layout != "qrels_jg":
        preferences = read_preferences(options.qrels, options.layout)
        return preferences.topics, lambda run: preference_values(preferences, run, ties=order, most=most), []
    judges = read_judges(options.qrels)
    given = {item.entry.name: item.entry.given(item.text) for item in items}

    def values(run: Run) -> Found:
        return judge_values(
            judges,
            run,
            rel=options.level,
            ties=order,
            most=most,
            judged_only=options.judged_only,
            cutoffs=given.get("P_avgjg", ()),
            multiples=given.get("Rprec_mult_avgjg", ()),
        )

    return judges.topics, values, list(judges.notes)
