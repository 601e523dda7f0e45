"""The indicators of effort for runs and topics: recovery, space, Twist and the archetypes of curves."""

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
from assay.measures._threshold import refuse_nothing_relevant
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.gains import Gains
from assay.model.notes import count
from assay.model.policies import refuse_expected
from assay.model.provenance import Provenance
from assay.model.relative_position import Curves, Setting
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
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
"""Indicators that leave the range from 0 to 1; for means they are cut to it."""
WORDS = {
    "rho": "recovery",
    "sigma_plus": "forward",
    "sigma_minus": "backward",
    "sigma": "space",
    "twist": "Twist",
}
CAPTION = (
    "All values are between 0 and 1 (ideal ranking); higher is less effort. recovery: number of relevant documents "
    "over the rank by which losses are made up for. forward, backward: share of the possible misplacement avoided, of "
    "documents that come too late and too early. space: their harmonic mean. Twist: mean of recovery and space."
)
MORE_WORDS = {
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
    "too late, too early: ranks by which documents are misplaced, in total. balance: the rank by which losses are made "
    "up for (inf: not on every topic). loss at R: the curve at rank R. turn: the rank where it is lowest. reversed: "
    "recovery of the ideal ranking reversed. balance ratio, depth, end: balance, lowest point and end of the curve "
    "relative to the reversed ideal ranking, from 0 to 1 (ideal)."
)
TIED = 5e-5
"""Means that differ by less are tied."""


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
        Runs x topics: the number of the archetype in ``archetypes.NAMES``, -1 where there is none.
    provenance
        The inputs, policies and settings behind the values.
    notes
        What was ignored, skipped or assumed, one line each.
    merge
        Whether ups-and-downs and both kinds of excellent are counted as one archetype.
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
        "archetypes": "how many curves of each run have each archetype",
        "topics": "the indicators of each run and topic",
        "indicators": "the means of all other indicators",
    }

    @property
    def relevant(self) -> Ints:
        """Number of relevant documents of each topic."""
        return self.curves.scale.relevant

    @property
    def length(self) -> Ints:
        """Number of ranks of each topic."""
        return self.curves.scale.length

    def __repr__(self) -> str:
        return f"EffortReport({count(len(self.results.runs), 'run')} x {count(len(self.results.topics), 'topic')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and topic with all indicators.

        Columns run, topic, r (relevant documents), n (ranks), the names in ``MAIN`` and ``MORE``, still_growing
        (whether the curve still rises after rank R) and archetype; null where a topic is left out.
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
                "still_growing": kinds.still_growing(self.curves),
            }
        ).with_columns(pl.col(pl.Float64).fill_nan(None))
        return frame.with_columns(archetype=names.gather(self.archetypes.ravel() % len(names)))

    def means(self) -> pl.DataFrame:
        """Return the means over topics, a row for each run and one for all: run, curves, then ``MAIN`` and ``MORE``.

        *curves* is the number of topics with relevant documents. Indicators in ``CLIPPED`` are cut to the range from 0
        to 1 before they are averaged.
        """
        columns: dict[str, Any] = {
            "run": pl.Series([*self.results.runs, ALL], dtype=pl.String),
            "curves": _and_all((self.archetypes != kinds.NONE).sum(axis=1)),
        }
        for i, name in enumerate((*MAIN, *MORE)):
            values = self.results.values[i]
            columns[name] = _mean(np.clip(values, 0, 1) if name in CLIPPED else values)
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def archetype_counts(self) -> pl.DataFrame:
        """Return how many curves have each archetype, for each run and for all: run, archetype, curves, share."""
        counts, names = self._counts(), self._kinds
        runs = [*self.results.runs, ALL]
        totals = np.repeat(counts.sum(axis=1), len(names))
        shares = pl.Series(counts.ravel() / np.maximum(totals, 1)).set(pl.Series(totals == 0), None)
        return pl.DataFrame(
            {
                "run": pl.Series([run for run in runs for _ in names], dtype=pl.String),
                "archetype": pl.Series([*names] * len(runs), dtype=pl.String),
                "curves": counts.ravel(),
                "share": shares,
            }
        )

    def _counts(self) -> Ints:
        """Return runs x archetypes, and a last row for all runs."""
        counts = kinds.census(self.archetypes, self.merge)
        return np.vstack([counts, counts.sum(axis=0)])

    def by_archetype(self) -> pl.DataFrame:
        """Return a row for each run and one for all, with the number of curves of each archetype in a column."""
        columns = dict(zip(self._kinds, self._counts().T, strict=True))
        return pl.DataFrame({"run": pl.Series([*self.results.runs, ALL], dtype=pl.String), **columns})

    def census(self, merge: bool | None = None) -> dict[str, float]:
        """Return the share of each archetype among all curves; *merge* is by default that of the report."""
        joined = self.merge if merge is None else merge
        counts = kinds.census(self.archetypes.ravel(), joined)
        total = max(int(counts.sum()), 1)
        return dict(zip(kinds.MERGED if joined else kinds.NAMES, (counts / total).tolist(), strict=True))

    @property
    def _kinds(self) -> tuple[str, ...]:
        return kinds.MERGED if self.merge else kinds.NAMES

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return which runs cost their users the least and the most effort, and the most common archetype."""
        if not (self.archetypes != kinds.NONE).any():
            return "No topic has relevant documents: there is no effort to measure."
        return f"{self._compare_twist()} {self._most_common()}"

    def _compare_twist(self) -> str:
        means = self.means().head(-1)
        twist = dict(zip(means["run"], means["twist"], strict=True))
        known = {run: value for run, value in twist.items() if value is not None}
        over = count(int((~np.isnan(self.results.values[0])).any(axis=0).sum()), "topic")
        if len(twist) == 1:
            return f"Mean Twist over {over}: {next(iter(known.values())):.3f} (1: ideal ranking, 0: nothing recovered)."
        best, worst = max(known.values()), min(known.values())
        if np.isclose(best, worst, rtol=0, atol=TIED):
            return f"All runs are tied: mean Twist {best:.3f} over {over}."
        return f"Least effort by mean Twist over {over}: {_leaders(known, best)}; most: {_leaders(known, worst)}."

    def _most_common(self) -> str:
        counts = self.archetype_counts().tail(len(self._kinds))
        total, most = int(counts["curves"].sum()), int(counts["curves"].max())  # type: ignore[arg-type]
        first = counts.filter(curves=most)["archetype"].to_list()
        if len(first) > 1:
            return f"Most common archetypes: {' and '.join(first)}, each {most} of {count(total, 'curve')}."
        return f"Most common archetype: {first[0]}, {most} of {count(total, 'curve')} ({kinds.MEANING[first[0]]})."

    def _show_means(self) -> Table:
        frame = self.means().drop(*MORE)
        words = {"curves": "rankings", **WORDS}
        return Table(frame, frame.rename(words), best=self._ranked(), caption=CAPTION)

    def _show_archetypes(self) -> Table:
        frame = self.archetype_counts()
        compact = self.by_archetype()
        present = [name for name in self._kinds if compact[name].sum()]
        caption = "Rankings by the shape of their curves. R is the number of relevant documents of a topic.\n"
        return Table(
            frame,
            compact.select("run", *present),
            caption=caption + "\n".join(f"{name}: {kinds.MEANING[name]}" for name in present),
        )

    def _show_topics(self) -> Table:
        frame = self.frame()
        words = {"r": "R", "n": "ranks", **WORDS}
        compact = frame.select("run", "topic", *words, "archetype").rename(words)
        return Table(frame, compact, caption=f"R: number of relevant documents. {CAPTION}")

    def _show_indicators(self) -> Table:
        frame = self.means()
        compact = frame.select("run", *MORE).rename(MORE_WORDS)
        return Table(frame, compact, caption=MORE_CAPTION)

    def _ranked(self) -> tuple[str, ...]:
        return tuple(WORDS.values()) if len(self.results.runs) > 1 else ()


def _leaders(values: dict[str, float], extreme: float) -> str:
    """Return the run with an extreme value, or how many share it."""
    runs = [run for run, value in values.items() if abs(value - extreme) <= TIED]
    return f"{runs[0]} ({extreme:.3f})" if len(runs) == 1 else f"{len(runs)} runs tied ({extreme:.3f})"


def _mean(values: Floats) -> Floats:
    """Return the mean of each run over topics, and that over all; NaN topics do not count."""
    rows = [*values, values.ravel()]
    return np.array([row[~np.isnan(row)].mean() if not np.isnan(row).all() else np.nan for row in rows])


def _and_all(counts: Ints) -> Ints:
    return np.append(counts, counts.sum())


def effort_measures(depth: int | None = None, **given: Any) -> tuple[Measure, ...]:
    """Return the measures behind the indicators, each with those of the parameters that it takes."""
    measures = []
    for name in (*MAIN.values(), *MORE.values()):
        kind = measure_class(name)
        known = {field.name for field in parameters_of(kind)}
        takes = {key: value for key, value in given.items() if key in known}
        measures.append(kind(cutoff=depth, **takes))
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
    """Measure the effort that rankings cost: the indicators of each run and topic, and the archetypes of their curves.

    Parameters
    ----------
    campaign
        Judgments and runs; ties cannot be ``expected``, because a curve needs an order.
    depth
        The length N of all rankings; by default that of the longest. Values with another N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``; *weights* and *persistence* make rho and Twist discontinuous, as a note says.
    merge
        Count ups-and-downs and both kinds of excellent as one archetype, as the Twist paper does.

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
    refuse_expected(campaign.policies.ties, "a curve needs an order")
    refuse_nothing_relevant(rel, campaign.judgments.levels)
    gains = None if weights is None else Gains(weights)
    given = {
        "length": length,
        "crossing": crossing,
        "endpoint": endpoint,
        "weights": gains,
        "persistence": persistence,
        "rel": rel,
    }
    measures = effort_measures(depth, **given)
    curves = Curves.of(campaign.judged, Setting(depth, length, rel=rel))
    results = evaluate(campaign, measures)
    counted = ~np.isnan(results.values[0]).ravel()
    numbers = np.where(counted | (curves.relevant == 0), kinds.archetypes(curves), kinds.NONE)
    notes = _said_once(results.notes, measures)
    settings = {**given, "weights": None if gains is None else str(gains)}
    return EffortReport(
        results=replace(results, notes=notes),
        curves=curves,
        archetypes=numbers.reshape(campaign.shape),
        provenance=campaign.provenance.with_settings(depth=depth, **settings, merge=merge),
        notes=notes,
        merge=merge,
    )


def _said_once(notes: tuple[str, ...], measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """Keep notes that every measure has for the first only."""
    others = tuple(f"{measure}: " for measure in measures[1:] if isinstance(measure, Effort))
    return tuple(note.removeprefix(f"{measures[0]}: ") for note in notes if not note.startswith(others))
