"""An evaluation with the options of trec_eval: the values of each run, and the text that trec_eval would print."""

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
    """Runs and their values for judgments in groups (preferences or several judges)."""

    runs: Sequence[Run]
    values: Sequence[Block]
    notes: tuple[str, ...] = ()
    relevant_count: int = 0

    def blocks(self, run: int) -> Iterator[Block]:
        """Yield the values of a run, in a single block."""
        yield self.values[run]


def evaluate_groups(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> GroupedValues:
    """Read the judgments and the runs, and compute the values of each run."""
    judgments = read_judgments(options)
    topics, notes = judgments.topics, list(judgments.notes)
    labels = [column.label for item in items for column in item.columns]
    zscores = read_zscores(options.zscores)
    files = expand(options.runs)
    runs: list[Run] = []
    blocks: list[Block] = []
    for count, path in enumerate(files, 1):
        for run in map(Run, read_runs(path, topics, items, options)):
            values, answered = judgments.evaluate(run, items, options)
            unjudged_topics = set(run.topic.unique().to_list()) - set(topics)
            refuse_missing(run.source, topics, answered, unjudged_topics, options)
            exclude_missing = options.profile == "9.0.8" and not options.complete
            coverage = TopicCoverage(
                int(answered.sum()), len(unjudged_topics), int(run.topic.is_in(list(unjudged_topics)).sum())
            )
            notes += topic_notes(run.source, coverage, len(topics), unjudged_topics, exclude_missing)
            values = zscores(topics, labels, values) if zscores is not None else values
            blocks.append(Block(topics, values, [], evaluated_topics(topics, answered, options)))
            runs.append(run)
        if progress is not None:
            progress(count, len(files))
    return GroupedValues(runs, blocks, tuple(notes))


class Evaluation(NamedTuple):
    """Evaluated runs, ready to be printed."""

    values: QrelsValues | GroupedValues
    layout: OutputLayout
    options: TrecEvalOptions

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on data that trec_eval silently ignores or assumes."""
        debug = ("-D: trec_eval's intermediate results are not printed",) if self.options.debug else ()
        run_notes = (note for run in self.values.runs for note in run.notes)
        return tuple(dict.fromkeys((*debug, *self.values.notes, *run_notes)))

    def text(self, number: int) -> Iterator[str]:
        """Yield the text that trec_eval prints for a run, block by block."""
        options = self.options
        return report.render_run(
            self.values.blocks(number),
            self.layout,
            run=self.values.runs[number].name,
            per_topic=options.per_topic,
            summary=options.summary,
            num_rel=self.values.relevant_count if options.complete else None,
        )


def evaluate(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> Evaluation:
    """Read the files and compute the values; all errors are raised here, before anything is printed."""
    check_judgments(items, options.layout)
    layout = OutputLayout(items, options.zscores is not None)
    with strict_reading():
        if options.layout == "qrels":
            return Evaluation(evaluate_qrels(options, items, progress), layout, options)
        return Evaluation(evaluate_groups(options, items, progress), layout, options)
