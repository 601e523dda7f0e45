"""What trec_eval prints: values per topic as they come, and their summary."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.compat.trec_eval.selection import Item
from assay.model.arrays import Bools, Floats

ALL = "all"
_LEAST = math.log(1e-5)  # what the geometric means take for a topic that scores nothing


class Block(NamedTuple):
    """The values of some topics of one run.

    *values* has a row for each column of the plan, *strings* what relstring prints. *counted* are the topics that
    are printed and averaged.
    """

    topics: Sequence[str]
    values: Floats
    strings: Sequence[str]
    counted: Bools


class OutputLayout:
    """How the items of a plan are written."""

    def __init__(self, items: Sequence[Item], zscores: bool = False) -> None:
        """Lay out *items*; names of z-scores begin with a Z, and none is a whole number."""
        self.items = items
        self.zscores = zscores
        self.labels = [column.label for item in items for column in item.columns]
        ends = np.cumsum([0, *(len(item.columns) for item in items)]).tolist()
        self.places = [slice(*each) for each in pairwise(ends)]
        self._template = "".join(map(self._lines, items))

    def named(self, label: str) -> str:
        """A name, filled up to its width."""
        return f"{'Z' * self.zscores}{label:<22}"

    def number(self, item: Item) -> str:
        """How the values of an item are written."""
        return "%d" if item.spec.whole and not self.zscores else "%6.4f"

    def _lines(self, item: Item) -> str:
        if not item.spec.per_topic:
            return ""
        if item.spec.name == "relstring":
            return f"{_escaped(item.label):<22}\t\0\t'%s'\n"
        names = [_escaped(self.named(column.label)) for column in item.columns]
        return "".join(f"{name}\t\0\t{self.number(item)}\n" for name in names)

    def per_topic(self, block: Block) -> str:
        """The lines of each topic."""
        columns: list[Iterable[object]] = []
        for item, place in zip(self.items, self.places, strict=True):
            if item.spec.per_topic and item.spec.name == "relstring":
                columns.append(block.strings)
            elif item.spec.per_topic:
                columns += block.values[place].tolist()
        rows = zip(*columns, strict=True) if columns else iter(())
        printed = zip(block.topics, rows, block.counted.tolist(), strict=False)
        return _signed("".join((self._template % row).replace("\0", topic) for topic, row, shown in printed if shown))


def _escaped(label: str) -> str:
    return label.replace("%", "%%")


def _signed(text: str) -> str:
    """0 / 0 is printed as ``-nan`` by C on the usual machines."""
    return text.replace("\t   nan\n", "\t  -nan\n") if "\t   nan\n" in text else text


class Totals:
    """Sums over topics, added one by one in their order, as trec_eval does."""

    def __init__(self, layout: OutputLayout, complete: int | None = None) -> None:
        """Begin with nothing.

        With ``-c`` topics that are not counted add to the number of topics, and num_rel is what *complete* says.
        """
        self.layout = layout
        self.complete = complete
        self.sums = np.zeros(len(layout.labels))
        self.counted = 0
        self.seen = 0

    def add(self, block: Block) -> None:
        """Add the values of more topics."""
        values = block.values[:, block.counted]
        self.sums = np.cumsum(np.column_stack([self.sums, values]), axis=1)[:, -1]
        self.counted += int(block.counted.sum())
        self.seen += len(block.counted)

    def lines(self, run: str) -> str:
        """The summary."""
        topics = self.counted if self.complete is None else self.seen
        out = ""
        for item, place in zip(self.layout.items, self.layout.places, strict=True):
            sums = self.sums[place].tolist()
            if item.spec.name == "num_rel" and self.complete is not None:
                sums = [self.complete]
            if item.spec.total == "run":
                out += f"{item.label:<22}\t{ALL}\t{run}\n"
            elif item.spec.total is not None:
                number = self.layout.number(item)
                for column, total in zip(item.columns, sums, strict=True):
                    value = number % self._value(item.spec.total, total, topics)
                    out += f"{self.layout.named(column.label)}\t{ALL}\t{value}\n"
        return _signed(out)

    def _value(self, how: str, total: float, topics: int) -> float:
        match how:
            case "topics":
                return topics
            case "sum":
                return total
            case "geometric":
                return math.exp((total + (topics - self.counted) * _LEAST) / topics)
        return total / topics


def text(
    blocks: Iterable[Block], layout: OutputLayout, *, run: str, per_topic: bool, summary: bool, complete: int | None
) -> Iterator[str]:
    """All that is printed for one run; *complete* is the number of relevant documents if ``-c`` was given."""
    totals = Totals(layout, complete)
    for block in blocks:
        if per_topic:
            yield layout.per_topic(block)
        totals.add(block)
    if summary:
        yield totals.lines(run)
