"""Arguments of a wrong type raise an AssayError that names the argument, for every public function."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError, InputError
from assay.model.arguments import MAX_INTEGER, check_arguments

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUNS = {"x": {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0}}, "y": {"1": {"b": 3.0, "a": 2.0}, "2": {"c": 1.0}}}
VALID_ARGUMENTS: dict[str, Any] = {
    "qrels": QRELS,
    "runs": RUNS,
    "measures": ["AP@5"],
    "measure": "AP@5",
    "run": RUNS["x"],
    "topic": "1",
    "n": [3],
    "name": "boxes",
    "a": ["x"],
    "b": ["y", "x"],
    "r": [0, 1],
    "s": [1, 1],
}
CAMPAIGN = assay.read(QRELS, RUNS, keep="documents")
REQUIRED_ARGUMENTS: dict[str, Any] = {
    "baseline": CAMPAIGN.select("x"),
    "sources": {"first": CAMPAIGN},
    "margins": {"AP@5": 0.1},
}
WRONG = ["text", "\ud800", None, 1.5, -1, float("nan"), 10**400, True, [], ["text"], [None], {}, b"text", object()]
SLOW = {"simulate", "study", "report", "explore"}
SPACES = ("", "effort", "uncertainty", "distance", "theory", "significance", "meta")
READERS = {"read_qrels", "read_run", "read_runs"}  # see io/test_paths.py


def calls() -> Iterator[Any]:
    """Yield each public function with each of its scalar parameters."""
    spaces = [getattr(assay, space) if space else assay for space in SPACES]
    for name, function in ((name, getattr(space, name)) for space in spaces for name in dir(space)):
        if not inspect.isfunction(function) or name in SLOW | READERS:
            continue
        parameters = inspect.signature(function).parameters
        arguments = {each: VALID_ARGUMENTS[each] for each in parameters if each in VALID_ARGUMENTS}
        required = {each for each, one in parameters.items() if one.default is inspect.Parameter.empty}
        arguments |= {each: value for each, value in REQUIRED_ARGUMENTS.items() if each in required}
        arguments |= {each: CAMPAIGN for each in ("campaign", "source") if each in parameters}
        for parameter in parameters.values():
            if not any(word in str(parameter.annotation) for word in ("Any", "Progress", "Unpack", "Callable", "Path")):
                yield pytest.param(function, arguments, parameter.name, id=f"{name}-{parameter.name}")


@pytest.mark.parametrize(("function", "arguments", "name"), list(calls()))
def test_a_wrong_type_raises_an_assay_error(function: Callable[..., Any], arguments: dict[str, Any], name: str) -> None:
    for value in WRONG:
        try:
            function(**{**arguments, name: value})
        except AssayError as error:
            str(error).encode()


@check_arguments
def halve(depth: int | None = 2, p: float = 0.5, names: Iterable[str] = (), flag: bool = False, **_more: str) -> float:
    """Fail unless depth is 2."""
    return p / int((depth or 0) == 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": "two"}, "depth must be a whole number or None, got 'two' (str)"),
        ({"depth": 2.5}, "depth must be a whole number or None, got 2.5 (float)"),
        ({"depth": True}, "depth must be a whole number or None, got True (bool)"),
        ({"depth": 10**5000}, "depth must be a whole number or None, got int with too many digits (int)"),
        ({"p": "x"}, "p must be a number, got 'x' (str)"),
        ({"depth": 1, "names": 5}, "names must be a list of texts, got 5 (int)"),
        ({"depth": 1, "names": ["a", 5]}, "names must be a list of texts, got ['a', 5] (list)"),
        ({"depth": 1, "flag": "yes"}, "flag must be True or False, got 'yes' (str)"),
    ],
)
def test_the_message_names_the_argument(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        halve(**arguments)
    assert str(error.value) == message


def test_other_exceptions_are_not_replaced() -> None:
    for depth in (None, 1, np.int32(1), MAX_INTEGER):
        for p in (0.5, 1):
            with pytest.raises(ZeroDivisionError):
                halve(depth, p, ["a"], np.bool_(True))


def test_decorated_functions_keep_their_identity_and_signature() -> None:
    assert pickle.loads(pickle.dumps(assay.evaluate)) is assay.evaluate
    assert list(inspect.signature(assay.evaluate).parameters)[:3] == ["qrels", "runs", "measures"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: assay.uncertainty.bounds(QRELS, RUNS, "AP"),
        lambda: assay.meta.robustness(QRELS, RUNS, ["AP"]),
        lambda: assay.effort.indicators("qrels.txt"),
        lambda: assay.plot("crp", "qrels.txt"),
    ],
)
def test_passing_files_instead_of_a_campaign_raises_an_error(call: Callable[[], Any]) -> None:
    with pytest.raises(InputError, match=r"campaign \(assay.read\)"):
        call()
