"""Figures with a panel for each slice of topics, or for each collection, on common scales."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.meta.selection import select_results
from assay.model.notes import pluralize
from assay.results.slices import Slices
from assay.views.plots._altair import alt
from assay.views.plots._selection import find_pair
from assay.views.plots._style import Style

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.results.results import Results
    from assay.views.plots._figures import Data, Figure

SLICE, COLLECTION = "slice", "collection"
"""Columns with the title of the panel."""
MAX_PANELS = 12
COLUMNS = 2
_GAP = 30  # pixels between panels


def tabulate_slices(figure: Figure, source: Campaign | Results, slices: Slices, options: dict[str, Any]) -> Data:
    """Compute the table of a figure for each slice; the column *slice* is the title of the panel.

    If there are more than ``MAX_PANELS`` slices, only the largest are shown. Runs that the figure selects by their
    values, such as the two best runs, are selected over all topics.
    """
    from assay.views.plots._figures import Data

    if not figure.accepts_results:
        raise InputError(
            f"figure {figure.name}: cannot show slices; choose a figure such as leaderboard or differences"
        )
    if slices.weights is not None:
        raise InputError(f"weights {slices.weighted_by!r}: are for means (assay eval); omit weights to draw a figure")
    if not slices.slices:
        raise InputError("by: name an attribute")
    options = {**_choose_runs(figure, source, options), **options}
    sizes = np.array([len(one.topics) for one in slices.slices])
    largest = sorted(np.argsort(-sizes, kind="stable")[:MAX_PANELS].tolist())
    titles = slices.titles()
    parts = [figure.data(source.select(topics=slices.slices[index].topics), **options) for index in largest]
    frames = [
        part.frame.insert_column(0, pl.Series(SLICE, [titles[index]] * len(part.frame), dtype=pl.String))
        for index, part in zip(largest, parts, strict=True)
    ]
    hidden = len(sizes) - len(largest)
    notes = [f"the {len(largest)} largest slices are shown; {pluralize(hidden, 'slice')} not shown"] if hidden else []
    provenance = slices.add_settings(parts[0].provenance)
    return Data(pl.concat(frames), tuple(dict.fromkeys((*source.notes, *slices.notes, *notes))), provenance)


def tabulate_collections(figure: Figure, sources: Mapping[str, Any], options: dict[str, Any]) -> Data:
    """Compute the table of a figure for each collection; the column *collection* is the title of the panel."""
    from assay.views.plots._figures import Data

    if not sources:
        raise InputError("source: name at least one collection")
    if not figure.needs:
        raise InputError(f"figure {figure.name}: shows no collection; choose a figure of judgments and runs")
    if len(sources) > MAX_PANELS:
        raise InputError(f"figure {figure.name}: {len(sources)} collections; show at most {MAX_PANELS} in a figure")
    # Some figures arrange collections themselves, and have an option for the name.
    arranges = COLLECTION in {parameter.name for parameter in figure.parameters}
    parts = {
        name: figure.data(source, **options, **({COLLECTION: name} if arranges else {}))
        for name, source in sources.items()
    }
    frames = [
        part.frame if arranges else part.frame.insert_column(0, pl.Series(COLLECTION, [name] * len(part.frame)))
        for name, part in parts.items()
    ]
    inputs = tuple(item for part in parts.values() for item in part.provenance.inputs)
    provenance = replace(next(iter(parts.values())).provenance, inputs=inputs)
    notes = tuple(f"{name}: {note}" for name, part in parts.items() for note in part.notes)
    return Data(pl.concat(frames, how="vertical_relaxed"), notes, provenance.with_settings(collections=list(sources)))


def _choose_runs(figure: Figure, source: Campaign | Results, options: dict[str, Any]) -> dict[str, Any]:
    """Return the runs that the figure would choose by their means, chosen over all topics."""
    defaults = {parameter.name: parameter.default for parameter in figure.parameters}
    if not {"pair", "mark"} & set(defaults):
        return {}
    results = select_results(source, options.get("measure", defaults["measure"]))
    best = results.best(results.measures[0])
    if "pair" in defaults:
        return {"pair": find_pair(options.get("pair"), best, results.provenance)}
    return {"mark": best[:1]}


def draw_panels(
    draw: Callable[[pl.DataFrame, Style], Any], frame: pl.DataFrame, style: Style, column: str
) -> alt.TopLevelMixin:
    """Draw a panel for each value of *column*; axes with numbers have the same scale in all panels."""
    panels = frame.partition_by(column, maintain_order=True)
    columns = min(COLUMNS, len(panels)) if style.width is None or style.width >= COLUMNS * 200 + _GAP else 1
    if style.width is not None and columns > 1:
        style = replace(style, width=(style.width - _GAP * (columns - 1)) // columns)
    charts = [_add_title(draw(panel.drop(column), style), panel[column][0]) for panel in panels]
    with warnings.catch_warnings():
        # Panels of the same figure share their selections, such as a highlighted run; Altair warns of this.
        warnings.filterwarnings("ignore", message="Automatically deduplicated selection parameter")
        chart = alt.concat(*charts, columns=columns, spacing=_GAP)
    shared: Any = dict.fromkeys(_find_shared_axes(charts), "shared")
    return chart.resolve_scale(**shared)  # type: ignore[no-any-return]


def _add_title(chart: Any, title: str) -> Any:
    """Write the title of the panel above the title of the chart."""
    current = chart.title
    if current is alt.Undefined:
        return chart.properties(title=title)
    if isinstance(current, alt.TitleParams):
        current = current.copy()
        text = current.text if isinstance(current.text, list) else [current.text]
        current.text = [title, *text]
        return chart.properties(title=current)
    return chart.properties(title=[title, current])


def _find_shared_axes(charts: list[Any]) -> list[str]:
    """Return the axes on which all charts show numbers."""
    shared = []
    specifications = [chart.to_dict(validate=False) for chart in charts]
    for axis in ("x", "y"):
        types = {kind for specification in specifications for kind in _list_types(specification, axis)}
        if types == {"quantitative"}:
            shared.append(axis)
    return shared


def _list_types(specification: Any, axis: str) -> list[str]:
    """Return the types of all encodings of an axis."""
    if isinstance(specification, list):
        return [kind for part in specification for kind in _list_types(part, axis)]
    if not isinstance(specification, dict):
        return []
    channel = specification.get("encoding", {}).get(axis, {})
    own = [channel["type"]] if "field" in channel else []
    parts = [part for name, part in specification.items() if name not in ("data", "datasets", "encoding")]
    return own + _list_types(parts, axis)
