"""The curve of one ranking: document, grade, relative position and cumulated gain at each rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError, suggestion
from assay.measures import Measure, measure
from assay.measures import measures as parse_measures
from assay.measures._contributions import compute_contributions
from assay.measures._facets import refuse_facets
from assay.measures._graded import Graded
from assay.measures._threshold import check_rel
from assay.measures.dcg import Discounted
from assay.model.arguments import check_arguments
from assay.model.arrays import ROUNDING, Floats
from assay.model.grade_codes import mask_ungraded
from assay.model.judged import Judged
from assay.model.notes import join_names, pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.model.relative_position import Curves, EffortSettings
from assay.results.report import Report
from assay.results.sentences import list_names
from assay.results.tables import Table, floats_to_integers

LABELS = {
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
    "ideal: grade of the ideal ranking at this rank. position: number of ranks by which the document is too late (+) "
    "or too early (-). sum: cumulated relative position, the sum of the positions up to this rank. gap: discounted "
    "gain at this rank minus the discounted gain of the ideal ranking at this rank."
)
CONTRIBUTIONS_CAPTION = (
    "ideal: grade of the ideal ranking at this rank. position: number of ranks by which the document is too late (+) "
    "or too early (-). sum: sum of the positions up to this rank."
)
CREDITS = {
    "shapley": "Contribution of a document: what it adds to the value, on average over all orders of adding the "
    "relevant documents (Shapley value).",
    "rank": "Contribution of a document: what it adds to the value if only the documents ranked after it count.",
}
"""Explanation of each form of credit."""


@dataclass(frozen=True, eq=False)
class Curve(Report):
    """The curve of one ranking; the report of :func:`curve`.

    Attributes
    ----------
    run, topic
        The names of the run and of the topic.
    relevant
        R, the number of relevant documents of the topic.
    whole
        The curve over all evaluated ranks: rankings are padded to at least 2 R documents unless *length* is ``asis``.
    provenance
        The inputs, policies and settings of the analysis.
    depth
        The number of ranks in the frame; None: all.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
    values
        The value of each measure whose contributions were requested. The frame has a column of contributions for each.
    credit
        How the relevant documents share the value of a measure: ``shapley`` or ``rank``.
    """

    run: str
    topic: str
    relevant: int
    whole: pl.DataFrame
    provenance: Provenance
    depth: int | None = None
    notes: tuple[str, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    credit: str = "shapley"

    name = "curve"
    tables: ClassVar[Mapping[str, str]] = {"ranks": "each rank with its document, relative position and gain"}

    def __repr__(self) -> str:
        return f"Curve({self.run}, topic {self.topic}: {pluralize(len(self.frame()), 'rank')})"

    @property
    def landmarks(self) -> Landmarks:
        """The characteristic ranks of the whole curve."""
        return find_landmarks(self.whole)._replace(relevant=self.relevant)

    def frame(self) -> pl.DataFrame:
        """Return a row for each rank: rank, document, grade, ideal, rp, crp, dcg, ideal_dcg, delta_gain.

        If measures were requested, the frame also has a column for each measure, named after it: the contribution of
        the document at this rank to the value of the measure.
        """
        return self.whole[: self.depth]

    def summary(self) -> str:
        """Return the rank where the curve is lowest, the rank where it recovers, and the sums of contributions."""
        return f"{self._describe_landmarks()} {self._describe_contributions()}".rstrip()

    def _describe_contributions(self) -> str:
        """Return the sum of the contributions to each measure; it is the value unless documents are not shown."""
        shown = self.frame()
        complete, partial = [], []
        for name, value in self.values.items():
            total = float(shown[name].sum())
            if np.isclose(total, value, rtol=1e-9, atol=1e-12):
                complete.append(f"{name} = {value:.4f}")
            else:
                partial.append(f"{total:.4f} of {name} = {value:.4f}")
        sentences = [f"The contributions add up to {list_names(complete)}."] if complete else []
        if partial:
            sentences.append(f"Within the ranks shown, contributions add up to {list_names(partial)}.")
        return " ".join(sentences)

    def _describe_landmarks(self) -> str:
        topic = f"topic {self.topic} ({pluralize(self.relevant, 'relevant document')})"
        run = self.run if self.depth is None else f"{self.run} to rank {self.depth}"
        if not self.relevant:
            return f"Topic {self.topic} has no relevant documents, so no document can be misplaced."
        if not (self.whole["rp"] != 0).any():
            return f"{run} is ideal on {topic}: no document is misplaced."
        height = self.whole["crp"].to_numpy()
        if height.min() >= 0:
            return f"{run} is never behind the ideal ranking on {topic}."
        _, turn, balance = self.landmarks
        lowest = f"On {topic}, {run} is furthest behind the ideal ranking at rank {turn} (sum {height.min()})"
        if balance is None:
            return f"{lowest} and does not recover within {pluralize(len(height), 'rank')}."
        # Index k of the comparison belongs to the ranks k + 1 and k + 2; the curve has recovered at rank k + 2.
        recovery = int(np.flatnonzero((height[1:] >= 0) & (height[:-1] < 0))[0]) + 2
        ratio = self.relevant / balance
        return f"{lowest} and recovers at rank {recovery} (balance point {balance}, recovery ratio {ratio:.3f})."

    def _show_ranks(self) -> Table:
        frame = self.frame()
        compact = floats_to_integers(frame, "grade", "ideal")
        if not self.values:
            return Table(frame, compact.rename(LABELS), caption=CAPTION)
        # There is no room for DCG next to the measures; also, DCG may be one of the measures.
        compact = compact.drop("dcg", "ideal_dcg", "delta_gain").rename(LABELS, strict=False)
        return Table(frame, compact, caption=f"{CONTRIBUTIONS_CAPTION} {CREDITS[self.credit]}")


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
    measures: str | Measure | Iterable[str | Measure] = (),
    credit: str = "shapley",
) -> Curve:
    """Compute the curve of one ranking: document, grade, relative position and discounted gain at each rank.

    Parameters
    ----------
    campaign
        Judgments and runs. The tie policy cannot be ``expected``, because a curve needs a single order of documents.
    topic, run
        The names of the topic and of the run; *run* can be omitted if the campaign has only one run.
    depth
        The ranking is cut or padded to *depth* documents, and the frame contains only these ranks. By default, the
        ranking is padded to the length of the longest ranking, and to at least 2 R documents, where R is the number of
        relevant documents of the topic.
    length, rel
        As in the measure ``Twist``.
    gain
        A form of DCG, such as ``DCG`` or ``DCG(base=2, gains=exp)``. The columns *dcg* and *ideal_dcg* are cumulated.
        *delta_gain* is a difference at a single rank: the discounted gain of the document minus the discounted gain of
        the ideal ranking.
    measures
        Also compute the contribution of each document to these measures. The contributions to a measure sum to its
        value for the whole ranking. The value must be 0 for a ranking without relevant documents.
    credit
        How the relevant documents share the value of a measure. ``shapley``: a document gets what it adds to the value,
        on average over all orders in which the relevant documents can be added. ``rank``: the documents are added from
        the last rank to the first, so that each document gets what it adds to the documents ranked after it. For
        measures that weight ranks, such as RBP and DCG, both are the weight of the rank times the gain.

    Notes
    -----
    Ranks after the last document have no document and no grade. They count as non-relevant, but their gain is 0, even
    if non-relevant documents have a negative gain.

    References
    ----------
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, ACM TOIS 27 (2008), Tables I
    and II.

    Examples
    --------
    >>> import assay
    >>> campaign = assay.read({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "c": 1.5, "a": 1.0}})
    >>> curve(campaign, "q").frame().select("rank", "document", "rp", "crp").rows()
    [(1, 'b', -1, -1), (2, 'c', -1, -2), (3, 'a', 2, 0), (4, None, 0, 0)]
    >>> curve(campaign, "q", measures="RBP(p=0.5)").frame()["RBP(p=0.5)"].to_list()
    [0.5, 0.0, 0.125, 0.0]
    """
    check_rel(rel, campaign.judgments.levels)
    if topic not in campaign.topics:
        hint = suggestion(topic, campaign.topics) or f"; choose from {join_names(campaign.topics)}"
        raise InputError(f"{campaign.judgments.source}: has no topic {topic}{hint}")
    if run is None and len(campaign.runs) != 1:
        raise InputError(
            f"run: a curve shows one run; choose one of {len(campaign.runs)} runs: {join_names(campaign.runs)}"
        )
    name = campaign.runs[0] if run is None else run
    options = {"depth": depth, "length": length, "gain": gain, "rel": rel}
    whole = compute_curve(campaign, topic, name, **options)
    notes = campaign.notes
    if whole["document"].null_count() == len(whole):
        notes += (f"{name}: retrieved no documents for topic {topic}; the curve shows an empty ranking",)
    counts = campaign.judgments.counts[campaign.topics.index(topic), campaign.judgments.levels >= rel]
    chosen = parse_measures(measures) if measures else ()
    refuse_facets(chosen, "contributions of documents")
    judged = campaign.select(name, topic).judged
    shares = {str(one): credit_documents(judged, one, len(whole), credit) for one in chosen}
    notes += tuple(
        f"{one}: contributions were estimated from random orders of the documents; largest standard error "
        f"{share.error:.1e}"
        for one, share in shares.items()
        if share.error > ROUNDING
    )
    return Curve(
        run=name,
        topic=topic,
        relevant=int(counts.sum()),
        whole=whole.with_columns(pl.Series(one, share.by_rank) for one, share in shares.items()),
        provenance=campaign.provenance.with_settings(
            topic=topic, run=name, **options, measures=list(shares), credit=credit
        ),
        depth=depth,
        notes=notes,
        values={one: share.value for one, share in shares.items()},
        credit=credit,
    )


class Credit(NamedTuple):
    """Contributions to a measure by rank, the value of the measure, and the largest standard error."""

    by_rank: Floats
    value: float
    error: float


def credit_documents(judged: Judged, one: Measure, rank_count: int, credit: str) -> Credit:
    """Return the contributions of the first *rank_count* documents of the only ranking in *judged* to a measure."""
    contributions = compute_contributions(one, judged, credit=credit)
    by_rank = np.zeros(max(rank_count, contributions.rank.max(initial=0)))
    by_rank[contributions.rank - 1] = contributions.value
    return Credit(by_rank[:rank_count], float(one.score(judged)[0]), float(contributions.error.max(initial=0)))


def compute_curve(campaign: Campaign, topic: str, run: str, **options: Any) -> pl.DataFrame:
    """Return the curve over all evaluated ranks. ``find_landmarks`` and ``reference_curve`` need all these ranks.

    The *options* are *depth*, *length*, *gain* and *rel* of :func:`curve`.
    """
    reject_expected_ties(campaign.policies.ties, "a curve needs an order")
    one = campaign.select(run, topic)
    documents = one.rankings().doc
    if campaign.policies.unjudged == "condensed":
        documents = documents.filter(pl.Series(~mask_ungraded(one.whole.code, one.whole.levels)))
    return tabulate_curve(one.judged, documents.to_list(), **options)


def tabulate_curve(
    judged: Judged,
    documents: Sequence[str],
    *,
    depth: int | None = None,
    length: str = "extend",
    gain: str = "DCG",
    rel: float = 1,
) -> pl.DataFrame:
    """Return the curve of the only ranking in *judged*; *documents* are its document ids in rank order."""
    curves = Curves.from_judged(judged, EffortSettings(depth, length, rel=rel))
    position, height = curves.vectors(0)
    rank_count = len(position)
    retrieved = list(documents[: rank_count if depth is None else depth])
    grade = np.concatenate([[np.nan], judged.levels])[judged.code][: len(retrieved)]  # Code 0 is an unjudged document.
    gains, ideal_gains = _discounted_gains(judged, gain, rank_count, len(retrieved))
    ideal = judged.levels[curves.scale.ideal - 1] if len(judged.levels) else np.zeros(0)
    ideal = ideal[curves.scale.first[curves.topic[0]] :][: int(curves.recall_base[0])]
    return pl.DataFrame(
        {
            "rank": np.arange(1, rank_count + 1),
            "document": pl.Series([*retrieved, *[None] * (rank_count - len(retrieved))], dtype=pl.String),
            "grade": pl.Series(_pad(grade, rank_count, np.nan)).fill_nan(None),
            "ideal": _pad(ideal, rank_count, 0.0),
            "rp": position.astype(np.int64),
            "crp": height.astype(np.int64),
            "dcg": np.cumsum(gains),
            "ideal_dcg": np.cumsum(ideal_gains),
            "delta_gain": gains - ideal_gains,
        }
    )


def _pad(values: np.ndarray, length: int, padding: float) -> np.ndarray:
    """Cut or pad an array to *length*."""
    return np.concatenate([values[:length], np.full(max(length - len(values), 0), padding)])


def _discounted_gains(judged: Judged, notation: str, rank_count: int, retrieved_count: int) -> tuple[Floats, Floats]:
    """Return the discounted gains at every rank: those of the ranking, and those of the ideal ranking."""
    dcg = measure(notation)
    if not (isinstance(dcg, Discounted) and isinstance(dcg, Graded)) or dcg.name != "DCG":
        raise InputError(f"gain {notation!r}: use a form of DCG, such as DCG(base=2, gains=exp)")
    gain = dcg.gain(judged)
    rank = np.arange(1, rank_count + 1)
    gains = _pad(gain[judged.code][:retrieved_count], rank_count, 0.0)
    # Gains of the judged documents of the topic, and of enough unjudged documents to fill all ranks. The ideal ranking
    # has the largest gains first; gains of non-relevant documents may be negative.
    available = np.concatenate([np.repeat(gain[1:], judged.counts[judged.topic[0]]), np.full(rank_count, gain[0])])
    ideal_gains = np.sort(available)[::-1][:rank_count]
    return dcg.weighted_gain(gains, rank), dcg.weighted_gain(ideal_gains, rank)


# Landmarks and curves for comparison ---------------------------------------------------------------------------------


class Landmarks(NamedTuple):
    """Characteristic ranks of a curve.

    *relevant* is R, the number of relevant documents. *turn* is the first rank where the curve is lowest. *balance* is
    the balance point; None if the curve does not recover.
    """

    relevant: int
    turn: int
    balance: int | None


def find_landmarks(frame: pl.DataFrame) -> Landmarks:
    """Return the characteristic ranks of a curve over all evaluated ranks.

    >>> import assay
    >>> frame = curve(assay.read({"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}), "q").frame()
    >>> frame["crp"].to_list()
    [-2, -2, -1, -1]
    >>> find_landmarks(frame)
    Landmarks(relevant=2, turn=1, balance=None)
    """
    height = frame["crp"].to_numpy()
    relevant = int((frame["ideal"] > 0).sum())
    # The balance point is the last rank before the curve returns to the axis from below, but at least R.
    returns = np.flatnonzero((height[1:] >= 0) & (height[:-1] < 0)) + 1
    balance = max(relevant, int(returns[0])) if len(returns) else None
    if not height.any():
        balance = relevant
    return Landmarks(relevant, int(height.argmin()) + 1 if len(height) else 0, balance)


REFERENCES = ("full-scale", "worst")
"""Reference curves: of the reversed ideal ranking, and of a ranking without relevant documents."""


def reference_curve(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return one of the ``REFERENCES`` for the topic of a curve: rank, grade, ideal, rp, crp."""
    ideal = frame["ideal"].to_numpy()
    grade = ideal[::-1] if name == "full-scale" else np.zeros(len(ideal))
    rank = np.arange(1, len(ideal) + 1)
    # The ideal ranks of a document are low to high: the ranks where the ideal ranking has the same grade. The ideal
    # grades descend; searchsorted needs ascending values, hence the minus signs.
    low = np.searchsorted(-ideal, -grade, side="left") + 1
    high = np.searchsorted(-ideal, -grade, side="right")
    position = np.minimum(rank - low, 0) + np.maximum(rank - high, 0)
    return pl.DataFrame({"rank": rank, "grade": grade, "ideal": ideal, "rp": position, "crp": np.cumsum(position)})


def compute_heights(curves: Curves) -> Floats:
    """Return the cumulated relative positions (CRP) of all rankings of one topic, rankings x ranks."""
    if not len(curves):
        return np.zeros((0, 0))
    length = int(curves.length[0])
    nonrelevant = curves.scale.cost_at(np.full(length, curves.topic[0]), np.arange(1, length + 1))
    position = np.tile(nonrelevant, (len(curves), 1))
    position[curves.ranking, curves.rank - 1] = curves.position
    return np.cumsum(position, axis=1)
