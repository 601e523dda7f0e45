"""Output of trec_eval: the values of each topic, and their summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.selection import Item
from assay.model.arrays import Bools, Floats

ALL = "all"
_MIN_LOG = math.log(1e-5)  # the value of a topic without a positive value in a geometric mean


class Block(NamedTuple):
    """The values of some topics of one run.

    Attributes
    ----------
    topics
        The topics.
    values
        Output columns x topics.
    strings
        The string that relstring prints for each topic.
    evaluated
        Mask of the topics that are printed and averaged.
    """

    topics: Sequence[str]
    values: Floats
    strings: Sequence[str]
    evaluated: Bools


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


def _escape(label: str) -> str:
    """Escape a label for a printf format."""
    return label.replace("%", "%%")


def _sign_nan(text: str) -> str:
    """Write nan as ``-nan``, the result of 0 / 0 as C prints it on x86 machines."""
    return text.replace("\t   nan\n", "\t  -nan\n") if "\t   nan\n" in text else text


class Totals:
    """Sums of the values over topics, added one by one in their order, as in trec_eval."""

    def __init__(self, layout: OutputLayout, num_rel: int | None = None) -> None:
        """Start with sums of 0.

        *num_rel* is the number of relevant documents to print if ``-c`` was given, else None. With ``-c``, averages
        are over all topics, not only over the evaluated topics.
        """
        self.layout = layout
        self.num_rel = num_rel
        self.sums = np.zeros(len(layout.labels))
        self.evaluated_count = 0
        self.topic_count = 0

    def add(self, block: Block) -> None:
        """Add the values of further topics."""
        values = block.values[:, block.evaluated]
        # cumsum adds one by one; sum adds pairwise and would round differently from trec_eval.
        self.sums = np.cumsum(np.column_stack([self.sums, values]), axis=1)[:, -1]
        self.evaluated_count += int(block.evaluated.sum())
        self.topic_count += len(block.evaluated)

    def render_summary(self, run: str) -> str:
        """Return the lines of the summary."""
        topic_count = self.evaluated_count if self.num_rel is None else self.topic_count
        lines = ""
        for item, columns in zip(self.layout.items, self.layout.column_slices, strict=True):
            sums = self.sums[columns].tolist()
            if item.spec.name == "num_rel" and self.num_rel is not None:
                sums = [self.num_rel]
            if item.spec.summary == "run":
                lines += f"{item.label:<22}\t{ALL}\t{run}\n"
            elif item.spec.summary is not None:
                number_format = self.layout.number_format(item)
                for column, total in zip(item.columns, sums, strict=True):
                    value = number_format % self._summarize(item.spec.summary, total, topic_count)
                    lines += f"{self.layout.format_name(column.label)}\t{ALL}\t{value}\n"
        return _sign_nan(lines)

    def _summarize(self, summary: str, total: float, topic_count: int) -> float:
        match summary:
            case "topics":
                return topic_count
            case "sum":
                return total
            case "geometric":
                return math.exp((total + (topic_count - self.evaluated_count) * _MIN_LOG) / topic_count)
        return total / topic_count


def render_run(
    blocks: Iterable[Block], layout: OutputLayout, *, run: str, per_topic: bool, summary: bool, num_rel: int | None
) -> Iterator[str]:
    """Yield the output for one run; *num_rel* is as in :class:`Totals`."""
    totals = Totals(layout, num_rel)
    for block in blocks:
        if per_topic:
            yield layout.render_topics(block)
        totals.add(block)
    if summary:
        yield totals.render_summary(run)
