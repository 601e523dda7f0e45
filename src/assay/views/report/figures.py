"""Figures of a report: Vega-Lite specifications and data, packed to keep the page small.

Each figure has two specifications with the same data, for wide and for narrow screens. Data are stored by column, and
equal columns are stored once, even if several figures use them. The page unpacks the data of a figure when the figure
comes into view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polars as pl

from assay.views.plots._altair import skip_validation
from assay.views.plots._export import embed_json
from assay.views.plots._figures import figure as known_figure
from assay.views.plots._style import Style, remove_line_separators, rows

WIDE_PIXELS, NARROW_PIXELS = 700, 320
"""Widths of figures on large and on small screens, in pixels."""
MIN_PACKED_ROWS = 12  # Tables with fewer rows are stored as one item instead of column by column.
MAX_SVG_MARKS = 3000  # A figure with more marks is drawn faster on a canvas than as SVG.


class Chart(NamedTuple):
    """A figure of the page: its name, and the identifiers of its specifications and data in the store."""

    name: str
    wide: str
    narrow: str
    rows: str
    renderer: str


@dataclass(eq=False)
class Figures:
    """Store of the figures of a page: a map from JSON texts to identifiers, which removes duplicates."""

    store: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, source: Any, *, wide: int = WIDE_PIXELS, **options: Any) -> Chart:
        """Draw a figure of ``assay plot``, computed from results or a report with the options of the figure."""
        return self.add_frame(name, known_figure(name).data(source, **options).frame, wide=wide)

    def add_frame(
        self,
        name: str,
        frame: pl.DataFrame,
        *,
        draw: Callable[..., Any] | None = None,
        wide: int = WIDE_PIXELS,
        saved: pl.DataFrame | None = None,
    ) -> Chart:
        """Draw a figure and store its specifications and data.

        Parameters
        ----------
        name
            Name of the figure, as in ``assay plot``.
        frame
            Data of the figure.
        draw
            Function that draws the figure; by default the function ``draw`` of the figure *name*.
        wide
            Width on large screens, in pixels.
        saved
            Data that readers can save as CSV; by default *frame*.
        """
        draw = draw or known_figure(name).draw
        cleaned = remove_line_separators(frame)
        wide_ids, narrow_ids = (self._store_specification(draw, cleaned, width) for width in (wide, NARROW_PIXELS))
        data_id = self._store_rows(rows(frame if saved is None else saved)["values"])
        return Chart(name, wide_ids, narrow_ids, data_id, "canvas" if len(frame) > MAX_SVG_MARKS else "svg")

    def _store_specification(self, draw: Callable[..., Any], frame: pl.DataFrame, width: int) -> str:
        """Return the identifiers of a specification and of its data, in order, separated by spaces."""
        with skip_validation():  # The tests of the figures validate them against the schema of Vega-Lite.
            spec = draw(frame, Style(width=width)).to_dict(validate=False, format="vega-lite")
        for key in ("$schema", "config"):  # The page adds both when it draws the figure.
            spec.pop(key, None)
        datasets = spec.pop("datasets", {})
        names: list[str] = []
        stripped = self._strip_data(spec, datasets, names)
        return " ".join([self._store(stripped), *names])

    def _strip_data(self, spec: Any, datasets: dict[str, Any], names: list[str]) -> Any:
        """Replace the data of a specification by numbered references.

        Specifications that differ only in their data become equal and are stored once. *names* collects the
        identifiers of the data.
        """
        if isinstance(spec, list | tuple):
            return [self._strip_data(part, datasets, names) for part in spec]
        if not isinstance(spec, dict):
            return spec
        return {
            key: self._number_data(value, datasets, names)
            if key == "data"
            else self._strip_data(value, datasets, names)
            for key, value in spec.items()
        }

    def _number_data(self, data: Any, datasets: dict[str, Any], names: list[str]) -> Any:
        """Store the rows of *data* and return a numbered reference to them; other values are returned unchanged."""
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
        """Store rows by column and return the identifier; rows with different keys are stored as a list."""
        if not values or any(row.keys() != values[0].keys() for row in values):
            return self._store(list(values))
        columns = {key: pack([row[key] for row in values]) for key in values[0]}
        if len(values) >= MIN_PACKED_ROWS:
            columns = {key: self._store(column) for key, column in columns.items()}
        return self._store({"rows": len(values), "columns": columns})

    def _store(self, value: Any) -> str:
        return self.store.setdefault(embed_json(value), f"k{len(self.store)}")


def pack(values: Sequence[Any]) -> Any:
    """Pack a column so that repeated values are stored once: the distinct values (``of``), and their indices (``at``).

    >>> pack(["a", "b", "a", "a"]), pack([0.5, 0.5]), pack([1, 2])
    ({'of': ['a', 'b'], 'at': [0, 1, 0, 0]}, {'all': 0.5}, [1, 2])
    """
    indices: dict[Any, int] = {}
    at = [indices.setdefault(value, len(indices)) for value in values]
    if len(indices) == 1 < len(values):
        return {"all": values[0]}
    has_long_values = any(isinstance(value, str | float) for value in indices)
    return {"of": list(indices), "at": at} if has_long_values and 2 * len(indices) <= len(values) else list(values)
