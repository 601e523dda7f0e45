"""How functions are called, as code."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass
from typing import Any

_WIDEST = 100


def signature(name: str, function: Callable[..., Any], method: bool = False) -> str:
    """A function with its parameters, in one line if there is room; a *method* without the object that it is of.

    >>> print(signature("assay.plot", lambda name, *, theme="light", **options: None))
    assay.plot(name, *, theme="light", **options)
    """
    found = inspect.signature(function)
    given = list(found.parameters.values())[1 if method else 0 :]
    words = _words(given)
    answer = (
        "" if found.return_annotation in (inspect.Signature.empty, None, "None") else f" -> {found.return_annotation}"
    )
    line = f"{name}({', '.join(words)}){answer}"
    return line if len(line) <= _WIDEST else f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){answer}"


def _words(given: list[inspect.Parameter]) -> list[str]:
    """The parameters, with the star behind which they must be named."""
    words: list[str] = []
    for place, one in enumerate(given):
        first = one.kind is one.KEYWORD_ONLY and all(before.kind is not one.KEYWORD_ONLY for before in given[:place])
        if first and not any(before.kind is one.VAR_POSITIONAL for before in given[:place]):
            words.append("*")
        words.append(_parameter(one))
    return words


def _parameter(one: inspect.Parameter) -> str:
    stars = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
    kind = "" if one.annotation is one.empty else f": {one.annotation}"
    if one.default is one.empty:
        return f"{stars}{one.name}{kind}"
    return f"{one.name}{kind} = {_default(one.default)}" if kind else f"{one.name}={_default(one.default)}"


def _default(value: Any) -> str:
    if value is MISSING:
        return "MISSING"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    as_made = is_dataclass(value) and not isinstance(value, type) and value == type(value)()
    return f"{type(value).__name__}()" if as_made else repr(value)
