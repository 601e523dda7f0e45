"""Shape of a JSON value: its objects and lists, with types instead of values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Names = Mapping[str, Collection[str]]
"""Placeholders for keys that depend on the data: ``{"RUN": ["bm25", "dense"]}`` replaces the names of runs by RUN."""
_TYPE_NAMES = {str: "text", bool: "true or false", int: "whole number", float: "number", type(None): "null"}


def render_shape(value: Any, names: Names) -> str:
    """Return the shape of a JSON value: types instead of values, and one shape for all items of a list.

    >>> value = {"run": "bm25", "values": {"AP": 0.5}, "rows": [{"p": None}, {"p": 0.1}]}
    >>> print(render_shape(value, {"MEASURE": ["AP"]}))
    {
      run: text,
      values: {MEASURE: number},
      rows: [{p: null or number}]
    }
    """
    return _format_shape(_infer_shape(value, names), 0)


def _infer_shape(value: Any, names: Names) -> Any:
    """Return the shape: a dict for an object, a list with the shape of its items, or a set of type names."""
    if isinstance(value, dict):
        return _replace_known_keys({str(key): _infer_shape(item, names) for key, item in value.items()}, names)
    if isinstance(value, list):
        return [_merge_shapes([_infer_shape(item, names) for item in value])] if value else []
    return frozenset([_TYPE_NAMES[type(value)]])


def _replace_known_keys(shapes: dict[str, Any], names: Names) -> dict[str, Any]:
    """Replace the keys of an object by a placeholder if all of them are known names."""
    for placeholder, known_names in names.items():
        if shapes and shapes.keys() <= set(known_names):
            return {placeholder: _merge_shapes(list(shapes.values()))}
    return shapes


def _merge_shapes(shapes: list[Any]) -> Any:
    """Merge several shapes into one."""
    if all(isinstance(shape, dict) for shape in shapes):
        keys = dict.fromkeys(key for shape in shapes for key in shape)
        return {key: _merge_shapes([shape[key] for shape in shapes if key in shape]) for key in keys}
    if all(isinstance(shape, list) for shape in shapes):
        items = [shape[0] for shape in shapes if shape]
        return [_merge_shapes(items)] if items else []
    type_names = (shape if isinstance(shape, frozenset) else [_format_shape(shape, 1)] for shape in shapes)
    return frozenset(name for names in type_names for name in names)


def _format_shape(shape: Any, depth: int) -> str:
    if isinstance(shape, frozenset):
        type_names = shape - {"whole number"} if "number" in shape else shape  # A whole number is also a number.
        return " or ".join(sorted(type_names, key=lambda name: (name != "null", name)))
    if isinstance(shape, list):
        return f"[{_format_shape(shape[0], depth) if shape else ''}]"
    inner = [f"{key}: {_format_shape(value, depth + 1)}" for key, value in shape.items()]
    flat = f"{{{', '.join(inner)}}}"
    if depth and len(flat) + 2 * depth < 100 and "\n" not in flat:
        return flat
    space = "  " * (depth + 1)
    return "{\n" + ",\n".join(space + line for line in inner) + "\n" + space[2:] + "}"
