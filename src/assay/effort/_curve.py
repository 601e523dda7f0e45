"""One ranking rank by rank: the document, its grade, its relative position and the cumulated gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.measures import measure
from assay.measures._graded import Graded
from assay.measures._threshold import refuse_nothing_relevant
from assay.measures.dcg import Discounted
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats
from assay.model.grade_codes import ungraded
from assay.model.judged import Judged
from assay.model.notes import count, some
from assay.model.policies import refuse_expected
from assay.model.provenance import Provenance
from assay.model.relative_position import Curves, Setting
from assay.results.report import Report
from assay.results.tables import Table, drop_fractions

WORDS = {
    "rank": "rank",
    "document": "document",
    "grade": "grade",
    "ideal": "ideal",
    "rp": "position",
    "crp": "sum",
    "dcg": "DCG",
    "ideal_dcg": "ideal DCG",
    "delta_gain": "gap",
}
CAPTION = (
    "ideal: grade of the ideal ranking at this rank. position: by how many ranks the document comes too late (+) or "
    "too early (-); sum: these added up, the cumulated relative position. gap: discounted gain of the document minus "
    "that of the ideal ranking at this rank."
)


@dataclass(frozen=True, eq=False)
class Curve(Report):
    """One ranking rank by rank; the report of :func:`curve`.

    Attributes
    ----------
    run, topic
        The ranking.
    relevant
        R, the number of relevant documents of the topic.
    whole
        The curve over all ranks that are evaluated, at least 2 R of them unless *length* is ``asis``.
    provenance
        The inputs, policies and settings behind the curve.
    depth
        The number of ranks that are shown; None: all.
    notes
        What was ignored, skipped or assumed, one line each.
    """

    run: str
    topic: str
    relevant: int
    whole: pl.DataFrame
    provenance: Provenance
    depth: int | None = None
    notes: tuple[str, ...] = ()

    name = "curve"
    tables: ClassVar[Mapping[str, str]] = {"ranks": "each rank with its document, its position and its gain"}

    def __repr__(self) -> str:
        return f"Curve({self.run}, topic {self.topic}: {count(len(self.frame()), 'rank')})"

    @property
    def landmarks(self) -> Landmarks:
        """The characteristic ranks of the whole curve."""
        return landmarks(self.whole)._replace(relevant=self.relevant)

    def frame(self) -> pl.DataFrame:
        """Return a row for each rank: rank, document, grade, ideal, rp, crp, dcg, ideal_dcg, delta_gain."""
        return self.whole[: self.depth]

    def summary(self) -> str:
        """Return the ranks where the curve is lowest and by which losses are made up for."""
        topic = f"topic {self.topic} ({count(self.relevant, 'relevant document')})"
        run = self.run if self.depth is None else f"{self.run} to rank {self.depth}"
        if not self.relevant:
            return f"Topic {self.topic} has no relevant documents: no document can be out of place."
        if not (self.whole["rp"] != 0).any():
            return f"{run} is ideal on {topic}: no document is out of place."
        height = self.whole["crp"].to_numpy()
        if height.min() >= 0:
            return f"{run} never falls behind the ideal ranking on {topic}."
        _, turn, balance = self.landmarks
        lowest = f"On {topic}, {run} is furthest behind the ideal ranking at rank {turn} (sum {height.min()})"
        if balance is None:
            return f"{lowest} and does not make up for it within the {count(len(height), 'rank')} of the curve."
        back = int(np.flatnonzero((height[1:] >= 0) & (height[:-1] < 0))[0]) + 2
        ratio = self.relevant / balance
        return f"{lowest} and has made up for it at rank {back} (balance point {balance}, recovery ratio {ratio:.3f})."

    def _show_ranks(self) -> Table:
        frame = self.frame()
        return Table(frame, drop_fractions(frame, "grade", "ideal").rename(WORDS), caption=CAPTION)


@check_arguments
def curve(
    campaign: Campaign,
    topic: str,
    run: str | None = None,
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    rel: float = 1,
) -> Curve:
    """Return one ranking rank by rank: documents, grades, relative positions and discounted gains.

    Parameters
    ----------
    campaign
        Judgments and runs; ties cannot be ``expected``, because a curve needs an order.
    topic, run
        The topic and the run, by their names; a campaign of one run needs no name.
    depth
        Cut the ranking after this many documents, or fill it up to them; only these ranks are returned. By default the
        curve has as many ranks as the longest ranking, and at least 2 R (R: the number of relevant documents).
    length, rel
        As in the measure ``Twist``.
    gain
        A form of DCG, such as ``DCG`` or ``DCG(base=2, gains=exp)``. *dcg* and *ideal_dcg* are cumulated; *delta_gain*
        is the difference at the rank alone: the discounted gain of its document minus that of the ideal ranking.

    Notes
    -----
    Ranks after the last document have no document and no grade; they count as not relevant. Their gain is 0, even if
    documents that are not relevant have a negative gain.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "c": 1.5, "a": 1.0}})
    >>> curve(campaign, "q").frame().select("rank", "document", "rp", "crp").rows()
    [(1, 'b', -1, -1), (2, 'c', -1, -2), (3, 'a', 2, 0), (4, None, 0, 0)]
    """
    refuse_nothing_relevant(rel, campaign.judgments.levels)
    if topic not in campaign.topics:
        hint = suggestion(topic, campaign.topics) or f"; they have {some(campaign.topics)}"
        raise InputError(f"{campaign.judgments.source}: has no topic {topic}{hint}")
    if run is None and len(campaign.runs) != 1:
        raise InputError(f"run: a curve shows one run; name one of {len(campaign.runs)}: {some(campaign.runs)}")
    name = campaign.runs[0] if run is None else run
    whole = whole_curve(campaign, topic, name, depth=depth, length=length, gain=gain, rel=rel)
    notes = campaign.notes
    if whole["document"].null_count() == len(whole):
        notes += (f"{name}: has no documents for topic {topic}; shown as an empty ranking",)
    counts = campaign.judgments.counts[campaign.topics.index(topic), campaign.judgments.levels >= rel]
    settings = {"topic": topic, "run": name, "depth": depth, "length": length, "gain": gain, "rel": rel}
    return Curve(name, topic, int(counts.sum()), whole, campaign.provenance.with_settings(**settings), depth, notes)


def whole_curve(
    campaign: Campaign,
    topic: str,
    run: str,
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    rel: float = 1,
) -> pl.DataFrame:
    """Return the curve over all ranks that are evaluated: ``landmarks`` and ``reference`` need at least 2 R of them."""
    refuse_expected(campaign.policies.ties, "a curve needs an order")
    one = campaign.select(run, topic)
    documents = one.rankings().doc
    if campaign.policies.unjudged == "condensed":
        documents = documents.filter(pl.Series(~ungraded(one.whole.code, one.whole.levels)))
    return tabulate_curve(one.judged, documents.to_list(), depth=depth, length=length, gain=gain, rel=rel)


def tabulate_curve(
    judged: Judged,
    documents: Sequence[str],
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    rel: float = 1,
) -> pl.DataFrame:
    """Return the whole curve of the only ranking of *judged*, whose *documents* are in rank order."""
    curves = Curves.of(judged, Setting(depth, length, rel=rel))
    position, height = curves.vectors(0)
    ranks = len(position)
    retrieved = list(documents[: ranks if depth is None else depth])
    grade = _grades(judged)[: len(retrieved)]
    own, best = _discounted_gains(judged, gain, ranks, len(retrieved))
    ideal = judged.levels[curves.scale.ideal - 1] if len(judged.levels) else np.zeros(0)
    ideal = ideal[curves.scale.first[curves.topic[0]] :][: int(curves.relevant[0])]
    return pl.DataFrame(
        {
            "rank": np.arange(1, ranks + 1),
            "document": pl.Series([*retrieved, *[None] * (ranks - len(retrieved))], dtype=pl.String),
            "grade": pl.Series(_filled(grade, ranks, np.nan)).fill_nan(None),
            "ideal": _filled(ideal, ranks, 0.0),
            "rp": position.astype(np.int64),
            "crp": height.astype(np.int64),
            "dcg": np.cumsum(own),
            "ideal_dcg": np.cumsum(best),
            "delta_gain": own - best,
        }
    )


def _grades(judged: Judged) -> np.ndarray:
    return np.concatenate([[np.nan], judged.levels])[judged.code]


def _filled(values: np.ndarray, length: int, rest: float) -> np.ndarray:
    return np.concatenate([values[:length], np.full(max(length - len(values), 0), rest)])


def _discounted_gains(judged: Judged, written: str, ranks: int, retrieved: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the discounted gain at every rank, of the ranking and of the ideal one."""
    chosen = measure(written)
    if not (isinstance(chosen, Discounted) and isinstance(chosen, Graded)) or chosen.name != "DCG":
        raise InputError(f"gain {written!r}: name a form of DCG, such as DCG(base=2, gains=exp)")
    gain = chosen.gain(judged)
    rank = np.arange(1, ranks + 1)
    ranking = _filled(gain[judged.code][:retrieved], ranks, 0.0)
    return chosen.weighed(ranking, rank), chosen.weighed(_best(judged, gain, ranks), rank)


def _best(judged: Judged, gain: np.ndarray, ranks: int) -> np.ndarray:
    """Return the gains of the ideal ranking, the largest first; those after the relevant documents may be negative."""
    worth = np.concatenate([np.repeat(gain[1:], judged.counts[judged.topic[0]]), np.full(ranks, gain[0])])
    return np.sort(worth)[::-1][:ranks]


# Landmarks and curves for comparison ---------------------------------------------------------------------------------


class Landmarks(NamedTuple):
    """Characteristic ranks: R, the turn-around m where the curve is first lowest, the balance point (None: never)."""

    relevant: int
    turn: int
    balance: int | None


def landmarks(frame: pl.DataFrame) -> Landmarks:
    """Return the landmarks of a whole curve.

    >>> import assay
    >>> frame = curve(assay.read({"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}), "q").frame()
    >>> frame["crp"].to_list()
    [-2, -2, -1, -1]
    >>> landmarks(frame)
    Landmarks(relevant=2, turn=1, balance=None)
    """
    height = frame["crp"].to_numpy()
    relevant = int((frame["ideal"] > 0).sum())
    arrivals = np.flatnonzero((height[1:] >= 0) & (height[:-1] < 0)) + 1
    balance = max(relevant, int(arrivals[0])) if len(arrivals) else None
    if not height.any():
        balance = relevant
    return Landmarks(relevant, int(height.argmin()) + 1 if len(height) else 0, balance)


REFERENCES = ("full-scale", "worst")


def reference(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return a curve to compare a whole one with, one of ``REFERENCES``: rank, grade, ideal, rp, crp."""
    ideal = frame["ideal"].to_numpy()
    grade = ideal[::-1] if name == "full-scale" else np.zeros(len(ideal))
    rank = np.arange(1, len(ideal) + 1)
    low = np.searchsorted(-ideal, -grade, side="left") + 1
    high = np.searchsorted(-ideal, -grade, side="right")
    position = np.minimum(rank - low, 0) + np.maximum(rank - high, 0)
    return pl.DataFrame({"rank": rank, "grade": grade, "ideal": ideal, "rp": position, "crp": np.cumsum(position)})


def heights(curves: Curves) -> Floats:
    """Return the CRP of rankings of one topic at every rank: a row for each ranking."""
    if not len(curves):
        return np.zeros((0, 0))
    length = int(curves.length[0])
    nothing = curves.scale.cost_at(np.full(length, curves.topic[0]), np.arange(1, length + 1))
    position = np.tile(nothing, (len(curves), 1))
    position[curves.ranking, curves.rank - 1] = curves.position
    return np.cumsum(position, axis=1)
