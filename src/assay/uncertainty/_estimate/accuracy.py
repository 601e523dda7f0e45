"""Accuracy of estimates: hide the judgments that a group contributed, and estimate the values of its runs.

For each group of runs, only the judgments of documents that other groups contributed to the pool remain, as if the
group had not taken part. Each method then estimates the means of the runs of the group, and the estimates are compared
with the means by all judgments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.measures import Measure
from assay.meta._correlate import direction_signs, mean_scores
from assay.meta.kendall import taus_with_truth
from assay.model.arrays import ROUNDING, Bools, Floats
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.tidy_frame import tidy_frame
from assay.uncertainty._bounds import bounds
from assay.uncertainty._estimate.priors import PRIORS, Evidence
from assay.uncertainty._estimate.run_estimates import EstimateSettings, estimate_run

METHODS = ("zero", "condensed", "middle", *PRIORS)
"""Methods: unjudged documents as non-relevant, condensed rankings, the middle of the bounds, and the priors."""


@dataclass(frozen=True, eq=False)
class EstimateAccuracy:
    """Errors of each method for runs without the judgments that only their own group contributed.

    Attributes
    ----------
    measures, methods
        The measures, and the methods.
    errors
        Measures x methods x runs: estimate minus the mean by all judgments.
    covered
        Measures x methods x runs: 1 if the interval of the method contains the mean by all judgments, else 0; NaN for
        methods without an interval. The interval of ``middle`` are the bounds.
    tau
        Measures x methods: Kendall's tau between the orders of the runs by the estimates and by all judgments.
    unjudged
        Measures x runs: share of unjudged documents among those that the measure evaluates, without the hidden
        judgments.
    """

    measures: tuple[Measure, ...]
    methods: tuple[str, ...]
    errors: Floats
    covered: Floats
    tau: Floats
    unjudged: Floats

    def frame(self) -> pl.DataFrame:
        """Return a row for each measure and method: measure, method, bias, mae, rmse, tau, coverage, unjudged, runs.

        *bias* is the mean error over runs, *mae* the mean absolute error, *rmse* the root of the mean squared error.
        """
        return tidy_frame(
            {"measure": self.measures, "method": self.methods},
            {
                "bias": self.errors.mean(axis=2),
                "mae": np.abs(self.errors).mean(axis=2),
                "rmse": np.sqrt((self.errors**2).mean(axis=2)),
                "tau": self.tau,
                "coverage": self.covered.mean(axis=2),
                "unjudged": self.unjudged.mean(axis=1, keepdims=True),
                "runs": self.errors.shape[2],
            },
        )

    def bias(self, method: str) -> Floats:
        """Return the mean error of a method for each measure."""
        return np.asarray(self.errors[:, self.methods.index(method)].mean(axis=1))


def measure_accuracy(
    campaign: Campaign,
    full: Results,
    evidence: Evidence,
    *,
    contributed: Bools,
    keys: Sequence[np.ndarray],
    settings: EstimateSettings,
    progress: Progress | None = None,
) -> EstimateAccuracy:
    """Hide the judgments of each group and estimate the values of its runs by every method.

    *contributed* is a mask of groups x judgments. *keys* has the hashes of the documents of each run.
    """
    shape = (len(METHODS), len(full.measures), len(campaign.runs))
    estimates, low, high = (np.full(shape, np.nan) for _ in range(3))
    unjudged = np.empty(shape[1:])
    done = 0
    for group in range(len(contributed)):
        members = np.flatnonzero(evidence.group == group)
        by_others = np.asarray(np.delete(contributed, group, axis=0).any(axis=0))
        hidden = campaign.select([campaign.runs[i] for i in members]).with_judgments(by_others)
        baselines = _evaluate_baselines(hidden, full.measures)
        for array, values in zip((estimates, low, high), baselines[:3], strict=True):
            array[: len(values), :, members] = values
        unjudged[:, members] = baselines[3]
        group_evidence = evidence.select_group(group, hidden)
        for method, prior in enumerate(PRIORS, METHODS.index(PRIORS[0])):
            chosen = settings._replace(prior=prior, by_topic=False)
            for number, run in enumerate(members.tolist()):
                one = estimate_run(hidden, full.measures, number, group_evidence, key=keys[run], settings=chosen)
                estimates[method, :, run] = [estimate.overall for estimate in one]
                low[method, :, run] = [estimate.overall_quantiles[0] for estimate in one]
                high[method, :, run] = [estimate.overall_quantiles[-1] for estimate in one]
        done += len(members)
        if progress is not None:
            progress(done, len(campaign.runs))
    truth = mean_scores(full)
    covered = (low - ROUNDING <= truth) & (truth <= high + ROUNDING)
    sign = direction_signs(full.measures)
    return EstimateAccuracy(
        measures=full.measures,
        methods=METHODS,
        errors=(estimates - truth).transpose(1, 0, 2),
        covered=np.where(np.isnan(low), np.nan, covered).transpose(1, 0, 2),
        tau=taus_with_truth(estimates * sign, truth * sign).tau,
        unjudged=unjudged,
    )


def _evaluate_baselines(campaign: Campaign, measures: tuple[Measure, ...]) -> tuple[Floats, Floats, Floats, Floats]:
    """Return methods x measures x runs: estimates without a prior, and both ends of their intervals; share of unjudged.

    The methods are ``zero``, ``condensed`` and ``middle``. Only ``middle`` has an interval.
    """
    frame = bounds(campaign, measures, tail=False).means().select("value", "low", "high", "judged")
    # The frame has a row for each run and measure.
    value, low, high, judged = frame.to_numpy().T.reshape(4, len(campaign.runs), len(measures)).transpose(0, 2, 1)
    condensed = mean_scores(evaluate(campaign.with_policies(unjudged="condensed"), measures))
    none = np.full(value.shape, np.nan)
    estimates = np.stack([value, condensed, (low + high) / 2])
    return estimates, np.stack([none, none, low]), np.stack([none, none, high]), 1 - judged
