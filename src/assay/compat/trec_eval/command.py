"""One evaluation as trec_eval would do it: the runs that were read, and the text that is printed for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.compat.trec_eval import report
from assay.compat.trec_eval.evaluation import QrelsValues, evaluate_qrels, evaluated_topics, refuse_missing
from assay.compat.trec_eval.judgment_groups import read_judgments
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.reading import read_runs
from assay.compat.trec_eval.report import Block, OutputLayout
from assay.compat.trec_eval.selection import Item, check_judgments
from assay.compat.trec_eval.zscores import read_zscores
from assay.engine.workers import Progress
from assay.errors import strict_reading
from assay.io.source import expand
from assay.model.notes import TopicCoverage, topic_notes
from assay.model.run import Run


class GroupedValues(NamedTuple):
    """Runs and their values against judgments in groups."""

    runs: Sequence[Run]
    values: Sequence[Block]
    notes: tuple[str, ...] = ()
    relevant: int = 0

    def blocks(self, run: int) -> Iterator[Block]:
        """The values of a run, all at once."""
        yield self.values[run]


def evaluate_groups(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> GroupedValues:
    """Read the judgments and the runs, and compute the values of all."""
    judgments = read_judgments(options)
    topics, notes = judgments.topics, list(judgments.notes)
    labels = [column.label for item in items for column in item.columns]
    zscores = read_zscores(options.zscores)
    files = expand(options.runs)
    runs: list[Run] = []
    blocks: list[Block] = []
    for done, path in enumerate(files, 1):
        for run in map(Run, read_runs(path, topics, items, options)):
            values, answered = judgments.evaluate(run, items, options)
            foreign = set(run.topic.unique().to_list()) - set(topics)
            refuse_missing(run.source, topics, answered, foreign, options)
            left_out = options.profile == "9.0.8" and not options.complete
            standing = TopicCoverage(int(answered.sum()), len(foreign), int(run.topic.is_in(list(foreign)).sum()))
            notes += topic_notes(run.source, standing, len(topics), foreign, left_out)
            values = zscores(topics, labels, values) if zscores is not None else values
            blocks.append(Block(topics, values, [], evaluated_topics(topics, answered, options)))
            runs.append(run)
        if progress is not None:
            progress(done, len(files))
    return GroupedValues(runs, blocks, tuple(notes))


class Evaluation(NamedTuple):
    """Runs that were read and can be printed."""

    values: QrelsValues | GroupedValues
    layout: OutputLayout
    options: TrecEvalOptions

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what trec_eval would ignore or assume without a word."""
        debug = ("-D: trec_eval's intermediate results are not printed",) if self.options.debug else ()
        of_runs = (note for run in self.values.runs for note in run.notes)
        return tuple(dict.fromkeys((*debug, *self.values.notes, *of_runs)))

    def text(self, number: int) -> Iterator[str]:
        """Yield the text that is printed for a run."""
        options = self.options
        return report.text(
            self.values.blocks(number),
            self.layout,
            run=self.values.runs[number].name,
            per_topic=options.per_topic,
            summary=options.summary,
            complete=self.values.relevant if options.complete else None,
        )


def evaluate(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> Evaluation:
    """Read the files; every error comes from here, before anything is printed."""
    check_judgments(items, options.layout)
    layout = OutputLayout(items, options.zscores is not None)
    with strict_reading():
        if options.layout == "qrels":
            return Evaluation(evaluate_qrels(options, items, progress), layout, options)
        return Evaluation(evaluate_groups(options, items, progress), layout, options)
