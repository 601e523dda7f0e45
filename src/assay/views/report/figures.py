"""Figures of a report: their specifications and data, packed so that a page stays small.

A figure is drawn twice, for wide and for narrow screens, and both drawings share their data. Data are stored by column,
and equal columns once, however many figures use them; the page unpacks them when a figure comes into view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from assay.views.plots._figures import figure as known_figure
from assay.views.plots._saving import embedded
from assay.views.plots._style import Style, altair, one_line, rows

WIDE, NARROW = 700, 320
"""Widths of figures on large and on small screens, in pixels."""
FEW = 12  # fewer rows than this are stored with their table, not column by column
MANY = 3000  # more marks than this are drawn faster as a bitmap than as an SVG


class Chart(NamedTuple):
    """The place of a figure in the page: its name, and the names under which drawings and data are stored."""

    name: str
    wide: str
    narrow: str
    rows: str
    renderer: str


@dataclass(eq=False)
class Figures:
    """The store of all figures of a page: JSON and the name of each, equal parts once."""

    store: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, frame: pl.DataFrame, *, draw: Callable[..., Any] | None = None, wide: int = WIDE) -> Chart:
        """Draw a figure and store it.

        Parameters
        ----------
        name
            The figure, as in ``assay plot``.
        frame
            Its data, which readers can save as CSV.
        draw
            The function that draws it; by default that of the figure.
        wide
            Its width on large screens.
        """
        draw = draw or known_figure(name).draw
        shown = one_line(frame)
        on_wide, on_narrow = (self._store_drawing(draw, shown, width) for width in (wide, NARROW))
        data = self._store_rows(rows(frame)["values"])
        return Chart(name, on_wide, on_narrow, data, "canvas" if len(frame) > MANY else "svg")

    def _store_drawing(self, draw: Callable[..., Any], frame: pl.DataFrame, width: int) -> str:
        """Return the names of a specification and of its data in their order, separated by spaces."""
        with skip_validation():
            spec = draw(frame, Style(width=width)).to_dict(validate=False, format="vega-lite")
        for unneeded in ("$schema", "config"):
            spec.pop(unneeded, None)
        datasets = spec.pop("datasets", {})
        names: list[str] = []
        stripped = self._strip_data(spec, datasets, names)
        return " ".join([self._store(stripped), *names])

    def _strip_data(self, spec: Any, datasets: dict[str, Any], names: list[str]) -> Any:
        """Number the data of a specification: drawings of different data are then equal, and stored once."""
        if isinstance(spec, list | tuple):
            return [self._strip_data(one, datasets, names) for one in spec]
        if not isinstance(spec, dict):
            return spec
        return {
            key: self._number_data(value, datasets, names)
            if key == "data"
            else self._strip_data(value, datasets, names)
            for key, value in spec.items()
        }

    def _number_data(self, data: Any, datasets: dict[str, Any], names: list[str]) -> Any:
        if not isinstance(data, dict):
            return data
        values = datasets.get(data["name"]) if "name" in data else data.get("values")
        if values is None:
            return data
        name = self._store_rows(values)
        if name not in names:
            names.append(name)
        return {"name": f"data{names.index(name)}"}

    def _store_rows(self, values: Sequence[dict[str, Any]]) -> str:
        """Store rows by column; rows with different keys are stored as they are."""
        if not values or any(row.keys() != values[0].keys() for row in values):
            return self._store(list(values))
        columns = {key: pack([row[key] for row in values]) for key in values[0]}
        if len(values) >= FEW:
            columns = {key: self._store(column) for key, column in columns.items()}
        return self._store({"rows": len(values), "columns": columns})

    def _store(self, value: Any) -> str:
        return self.store.setdefault(embedded(value), f"k{len(self.store)}")


def pack(values: Sequence[Any]) -> Any:
    """Pack a column, so that repeated values are stored once.

    >>> pack(["a", "b", "a", "a"]), pack([0.5, 0.5]), pack([1, 2])
    ({'of': ['a', 'b'], 'at': [0, 1, 0, 0]}, {'all': 0.5}, [1, 2])
    """
    places: dict[Any, int] = {}
    at = [places.setdefault(value, len(places)) for value in values]
    if len(places) == 1 < len(values):
        return {"all": values[0]}
    long = any(isinstance(value, str | float) for value in places)
    return {"of": list(places), "at": at} if long and 2 * len(places) <= len(values) else list(values)


@contextmanager
def skip_validation() -> Iterator[None]:
    """Draw charts without checking them against the schema: the tests of each figure do so."""
    altair()
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        yield
