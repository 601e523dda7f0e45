"""Indicators of effort by run and topic: recovery, space, Twist and the archetypes of curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import polars as pl

from assay.effort import archetypes as kinds
from assay.engine.campaign import Campaign
from assay.measures import Measure
from assay.measures._effort import Effort
from assay.measures._notation import measure_class
from assay.measures._parameters import parameters_of
from assay.measures._threshold import check_rel
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.gains import Gains
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.model.relative_position import Curves, EffortSettings
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.sentences import find_extremes, list_names, name_or_count
from assay.results.tables import Table

ALL = "all"
MAIN = {
    "rho": "RecoveryRatio",
    "sigma_plus": "ForwardSpaceRatio",
    "sigma_minus": "BackwardSpaceRatio",
    "sigma": "SpaceRatio",
    "twist": "Twist",
}
MORE = {
    "s_plus": "ForwardSpace",
    "s_minus": "BackwardSpace",
    "balance_point": "BalancePoint",
    "loss_at_r": "LossAtR",
    "turn_around": "TurnAround",
    "rho_w": "RhoW",
    "b_ratio": "BalanceRatio",
    "crp_min": "CRPmin",
    "crp_n": "CRPN",
}
CLIPPED = ("b_ratio", "crp_n")
"""Indicators that can be outside the range from 0 to 1; they are clipped to it before averaging."""
LABELS = {
    "rho": "recovery",
    "sigma_plus": "forward",
    "sigma_minus": "backward",
    "sigma": "space",
    "twist": "Twist",
}
CAPTION = (
    "All values are between 0 and 1 (ideal ranking); higher is less effort. recovery: number of relevant documents "
    "divided by the balance point, the last rank before the curve recovers (at least R). forward, backward: fraction "
    "of the possible misplacement avoided, for documents that come too late and too early. space: harmonic mean of "
    "forward and backward. Twist: mean of recovery and space."
)
MORE_LABELS = {
    "s_plus": "too late",
    "s_minus": "too early",
    "balance_point": "balance",
    "loss_at_r": "loss at R",
    "turn_around": "turn",
    "rho_w": "reversed",
    "b_ratio": "balance ratio",
    "crp_min": "depth",
    "crp_n": "end",
}
MORE_CAPTION = (
    "too late, too early: total number of ranks by which documents are misplaced. balance: the last rank before the "
    "curve recovers, at least R (inf: it does not recover on every topic). loss at R: the curve at rank R. turn: the "
    "rank where it is lowest. reversed: recovery of the ideal ranking reversed. balance ratio, depth, end: balance, "
    "lowest point and end of the curve relative to the reversed ideal ranking, from 0 to 1 (ideal)."
)
TIED = 5e-5
"""Means that differ by at most this are tied: they are equal to the four decimals of a table."""


@dataclass(frozen=True, eq=False)
class EffortReport(Report):
    """Indicators of effort and archetypes of curves, by run and topic; the report of :func:`indicators`.

    Attributes
    ----------
    results
        The values of the measures, in the order of ``MAIN`` and then ``MORE``.
    curves
        The curves of all rankings, run by run and topic by topic.
    archetypes
        Runs x topics: the index of the archetype in ``archetypes.NAMES``, -1 where there is none.
    provenance
        The inputs, policies and settings of the analysis.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
    merge
        True if ups-and-downs, excellent A and excellent B are counted as one archetype.
    """

    results: Results
    curves: Curves
    archetypes: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()
    merge: bool = False

    name = "indicators"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "recovery, space and Twist of each run, over topics",
        "archetypes": "the number of curves of each archetype, by run",
        "topics": "the indicators of each run and topic",
        "indicators": "the means of all other indicators",
    }

    @property
    def relevant(self) -> Ints:
        """Number of relevant documents of each topic."""
        return self.curves.scale.recall_base

    @property
    def length(self) -> Ints:
        """Number of ranks of each topic."""
        return self.curves.scale.length

    def __repr__(self) -> str:
        return (
            f"EffortReport({pluralize(len(self.results.runs), 'run')} x {pluralize(len(self.results.topics), 'topic')})"
        )

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and topic with all indicators.

        Columns run, topic, r (number of relevant documents), n (number of ranks), the names in ``MAIN`` and ``MORE``,
        still_growing (True if the curve rises after rank R) and archetype; null where a topic is excluded.
        """
        runs, topics = self.results.runs, self.results.topics
        run, topic = np.indices((len(runs), len(topics))).reshape(2, -1)
        names = pl.Series([*kinds.NAMES, None], dtype=pl.String)
        values = {name: self.results.values[i].ravel() for i, name in enumerate((*MAIN, *MORE))}
        frame = pl.DataFrame(
            {
                "run": pl.Series(runs, dtype=pl.String).gather(run),
                "topic": pl.Series(topics, dtype=pl.String).gather(topic),
                "r": self.relevant[topic],
                "n": self.length[topic],
                **values,
                "still_growing": kinds.find_late_relevant(self.curves),
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))
        return frame.with_columns(archetype=names.gather(self.archetypes.ravel() % len(names)))

    def means(self) -> pl.DataFrame:
        """Return the means over topics, a row for each run and one for all: run, curves, then ``MAIN`` and ``MORE``.

        *curves* is the number of topics with relevant documents. Indicators in ``CLIPPED`` are clipped to the range
        from 0 to 1 before averaging.
        """
        counts = (self.archetypes != kinds.NONE).sum(axis=1)
        columns: dict[str, Any] = {
            "run": pl.Series([*self.results.runs, ALL], dtype=pl.String),
            "curves": np.append(counts, counts.sum()),
        }
        for i, name in enumerate((*MAIN, *MORE)):
            values = self.results.values[i]
            columns[name] = _compute_means(np.clip(values, 0, 1) if name in CLIPPED else values)
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def archetype_counts(self) -> pl.DataFrame:
        """Return the number of curves of each archetype, for each run and for all: run, archetype, curves, share.

        *share* is the fraction of the curves of the run; null if it has none.
        """
        counts, names = self._count_by_run(), self._archetype_names
        runs = [*self.results.runs, ALL]
        totals = np.repeat(counts.sum(axis=1), len(names))
        fractions = pl.Series(counts.ravel() / np.maximum(totals, 1)).set(pl.Series(totals == 0), None)
        return pl.DataFrame(
            {
                "run": pl.Series([run for run in runs for _ in names], dtype=pl.String),
                "archetype": pl.Series([*names] * len(runs), dtype=pl.String),
                "curves": counts.ravel(),
                "share": fractions,
            }
        )

    def _count_by_run(self) -> Ints:
        """Return the number of curves, runs x archetypes, with a last row for all runs."""
        counts = kinds.count_archetypes(self.archetypes, self.merge)
        return np.vstack([counts, counts.sum(axis=0)])

    def by_archetype(self) -> pl.DataFrame:
        """Return a row for each run and one for all, with a column of counts for each archetype."""
        columns = dict(zip(self._archetype_names, self._count_by_run().T, strict=True))
        return pl.DataFrame({"run": pl.Series([*self.results.runs, ALL], dtype=pl.String), **columns})

    def census(self, merge: bool | None = None) -> dict[str, float]:
        """Return the fraction of all curves that have each archetype; *merge* is by default that of the report."""
        merge = self.merge if merge is None else merge
        counts = kinds.count_archetypes(self.archetypes.ravel(), merge)
        total = max(int(counts.sum()), 1)
        return dict(zip(kinds.MERGED if merge else kinds.NAMES, (counts / total).tolist(), strict=True))

    @property
    def _archetype_names(self) -> tuple[str, ...]:
        return kinds.MERGED if self.merge else kinds.NAMES

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the runs with the least and the most effort, and the most common archetype."""
        if not (self.archetypes != kinds.NONE).any():
            return "No topic has relevant documents: there is no effort to measure."
        return f"{self._describe_twist()} {self._describe_archetypes()}"

    def _describe_twist(self) -> str:
        means = self.means().head(-1)
        twist = dict(zip(means["run"], means["twist"], strict=True))
        extremes = find_extremes(twist, TIED)
        assert extremes is not None, "some run has a topic with relevant documents"
        over = pluralize(int((~np.isnan(self.results.values[0])).any(axis=0).sum()), "topic")
        if len(twist) == 1:
            return f"Mean Twist over {over}: {extremes.high:.3f} (1: ideal ranking, 0: nothing recovered)."
        if extremes.all_equal:
            return f"All runs are tied: mean Twist {extremes.high:.3f} over {over}."
        least = f"{name_or_count(extremes.highest, 'run')} ({extremes.high:.3f})"
        most = f"{name_or_count(extremes.lowest, 'run')} ({extremes.low:.3f})"
        return f"Least effort by mean Twist over {over}: {least}; most: {most}."

    def _describe_archetypes(self) -> str:
        counts = self.archetype_counts().tail(len(self._archetype_names))
        total, most = int(counts["curves"].sum()), int(counts["curves"].max())  # type: ignore[arg-type]
        first = counts.filter(curves=most)["archetype"].to_list()
        if len(first) > 1:
            return f"Most common archetypes: {list_names(first)}, each {most} of {pluralize(total, 'curve')}."
        return f"Most common archetype: {first[0]}, {most} of {pluralize(total, 'curve')} ({kinds.MEANING[first[0]]})."

    def _show_means(self) -> Table:
        frame = self.means().drop(*MORE)
        best = tuple(LABELS.values()) if len(self.results.runs) > 1 else ()
        return Table(frame, frame.rename({"curves": "rankings", **LABELS}), highest_is_best=best, caption=CAPTION)

    def _show_archetypes(self) -> Table:
        frame = self.archetype_counts()
        compact = self.by_archetype()
        present = [name for name in self._archetype_names if compact[name].sum()]
        caption = "Rankings by the shape of their curves. R is the number of relevant documents of a topic.\n"
        return Table(
            frame,
            compact.select("run", *present),
            caption=caption + "\n".join(f"{name}: {kinds.MEANING[name]}" for name in present),
        )

    def _show_topics(self) -> Table:
        frame = self.frame()
        labels = {"r": "R", "n": "ranks", **LABELS}
        compact = frame.select("run", "topic", *labels, "archetype").rename(labels)
        return Table(frame, compact, caption=f"R: number of relevant documents. {CAPTION}")

    def _show_indicators(self) -> Table:
        frame = self.means()
        compact = frame.select("run", *MORE).rename(MORE_LABELS)
        return Table(frame, compact, caption=MORE_CAPTION)


def _compute_means(values: Floats) -> Floats:
    """Return the mean over topics of each run, then over all runs and topics; NaN values are skipped."""
    rows = [*values, values.ravel()]
    return np.array([row[~np.isnan(row)].mean() if not np.isnan(row).all() else np.nan for row in rows])


def build_effort_measures(depth: int | None = None, **parameters: Any) -> tuple[Measure, ...]:
    """Return the measures of the indicators, each with those of the *parameters* that it has."""
    measures = []
    for name in (*MAIN.values(), *MORE.values()):
        cls = measure_class(name)
        known = {field.name for field in parameters_of(cls)}
        measures.append(cls(cutoff=depth, **{key: value for key, value in parameters.items() if key in known}))
    return tuple(measures)


@check_arguments
def indicators(
    campaign: Campaign,
    *,
    depth: int | None = None,
    length: str = "extend",
    crossing: str = "strict",
    endpoint: str = "left",
    weights: str | Mapping[float, float] | None = None,
    persistence: float = 1,
    rel: float = 1,
    merge: bool = False,
) -> EffortReport:
    """Measure user effort: the indicators of each run and topic, and the archetypes of their curves.

    Parameters
    ----------
    campaign
        Judgments and runs. The tie policy cannot be ``expected``, because a curve needs an order.
    depth
        The length N of all rankings; by default that of the longest. Values for different N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``. With *weights* or *persistence*, rho and Twist are discontinuous; a note says so.
    merge
        Count ups-and-downs, excellent A and excellent B as one archetype, as the Twist paper does.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> import assay
    >>> report = indicators(assay.read({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0, "c": 0.5}}))
    >>> report.frame().select("r", "n", "twist", "archetype").rows()
    [(2, 4, 0.8529411764705882, 'excellent A')]
    """
    reject_expected_ties(campaign.policies.ties, "a curve needs an order")
    check_rel(rel, campaign.judgments.levels)
    gains = None if weights is None else Gains(weights)
    parameters = {
        "length": length,
        "crossing": crossing,
        "endpoint": endpoint,
        "weights": gains,
        "persistence": persistence,
        "rel": rel,
    }
    measures = build_effort_measures(depth, **parameters)
    curves = Curves.from_judged(campaign.judged, EffortSettings(depth, length, rel=rel))
    results = evaluate(campaign, measures)
    # Rankings excluded by the policies have no archetype. Topics without relevant documents are NONE in any case.
    counted = ~np.isnan(results.values[0]).ravel()
    classes = np.where(counted | (curves.recall_base == 0), kinds.classify_curves(curves), kinds.NONE)
    notes = _merge_notes(results.notes, measures)
    settings = {**parameters, "weights": None if gains is None else str(gains)}
    return EffortReport(
        results=replace(results, notes=notes),
        curves=curves,
        archetypes=classes.reshape(campaign.shape),
        provenance=campaign.provenance.with_settings(depth=depth, **settings, merge=merge),
        notes=notes,
        merge=merge,
    )


def _merge_notes(notes: tuple[str, ...], measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """Drop the notes of all measures of effort but the first, which apply to all of them alike."""
    others = tuple(f"{measure}: " for measure in measures[1:] if isinstance(measure, Effort))
    return tuple(note.removeprefix(f"{measures[0]}: ") for note in notes if not note.startswith(others))
