"""A measure of trec_eval: its name, its parameters, and its columns for judged rankings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.compat.trec_eval import parameters
from assay.measures import Measure
from assay.model.arrays import Bools, Floats
from assay.model.judged import Judged

QRELS, PREFERENCES, JUDGES = "qrels", "preferences", "judges"


class MeasureSettings(NamedTuple):
    """Options that measures depend on: the version, the lowest relevant grade, the size of the collection."""

    profile: str = "10.0"
    level: int = 1
    docs: int = 0

    @property
    def rel(self) -> int:
        """The lowest grade that ``FlaggedRankings.relevant`` counts as relevant."""
        return max(self.level, 1)

    @property
    def rounding(self) -> str:
        """Rule for rounding a recall level times R to a number of documents."""
        return "trec_eval-9" if self.profile == "9.0.8" else "trec_eval-10"


class FlaggedRankings(NamedTuple):
    """Judged rankings after the options of trec_eval have been applied.

    Attributes
    ----------
    judged
        The rankings for measures of gains.
    relevant
        The rankings for measures of binary relevance. With ``-l 0`` every judged document is relevant, so grades are
        raised by 1 here.
    empty
        Mask of the rankings without documents.
    missing
        Mask of the topics that the run lacks. For each of them, trec_eval 10 with ``-c`` evaluates a ranking of one
        unjudged document.
    """

    judged: Judged
    relevant: Judged
    empty: Bools
    missing: Bools


Values = Callable[[FlaggedRankings], Floats]


class OutputColumn(NamedTuple):
    """One line of output for each topic: its label, and a function for its values."""

    label: str
    values: Values


@dataclass(frozen=True)
class MeasureSpec:
    """A measure of trec_eval.

    Attributes
    ----------
    name
        The name that users type.
    columns
        Function that builds the output columns from the parsed parameters and the settings: a list of suffixes of the
        printed name, each with a function for the values. The suffix of a measure with one value is empty.
    parser
        Function that parses the parameters; None if the measure has none.
    default
        Default parameters.
    summary
        Summary over topics: ``mean``, ``sum``, ``geometric``, ``topics`` (their number), ``run`` (the name of the run),
        or None.
    per_topic
        True if ``-q`` prints a line for each topic.
    is_integer
        True if values are printed as integers.
    family
        The kind of judgments that the measure needs; None if it needs no judgments.
    version
        The only version that has the measure; None if all versions have it.
    """

    name: str
    columns: Callable[[Any, MeasureSettings], list[tuple[str, Values]]]
    parser: Callable[[str, str], Any] | None = None
    default: Any = ()
    summary: str | None = "mean"
    per_topic: bool = True
    is_integer: bool = False
    family: str | None = QRELS
    version: str | None = None

    def build_columns(self, text: str | None, settings: MeasureSettings) -> list[OutputColumn]:
        """Build the columns; *text* holds the parameters as the user wrote them, None for the default."""
        label = self.label(text)
        return [OutputColumn(label + suffix, values) for suffix, values in self.columns(self.parse(text), settings)]

    def parse(self, text: str | None) -> Any:
        """Parse the parameters; None means the default, and a measure without parameters ignores *text*."""
        return self.default if text is None or self.parser is None else self.parser(self.name, text)

    def label(self, text: str | None) -> str:
        """Return the printed name; it includes the parameters as written if they define a single value."""
        has_one_value = self.parser in (parameters.parse_numbers, parameters.parse_gains)
        return f"{self.name}_{text}" if text is not None and has_one_value else self.name


def score_with(measure: Measure, rel: bool = True) -> Values:
    """Return a function that scores rankings with a measure; *rel* is True if it uses binary relevance."""
    return lambda rankings: measure.score(rankings.relevant if rel else rankings.judged)
