"""The indicators of effort for runs and topics: recovery, space, Twist and the archetypes of curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from assay.analyses.effort import archetypes as kinds
from assay.evaluation import Prepared, evaluated, prepared
from assay.inputs import Progress
from assay.measures import Measure
from assay.measures._effort import Effort
from assay.measures._notation import measure_class
from assay.measures._parameters import parameters_of
from assay.measures._threshold import refuse_nothing_relevant
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.gains import Gains
from assay.model.policies import Policies, refuse_expected
from assay.model.relative_position import Curves, Setting
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
    """What :func:`effort_report` returns.

    Attributes
    ----------
    results
        The values of the measures, in the order of ``MAIN`` and then ``MORE``.
    relevant, length
        For each topic the number of relevant documents and of ranks.
    archetypes
        Runs x topics: the number of the archetype in ``archetypes.NAMES``, -1 where there is none.
    growing
        Runs x topics: whether the curve still rises behind rank R.
    """

    results: Results
    relevant: Ints
    length: Ints
    archetypes: Ints
    growing: np.ndarray

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
            columns["still_growing"] = self.growing.ravel()
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
    """The measures behind the indicators, with the same parameters each as far as it takes them."""
    made = []
    for name in (*MAIN.values(), *MORE.values()):
        kind = measure_class(name)
        known = {field.name for field in parameters_of(kind)}
        takes = {key: value for key, value in given.items() if key in known}
        made.append(kind(cutoff=depth, **takes))
    return tuple(made)


@check_arguments
def effort_report(
    qrels: Any,
    runs: Any,
    *,
    depth: int | None = None,
    length: str = "extend",
    crossing: str = "strict",
    endpoint: str = "left",
    weights: str | Mapping[float, float] | None = None,
    persistence: float = 1,
    rel: float = 1,
    grades: Mapping[float, float] | None = None,
    ties: str = "trec_eval-10",
    topics: str = "qrels",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    lenient: bool = False,
    progress: Progress | None = None,
) -> EffortReport:
    """How much effort rankings cost: the indicators of each run and topic, and the archetypes of their curves.

    Parameters
    ----------
    qrels, runs
        As in ``evaluate``.
    depth
        The length N of all rankings; by default that of the longest. Values with another N are not comparable.
    length, crossing, endpoint, weights, persistence, rel
        As in the measure ``Twist``; *weights* and *persistence* make rho and Twist discontinuous, as a note says.
    grades
        Grades to be taken for others, such as ``{4: 3, -2: 0}``.
    ties, topics, undefined, unjudged, lenient, progress
        As in ``evaluate``; ties cannot be ``expected``, because a curve needs an order.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016).
    Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci & Silvello, *Cumulated relative position: A metric for
    ranking evaluation*, CLEF 2012.

    Examples
    --------
    >>> report = effort_report({"q": {"a": 2, "b": 1}}, {"q": {"b": 2.0, "a": 1.0, "c": 0.5}})
    >>> report.frame().select("r", "n", "twist", "archetype").rows()
    [(2, 4, 0.8529411764705882, 'excellent A')]
    """
    refuse_expected(ties, "a curve needs an order")
    policies = Policies(ties, topics, undefined, unjudged)
    measures = effort_measures(
        depth,
        length=length,
        crossing=crossing,
        endpoint=endpoint,
        weights=None if weights is None else Gains(weights),
        persistence=persistence,
        rel=rel,
    )
    ready = prepared(qrels, runs, policies, grades=grades, lenient=lenient, progress=progress)
    return reported(ready, measures, Setting(depth, length, rel=rel))


def reported(ready: Prepared, measures: tuple[Measure, ...], setting: Setting) -> EffortReport:
    """The same of runs that are joined; *measures* as ``effort_measures`` gives them for the same setting."""
    refuse_nothing_relevant(setting.rel, ready.qrels.levels)
    curves = Curves.of(ready.judged, setting)
    results = evaluated(ready, measures)
    counted = ~np.isnan(results.values[0]).ravel()
    numbers = np.where(counted | (curves.relevant == 0), kinds.archetypes(curves), kinds.NONE)
    return EffortReport(
        results=replace(results, notes=_said_once(results.notes, measures)),
        relevant=curves.scale.relevant,
        length=curves.scale.length,
        archetypes=numbers.reshape(ready.shape),
        growing=kinds.still_growing(curves).reshape(ready.shape),
    )


def _said_once(notes: tuple[str, ...], measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """Notes that each of the measures has are kept for the first."""
    others = tuple(f"{measure}: " for measure in measures[1:] if isinstance(measure, Effort))
    return tuple(note.removeprefix(f"{measures[0]}: ") for note in notes if not note.startswith(others))
