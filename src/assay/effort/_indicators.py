"""Indicators of user effort by run and topic: recovery, space, Twist and the archetypes of curves."""

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
from assay.results.tidy_frame import tidy_frame

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
"""Indicators that may be below 0 or above 1. They are clipped to the range from 0 to 1 before averaging."""
LABELS = {
    "rho": "recovery",
    "sigma_plus": "forward",
    "sigma_minus": "backward",
    "sigma": "space",
    "twist": "Twist",
}
CAPTION = (
    "All values are between 0 and 1; higher values mean less effort, and an ideal ranking has the value 1. recovery: "
    "R, the number of relevant documents, divided by the balance point, the last rank before the curve recovers (at "
    "least R). forward, backward: 1 - s/w, where s is the number of ranks by which documents are too late (forward) or "
    "too early (backward), and w is this number in the reversed ideal ranking. space: harmonic mean of forward and "
    "backward. Twist: mean of recovery and space."
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
    "too late, too early: total number of ranks by which documents are too late or too early. balance: the last rank "
    "before the curve recovers, at least R (inf: on some topic, the curve does not recover). loss at R: the value of "
    "the curve at rank R. turn: the rank where the curve is lowest. reversed: recovery of the reversed ideal ranking. "
    "balance ratio, depth, end: balance point, lowest value and last value of the curve, relative to the reversed "
    "ideal ranking, from 0 to 1 (ideal ranking)."
)
RANGES = {
    "crossing": "crossing",
    "balance_point": "balance",
    "rho": "recovery",
    "sigma_plus": "forward",
    "sigma_minus": "backward",
    "sigma": "space",
    "twist": "Twist",
}
"""Indicators of the table of ranges, and their labels."""
RANGES_CAPTION = (
    "The number of rankings of each archetype is in brackets. crossing: the last rank before the curve first crosses "
    "the axis (inf: never). balance: the larger of this rank and R, the number of relevant documents; R for an ideal "
    "ranking, which never leaves the axis. recovery, forward, backward, space and Twist: from 0 to 1 (ideal ranking). "
    "Q1 and Q3 are quartiles; each number is the value of a ranking."
)
TIE_TOLERANCE = 5e-5
"""Runs are tied if their means differ by at most this value, half a unit of the last printed decimal."""


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
        Runs x topics: the index of the archetype in ``archetypes.NAMES``; -1 if the ranking has no archetype.
    provenance
        The inputs, policies and settings of the analysis.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
    merge
        True if ups-and-downs, excellent A and excellent B are counted as one archetype.
    crossing
        The definition of a crossing of the axis.
    """

    results: Results
    curves: Curves
    archetypes: Ints
    provenance: Provenance
    notes: tuple[str, ...] = ()
    merge: bool = False
    crossing: str = "strict"

    name = "indicators"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "mean recovery, space and Twist of each run over topics",
        "archetypes": "the number of curves of each archetype, by run",
        "topics": "the indicators of each run and topic",
        "indicators": "the means of all indicators",
        "ranges": "the range and quartiles of the indicators of each archetype",
    }

    @property
    def relevant(self) -> Ints:
        """Number of relevant documents of each topic."""
        return self.curves.scale.recall_base

    @property
    def length(self) -> Ints:
        """Number of documents to which the rankings of each topic are cut or padded."""
        return self.curves.scale.length

    def __repr__(self) -> str:
        return (
            f"EffortReport({pluralize(len(self.results.runs), 'run')} x {pluralize(len(self.results.topics), 'topic')})"
        )

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and topic with all indicators.

        The columns are run, topic, r (number of relevant documents), n (number of ranks), the indicators in ``MAIN``
        and ``MORE``, still_growing (True if the curve rises after rank R) and archetype. Values of excluded topics are
        null.
        """
        names = pl.Series([*kinds.NAMES, None], dtype=pl.String)
        frame = tidy_frame(
            {"run": self.results.runs, "topic": self.results.topics},
            {
                "r": self.relevant,
                "n": self.length,
                **dict(zip((*MAIN, *MORE), self.results.values, strict=True)),
                "still_growing": kinds.find_late_relevant(self.curves).reshape(self.archetypes.shape),
            },
        )
        return frame.with_columns(archetype=names.gather(self.archetypes.ravel() % len(names)))

    def means(self) -> pl.DataFrame:
        """Return the means over topics: run, curves, and the indicators in ``MAIN`` and ``MORE``.

        The frame has one row for each run and a last row for all runs.

        *curves* is the number of topics with relevant documents. Indicators in ``CLIPPED`` are clipped to the range
        from 0 to 1 before averaging.
        """
        counts = (self.archetypes != kinds.NONE).sum(axis=1)
        means = {}
        for name, values in zip((*MAIN, *MORE), self.results.values, strict=True):
            means[name] = _compute_means(np.clip(values, 0, 1) if name in CLIPPED else values)
        return tidy_frame({"run": [*self.results.runs, ALL]}, {"curves": np.append(counts, counts.sum()), **means})

    def archetype_counts(self) -> pl.DataFrame:
        """Return the number of curves of each archetype: run, archetype, curves, share.

        The last rows are for all runs together. *share* is the fraction of the curves of the run; null if the run has
        no curves.
        """
        counts = self._count_by_run()
        totals = counts.sum(axis=1, keepdims=True)
        fractions = np.where(totals > 0, counts / np.maximum(totals, 1), np.nan)
        axes = {"run": [*self.results.runs, ALL], "archetype": self._archetype_names}
        return tidy_frame(axes, {"curves": counts, "share": fractions})

    def _count_by_run(self) -> Ints:
        """Return the number of curves, runs x archetypes, with a last row for all runs."""
        counts = kinds.count_archetypes(self.archetypes, self.merge)
        return np.vstack([counts, counts.sum(axis=0)])

    def by_archetype(self) -> pl.DataFrame:
        """Return a row for each run and one for all runs, with the number of curves of each archetype as columns."""
        columns = dict(zip(self._archetype_names, self._count_by_run().T, strict=True))
        return tidy_frame({"run": [*self.results.runs, ALL]}, columns)

    def census(self, merge: bool | None = None) -> dict[str, float]:
        """Return the fraction of all curves that have each archetype; *merge* overrides the setting of the report."""
        merge = self.merge if merge is None else merge
        counts = kinds.count_archetypes(self.archetypes.ravel(), merge)
        total = max(int(counts.sum()), 1)
        return dict(zip(kinds.MERGED if merge else kinds.NAMES, (counts / total).tolist(), strict=True))

    def ranges(self) -> pl.DataFrame:
        """Return the observed range of each indicator in ``RANGES``, by archetype.

        The columns are archetype, indicator, rankings (the number of rankings), min, q1, median, q3 and max. Each
        number is the value of a ranking: the smallest value such that at least a quarter, a half or three quarters of
        the values are not above it. Interpolation would not be possible where some values are infinite.
        """
        values = dict(zip((*MAIN, *MORE), self.results.values, strict=True))
        values["crossing"] = self.curves.crossing_rank(self.crossing).reshape(self.archetypes.shape)
        classes = kinds.merge_archetypes(self.archetypes) if self.merge else self.archetypes
        groups = [classes == number for number in range(len(self._archetype_names))]
        fractions = [0, 0.25, 0.5, 0.75, 1]
        quantiles = np.full((len(groups), len(RANGES), len(fractions)), np.nan)
        for i, group in enumerate(groups):
            if group.any():
                members = np.stack([values[name][group] for name in RANGES])
                quantiles[i] = np.quantile(members, fractions, axis=1, method="inverted_cdf").T
        columns = dict(zip(("min", "q1", "median", "q3", "max"), np.moveaxis(quantiles, -1, 0), strict=True))
        counts = np.array([[group.sum()] for group in groups])
        axes = {"archetype": self._archetype_names, "indicator": list(RANGES)}
        return tidy_frame(axes, {"rankings": counts, **columns})

    @property
    def _archetype_names(self) -> tuple[str, ...]:
        return kinds.MERGED if self.merge else kinds.NAMES

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the runs with the least and the most effort, and the most common archetype."""
        if not (self.archetypes != kinds.NONE).any():
            return "No topic has relevant documents, so effort cannot be measured."
        return f"{self._describe_twist()} {self._describe_archetypes()}"

    def _describe_twist(self) -> str:
        means = self.means().head(-1)
        twist = dict(zip(means["run"], means["twist"], strict=True))
        extremes = find_extremes(twist, TIE_TOLERANCE)
        assert extremes is not None, "some run has a topic with relevant documents"
        topics = pluralize(int((~np.isnan(self.results.values[0])).any(axis=0).sum()), "topic")
        if len(twist) == 1:
            return f"Mean Twist over {topics}: {extremes.high:.3f} (1: ideal ranking, 0: no recovery)."
        if extremes.all_equal:
            return f"All runs are tied: the mean Twist over {topics} is {extremes.high:.3f}."
        least = f"{name_or_count(extremes.highest, 'run')} ({extremes.high:.3f})"
        most = f"{name_or_count(extremes.lowest, 'run')} ({extremes.low:.3f})"
        return f"Least effort by mean Twist over {topics}: {least}; most effort: {most}."

    def _describe_archetypes(self) -> str:
        counts = self.archetype_counts().tail(len(self._archetype_names))
        total, most = int(counts["curves"].sum()), int(counts["curves"].max())  # type: ignore[arg-type]
        names = counts.filter(curves=most)["archetype"].to_list()
        if len(names) > 1:
            return f"Most common archetypes: {list_names(names)}, with {most} of {pluralize(total, 'curve')} each."
        return f"Most common archetype: {names[0]}, {most} of {pluralize(total, 'curve')} ({kinds.MEANING[names[0]]})."

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

    def _show_ranges(self) -> Table:
        frame = self.ranges()
        labels = {"q1": "Q1", "q3": "Q3"}
        compact = frame.filter(pl.col("rankings") > 0).with_columns(
            pl.format("{} ({})", "archetype", "rankings").alias("archetype"),
            pl.col("indicator").replace(RANGES),
        )
        return Table(frame, compact.drop("rankings").rename(labels), heading="archetype", caption=RANGES_CAPTION)


def _compute_means(values: Floats) -> Floats:
    """Return the mean over topics of each run, then the mean over all runs and topics; NaN values are skipped."""
    rows = [*values, values.ravel()]
    return np.array([row[~np.isnan(row)].mean() if not np.isnan(row).all() else np.nan for row in rows])


def build_effort_measures(depth: int | None = None, **parameters: Any) -> tuple[Measure, ...]:
    """Return the measures of all indicators; each measure takes the *parameters* that it supports."""
    measures = []
    for name in (*MAIN.values(), *MORE.values()):
        cls = measure_class(name)
        supported = {field.name for field in parameters_of(cls)}
        measures.append(cls(cutoff=depth, **{key: value for key, value in parameters.items() if key in supported}))
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
    """Measure user effort: the indicators and the archetype of each run and topic.

    Parameters
    ----------
    campaign
        Judgments and runs. The tie policy cannot be ``expected``, because a curve needs a single order of documents.
    depth
        Rankings are cut or padded to N = *depth* documents; default: the length of the longest ranking. Values for
        different N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``. Archetypes and balance points do not depend on *weights* and
        *persistence*.
    merge
        Count ups-and-downs, excellent A and excellent B as one archetype, as in the Twist paper.

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
        crossing=crossing,
    )


def _merge_notes(notes: tuple[str, ...], measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """Keep only one copy of the notes that all measures of effort share, and drop the measure name from it."""
    others = tuple(f"{measure}: " for measure in measures[1:] if isinstance(measure, Effort))
    return tuple(note.removeprefix(f"{measures[0]}: ") for note in notes if not note.startswith(others))
