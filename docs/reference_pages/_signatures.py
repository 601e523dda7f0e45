"""Signatures of functions as code."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass
from typing import Any

_MAX_WIDTH = 100
_STARS: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def format_signature(name: str, function: Callable[..., Any], method: bool = False) -> str:
    """Return the signature of a function, on one line if it fits. The signature of a *method* omits ``self``.

    >>> print(format_signature("assay.plot", lambda name, *, theme="light", **options: None))
    assay.plot(name, *, theme="light", **options)
    """
    signature = inspect.signature(function)
    parameters = _format_parameters(list(signature.parameters.values())[1 if method else 0 :])
    annotation = signature.return_annotation
    return_type = "" if annotation in (inspect.Signature.empty, None, "None") else f" -> {annotation}"
    line = f"{name}({', '.join(parameters)}){return_type}"
    return (
        line
        if len(line) <= _MAX_WIDTH
        else f"{name}(\n" + "".join(f"    {text},\n" for text in parameters) + f"){return_type}"
    )


def _format_parameters(parameters: list[inspect.Parameter]) -> list[str]:
    """Return the parameters as text, with a star before the first keyword-only parameter."""
    lines: list[str] = []
    for index, parameter in enumerate(parameters):
        kinds = [before.kind for before in parameters[:index]]
        # The star is needed once, and not after *args.
        no_star_yet = not {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}.intersection(kinds)
        if parameter.kind is parameter.KEYWORD_ONLY and no_star_yet:
            lines.append("*")
        lines.append(_format_parameter(parameter))
    return lines


def _format_parameter(parameter: inspect.Parameter) -> str:
    stars = _STARS.get(parameter.kind, "")
    annotation = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
    if parameter.default is parameter.empty:
        return f"{stars}{parameter.name}{annotation}"
    equals = " = " if annotation else "="
    return f"{parameter.name}{annotation}{equals}{_format_default(parameter.default)}"


def _format_default(value: Any) -> str:
    if value is MISSING:
        return "MISSING"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    is_default = is_dataclass(value) and not isinstance(value, type) and value == type(value)()
    return f"{type(value).__name__}()" if is_default else repr(value)
