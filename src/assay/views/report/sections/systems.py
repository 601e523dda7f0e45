"""Systems: each run by itself, folded until a reader opens it."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assay.effort.archetypes import NAMES
from assay.effort.indicators import MAIN
from assay.model.arrays import Floats, subtract
from assay.views.plots.crp_aggregate import shaped
from assay.views.report.display_table import DisplayTable, display
from assay.views.report.figures import Figures
from assay.views.report.material import LOOKED_AT, Material
from assay.views.report.names import Name
from assay.views.report.phrasing import format_level, is_finite
from assay.views.report.section import Section

TITLE = "Each system"
ENDS = 5
"""Topics at each end of a table."""
_RANKS = 10


def compute(material: Material, figures: Figures) -> Section:
    """Describe each of the best runs."""
    content = {
        "runs": len(material.runs),
        "most": material.settings.most,
        "measure": material.first,
        "level": format_level(material.confidence),
        "depths": LOOKED_AT,
        "systems": [describe_system(material, figures, run) for run in material.order[: material.settings.most]],
    }
    return Section("systems", TITLE, content)


def describe_system(material: Material, figures: Figures, run: int) -> dict[str, Any]:
    """Return numbers, tables and the figure of one run."""
    value, place = float(material.overall[run, 0]), int(material.places[run, 0])
    return {
        "id": f"system-{run}",
        "run": material.runs[run],
        "value": value if is_finite(value) else None,
        "place": place,
        "tied": bool((material.places[:, 0] == place).sum() > 1),
        "other_places": material.places[run, 1:][np.isfinite(material.overall[run, 1:])].tolist(),
        "median": count_above_median(material, run),
        "archetypes": count_archetypes(material, run),
        "unjudged": [
            float(row[~np.isnan(row)].mean()) for row in material.unjudged[run].T[:2] if not np.isnan(row).all()
        ],
        "means": tabulate_means(material, run),
        "chart": figures.add("crp-aggregate", shaped(material.effort, material.runs[run])),
        "topics": tabulate_topics(material, run),
        "unjudged_topics": tabulate_unjudged(material, run),
    }


def count_above_median(material: Material, run: int) -> tuple[int, int, int]:
    """Count topics on which a run is above the median of all runs, below it, and all with a value."""
    difference = median_differences(material, run)
    return int((difference > 0).sum()), int((difference < 0).sum()), int((~np.isnan(difference)).sum())


def median_differences(material: Material, run: int) -> Floats:
    """Return by how much a run is better than the median run, topic by topic; NaN without a value."""
    sign = -1.0 if material.first.lower_is_better else 1.0
    return np.asarray(sign * subtract(material.results.values[0, run], material.medians))


def count_archetypes(material: Material, run: int) -> list[tuple[int, str]]:
    """Count the archetypes of a run's rankings, the most frequent first."""
    kinds = material.effort.archetypes[run]
    counts = [(int((kinds == i).sum()), kind) for i, kind in enumerate(NAMES)]
    return sorted((one for one in counts if one[0]), key=lambda one: -one[0])


def tabulate_means(material: Material, run: int) -> DisplayTable:
    """Tabulate mean, place and interval of a run by every measure."""
    size = len(material.measures)
    frame = material.means[run * size : (run + 1) * size].select("measure", "value", "low", "high", "topics")
    if len(material.runs) > 1:
        best = material.overall[material.places.argmin(axis=0), range(size)]
        more = {"place": pl.Series(material.places[run]), "best": pl.Series(best)}
        frame = frame.with_columns(**more).select("measure", "value", "place", "best", "low", "high", "topics")
    return display(frame, heads={"place": f"place of {len(material.runs)}", "best": "best run"})


def tabulate_topics(material: Material, run: int) -> dict[str, DisplayTable]:
    """Tabulate the topics of a run, or the best and the worst of many, by caption.

    Topics are ordered by the difference from the median of all runs, or by value if there is a single run.
    """
    values, difference = material.results.values[0, run], median_differences(material, run)
    single = len(material.runs) == 1
    key = values if single else difference
    valued = np.flatnonzero(~np.isnan(key))
    order = valued[np.argsort(-key[valued], kind="stable")]
    kinds = [*NAMES, None]
    archetypes = [kinds[kind % len(kinds)] for kind in material.effort.archetypes[run]]
    frame = pl.DataFrame(
        {
            "topic": pl.Series(material.topics, dtype=pl.String),
            "relevant": material.judgments.relevant[:, 0],
            "value": values,
            "median": material.medians,
            "difference": difference,
            "twist": material.effort.results.values[list(MAIN).index("twist"), run],
            "archetype": pl.Series(archetypes, dtype=pl.String),
        }
    ).drop(("median", "difference") if single else ())
    if len(order) > 2 * ENDS:
        parts = {"Its best topics": order[:ENDS], "Its worst topics": order[::-1][:ENDS]}
    else:
        parts = {"Its topics, best first": order}
    heads = {"value": str(material.first), "difference": "better by", "twist": "Twist"}
    show = {"topic": topic_cell}
    return {caption: display(frame[part], heads=heads, show=show) for caption, part in parts.items() if len(part)}


def topic_cell(topic: str) -> Name:
    """Return the name of a topic in a table, which the width of its column may cut."""
    return Name(topic, topic)


def tabulate_unjudged(material: Material, run: int) -> DisplayTable | None:
    """Tabulate the topics with the most unjudged documents among the first ranks."""
    shares = np.nan_to_num(material.unjudged[run, :, 0], nan=0.0)
    topics = [topic for topic in np.argsort(-shares, kind="stable")[:ENDS].tolist() if shares[topic] > 0]
    if not topics:
        return None
    rows = []
    for topic in topics:
        ranks = [rank for rank in material.unjudged_ranks(run, topic, _RANKS) if rank <= LOOKED_AT[0]]
        rows.append((material.topics[topic], len(ranks), ", ".join(map(str, ranks))))
    frame = pl.DataFrame(rows, schema=["topic", "unjudged", "ranks"], orient="row")
    return display(frame, show={"topic": topic_cell})
