"""Type checks for the arguments of public functions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

import numpy as np

from assay.errors import AssayError, InputError
from assay.io.problems import format_value

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

MAX_INTEGER = 10**18
"""Largest magnitude of an integer argument; larger integers do not fit into arrays."""
_CONTAINER = re.compile(r"(Iterable|Sequence|Mapping)\[(.*)\]")
_DESCRIPTIONS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "True or False", "None": "None"}
_PLURALS = {"int": "whole numbers", "float": "numbers", "str": "texts"}


def check_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Raise an InputError that names the argument if *function* fails because of the type of an argument.

    Arguments are checked only after a failure, against the annotations of *function*. An AssayError passes unchanged.
    Any other error also passes unchanged if all arguments have the right types: it is then a bug of the function.
    Numbers, texts, truth values, lists and dicts are checked. Parameters that accept other types, such as runs, are
    not checked. A campaign is recognized by the name of its class.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def wrapper(*args: Parameters.args, **options: Parameters.kwargs) -> Result:
        """Call *function*; after an error, check the types of the arguments."""
        try:
            return function(*args, **options)
        except AssayError:
            raise
        except Exception:
            # ``signature.bind`` would fail if there are too many arguments, for example files instead of a campaign.
            # Check the arguments that correspond to a parameter.
            arguments = {**dict(zip(signature.parameters, args, strict=False)), **options}
            for name, parameter in signature.parameters.items():
                if name in arguments:
                    _check_type(name, arguments[name], str(parameter.annotation))
            raise

    return wrapper


def _check_type(name: str, value: Any, annotation: str) -> None:
    """Raise an InputError if *value* has none of the types of *annotation*; skip types that cannot be checked."""
    kinds = _split_union(annotation)
    if "Campaign" in kinds and type(value).__name__ not in kinds:
        if getattr(getattr(value, "provenance", None), "only_values", False):
            raise InputError(f"{name}: these results were read as values; this analysis needs runs and qrels")
        expected = " or ".join({"Campaign": "a campaign (assay.read)"}.get(kind, kind) for kind in kinds)
        raise InputError(f"{name} must be {expected}, got {type(value).__name__}")
    checkable = all(kind in _DESCRIPTIONS or _CONTAINER.fullmatch(kind) for kind in kinds)
    if checkable and not any(_is_instance(value, kind) for kind in kinds):
        descriptions = " or ".join(map(_describe_type, kinds))
        raise InputError(f"{name} must be {descriptions}, got {format_value(value)} ({type(value).__name__})")


@cache
def _split_union(annotation: str) -> tuple[str, ...]:
    """Split a union of types at each ``|`` outside brackets."""
    return tuple(part.strip() for part in re.split(r"\|(?![^\[]*\])", annotation))


def _is_instance(value: Any, kind: str) -> bool:
    """Return whether a value has the type that an annotation names."""
    container = _CONTAINER.fullmatch(kind)
    if container is not None:
        return _is_container(value, *container.groups())
    if kind == "None":
        return value is None
    if kind == "str":
        return isinstance(value, str)
    is_bool = isinstance(value, bool | np.bool_)
    if kind == "bool" or is_bool:  # in Python, True and False are integers; here they are not
        return is_bool and kind == "bool"
    if isinstance(value, Integral):
        return abs(int(value)) <= MAX_INTEGER
    return kind == "float" and isinstance(value, Real)


def _is_container(value: Any, container: str, item: str) -> bool:
    """Return whether *value* is a container of items of a type; the items of an iterator are not checked."""
    if container == "Mapping" or isinstance(value, Mapping):
        return container == "Mapping" and isinstance(value, Mapping)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return False
    kinds = _split_union(item)
    if not isinstance(value, list | tuple | set) or not all(kind in _DESCRIPTIONS for kind in kinds):
        return True
    return all(any(_is_instance(entry, kind) for kind in kinds) for entry in value)


def _describe_type(kind: str) -> str:
    """Return the words for a type in an error message."""
    container = _CONTAINER.fullmatch(kind)
    if container is None:
        return _DESCRIPTIONS[kind]
    if container[1] == "Mapping":
        return "a dict"
    return f"a list of {_PLURALS.get(_split_union(container[2])[0], 'values')}"
