"""Values as what they are: texts, numbers, lists and objects."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

Names = Mapping[str, Collection[str]]
"""What the keys of an object can be that are names of things, such as runs, by what they are."""
_KINDS = {str: "text", bool: "true or false", int: "whole number", float: "number", type(None): "null"}


def sketch(value: Any, names: Names) -> str:
    """A value of JSON with kinds in the place of values; of a list, what its items are.

    >>> print(sketch({"run": "bm25", "values": {"AP": 0.5}, "rows": [{"p": None}, {"p": 0.1}]}, {"MEASURE": ["AP"]}))
    {
      run: text,
      values: {MEASURE: number},
      rows: [{p: null or number}]
    }
    """
    return _written(_kind(value, names), 0)


def _kind(value: Any, names: Names) -> Any:
    """An object with kinds as its values, a list with the kind of all its items, or a set of words."""
    if isinstance(value, dict):
        return _object({str(key): _kind(each, names) for key, each in value.items()}, names)
    if isinstance(value, list):
        return [_either([_kind(each, names) for each in value])] if value else []
    return frozenset([_KINDS[type(value)]])


def _object(found: dict[str, Any], names: Names) -> dict[str, Any]:
    """An object; if its keys are names of things, one entry stands for all."""
    for what, known in names.items():
        if found and found.keys() <= set(known):
            return {what: _either(list(found.values()))}
    return found


def _either(kinds: list[Any]) -> Any:
    """What is one of several kinds."""
    if all(isinstance(kind, dict) for kind in kinds):
        keys = dict.fromkeys(key for kind in kinds for key in kind)
        return {key: _either([kind[key] for kind in kinds if key in kind]) for key in keys}
    if all(isinstance(kind, list) for kind in kinds):
        items = [kind[0] for kind in kinds if kind]
        return [_either(items)] if items else []
    return frozenset(word for kind in kinds for word in (kind if isinstance(kind, frozenset) else [_written(kind, 1)]))


def _written(kind: Any, depth: int) -> str:
    if isinstance(kind, frozenset):
        words = kind - {"whole number"} if "number" in kind else kind  # a whole number is one too
        return " or ".join(sorted(words, key=lambda word: (word != "null", word)))
    if isinstance(kind, list):
        return f"[{_written(kind[0], depth) if kind else ''}]"
    inner = [f"{key}: {_written(value, depth + 1)}" for key, value in kind.items()]
    flat = f"{{{', '.join(inner)}}}"
    if depth and len(flat) + 2 * depth < 100 and "\n" not in flat:
        return flat
    space = "  " * (depth + 1)
    return "{\n" + ",\n".join(space + line for line in inner) + "\n" + space[2:] + "}"
