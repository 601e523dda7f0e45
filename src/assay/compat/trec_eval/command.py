"""One evaluation as trec_eval would do it: what was read, and the text that is printed of each run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from assay.compat.trec_eval import report
from assay.compat.trec_eval.evaluation import campaign
from assay.compat.trec_eval.grouped import grouped
from assay.compat.trec_eval.options import Options
from assay.compat.trec_eval.plan import Item, refuse_others
from assay.compat.trec_eval.report import Block, Layout
from assay.engine.workers import Progress
from assay.errors import strictly


class Read(Protocol):
    """A run that was read."""

    @property
    def name(self) -> str:
        """Its tag."""

    @property
    def source(self) -> str:
        """Its file."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed when it was read."""


class Family(Protocol):
    """Values of runs against one kind of judgments."""

    @property
    def runs(self) -> Sequence[Read]:
        """The runs in their order."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was ignored or assumed when the judgments were read."""

    @property
    def relevant(self) -> int:
        """How many relevant documents there are."""

    def blocks(self, run: int) -> Iterator[Block]:
        """The values of a run."""


class Evaluated(NamedTuple):
    """Runs that were read and can be printed."""

    family: Family
    layout: Layout
    options: Options

    @property
    def runs(self) -> Sequence[Read]:
        """The runs in their order."""
        return self.family.runs

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know that trec_eval would not say."""
        debug = ("-D: trec_eval's intermediate results are not printed",) if self.options.debug else ()
        return tuple(dict.fromkeys((*debug, *self.family.notes, *(note for run in self.runs for note in run.notes))))

    def text(self, number: int) -> Iterator[str]:
        """What is printed of a run."""
        options = self.options
        return report.text(
            self.family.blocks(number),
            self.layout,
            run=self.runs[number].name,
            per_topic=options.per_topic,
            summary=options.summary,
            complete=self.family.relevant if options.complete else None,
        )


def evaluated(options: Options, items: Sequence[Item], progress: Progress | None = None) -> Evaluated:
    """Read the files; every error comes from here, before anything is printed."""
    refuse_others(items, options.layout)
    layout = Layout(items, options.zscores is not None)
    family = campaign if options.layout == "qrels" else grouped
    with strictly():
        return Evaluated(family(options, items, progress), layout, options)
