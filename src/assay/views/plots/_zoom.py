"""Enlarge a chart: text, marks and distances grow by the same factor, so that a layout without overlaps remains one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.views.plots._altair import alt

# fmt: off
_LENGTHS = frozenset({
    "width", "height", "step", "spacing", "padding", "offset", "limit", "lineHeight", "dx", "dy", "xOffset", "yOffset",
    "x2Offset", "y2Offset", "thickness", "fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize",
    "subtitlePadding", "labelPadding", "titlePadding", "labelLimit", "titleLimit", "labelOffset", "titleX", "titleY",
    "tickSize", "tickOffset", "tickWidth", "domainWidth", "gridWidth", "minExtent", "maxExtent", "strokeWidth",
    "strokeDash", "symbolStrokeWidth", "symbolDash", "gridDash", "cornerRadius", "gradientLength", "gradientThickness",
    "columnPadding", "rowPadding", "symbolOffset", "clipHeight", "bandSize", "continuousBandSize",
})
# fmt: on
_POSITIONS = frozenset(("x", "y", "x2", "y2", "xOffset", "yOffset"))
_RANGES = frozenset((*_POSITIONS, "strokeWidth"))
_SYMBOLS = frozenset(("point", "circle", "square"))
_DEFAULTS: dict[str, Any] = {
    "axis": {"labelPadding": 2, "tickWidth": 1, "domainWidth": 1, "gridWidth": 1, "labelOffset": 0},
    "legend": {
        "columnPadding": 10,
        "rowPadding": 2,
        "offset": 18,
        "padding": 0,
        "titlePadding": 5,
        "labelOffset": 4,
        "symbolSize": 100,
        "symbolStrokeWidth": 1.5,
        "gradientLength": 200,
        "gradientThickness": 16,
    },
    "header": {"titlePadding": 10},
    "title": {"subtitlePadding": 3},
    "concat": {"spacing": 20},
    "facet": {"spacing": 20},
    "line": {"strokeWidth": 2},
    "rule": {"strokeWidth": 1},
    "tick": {"thickness": 1},
    "point": {"size": 30, "strokeWidth": 2},
    "circle": {"size": 30},
    "square": {"size": 30},
}
"""Sizes that Vega uses if neither a chart nor a theme has them."""


def zoom_config(config: Mapping[str, Any], factor: float) -> dict[str, Any]:
    """Return a configuration of Vega-Lite with larger sizes."""
    parts = {name: {**part, **config.get(name, {})} for name, part in _DEFAULTS.items()}
    return {
        name: _zoom_symbol(part, factor) if name in _SYMBOLS else _zoom_part(part, factor, name)
        for name, part in {**config, **parts}.items()
    }


def zoom_chart(chart: Any, factor: float) -> Any:
    """Return a chart with larger sizes, which must not have a configuration of its own."""
    return _zoom_part(chart, factor, "")


def _zoom_part(part: Any, factor: float, name: str) -> Any:
    """Return a part of a chart with larger sizes; *name* is the property whose value is *part*."""
    if name in ("data", "datasets", "params", "values"):
        return part
    if isinstance(part, alt.SchemaBase):
        copy = part.copy(deep=False)
        copy._kwds.update(_zoom_properties(part._kwds, factor, name))
        return copy
    if isinstance(part, Mapping):
        return _zoom_properties(part, factor, name)
    if isinstance(part, list | tuple) and name not in _LENGTHS:
        return type(part)(_zoom_part(value, factor, "") for value in part)
    return _multiply(part, factor) if name in _LENGTHS else part


def _zoom_properties(part: Mapping[str, Any], factor: float, name: str) -> dict[str, Any]:
    if name == "scale":  # the padding of a scale is a fraction of its steps
        return dict(part)
    if name in ("spacing", "padding"):  # of rows and columns, or on each side
        return {key: _multiply(value, factor) for key, value in part.items()}
    properties = {key: _zoom_part(value, factor, key) for key, value in part.items()}
    mark = _mark_type(part)
    if mark in _SYMBOLS and isinstance(properties.get("mark"), alt.SchemaBase | dict):
        properties["mark"] = _zoom_symbol(properties["mark"], factor)
    elif mark:
        _multiply_property(properties["mark"], "size", factor)
    _multiply_property(properties, "symbolSize", factor**2)
    encoding = properties.get("encoding", alt.Undefined)
    if encoding is not alt.Undefined:
        _zoom_encoding(encoding, factor, mark)
        own = properties.get("transform", alt.Undefined)
        moved = [
            alt.CalculateTransform(**{"calculate": f"datum['{field}'] * {factor}", "as": field})
            for field in sorted(_pixel_fields(encoding))
        ]
        if moved:
            properties["transform"] = [*([] if own is alt.Undefined else own), *moved]
    return properties


def _zoom_encoding(encoding: Any, factor: float, mark: str) -> None:
    """Enlarge the positions and sizes that channels contain as numbers; the channels are copies."""
    for name, channel in _items(encoding).items():
        if name in _POSITIONS or name in ("strokeWidth", "size"):
            power = 2 if name == "size" and mark in _SYMBOLS else 1
            _multiply_property(channel, "value", factor**power)
            scale = _get(channel, "scale")
            if isinstance(scale, alt.SchemaBase | dict) and isinstance(_get(scale, "range"), list):
                copy = dict(scale) if isinstance(scale, dict) else scale.copy(deep=False)
                _multiply_property(copy, "range", factor**power)
                channel["scale"] = copy


def _pixel_fields(encoding: Any) -> set[str]:
    """Return the fields whose numbers are positions in pixels, because their channels have no scale."""
    channels = [channel for name, channel in _items(encoding).items() if name in _POSITIONS]
    fields = [_get(channel, "field") or _get(channel, "shorthand") for channel in channels if _has_no_scale(channel)]
    return {field.removesuffix(":Q") for field in fields if isinstance(field, str)}


def _has_no_scale(channel: Any) -> bool:
    properties = channel if isinstance(channel, dict) else channel._kwds
    return "scale" in properties and properties["scale"] is None


def _zoom_symbol(part: Any, factor: float) -> Any:
    """Enlarge a symbol, whose size is an area."""
    zoomed = _zoom_part(part, factor, "")
    _multiply_property(zoomed, "size", factor**2)
    return zoomed


def _mark_type(part: Mapping[str, Any]) -> str:
    mark = part.get("mark", "")
    return str(mark if isinstance(mark, str) else _get(mark, "type") or "")


def _items(part: Any) -> dict[str, Any]:
    properties = part if isinstance(part, dict) else part._kwds
    return {name: value for name, value in properties.items() if isinstance(value, alt.SchemaBase | dict)}


def _get(part: Any, name: str) -> Any:
    value = part.get(name) if isinstance(part, dict) else part._kwds.get(name)
    return None if value is alt.Undefined else value


def _multiply_property(part: Any, name: str, factor: float) -> None:
    if isinstance(part, alt.SchemaBase | dict) and (value := _get(part, name)) is not None:
        part[name] = _multiply(value, factor)


def _multiply(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return [_multiply(number, factor) for number in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(value * factor, 3) if is_number else value
