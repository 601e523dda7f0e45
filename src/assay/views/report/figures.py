"""The figures of a report: their specifications and their numbers, packed so that a page stays small.

A figure is drawn twice, for wide and for narrow screens, and both drawings share their data. Data are kept by columns,
each of which stands once in the page however many figures have it; the page unfolds them when a figure comes into view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from assay.views.plots._figures import figure as known_figure
from assay.views.plots._saving import embedded
from assay.views.plots._style import Style, altair, one_line, rows
from assay.views.report.markup import Html, joined, tag

WIDE, NARROW = 700, 320
"""How wide figures are on large screens and on small ones, in pixels."""
FEW = 12  # rows whose columns are not worth being kept apart
MANY = 3000  # marks from which on a bitmap is drawn faster than an SVG


@dataclass(eq=False)
class Figures:
    """All figures of a page; what occurs twice is kept once."""

    store: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def add(
        self,
        name: str,
        frame: pl.DataFrame,
        caption: object,
        *,
        description: str,
        draw: Callable[..., Any] | None = None,
        wide: int = WIDE,
    ) -> Html:
        """A place in the page where a figure will be drawn, with buttons to keep it.

        Parameters
        ----------
        name
            The figure, as in ``assay plot``.
        frame
            Its data: what is kept as CSV.
        caption
            What is said below it.
        description
            What it shows, for those who cannot see it.
        draw
            How it is drawn, if not as the figure does.
        wide
            How wide it is where there is room.
        """
        self.count += 1
        drawing = draw or known_figure(name).draw
        shown = one_line(frame)
        wide_one, narrow_one = (self._specified(drawing, shown, width) for width in (wide, NARROW))
        chart = tag(
            "div",
            class_="chart",
            data_name=name,
            data_wide=" ".join(wide_one),
            data_narrow=" ".join(narrow_one),
            data_rows=self._table(rows(frame)["values"]),
            data_renderer="canvas" if len(frame) > MANY else "svg",
            role="img",
            aria_label=description,
        )
        buttons = [
            tag("button", kind, type="button", data_keep=kind.lower(), title=f"Keep this figure as {kind}")
            for kind in ("PNG", "SVG", "CSV")
        ]
        below = tag("figcaption", tag("span", caption), tag("span", *buttons, class_="keep"))
        return tag("figure", tag("div", chart, class_="plot"), below)

    def _specified(self, draw: Callable[..., Any], frame: pl.DataFrame, width: int) -> list[str]:
        """The names under which a drawing is kept: its specification, then its data in their order."""
        with unchecked():
            spec = draw(frame, Style(width=width)).to_dict(validate=False, format="vega-lite")
        for not_needed in ("$schema", "config"):
            spec.pop(not_needed, None)
        named = spec.pop("datasets", {})
        names: list[str] = []
        made = self._without_data(spec, named, names)
        return [self._kept(made), *names]

    def _without_data(self, spec: Any, named: dict[str, Any], names: list[str]) -> Any:
        """A specification that calls its data by numbers: drawings of other data are the same then, and kept once."""
        if isinstance(spec, list | tuple):
            return [self._without_data(one, named, names) for one in spec]
        if not isinstance(spec, dict):
            return spec
        return {
            key: self._numbered(value, named, names) if key == "data" else self._without_data(value, named, names)
            for key, value in spec.items()
        }

    def _numbered(self, data: Any, named: dict[str, Any], names: list[str]) -> Any:
        if not isinstance(data, dict):
            return data
        values = named.get(data["name"]) if "name" in data else data.get("values")
        if values is None:
            return data
        kept = self._table(values)
        if kept not in names:
            names.append(kept)
        return {"name": f"data{names.index(kept)}"}

    def _table(self, values: Sequence[dict[str, Any]]) -> str:
        """The name under which rows are kept: as columns, each kept once; what is no table stays as it is."""
        if not values or any(row.keys() != values[0].keys() for row in values):
            return self._kept(list(values))
        columns = {key: packed([row[key] for row in values]) for key in values[0]}
        if len(values) < FEW:
            return self._kept({"rows": len(values), "columns": columns})
        return self._kept({"rows": len(values), "columns": {key: self._kept(of) for key, of in columns.items()}})

    def _kept(self, thing: Any) -> str:
        """The name under which something is kept."""
        return self.store.setdefault(embedded(thing), f"k{len(self.store)}")

    def scripts(self) -> Html:
        """What is kept, for the page."""
        return joined(
            (Html(f'<script type="application/json" id="{name}">{text}</script>') for text, name in self.store.items()),
            "\n",
        )


def packed(values: Sequence[Any]) -> Any:
    """A column, in which what occurs often stands once.

    >>> packed(["a", "b", "a", "a"]), packed([0.5, 0.5]), packed([1, 2])
    ({'of': ['a', 'b'], 'at': [0, 1, 0, 0]}, {'all': 0.5}, [1, 2])
    """
    places: dict[Any, int] = {}
    at = [places.setdefault(value, len(places)) for value in values]
    if len(places) == 1 < len(values):
        return {"all": values[0]}
    long = any(isinstance(value, str | float) for value in places)
    return {"of": list(places), "at": at} if long and 2 * len(places) <= len(values) else list(values)


@contextmanager
def unchecked() -> Iterator[None]:
    """Charts that are drawn inside are not checked against the schema: the tests of each figure do so."""
    altair()
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield
