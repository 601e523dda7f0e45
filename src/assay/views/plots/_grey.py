"""Charts for greyscale print: series differ in dashes or shapes, and text is not grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.views.plots._altair import alt
from assay.views.plots._style import GREYS, PALETTES

_PALETTE = PALETTES["grey"]
_SOLID = [1, 0]
DASHES = (_SOLID, [6, 2], [2, 2], [8, 2, 2, 2], [12, 3], [4, 1, 1, 1, 1, 1], [1, 3], [9, 2, 2, 2, 2, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
_DASH_OF = {**dict(zip(GREYS, DASHES, strict=True)), _PALETTE.late: _SOLID, _PALETTE.early: [5, 2]}
_DASH_OF[_PALETTE.right] = [2, 2]
_SHAPE_OF = {**dict(zip(GREYS, SHAPES, strict=True)), _PALETTE.late: "circle", _PALETTE.early: "square"}
_SHAPE_OF[_PALETTE.right] = "triangle-up"
_LINES, _POINTS = ("line", "rule", "trail"), ("point", "circle", "square")
_PARTS = ("layer", "concat", "hconcat", "vconcat", "spec")


def distinguish_series(chart: Any) -> Any:
    """Return a chart in which each series has its dashes or its shape, chosen by its grey."""
    copy = chart.copy(deep=False)
    for name in _PARTS:
        part = chart._get(name)
        if isinstance(part, list | tuple):
            copy[name] = [distinguish_series(one) for one in part]
        elif isinstance(part, alt.SchemaBase):
            copy[name] = distinguish_series(part)
    mark, encoding = chart._get("mark"), chart._get("encoding")
    if mark is not alt.Undefined and encoding is not alt.Undefined:
        kind = mark if isinstance(mark, str) else mark["type"]
        copy.mark = {"type": mark} if isinstance(mark, str) else mark.copy()
        copy.encoding = encoding.copy(deep=False)
        _distinguish_marks(copy, kind)
    return copy


def _distinguish_marks(chart: Any, kind: str) -> None:
    mark, encoding = chart.mark, chart.encoding
    channel = encoding._get("color")
    if kind == "text":
        if _list_colours(channel):
            encoding._kwds["color"] = alt.Undefined
        return
    if kind in _LINES and _get(mark, "color") in _DASH_OF and _get(mark, "strokeDash") is None:
        mark["strokeDash"] = _DASH_OF[_get(mark, "color")]
    if kind in _POINTS and _get(mark, "color") in _SHAPE_OF and _get(mark, "shape") is None:
        mark["shape"], mark["type"] = _SHAPE_OF[_get(mark, "color")], "point"
        mark["filled"] = kind != "point" or bool(_get(mark, "filled"))
    scale = _get(channel, "scale")
    domain, shades = _get(scale, "domain"), _get(scale, "range")
    if not isinstance(domain, list) or not isinstance(shades, list) or len(domain) < 2:
        return
    if kind in _LINES and all(shade in _DASH_OF for shade in shades):
        encoding["strokeDash"] = _copy_channel(channel, alt.StrokeDash, domain, [_DASH_OF[shade] for shade in shades])
    elif kind in _POINTS and all(shade in _SHAPE_OF for shade in shades):
        mark["type"], mark["filled"] = "point", kind != "point" or bool(_get(mark, "filled"))
        encoding["shape"] = _copy_channel(channel, alt.Shape, domain, [_SHAPE_OF[shade] for shade in shades])


def _copy_channel(channel: Any, kind: Any, domain: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return a channel of another *kind* with the field, the title and the legend of a channel of colours."""
    options = {
        name: channel._kwds.get(name, alt.Undefined) for name in ("shorthand", "field", "type", "title", "legend")
    }
    return kind(**options, scale=alt.Scale(domain=list(domain), range=list(values)))


def _list_colours(channel: Any) -> bool:
    """Return True if a channel has greys of series."""
    scale = _get(channel, "scale")
    shades = [*(_get(scale, "range") or []), _get(channel, "value")]
    return any(shade in _DASH_OF for shade in shades if isinstance(shade, str))


def _get(part: Any, name: str) -> Any:
    if isinstance(part, dict):
        return part.get(name)
    value = part._kwds.get(name) if isinstance(part, alt.SchemaBase) else None
    return None if value is alt.Undefined else value
