"""Robustness to the pool: whether the order of runs would have been the same with fewer judgments."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.meta.pool_depth import PoolDepth
from assay.meta.robustness import Robustness
from assay.model.arrays import subtract
from assay.views.plots.pool_depth import shaped as pooled
from assay.views.plots.robustness import shaped
from assay.views.report.figures import Figures
from assay.views.report.markup import Html, paragraph, said, table, tag
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import FEW_RUNS, listed, many, name, number

NAME, TITLE = "robustness", "Robustness to the pool"
HALF = 50.0


def section(material: Material, figures: Figures) -> Section:
    """Samples of the judgments, and shallower pools."""
    found = material.robustness
    if found is None:
        return Section(NAME, TITLE, (said("The order of runs cannot change: there is one run only."),))
    if np.isnan(found.tau).all():
        return Section(NAME, TITLE, (said("The order of runs cannot be followed: their means are all the same."),))
    tested = any(map(found.tested, found.ratios))
    return Section(
        NAME,
        TITLE,
        tuple(filter(None, (halved(found), (caution(found) or weakest(found)) if tested else None))),
        (
            *([*_figure(found, figures), _samples(found)] if tested else []),
            tag("h3", "Shallower pools"),
            *_pools(material, figures),
        ),
        f"Samples keep a share of the judgments of every topic and grade, drawn at random from {_seeds(found)}; what "
        "is left out counts as unjudged, and values are computed anew. Tau-b compares the order of runs by the sample "
        "with that by all judgments; it says how much the order hangs on these judgments, not whether it is right. A "
        "shallower pool holds the judgments of the documents among the first ranks of any of these runs.",
    )


def _seeds(found: Robustness) -> str:
    return f"seed {found.seeds[0]}" if len(found.seeds) == 1 else f"seeds {found.seeds[0]} to {found.seeds[-1]}"


# Sentences -----------------------------------------------------------------------------------------------------


def _mean(found: Robustness, ratio: float) -> list[tuple[float, str]]:
    """The mean tau of each measure at a ratio, and the measure; those without a tau are left out."""
    at = found.ratios.index(ratio)
    values = found.tau[:, at]
    means = [(row[np.isfinite(row)].mean() if np.isfinite(row).any() else np.nan) for row in values]
    return [
        (float(mean), str(measure)) for mean, measure in zip(means, found.measures, strict=True) if np.isfinite(mean)
    ]


def _ratio(found: Robustness) -> float:
    return HALF if HALF in found.ratios else min(found.ratios, key=lambda ratio: abs(ratio - HALF))


def halved(found: Robustness) -> Html | None:
    """How much of the order is left with half of the judgments, or that it could not be tested."""
    ratio = _ratio(found)
    if not any(map(found.tested, found.ratios)):
        return said(
            "How much the order of runs hangs on the judgments could not be tested: too few documents of each topic "
            "have the same grade for any judgment to be left out."
        )
    if not found.tested(ratio):
        return said("At {ratio} % no judgment could be left out, which tests nothing.", ratio=f"{ratio:g}")
    means = _mean(found, ratio)
    if not means:
        return None
    share = "half" if ratio == HALF else f"{ratio:g} %"
    samples = many(len(found.seeds), "sample")
    first = next(((mean, of) for mean, of in means if of == str(found.measures[0])), None)
    if first is None:
        return None
    return said(
        "With {share} of the judgments, {measure} orders {runs} with tau {tau} to the order by all of them "
        "(mean of {samples}).",
        share=share,
        measure=name(first[1]),
        runs=many(len(found.runs), "run"),
        tau=number(first[0]),
        samples=samples,
    )


def weakest(found: Robustness) -> Html | None:
    """Which measure keeps the order best with the fewest judgments, and which worst."""
    ratio = min(found.ratios)
    if not found.tested(ratio):
        return None
    means = _mean(found, ratio)
    taus = np.array([tau for tau, _ in means])
    if len(means) < 2 or subtract(taus.max(), taus.min()) == 0:
        return None
    best, worst = (
        listed([name(measure) for tau, measure in means if subtract(tau, end) == 0]) for end in (taus.max(), taus.min())
    )
    return said(
        "With {ratio} % of them, the order is kept best by {best} (tau {high}) and worst by {worst} (tau {low}).",
        ratio=f"{ratio:g}",
        best=best,
        high=number(float(taus.max())),
        worst=worst,
        low=number(float(taus.min())),
    )


def caution(found: Robustness) -> Html | None:
    """That few runs have few orders."""
    if len(found.runs) >= FEW_RUNS:
        return None
    return said("With only {runs} there are few orders, and tau says little.", runs=many(len(found.runs), "run"))


def shallow(found: PoolDepth) -> Html | None:
    """How much of the order a shallow pool keeps."""
    depth = 10 if 10 in found.depths else found.depths[0]
    at = found.depths.index(depth)
    tau = float(found.tau[0, at])
    if not np.isfinite(tau):
        return None
    share = f"{found.sizes[at, 0]:,} of {found.sizes[-1, 0]:,} judgments"
    return said(
        "A pool of depth {depth} of these runs would have {share}, and by it {measure} orders the runs with tau {tau} "
        "to the order by all.",
        depth=depth,
        share=share,
        measure=name(str(found.measures[0])),
        tau=number(tau),
    )


def contributed(material: Material) -> Html:
    """How many of the judged documents these runs have retrieved."""
    ranks = material.pools.best_rank()
    judged, retrieved = len(ranks), int(np.isfinite(ranks).sum())
    if retrieved == judged:
        return said("Every judged document was retrieved by one of these runs.")
    return said(
        "Of {judged}, {retrieved} of documents that one of these runs has retrieved.",
        judged=many(judged, "judgment"),
        retrieved=f"{retrieved:,} are" if retrieved != 1 else "1 is",
    )


# What is shown -------------------------------------------------------------------------------------------------


def _figure(found: Robustness, figures: Figures) -> list[Html]:
    caption = "Tau with the order by all judgments, by samples of them: a flat line is that of a robust measure."
    return [figures.add("robustness", shaped(found), caption, description=f"{caption} The table has the means.")]


def _samples(found: Robustness) -> Html:
    frame = found.frame()
    wide = pl.DataFrame({"measure": [str(one) for one in found.measures]})
    for ratio in filter(found.tested, found.ratios):
        means = frame.filter(pl.col("ratio") == ratio)["tau_mean"]
        wide = wide.with_columns(means.alias(f"{ratio:g} %"))
    return table(wide, "Mean tau with the order by all judgments, by the share of the judgments that is kept.")


def _pools(material: Material, figures: Figures) -> list[Html]:
    found = material.pool_depth
    if found is None:
        return [
            paragraph(
                contributed(material), said("Pools that these runs would make are no smaller than the judgments.")
            )
        ]
    depth = 10 if 10 in found.depths else found.depths[0]
    caption = f"The value of each run with a pool of depth {depth} against that with all judgments."
    sizes = pl.DataFrame(
        {"depth": [*map(str, found.depths), "all"], "judgments": found.sizes[:, 0], "relevant": found.sizes[:, 1]}
    )
    for i, measure in enumerate(found.measures):
        sizes = sizes.with_columns(pl.Series(f"tau {measure}", found.tau[i], dtype=pl.Float64).fill_nan(None))
    return [
        paragraph(contributed(material), shallow(found)),
        figures.add(
            "pool-depth", pooled(found, depth), caption, description=f"{caption} The table has tau for several depths."
        ),
        table(sizes, "Pools of these runs: how many judgments they have, and tau with the order by all."),
    ]
