"""The indicators of effort for runs and topics: recovery, space, Twist and the archetypes of curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

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
from assay.model.policies import refuse_expected
from assay.model.relative_position import Curves, Setting
from assay.results._evaluate import evaluate
from assay.results.table import Results

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


@dataclass(frozen=True, eq=False)
class EffortReport:
    """Indicators of effort and archetypes of curves, by run and topic; made by :func:`effort_report`.

    Attributes
    ----------
    results
        The values of the measures, in the order of ``MAIN`` and then ``MORE``.
    curves
        The curves of all rankings, run by run and topic by topic.
    archetypes
        Runs x topics: the number of the archetype in ``archetypes.NAMES``, -1 where there is none.
    """

    results: Results
    curves: Curves
    archetypes: Ints

    @property
    def relevant(self) -> Ints:
        """Number of relevant documents of each topic."""
        return self.curves.scale.relevant

    @property
    def length(self) -> Ints:
        """Number of ranks of each topic."""
        return self.curves.scale.length

    def __repr__(self) -> str:
        return f"EffortReport({len(self.results.runs)} runs x {len(self.results.topics)} topics)"

    def frame(self, indicators: bool = False) -> pl.DataFrame:
        """A row for each run and topic: run, topic, r, n, rho, sigma_plus, sigma_minus, sigma, twist, archetype.

        With *indicators* also those of ``MORE``, and whether the curve still rises behind rank R.
        """
        runs, topics = self.results.runs, self.results.topics
        run, topic = np.indices((len(runs), len(topics))).reshape(2, -1)
        names = pl.Series([*kinds.NAMES, None], dtype=pl.String)
        columns = {
            "run": pl.Series(runs, dtype=pl.String).gather(run),
            "topic": pl.Series(topics, dtype=pl.String).gather(topic),
            "r": self.relevant[topic],
            "n": self.length[topic],
            **{name: values.ravel() for name, values in self._values(indicators).items()},
        }
        if indicators:
            columns["still_growing"] = kinds.still_growing(self.curves)
        frame = pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))
        return frame.with_columns(archetype=names.gather(self.archetypes.ravel() % len(names)))

    def _values(self, indicators: bool) -> dict[str, Floats]:
        names = [*MAIN, *MORE] if indicators else list(MAIN)
        return {name: self.results.values[i] for i, name in enumerate(names)}

    def summary(self, indicators: bool = False, merge: bool = False) -> pl.DataFrame:
        """A row for each run and one for all: means over topics, and how many curves are of each archetype.

        *merge* takes ups-and-downs and both kinds of excellent for one, as the Twist paper does.
        """
        runs = self.results.runs
        columns: dict[str, Any] = {"run": pl.Series([*runs, ALL], dtype=pl.String)}
        counts = kinds.census(self.archetypes, merge)
        columns["curves"] = _and_all(counts.sum(axis=1))
        for name, values in self._values(indicators).items():
            columns[name] = _mean(np.clip(values, 0, 1) if name in CLIPPED else values)
        for number, kind in enumerate(kinds.MERGED if merge else kinds.NAMES):
            columns[kind] = _and_all(counts[:, number])
        return pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))

    def census(self, merge: bool = False) -> dict[str, float]:
        """The share of each archetype among all curves."""
        counts = kinds.census(self.archetypes.ravel(), merge)
        total = max(int(counts.sum()), 1)
        return dict(zip(kinds.MERGED if merge else kinds.NAMES, (counts / total).tolist(), strict=True))


def _mean(values: Floats) -> Floats:
    """The mean of each run over topics, and that over all; NaN topics do not count."""
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
def effort_report(
    campaign: Campaign,
    *,
    depth: int | None = None,
    length: str = "extend",
    crossing: str = "strict",
    endpoint: str = "left",
    weights: str | Mapping[float, float] | None = None,
    persistence: float = 1,
    rel: float = 1,
) -> EffortReport:
    """Report how much effort rankings cost: the indicators of each run and topic, and the archetypes of their curves.

    Parameters
    ----------
    campaign
        Judgments and runs; ties cannot be ``expected``, because a curve needs an order.
    depth
        The length N of all rankings; by default that of the longest. Values with another N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``; *weights* and *persistence* make rho and Twist discontinuous, as a note says.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> import assay
    >>> report = effort_report(assay.read({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0, "c": 0.5}}))
    >>> report.frame().select("r", "n", "twist", "archetype").rows()
    [(2, 4, 0.8529411764705882, 'excellent A')]
    """
    refuse_expected(campaign.policies.ties, "a curve needs an order")
    refuse_nothing_relevant(rel, campaign.judgments.levels)
    measures = effort_measures(
        depth,
        length=length,
        crossing=crossing,
        endpoint=endpoint,
        weights=None if weights is None else Gains(weights),
        persistence=persistence,
        rel=rel,
    )
    curves = Curves.of(campaign.judged, Setting(depth, length, rel=rel))
    results = evaluate(campaign, measures)
    counted = ~np.isnan(results.values[0]).ravel()
    numbers = np.where(counted | (curves.relevant == 0), kinds.archetypes(curves), kinds.NONE)
    return EffortReport(
        results=replace(results, notes=_said_once(results.notes, measures)),
        curves=curves,
        archetypes=numbers.reshape(campaign.shape),
    )


def _said_once(notes: tuple[str, ...], measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """Keep notes that every measure has for the first only."""
    others = tuple(f"{measure}: " for measure in measures[1:] if isinstance(measure, Effort))
    return tuple(note.removeprefix(f"{measures[0]}: ") for note in notes if not note.startswith(others))
