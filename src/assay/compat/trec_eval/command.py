"""An evaluation with the options of trec_eval: the values of each run, and the text that trec_eval would print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.evaluation import Block, QrelsValues, evaluate_qrels
from assay.compat.trec_eval.judgment_groups import GroupedValues, evaluate_groups
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.selection import Item, check_judgments
from assay.compat.trec_eval.zscores import Zscores
from assay.engine.workers import Progress
from assay.errors import strict_reading
from assay.model.arrays import Floats

ALL = "all"
_MIN_LOG = math.log(1e-5)  # the value of a topic without a positive value in a geometric mean


class Totals(NamedTuple):
    """Sums of the values over topics, with the numbers of evaluated topics and of all topics."""

    sums: Floats
    evaluated_count: int = 0
    topic_count: int = 0

    def add(self, block: Block) -> Totals:
        """Add the values of further topics, one by one in their order, as trec_eval does."""
        values = block.values[:, block.evaluated]
        # cumsum adds one by one; sum adds pairwise and would round differently from trec_eval.
        sums = np.cumsum(np.column_stack([self.sums, values]), axis=1)[:, -1]
        return Totals(sums, self.evaluated_count + int(block.evaluated.sum()), self.topic_count + len(block.evaluated))


class OutputLayout:
    """Layout of the output for the selected measures."""

    def __init__(self, items: Sequence[Item], zscores: bool = False) -> None:
        """Prepare the layout of *items*; with *zscores* names start with Z, and no value is printed as an integer."""
        self.items = items
        self.zscores = zscores
        self.labels = [column.label for item in items for column in item.columns]
        ends = np.cumsum([0, *(len(item.columns) for item in items)]).tolist()
        self.column_slices = [slice(begin, end) for begin, end in pairwise(ends)]
        self._template = "".join(map(self._line_template, items))

    def format_name(self, label: str) -> str:
        """Return a name padded to the width of the column."""
        return f"{'Z' * self.zscores}{label:<22}"

    def number_format(self, item: Item) -> str:
        """Return the printf format of the values of an item."""
        return "%d" if item.spec.is_integer and not self.zscores else "%6.4f"

    def _line_template(self, item: Item) -> str:
        """Return the lines of an item for one topic, with printf formats for values and NUL for the topic."""
        if not item.spec.per_topic:
            return ""
        if item.spec.name == "relstring":
            return f"{_escape(item.label):<22}\t\0\t'%s'\n"
        names = [_escape(self.format_name(column.label)) for column in item.columns]
        return "".join(f"{name}\t\0\t{self.number_format(item)}\n" for name in names)

    def render_topics(self, block: Block) -> str:
        """Return the lines of each evaluated topic."""
        columns: list[Iterable[object]] = []
        for item, rows in zip(self.items, self.column_slices, strict=True):
            if item.spec.per_topic and item.spec.name == "relstring":
                columns.append(block.strings)
            elif item.spec.per_topic:
                columns += block.values[rows].tolist()
        values = zip(*columns, strict=True) if columns else iter(())
        topics = zip(block.topics, values, block.evaluated.tolist(), strict=False)
        lines = ((self._template % row).replace("\0", topic) for topic, row, is_evaluated in topics if is_evaluated)
        return _sign_nan("".join(lines))

    def render_summary(self, totals: Totals, run: str, num_rel: int | None) -> str:
        """Return the lines of the summary.

        *num_rel* is the number of relevant documents to print if ``-c`` was given, else None. With ``-c``, averages
        are over all topics, not only over the evaluated topics.
        """
        topic_count = totals.evaluated_count if num_rel is None else totals.topic_count
        lines = ""
        for item, columns in zip(self.items, self.column_slices, strict=True):
            sums = totals.sums[columns].tolist()
            if item.spec.name == "num_rel" and num_rel is not None:
                sums = [num_rel]
            if item.spec.summary == "run":
                lines += f"{item.label:<22}\t{ALL}\t{run}\n"
            elif item.spec.summary is not None:
                for column, total in zip(item.columns, sums, strict=True):
                    value = _summarize(item.spec.summary, total, topic_count, totals.evaluated_count)
                    lines += f"{self.format_name(column.label)}\t{ALL}\t{self.number_format(item) % value}\n"
        return _sign_nan(lines)


def _summarize(summary: str, total: float, topic_count: int, evaluated_count: int) -> float:
    """Return the summary over topics; in a geometric mean, topics that are not evaluated have the smallest value."""
    match summary:
        case "topics":
            return topic_count
        case "sum":
            return total
        case "geometric":
            return math.exp((total + (topic_count - evaluated_count) * _MIN_LOG) / topic_count)
    return total / topic_count


def _escape(label: str) -> str:
    """Escape a label for a printf format."""
    return label.replace("%", "%%")


def _sign_nan(text: str) -> str:
    """Write nan as ``-nan``, the result of 0 / 0 as C prints it on x86 machines."""
    return text.replace("\t   nan\n", "\t  -nan\n") if "\t   nan\n" in text else text


class Evaluation(NamedTuple):
    """Evaluated runs, ready to be printed."""

    values: QrelsValues | GroupedValues
    layout: OutputLayout
    options: TrecEvalOptions
    zscores: Zscores | None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on data that trec_eval silently ignores or assumes."""
        debug = ("-D: trec_eval's intermediate results are not printed",) if self.options.debug else ()
        run_notes = (note for run in self.values.runs for note in run.notes)
        return tuple(dict.fromkeys((*debug, *self.values.notes, *run_notes)))

    def text(self, number: int) -> Iterator[str]:
        """Yield the text that trec_eval prints for a run, block by block."""
        totals = Totals(np.zeros(len(self.layout.labels)))
        for block in map(self._standardize, self.values.blocks(number)):
            if self.options.per_topic:
                yield self.layout.render_topics(block)
            totals = totals.add(block)
        if self.options.summary:
            num_rel = self.values.relevant_count if self.options.complete else None
            yield self.layout.render_summary(totals, self.values.runs[number].name, num_rel)

    def _standardize(self, block: Block) -> Block:
        """Replace the values of a block by their z-scores if ``-Z`` was given."""
        if self.zscores is None:
            return block
        return block._replace(values=self.zscores(block.topics, self.layout.labels, block.values))


def evaluate(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> Evaluation:
    """Read the files and compute the values; all errors are raised here, before anything is printed."""
    check_judgments(items, options.layout)
    compute = evaluate_qrels if options.layout == "qrels" else evaluate_groups
    with strict_reading():
        values = compute(options, items, progress)
        zscores = None if options.zscores is None else Zscores(options.zscores)
    return Evaluation(values, OutputLayout(items, zscores is not None), options, zscores)
