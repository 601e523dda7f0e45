"""Sensitivity of Twist to its extensions: mean Twist and the order of runs over a grid of persistences and weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.errors import InputError
from assay.measures.twist import Twist
from assay.meta.kendall import taus
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats
from assay.model.gains import Gains
from assay.model.notes import pluralize
from assay.model.policies import reject_expected_ties
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame

PERSISTENCES = (1.0, 0.999, 0.99, 0.98, 0.95, 0.9, 0.8, 0.5)
NONE = "none"
"""The name of unweighted Twist among the weights."""
WEIGHTS = (NONE, "identity", "exp", "binary")


@dataclass(frozen=True, eq=False)
class Sensitivity(Report):
    """Mean Twist and order of runs for several persistences and weights; the report of :func:`sensitivity`.

    Attributes
    ----------
    runs, weights, persistences
        The axes of the values.
    means
        Weights x persistences x runs: the mean Twist of each run over the topics.
    published
        Mean Twist of each run as published, without weights and persistence.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    runs: tuple[str, ...]
    weights: tuple[str, ...]
    persistences: tuple[float, ...]
    means: Floats
    published: Floats
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "sensitivity"
    tables: ClassVar[Mapping[str, str]] = {
        "grid": "mean Twist and agreement with published Twist for each persistence and weighting",
        "runs": "the mean Twist of each run for each persistence and weighting",
    }

    def __repr__(self) -> str:
        grid = f"{len(self.weights)} x {len(self.persistences)}"
        return f"Sensitivity({grid} forms of Twist, {pluralize(len(self.runs), 'run')})"

    def frame(self) -> pl.DataFrame:
        """Return a row for each weighting and persistence: weights, persistence, mean, tau, tau_ap, change.

        *mean* is the mean Twist over runs and topics. *tau* is Kendall's tau between the order of runs by this form and
        by published Twist, and *tau_ap* is tau-AP; they are null if one of the orders has no two untied runs. *change*
        is the largest absolute change of the mean of a run.
        """
        orders = taus(self.means.reshape(-1, len(self.runs)), self.published)
        shape = self.means.shape[:2]
        return tidy_frame(
            {"weights": self.weights, "persistence": self.persistences},
            {
                "mean": self.means.mean(axis=2),
                "tau": orders.tau[:, 0].reshape(shape),
                "tau_ap": orders.estimated[:, 0].reshape(shape),
                "change": np.abs(self.means - self.published).max(axis=2),
            },
        )

    def by_run(self) -> pl.DataFrame:
        """Return the mean Twist of each run: weights, persistence, run, mean, difference (from published Twist)."""
        axes = {"weights": self.weights, "persistence": self.persistences, "run": self.runs}
        return tidy_frame(axes, {"mean": self.means, "difference": self.means - self.published})

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the range of mean Twist over the grid, and the form that changes the order of runs most."""
        frame = self.frame()
        mean = f"Mean Twist as published: {self.published.mean():.3f}; over the grid: "
        low, high = frame.select(low=pl.min("mean"), high=pl.max("mean")).row(0)
        mean += f"{low:.3f} to {high:.3f}."
        known = frame.drop_nulls("tau")
        if known.is_empty():
            return mean
        least = known.sort("tau", maintain_order=True).row(0, named=True)
        if least["tau"] == 1:
            return f"{mean} No form changes the order of the runs."
        return (
            f"{mean} The order of the {pluralize(len(self.runs), 'run')} changes most with weights {least['weights']} "
            f"and persistence {least['persistence']:g} (Kendall's tau {least['tau']:.3f})."
        )

    def _show_grid(self) -> Table:
        frame = self.frame()
        labels = {"mean": "mean Twist", "tau_ap": "tau-AP", "change": "largest change"}
        compact = frame.with_columns(pl.format("weights: {}", "weights").alias("weights")).rename(labels)
        caption = (
            "tau, tau-AP: correlation of the order of runs with the order by published Twist (no weights, persistence "
            "1). largest change: of the mean Twist of a run."
        )
        return Table(frame, compact, heading="weights", caption=caption)

    def _show_runs(self) -> Table:
        frame = self.by_run()
        labelled = frame.with_columns(pl.format("{}, {}", "weights", "persistence").alias("form"))
        compact = labelled.select("form", "run", "mean", "difference").rename({"mean": "mean Twist"})
        caption = "Weights and persistence are above each table. difference: from published Twist."
        return Table(frame, compact, heading="form", caption=caption)


@check_arguments
def sensitivity(
    campaign: Campaign,
    *,
    persistences: Iterable[float] = PERSISTENCES,
    weights: str | Iterable[str] = WEIGHTS,
    depth: int | None = None,
    length: str = "extend",
    rel: float = 1,
    progress: Progress | None = None,
) -> Sensitivity:
    """Measure how persistence and weights change Twist and the order of runs.

    Parameters
    ----------
    campaign
        Judgments and runs. The tie policy cannot be ``expected``, because a curve needs a single order of documents.
    persistences
        Persistences, above 0 and at most 1; 1 is no discount.
    weights
        Names of gains that weight misplacements, such as ``exp``; ``none`` is unweighted Twist.
    depth, length, rel
        The parameters *cutoff*, *length* and *rel* of the measure ``Twist``.
    progress
        Called with the number of forms of Twist done and their total.

    Notes
    -----
    A missing value of a run (a topic that the policies exclude) is left out of its mean.

    References
    ----------
    Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure for IR evaluation: Taking user's effort into
    account*, JASIST 67 (2016): the weighted version that the conclusions propose as future work.

    Examples
    --------
    >>> import assay
    >>> runs = {"one": {"q": {"b": 3.0, "x": 2.0, "a": 1.0}}, "two": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}}
    >>> report = sensitivity(assay.read({"q": {"a": 2, "b": 1}}, runs), persistences=[1, 0.5], weights="none")
    >>> report.frame()["mean"].round(4).to_list()
    [0.7, 0.6775]
    """
    reject_expected_ties(campaign.policies.ties, "a curve needs an order")
    names = [weights] if isinstance(weights, str) else list(dict.fromkeys(weights))
    grid = tuple(dict.fromkeys(map(float, persistences)))
    if not names or not grid:
        raise InputError(f"{'weights' if grid else 'persistences'}: name at least one value")
    forms = [
        Twist(
            cutoff=depth,
            length=length,
            rel=rel,
            weights=None if name == NONE else Gains(name),
            persistence=persistence,
        )
        for name in names
        for persistence in grid
    ]
    published = Twist(cutoff=depth, length=length, rel=rel)
    # Curves are cached for each form; evaluating the forms one by one reports progress.
    results = [evaluate(campaign, form) for form in track([published, *forms], progress)]
    means = np.stack([result.overall()[:, 0] for result in results])
    settings = {"persistences": list(grid), "weights": names, "depth": depth, "length": length, "rel": rel}
    return Sensitivity(
        runs=campaign.runs,
        weights=tuple(names),
        persistences=grid,
        means=means[1:].reshape(len(names), len(grid), len(campaign.runs)),
        published=means[0],
        provenance=campaign.provenance.with_settings(**settings),
        notes=results[0].notes,
    )
