"""A measure of trec_eval: its name, its parameters, and its columns for judged rankings."""

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


class MeasureSettings(NamedTuple):
    """Flags that measures depend on: the version, the lowest relevant grade, the size of the collection."""

    profile: str = "10.0"
    level: int = 1
    docs: int = 0

    @property
    def rel(self) -> int:
        """The lowest relevant grade of ``FlaggedRankings.relevant``."""
        return max(self.level, 1)

    @property
    def rounding(self) -> str:
        """Rule by which a recall level becomes a number of documents."""
        return "trec_eval-9" if self.profile == "9.0.8" else "trec_eval-10"


class FlaggedRankings(NamedTuple):
    """Judged rankings as trec_eval sees them.

    *relevant* are those for measures of relevant or not: with ``-l 0`` grades are raised by 1 there, because every
    judged document counts as relevant. *empty* marks rankings without documents. *missing* marks topics that the run
    lacks; with ``-c`` trec_eval 10 gives them a ranking of one unjudged document.
    """

    judged: Judged
    relevant: Judged
    empty: Bools
    missing: Bools


Values = Callable[[FlaggedRankings], Floats]


class OutputColumn(NamedTuple):
    """One line of output for each topic: its label and its values (those of preferences are in judgment_groups)."""

    label: str
    values: Values = lambda rankings: np.ones(len(rankings.judged))


@dataclass(frozen=True)
class MeasureSpec:
    """A measure of trec_eval.

    *takes* parses its parameters (None if it has none), and *columns* builds its columns from them. *total* is the
    summary over topics: ``mean``, ``sum``, ``geometric``, ``topics`` (their number), ``run`` (the name of the run), or
    None. *whole* values are printed as integers. *family* is the kind of judgments that it needs, if any, and *only*
    the version that has it, if not all do.
    """

    name: str
    columns: Callable[[str, Any, MeasureSettings], list[OutputColumn]]
    takes: Callable[[str, str], Any] | None = None
    default: Any = ()
    total: str | None = "mean"
    per_topic: bool = True
    whole: bool = False
    family: str | None = QRELS
    only: str | None = None

    def build_columns(self, text: str | None, settings: MeasureSettings) -> list[OutputColumn]:
        """Build the columns for parameters as the user wrote them, or None for the default."""
        return self.columns(self.label(text), self.parse(text), settings)

    def parse(self, text: str | None) -> Any:
        """Parse the parameters; None is the default, and a measure without parameters ignores them."""
        return self.default if text is None or self.takes is None else self.takes(self.name, text)

    def label(self, text: str | None) -> str:
        """Return the printed name: with the parameters as written, if there is one value for all of them."""
        return f"{self.name}_{text}" if text is not None and self.takes in (read.numbers, read.gains) else self.name


def score_with(measure: Measure, rel: bool = True) -> Values:
    """Score rankings with a measure of the catalogue; *rel*: it distinguishes relevant documents from others."""
    return lambda rankings: measure.score(rankings.relevant if rel else rankings.judged)
