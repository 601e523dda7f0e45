"""Contrasts: pairs of rankings of one topic that have nearly the same gain and cost very different effort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.effort._against_gain import evaluate_effort, parse_effort_measure
from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measure as parse_measure
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats, Ints
from assay.model.checks import check_integer
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import name_pairs, pair_runs
from assay.results.tables import Table

LABELS = {
    "topic": "topic",
    "run": "less effort",
    "other": "more effort",
    "gain": "gain",
    "other_gain": "gain 2",
    "twist": "Twist",
    "other_twist": "Twist 2",
    "twist_difference": "difference",
}


@dataclass(frozen=True, eq=False)
class Contrasts(Report):
    """Pairs of rankings with similar gain and different effort; the report of :func:`contrasts`.

    Attributes
    ----------
    measure
        The measure of gain.
    contrasts
        All contrasts, the largest first; ``frame`` returns the first *most* of them.
    topics
        A row for each topic; see ``by_topic``.
    max_gain, min_effort
        The largest difference of gain and the smallest difference of Twist of a contrast.
    most
        The number of contrasts in ``frame``; None: all.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    measure: Measure
    contrasts: pl.DataFrame
    topics: pl.DataFrame
    max_gain: float
    min_effort: float
    most: int | None
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "contrasts"
    tables: ClassVar[Mapping[str, str]] = {
        "pairs": "the pairs of rankings, the largest difference of Twist first",
        "topics": "the number of such pairs by topic",
    }

    def __repr__(self) -> str:
        return f"Contrasts({pluralize(len(self.contrasts), 'pair')} of rankings with similar {self.measure})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each contrast, the largest first.

        The columns are topic, run, other, gain, other_gain, gain_difference, twist, other_twist and twist_difference.
        *run* costs less effort than *other*. Differences are those of *run* minus *other*.
        """
        return self.contrasts[: self.most]

    def by_topic(self) -> pl.DataFrame:
        """Return a row for each topic: topic, pairs, similar, contrasts, share, largest.

        *pairs* is the number of pairs of runs with values, *similar* the number of those with similar gain, *share* the
        fraction of these that are contrasts, and *largest* the largest difference of Twist among these. *share* and
        *largest* are null if no pair has similar gain.
        """
        return self.topics

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the number of contrasts and the largest one."""
        similar = int(self.topics["similar"].sum())
        pairs = (
            f"{pluralize(similar, 'pair')} of rankings of a topic with {self.measure} at most {self.max_gain:g} apart"
        )
        if not similar:
            return f"There are no pairs of rankings of a topic with {self.measure} at most {self.max_gain:g} apart."
        if self.contrasts.is_empty():
            largest = self.topics.select(pl.max("largest")).item()
            return (
                f"None of {pairs} has values of Twist at least {self.min_effort:g} apart; the largest difference is "
                f"{largest:.3f}."
            )
        count = f"{len(self.contrasts):,} of {pairs} have values of Twist at least {self.min_effort:g} apart."
        hidden = f" The table shows the {self.most} largest." if len(self.frame()) < len(self.contrasts) else ""
        return f"{count} {self._describe_largest()}{hidden}"

    def _describe_largest(self) -> str:
        one = self.contrasts.row(0, named=True)
        return (
            f"Largest contrast, on topic {one['topic']}: {one['run']} (Twist {one['twist']:.3f}, {self.measure} "
            f"{one['gain']:.3f}) and {one['other']} (Twist {one['other_twist']:.3f}, {self.measure} "
            f"{one['other_gain']:.3f})."
        )

    def _show_pairs(self) -> Table:
        frame = self.frame()
        caption = (
            f"gain: {self.measure}. gain and Twist belong to the run with less effort, gain 2 and Twist 2 to the run "
            "with more effort. difference: Twist minus Twist 2."
        )
        return Table(frame, frame.select(*LABELS).rename(LABELS), caption=caption)

    def _show_topics(self) -> Table:
        caption = (
            f"pairs: pairs of runs. similar: pairs with {self.measure} at most {self.max_gain:g} apart. contrasts: "
            f"similar pairs with values of Twist at least {self.min_effort:g} apart. share: contrasts as a fraction of "
            "similar pairs. largest: the largest difference of Twist of similar pairs."
        )
        return Table(self.topics, self.topics, caption=caption)


@check_arguments
def contrasts(
    source: Campaign | Results,
    measure: str | Measure = "AP",
    *,
    twist: str | Measure = "Twist",
    max_gain: float = 0.01,
    min_effort: float = 0.25,
    most: int | None = 20,
) -> Contrasts:
    """Find pairs of runs that have nearly the same gain on a topic, but cost very different effort.

    Parameters
    ----------
    source
        A campaign of at least two runs, or results with the values of Twist and of the gain measure.
    measure
        The measure of gain.
    twist
        The measure of effort: ``Twist``, possibly with parameters.
    max_gain, min_effort
        Two rankings of a topic are a contrast if their gains differ by at most *max_gain* and their values of Twist by
        at least *min_effort*.
    most
        List at most this many contrasts, those with the largest difference of Twist; None lists all.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016), Figure 11.

    Examples
    --------
    >>> import assay
    >>> runs = {"one": {"q": {"a": 3.0, "x": 2.0}}, "two": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}}
    >>> report = contrasts(assay.read({"q": {"a": 1, "b": 1}}, runs), max_gain=0.1, min_effort=0.01)
    >>> report.frame().select("run", "other", "gain_difference", "twist_difference").rows()
    [('one', 'two', -0.08333333333333326, 0.17777777777777776)]
    """
    for name, value in (("max_gain", max_gain), ("min_effort", min_effort)):
        if not 0 <= value < np.inf:
            raise InputError(f"{name} must be a number of at least 0, got {value:g}")
    if most is not None:
        check_integer("most", most, 1)
    results = evaluate_effort(source, parse_effort_measure(twist), (parse_measure(measure),))
    pairs = pair_runs(results.runs)
    topics = [_compare_rankings(pairs, values, max_gain, min_effort) for values in np.moveaxis(results.values, 2, 0)]
    effort, gain = results.measures
    settings = {"measure": gain, "twist": effort, "max_gain": max_gain, "min_effort": min_effort, "most": most}
    return Contrasts(
        measure=gain,
        contrasts=_tabulate_contrasts(results, topics),
        topics=_tabulate_topics(results.topics, topics),
        max_gain=max_gain,
        min_effort=min_effort,
        most=most,
        provenance=results.provenance.with_settings(**{**settings, "measure": str(gain), "twist": str(effort)}),
        notes=results.notes,
    )


class _TopicContrasts(NamedTuple):
    """Contrasts of one topic, the run with less effort first, and the counts of pairs."""

    pairs: Ints
    compared: int
    similar: int
    largest: float


def _compare_rankings(pairs: Ints, values: Floats, max_gain: float, min_effort: float) -> _TopicContrasts:
    """Compare the rankings of one topic; *values* contains Twist and gain, 2 x runs."""
    twist_difference, gain_difference = values[:, pairs[:, 0]] - values[:, pairs[:, 1]]
    known = ~np.isnan(twist_difference) & ~np.isnan(gain_difference)
    similar = known & (np.abs(gain_difference) <= max_gain + ROUNDING)
    chosen = similar & (np.abs(twist_difference) >= min_effort - ROUNDING)
    less_effort_first = np.where(twist_difference[:, None] < 0, pairs[:, ::-1], pairs)[chosen]
    largest = np.abs(twist_difference[similar]).max() if similar.any() else np.nan
    return _TopicContrasts(less_effort_first, int(known.sum()), int(similar.sum()), float(largest))


def _tabulate_contrasts(results: Results, topics: list[_TopicContrasts]) -> pl.DataFrame:
    """Return a row for each contrast, the largest first."""
    pairs = np.concatenate([np.zeros((0, 2), dtype=np.int64), *(one.pairs for one in topics)])
    topic = np.repeat(np.arange(len(topics)), [len(one.pairs) for one in topics])
    twist, gain = results.values
    first, second = pairs.T
    frame = pl.DataFrame(
        [
            pl.Series("topic", results.topics, dtype=pl.String).gather(topic),
            *name_pairs(results.runs, pairs),
            pl.Series("gain", gain[first, topic]),
            pl.Series("other_gain", gain[second, topic]),
            pl.Series("gain_difference", gain[first, topic] - gain[second, topic]),
            pl.Series("twist", twist[first, topic]),
            pl.Series("other_twist", twist[second, topic]),
            pl.Series("twist_difference", twist[first, topic] - twist[second, topic]),
        ]
    )
    # Pairs with the same difference of effort: the most similar gain first, then in the order of topics and runs.
    order = np.lexsort((second, first, topic, frame["gain_difference"].abs(), -frame["twist_difference"].to_numpy()))
    return frame[order]


def _tabulate_topics(names: tuple[str, ...], topics: list[_TopicContrasts]) -> pl.DataFrame:
    """Return the number of pairs and contrasts of each topic."""
    counts = {
        "pairs": [one.compared for one in topics],
        "similar": [one.similar for one in topics],
        "contrasts": [len(one.pairs) for one in topics],
    }
    frame = pl.DataFrame({"topic": names, **counts, "largest": [one.largest for one in topics]})
    share = pl.when(pl.col("similar") > 0).then(pl.col("contrasts") / pl.col("similar"))
    return frame.select(pl.exclude("largest"), share.alias("share"), pl.col("largest").fill_nan(None))
