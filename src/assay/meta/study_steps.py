"""The steps of a study."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from assay.io.study_record import Files
from assay.measures import measures as parse_measures
from assay.meta import study_analyses as analyses
from assay.meta.study_context import Plot, StudyContext, StudySettings
from assay.meta.study_figures import FIGURES, draw_figure


class StudyStep(NamedTuple):
    """A step of a study.

    Attributes
    ----------
    name, about
        The name of the step, and a description of its tables.
    compute
        The function that computes the files of the step.
    optional
        True if the study continues without the step when the step raises an error that users can cause. For example,
        curves of effort are not defined if ties are averaged.
    part_of
        The name of a later step that merges the files of this step into its own; they are removed afterwards.
    """

    name: str
    about: str
    compute: Callable[[StudyContext], Files]
    optional: bool = False
    part_of: str | None = None


def build_steps(settings: StudySettings, plot: Plot | None = None) -> tuple[StudyStep, ...]:
    """Return all steps of a study. Discriminative power takes longest and has one step for each measure."""
    parts = [
        StudyStep(
            f"power {name}",
            f"Discriminative power of {name}.",
            partial(analyses.compute_power, name=name),
            part_of="power",
        )
        for name in map(str, parse_measures(settings.measures))
    ]
    groups = [StudyStep("groups", "Reusability: pools without the judgments of one group.", analyses.compute_groups)]
    figures = [
        StudyStep(f"figure {name}", figure.title, partial(draw_figure, plot=plot, name=name), optional=True)
        for name, figure in FIGURES.items()
        if plot is not None
    ]
    return (
        StudyStep("scores", "Means of the runs, and values by topic.", analyses.compute_scores),
        StudyStep("judgments", "Relevant documents by topic and grade, and ideal DCG.", analyses.compute_judgments),
        StudyStep("correlation", "Agreement of measures on the order of runs.", analyses.compute_correlation),
        StudyStep("pool-depth", "Values and orders of runs with shallower pools.", analyses.compute_pool_depth),
        *(groups if settings.groups is not None else []),
        StudyStep(
            "significance-counts", "Pairs of runs that differ significantly.", analyses.compute_significance_counts
        ),
        *parts,
        StudyStep("power", "Discriminative power of measures, and the ASL of each run pair.", analyses.merge_power),
        StudyStep("robustness", "Orders of runs with random samples of the judgments.", analyses.compute_robustness),
        *_list_optional_steps(),
        *figures,
    )


def _list_optional_steps() -> list[StudyStep]:
    steps = {
        "effort": ("Effort of users: indicators, archetypes and their ranges.", analyses.compute_effort),
        "effort-gain": ("Rankings by effort and gain.", analyses.compute_effort_gain),
        "residual": ("Bounds of RBP by depth, persistence and pool.", analyses.compute_residual),
        "order": ("The partial order of rankings, and measures that contradict it.", analyses.compute_order),
        "axioms": ("Swap and replacement on all short rankings.", analyses.compute_axioms),
        "balance": ("Top-heaviness: the balancing index.", analyses.compute_balance),
        "med": ("Largest possible differences (MED) between the best runs.", analyses.compute_med),
    }
    return [StudyStep(name, about, compute, optional=True) for name, (about, compute) in steps.items()]
