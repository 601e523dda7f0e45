"""Sketch of the shape of JSON values: texts, numbers, lists and objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Names = Mapping[str, Collection[str]]
"""Names that occur as keys, such as those of runs, by the placeholder that stands for them."""
_KINDS = {str: "text", bool: "true or false", int: "whole number", float: "number", type(None): "null"}


def sketch(value: Any, names: Names) -> str:
    """Return the shape of a JSON value: types instead of values, and one entry for all items of a list.

    >>> print(sketch({"run": "bm25", "values": {"AP": 0.5}, "rows": [{"p": None}, {"p": 0.1}]}, {"MEASURE": ["AP"]}))
    {
      run: text,
      values: {MEASURE: number},
      rows: [{p: null or number}]
    }
    """
    return _format(_kind(value, names), 0)


def _kind(value: Any, names: Names) -> Any:
    """Return an object with the type of each value, a list with the type of its items, or a set of type names."""
    if isinstance(value, dict):
        return _object({str(key): _kind(each, names) for key, each in value.items()}, names)
    if isinstance(value, list):
        return [_merge([_kind(each, names) for each in value])] if value else []
    return frozenset([_KINDS[type(value)]])


def _object(types: dict[str, Any], names: Names) -> dict[str, Any]:
    """Replace the keys of an object by a placeholder if all of them are known names."""
    for placeholder, known in names.items():
        if types and types.keys() <= set(known):
            return {placeholder: _merge(list(types.values()))}
    return types


def _merge(kinds: list[Any]) -> Any:
    """Merge several types into one."""
    if all(isinstance(kind, dict) for kind in kinds):
        keys = dict.fromkeys(key for kind in kinds for key in kind)
        return {key: _merge([kind[key] for kind in kinds if key in kind]) for key in keys}
    if all(isinstance(kind, list) for kind in kinds):
        items = [kind[0] for kind in kinds if kind]
        return [_merge(items)] if items else []
    return frozenset(word for kind in kinds for word in (kind if isinstance(kind, frozenset) else [_format(kind, 1)]))


def _format(kind: Any, depth: int) -> str:
    if isinstance(kind, frozenset):
        words = kind - {"whole number"} if "number" in kind else kind  # A whole number is also a number.
        return " or ".join(sorted(words, key=lambda word: (word != "null", word)))
    if isinstance(kind, list):
        return f"[{_format(kind[0], depth) if kind else ''}]"
    inner = [f"{key}: {_format(value, depth + 1)}" for key, value in kind.items()]
    flat = f"{{{', '.join(inner)}}}"
    if depth and len(flat) + 2 * depth < 100 and "\n" not in flat:
        return flat
    space = "  " * (depth + 1)
    return "{\n" + ",\n".join(space + line for line in inner) + "\n" + space[2:] + "}"
