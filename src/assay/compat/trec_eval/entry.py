"""What a measure of trec_eval is: its name, its parameters, and its columns for judged rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.compat.trec_eval import parameters as read
from assay.measures import Measure
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged

QRELS, PREFERENCES, JUDGES = "qrels", "preferences", "judges"


class Settings(NamedTuple):
    """What the flags say to measures: the version, the lowest relevant grade, the size of the collection."""

    profile: str = "10.0"
    level: int = 1
    docs: int = 0

    @property
    def rel(self) -> int:
        """The lowest relevant grade of ``Rankings.relevant``."""
        return max(self.level, 1)

    @property
    def rounding(self) -> str:
        """How a recall level becomes a number of documents."""
        return "trec_eval-9" if self.profile == "9.0.8" else "trec_eval-10"


class Rankings(NamedTuple):
    """Judged rankings as trec_eval sees them.

    *relevant* are those for measures of relevant or not: with ``-l 0`` grades are raised by 1 there, because every
    judged document counts as relevant. *empty* marks rankings without documents. *missing* marks topics that the run
    lacks; with ``-c`` trec_eval 10 gives them a ranking of one unjudged document.
    """

    judged: Judged
    relevant: Judged
    empty: Bools
    missing: Bools


Values = Callable[[Rankings], Floats]


class Column(NamedTuple):
    """One line of output for each topic: what it is called, and its values (of preferences and judges, elsewhere)."""

    label: str
    values: Values = lambda rankings: np.ones(len(rankings.judged))


@dataclass(frozen=True)
class Entry:
    """A measure of trec_eval.

    *takes* reads its parameters: None if it has none. *columns* makes its columns from them. *total* is how topics
    are put together: ``mean``, ``sum``, ``geometric``, ``topics`` (their number), ``run`` (the name of the run), or
    None if there is no summary.
    """

    name: str
    columns: Callable[[str, Any, Settings], list[Column]]
    takes: Callable[[str, str], Any] | None = None
    default: Any = ()
    total: str | None = "mean"
    per_topic: bool = True
    whole: bool = False
    family: str | None = QRELS
    only: str | None = None

    def made(self, text: str | None, settings: Settings) -> list[Column]:
        """The columns for parameters as they are written, or None for the default."""
        return self.columns(self.label(text), self.given(text), settings)

    def given(self, text: str | None) -> Any:
        """The parameters, as they are written or else the default; a measure that takes none ignores them."""
        return self.default if text is None or self.takes is None else self.takes(self.name, text)

    def label(self, text: str | None) -> str:
        """What it is called: with its parameters as they were written, if it has one value for all of them."""
        return f"{self.name}_{text}" if text is not None and self.takes in (read.numbers, read.gains) else self.name


def scored(measure: Measure, rel: bool = True) -> Values:
    """The values of a measure of assay; *rel*: one of relevant or not."""
    return lambda rankings: measure.score(rankings.relevant if rel else rankings.judged)
