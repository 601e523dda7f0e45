"""Tells users of public functions which of their arguments has the wrong type, by an InputError."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from assay.errors import AssayError, InputError
from assay.io.problems import shown

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

LARGEST = 10**18
"""Whole numbers beyond fit into no array."""
_SEVERAL = re.compile(r"(Iterable|Sequence|Mapping)\[(.*)\]")
_WORDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "True or False", "None": "None"}
_MANY = {"int": "whole numbers", "float": "numbers", "str": "texts"}


def check_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Raise an InputError that names the argument if *function* fails because of the type of an argument.

    What the function refuses itself stays as it is, and so does a failure with arguments that fit: that is a fault of
    the function. Numbers, texts, truth values, and lists and dicts of them are checked; parameters that may be
    something else, such as runs, are left to the function. A campaign is recognised by the name of its class.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def checked(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        try:
            return function(*args, **options)
        except AssayError:
            raise
        except Exception:
            # Too many arguments (files in place of a campaign, say) cannot be bound; those that can are checked.
            given = {**dict(zip(signature.parameters, args, strict=False)), **options}
            for name, parameter in signature.parameters.items():
                if name in given:
                    _check(name, given[name], str(parameter.annotation))
            raise

    return checked


def _check(name: str, value: Any, annotation: str) -> None:
    kinds = _alternatives(annotation)
    if "Campaign" in kinds and type(value).__name__ not in kinds:
        expected = " or ".join({"Campaign": "a campaign (assay.read)"}.get(kind, kind) for kind in kinds)
        raise InputError(f"{name} must be {expected}, got {type(value).__name__}")
    known = all(kind in _WORDS or _SEVERAL.fullmatch(kind) for kind in kinds)
    if known and not any(_fits(value, kind) for kind in kinds):
        words = " or ".join(map(_words, kinds))
        raise InputError(f"{name} must be {words}, got {shown(value)} ({type(value).__name__})")


@cache
def _alternatives(annotation: str) -> tuple[str, ...]:
    """Split at the bars outside brackets."""
    return tuple(part.strip() for part in re.split(r"\|(?![^\[]*\])", annotation))


def _fits(value: Any, kind: str) -> bool:
    several = _SEVERAL.fullmatch(kind)
    if several is not None:
        return _holds(value, *several.groups())
    if kind == "None":
        return value is None
    if kind == "str":
        return isinstance(value, str)
    truth = isinstance(value, bool | np.bool_)
    if kind == "bool" or truth:
        return truth and kind == "bool"
    if isinstance(value, Integral):
        return abs(int(value)) <= LARGEST
    return kind == "float" and isinstance(value, Real)


def _holds(value: Any, container: str, inside: str) -> bool:
    """Whether this is a list or dict of such things; what can be gone through only once is not looked into."""
    if container == "Mapping" or isinstance(value, Mapping):
        return container == "Mapping" and isinstance(value, Mapping)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return False
    kinds = _alternatives(inside)
    if not isinstance(value, list | tuple | set) or not all(kind in _WORDS for kind in kinds):
        return True
    return all(any(_fits(each, kind) for kind in kinds) for each in value)


def _words(kind: str) -> str:
    several = _SEVERAL.fullmatch(kind)
    if several is None:
        return _WORDS[kind]
    return "a dict" if several[1] == "Mapping" else f"a list of {_MANY.get(_alternatives(several[2])[0], 'values')}"
