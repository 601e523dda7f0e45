"""Signatures of functions as code."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass
from typing import Any

_MAX_WIDTH = 100


def signature(name: str, function: Callable[..., Any], method: bool = False) -> str:
    """Return the signature of a function, on one line if it fits; that of a *method* without ``self``.

    >>> print(signature("assay.plot", lambda name, *, theme="light", **options: None))
    assay.plot(name, *, theme="light", **options)
    """
    parsed = inspect.signature(function)
    parameters = _format_parameters(list(parsed.parameters.values())[1 if method else 0 :])
    annotation = parsed.return_annotation
    returned = "" if annotation in (inspect.Signature.empty, None, "None") else f" -> {annotation}"
    line = f"{name}({', '.join(parameters)}){returned}"
    return (
        line
        if len(line) <= _MAX_WIDTH
        else f"{name}(\n" + "".join(f"    {text},\n" for text in parameters) + f"){returned}"
    )


def _format_parameters(parameters: list[inspect.Parameter]) -> list[str]:
    """Return the parameters as text, with a star before the first keyword-only one."""
    texts: list[str] = []
    for index, one in enumerate(parameters):
        kinds = [before.kind for before in parameters[:index]]
        # The star is needed once, and not after *args.
        if one.kind is one.KEYWORD_ONLY and not {one.KEYWORD_ONLY, one.VAR_POSITIONAL}.intersection(kinds):
            texts.append("*")
        texts.append(_parameter(one))
    return texts


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
    is_default = is_dataclass(value) and not isinstance(value, type) and value == type(value)()
    return f"{type(value).__name__}()" if is_default else repr(value)
