"""Robustness to the pool: whether the order of runs would have been the same with fewer judgments."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.analyses.meta.pool_depth import PoolDepth
from assay.analyses.meta.robustness import Robustness
from assay.model.arrays import subtract
from assay.views.plots.pool_depth import shaped as pooled
from assay.views.plots.robustness import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import Material
from assay.views.report.phrasing import FEW_RUNS, count
from assay.views.report.prose import Name, Sentence, enumerate_names, sentence
from assay.views.report.section import Section

TITLE = "Robustness to the pool"
HALF = 50.0
DEPTH = 10
"""Depth of the pool that is described and drawn, if it was tried."""


def compute(material: Material, figures: Figures) -> Section:
    """Evaluate with samples of the judgments, and with shallower pools."""
    robustness = material.robustness
    if robustness is None:
        return Section("robustness", TITLE, ("The order of runs cannot change: there is one run only.",))
    if np.isnan(robustness.tau).all():
        absence = "The order of runs cannot be followed: their means are all the same."
        return Section("robustness", TITLE, (absence,))
    tested = any(map(robustness.tested, robustness.ratios))
    headline = (
        describe_half(robustness),
        (warn_of_few(robustness) or describe_fewest(robustness)) if tested else None,
    )
    first, last = robustness.seeds[0], robustness.seeds[-1]
    content = {
        "chart": figures.add("robustness", shaped(robustness)) if tested else None,
        "samples": tabulate_samples(robustness) if tested else None,
        "seeds": f"seed {first}" if len(robustness.seeds) == 1 else f"seeds {first} to {last}",
        "retrieved": count_retrieved(material),
        "pools": None if material.pool_depth is None else compare_pools(material.pool_depth, figures),
    }
    return Section("robustness", TITLE, headline, content)


# Sentences -----------------------------------------------------------------------------------------------------


def _mean_taus(robustness: Robustness, ratio: float) -> dict[str, float]:
    """Return the mean tau of each measure at a ratio; measures without a tau are left out."""
    values = robustness.tau[:, robustness.ratios.index(ratio)]
    return {
        str(measure): float(row[np.isfinite(row)].mean())
        for measure, row in zip(robustness.measures, values, strict=True)
        if np.isfinite(row).any()
    }


def describe_half(robustness: Robustness) -> str | Sentence | None:
    """Say how much of the order remains with half of the judgments, or that it could not be tested."""
    ratio = min(robustness.ratios, key=lambda ratio: abs(ratio - HALF))
    if not any(map(robustness.tested, robustness.ratios)):
        return (
            "How much the order of runs hangs on the judgments could not be tested: too few documents of each topic "
            "have the same grade for any judgment to be left out."
        )
    if not robustness.tested(ratio):
        return f"At {ratio:g} % no judgment could be left out, which tests nothing."
    tau = _mean_taus(robustness, ratio).get(str(robustness.measures[0]))
    if tau is None:
        return None
    return sentence(
        "With {share} of the judgments, {measure} orders {runs} with tau {tau} to the order by all of them "
        "(mean of {samples}).",
        share="half" if ratio == HALF else f"{ratio:g} %",
        measure=robustness.measures[0],
        runs=count(len(robustness.runs), "run"),
        tau=tau,
        samples=count(len(robustness.seeds), "sample"),
    )


def describe_fewest(robustness: Robustness) -> Sentence | None:
    """Name the measures that keep the order best and worst with the fewest judgments."""
    ratio = min(robustness.ratios)
    if not robustness.tested(ratio):
        return None
    taus = _mean_taus(robustness, ratio)
    if len(taus) < 2 or subtract(max(taus.values()), min(taus.values())) == 0:
        return None
    low, high = min(taus.values()), max(taus.values())
    worst, best = (
        enumerate_names(Name.of(measure) for measure, tau in taus.items() if subtract(tau, end) == 0)
        for end in (low, high)
    )
    return sentence(
        "With {ratio} % of them, the order is kept best by {best} (tau {high}) and worst by {worst} (tau {low}).",
        ratio=f"{ratio:g}",
        best=best,
        high=high,
        worst=worst,
        low=low,
    )


def warn_of_few(robustness: Robustness) -> str | None:
    """Warn that few runs have few orders."""
    if len(robustness.runs) >= FEW_RUNS:
        return None
    return f"With only {count(len(robustness.runs), 'run')} there are few orders, and tau says little."


def describe_shallow_pool(pool_depth: PoolDepth) -> Sentence | None:
    """Say how much of the order a shallow pool keeps."""
    at = pool_depth.depths.index(_shown_depth(pool_depth))
    tau = float(pool_depth.tau[0, at])
    if not np.isfinite(tau):
        return None
    return sentence(
        "A pool of depth {depth} of these runs would have {share}, and by it {measure} orders the runs with tau {tau} "
        "to the order by all.",
        depth=pool_depth.depths[at],
        share=f"{pool_depth.sizes[at, 0]:,} of {pool_depth.sizes[-1, 0]:,} judgments",
        measure=pool_depth.measures[0],
        tau=tau,
    )


def _shown_depth(pool_depth: PoolDepth) -> int:
    return DEPTH if DEPTH in pool_depth.depths else pool_depth.depths[0]


def count_retrieved(material: Material) -> str:
    """Count the judged documents that these runs have retrieved."""
    ranks = material.pools.best_rank()
    retrieved = int(np.isfinite(ranks).sum())
    if retrieved == len(ranks):
        return "Every judged document was retrieved by one of these runs."
    those = "1 is" if retrieved == 1 else f"{retrieved:,} are"
    return f"Of {count(len(ranks), 'judgment')}, {those} of documents that one of these runs has retrieved."


# Tables and figures --------------------------------------------------------------------------------------------


def tabulate_samples(robustness: Robustness) -> DisplayTable:
    """Tabulate the mean tau of each measure by the share of the judgments that is kept."""
    means = robustness.frame()
    columns = {
        f"{ratio:g} %": means.filter(pl.col("ratio") == ratio)["tau_mean"]
        for ratio in filter(robustness.tested, robustness.ratios)
    }
    return display(pl.DataFrame({"measure": [str(measure) for measure in robustness.measures], **columns}))


def compare_pools(pool_depth: PoolDepth, figures: Figures) -> dict[str, Any]:
    """Compare pools of several depths: a sentence, a figure of one depth and a table of all."""
    depth = _shown_depth(pool_depth)
    frame = pl.DataFrame(
        {
            "depth": [*map(str, pool_depth.depths), "all"],
            "judgments": pool_depth.sizes[:, 0],
            "relevant": pool_depth.sizes[:, 1],
            **{
                f"tau {measure}": pl.Series(tau, dtype=pl.Float64)
                for measure, tau in zip(pool_depth.measures, pool_depth.tau, strict=True)
            },
        }
    )
    return {
        "summary": describe_shallow_pool(pool_depth),
        "depth": depth,
        "chart": figures.add("pool-depth", pooled(pool_depth, depth)),
        "sizes": display(frame),
    }
