"""The figures of a study, drawn by a plotting function such as ``assay.plot`` that the caller passes.

Figures belong to a later layer of the package, so this module does not import them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any, NamedTuple

from assay.meta.study_analyses import MED_MEASURES
from assay.meta.study_context import Plot, StudyContext

MAX_LINES = 6
"""Maximum number of measures in a figure with a line for each measure."""
_PREFERRED = ("AP", "P@10", "bpref", "nDCG(base=10, gains=base5)@1000", "RBP(p=0.8)", "Twist@1000")
_SCALE = 2


class StudyFigure(NamedTuple):
    """A figure: the step to which it belongs, its title, and a function that returns its source and its options."""

    step: str
    title: str
    prepare: Callable[[StudyContext], tuple[Any, dict[str, Any]]]


def draw_figure(context: StudyContext, plot: Plot, name: str) -> dict[str, bytes]:
    """Draw a figure and return it as a PNG."""
    source, options = FIGURES[name].prepare(context)
    stream = BytesIO()
    plot(name, source, **options).save(stream, format="png", scale_factor=_SCALE)
    return {f"{name}.png": stream.getvalue()}


def select_measures(context: StudyContext) -> list[str]:
    """Return the few measures that figures with a line for each measure show."""
    names = [str(one) for one in context.measures]
    preferred = [name for name in _PREFERRED if name in names]
    others = [name for name in names if name not in preferred]
    return [*preferred, *others][:MAX_LINES]


def _prepare_boxes(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    return context.results, {"measures": select_measures(context)}


def _prepare_correlation(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    return context.best, {"measures": [str(one) for one in context.measures]}


def _prepare_pool_depth(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    return context.campaign, {"measures": select_measures(context), "pool": min(context.settings.depths)}


def _prepare_asl(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    settings = context.settings
    options = {"resamples": settings.resamples, "alpha": settings.alpha, "seed": settings.seed}
    return context.results, {"measures": select_measures(context), "share": settings.best, **options}


def _prepare_robustness(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    settings = context.settings
    options = {"ratios": settings.ratios, "seeds": settings.seeds, "seed": settings.seed}
    return context.campaign, {"measures": select_measures(context), "share": settings.best, **options}


def _prepare_effort_gain(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    return context.campaign, {"measure": "AP", "twist": str(context.effort_measure)}


def _prepare_residual_depth(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    return context.campaign, {"run": context.top_runs[0], "pools": [min(context.settings.depths)]}


def _prepare_med(context: StudyContext) -> tuple[Any, dict[str, Any]]:
    return context.top_campaign, {"measure": MED_MEASURES[1]}


FIGURES: Mapping[str, StudyFigure] = {
    "judgments": StudyFigure("judgments", "Relevant documents of each topic", lambda context: (context.campaign, {})),
    "ideal-dcg": StudyFigure("judgments", "Ideal DCG of each topic", lambda context: (context.campaign, {})),
    "boxes": StudyFigure("scores", "Distribution of the means of the runs", _prepare_boxes),
    "correlation": StudyFigure(
        "correlation", "Kendall's tau between measures, over the best runs", _prepare_correlation
    ),
    "pool-depth": StudyFigure(
        "pool-depth", "Values with a shallow pool against values with all judgments", _prepare_pool_depth
    ),
    "asl": StudyFigure("power", "Achieved significance levels of the pairs of the best runs", _prepare_asl),
    "robustness": StudyFigure(
        "robustness", "Tau against the percentage of judgments, over the best runs", _prepare_robustness
    ),
    "census": StudyFigure("effort", "Archetypes of the CRP curves, by run", lambda context: (context.effort, {})),
    "crp-aggregate": StudyFigure(
        "effort",
        "Indicators of the CRP curves of the best run by MAP",
        lambda context: (context.effort, {"run": context.top_runs[0]}),
    ),
    "effort-gain": StudyFigure("effort-gain", "Effort against gain by AP", _prepare_effort_gain),
    "residual-depth": StudyFigure(
        "residual", "Bounds of RBP of the best run by MAP, against depth", _prepare_residual_depth
    ),
    "balancing": StudyFigure(
        "balance",
        "Balancing index against the length of rankings",
        lambda context: (None, {"measures": select_measures(context)}),
    ),
    "med-difference": StudyFigure("med", "Differences between the best runs against MED, by nDCG@20", _prepare_med),
}
"""The figures of a study, in the order of the index page."""
