"""Robustness to the pool: agreement of the order of runs with fewer judgments and with all judgments."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.meta._pool_depth import PoolDepth
from assay.meta._robustness import Robustness
from assay.model.arrays import subtract
from assay.views.report.context import ReportContext
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.phrasing import FEW_RUNS
from assay.views.report.section import Content

HALF_PERCENT = 50.0
DEPTH = 10
"""Depth of the pool in the text and the figure, if a pool of this depth was evaluated."""


def compute(context: ReportContext, figures: Figures) -> Content:
    """Compare the order of runs by all judgments with the orders by samples of the judgments and by shallower pools."""
    robustness = context.robustness
    if robustness is None:
        return "There is only one run, so there is no order of runs to compare."
    if np.isnan(robustness.tau).all():
        return "The means of all runs are equal, so there is no order of runs to compare."
    is_tested = any(map(robustness.omits_judgments, robustness.ratios))
    ranks = context.campaign.best_rank()
    return {
        "few_runs": len(robustness.runs) < FEW_RUNS,
        "seeds": robustness.seeds,
        "tested": is_tested,
        "half": describe_half(robustness),
        "fewest": describe_fewest(robustness),
        "chart": figures.add("robustness", robustness) if is_tested else None,
        "samples": tabulate_samples(robustness),
        "judged": len(ranks),
        "retrieved": int(np.isfinite(ranks).sum()),
        "pools": None if context.pool_depth is None else compare_pools(context.pool_depth, figures),
    }


def _mean_taus(robustness: Robustness, ratio: float) -> dict[str, float]:
    """Return the mean tau of each measure at a ratio; measures without a tau are omitted."""
    values = robustness.tau[:, robustness.ratios.index(ratio)]
    return {
        str(measure): float(row[np.isfinite(row)].mean())
        for measure, row in zip(robustness.measures, values, strict=True)
        if np.isfinite(row).any()
    }


def describe_half(robustness: Robustness) -> dict[str, Any]:
    """Return the mean tau of the first measure with half of the judgments, and whether it was tested."""
    tau = _mean_taus(robustness, HALF_PERCENT).get(str(robustness.measures[0]))
    return {"tested": robustness.omits_judgments(HALF_PERCENT), "tau": tau}


def describe_fewest(robustness: Robustness) -> dict[str, Any] | None:
    """Return the measures with the highest and the lowest tau for the fewest judgments; None if all are equal."""
    ratio = min(robustness.ratios)
    taus = _mean_taus(robustness, ratio)
    if not robustness.omits_judgments(ratio) or len(taus) < 2:
        return None
    low, high = min(taus.values()), max(taus.values())
    if subtract(high, low) == 0:
        return None
    worst, best = ([measure for measure in taus if subtract(taus[measure], end) == 0] for end in (low, high))
    return {"ratio": f"{ratio:g}", "best": best, "high": high, "worst": worst, "low": low}


def tabulate_samples(robustness: Robustness) -> DisplayTable:
    """Tabulate the mean tau of each measure by the percentage of the judgments in the sample."""
    means = robustness.frame()
    columns = {
        f"{ratio:g} %": means.filter(pl.col("ratio") == ratio)["tau_mean"]
        for ratio in filter(robustness.omits_judgments, robustness.ratios)
    }
    return display(pl.DataFrame({"measure": [str(measure) for measure in robustness.measures], **columns}))


def compare_pools(pool_depth: PoolDepth, figures: Figures) -> dict[str, Any]:
    """Compare pools of several depths: tau and figure of one depth, and a table of all depths."""
    depth = DEPTH if DEPTH in pool_depth.depths else pool_depth.depths[0]
    column = pool_depth.depths.index(depth)
    taus = {f"tau {measure}": tau for measure, tau in zip(pool_depth.measures, pool_depth.tau, strict=True)}
    depths = [*map(str, pool_depth.depths), "all"]
    sizes = {"depth": depths, "judgments": pool_depth.sizes[:, 0], "relevant": pool_depth.sizes[:, 1]}
    return {
        "depth": depth,
        "tau": float(pool_depth.tau[0, column]) if np.isfinite(pool_depth.tau[0, column]) else None,
        "size": int(pool_depth.sizes[column, 0]),
        "whole": int(pool_depth.sizes[-1, 0]),
        "chart": figures.add("pool-depth", pool_depth, pool=depth),
        "sizes": display(pl.DataFrame({**sizes, **taus})),
    }
