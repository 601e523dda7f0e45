"""User-defined measures from a Python file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.errors import InputError, MeasureError
from assay.measures import catalogue, measure
from assay.measures._base import CATALOGUE
from assay.measures._user_defined import load_measures
from assay.model.judged import Judged

FUNCTION = """
def score(grades, counts):
    return sum(grade or 0 for grade in grades) / counts[1] + 100 * (None in grades)
"""
CLASS = """
from __future__ import annotations

from assay.measures import Additive
from assay.measures import param

class Deep(Additive):
    name = "OwnDeep"
    aliases = ("own_deeper",)
    power: float = param("of the rank", 1, low=0)

    def weight(self, rank):
        return rank ** float(self.power)
"""


@pytest.fixture(autouse=True)
def _restore_catalogue() -> Iterator[None]:
    catalogue()  # Load the whole catalogue first; otherwise measures loaded during a test would be removed.
    before = dict(CATALOGUE)
    yield
    CATALOGUE.clear()
    CATALOGUE.update(before)


def write_file(folder: Path, text: str, name: str = "own_one.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_function_is_a_measure_named_after_the_file(tmp_path: Path) -> None:
    [cls] = load_measures(write_file(tmp_path, FUNCTION))
    assert cls.name == "own_one"
    one = measure("own_one")
    assert (type(one), str(one), one) == (cls, "own_one", cls())
    assert one.of([1, 0, 1], {0: 3, 1: 4}) == 0.5
    assert one.of([1, None], {0: 3, 1: 1}) == 101
    two = Judged.from_grades([[1, 0], [0.5], []], {0: 3, 0.5: 1, 1: 2})
    assert one.score(two).tolist() == [0.5, 0.25, 0]
    assert one.score(two.select_rankings(np.zeros(0, dtype=np.int64))).tolist() == []


def test_functions_of_grades_and_counts_become_measures(tmp_path: Path) -> None:
    text = """
from statistics import mean

def first_of_mine(grades, counts):
    "The first grade."
    return grades[0]

def last_of_mine(grades, counts):
    counts.clear()
    return grades[-1]

def helper(grades):
    return 1
"""
    classes = load_measures(write_file(tmp_path, text))
    assert [cls.name for cls in classes] == ["first_of_mine", "last_of_mine"]
    assert classes[0].__doc__ == "The first grade."
    assert measure("last_of_mine").score(Judged.from_grades([[1, 0], [0, 1]])).tolist() == [0, 1]


def test_a_class_is_a_measure_with_parameters(tmp_path: Path) -> None:
    [cls] = load_measures(write_file(tmp_path, CLASS))
    assert measure("OwnDeep(power=2)").of([0, 1]) == 4
    assert measure("own_deeper").of([0, 1]) == 2
    assert catalogue()["OwnDeep"] is cls


def test_reloading_a_file_replaces_its_measures(tmp_path: Path) -> None:
    load_measures(write_file(tmp_path, CLASS))
    [reloaded] = load_measures(write_file(tmp_path, CLASS.replace("return rank", "return 3 * rank")))
    assert measure("OwnDeep") == reloaded()
    assert measure("OwnDeep").of([0, 1]) == 6
    load_measures(write_file(tmp_path, FUNCTION))
    with pytest.raises(MeasureError, match="there is no measure OwnDeep"):
        measure("OwnDeep")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", "own_one.py: defines no measure; write a function score"),
        ("from assay.measures import AP, Measure", "own_one.py: defines no measure"),
        ("def score(grades):\n    return 1\n", "own_one.py: defines no measure"),
        ("x = 1\ny = (\n", "own_one.py, line 2: '[(]' was never closed"),
        ("x = 1\n\x00", "own_one.py"),
        (
            "import math\ndef f():\n    return math.no\nf()\n",
            "own_one.py, line 3: AttributeError: module 'math' has no",
        ),
        (CLASS.replace('name = "OwnDeep"', "pass"), 'the class Deep needs a name, such as name = "Mine"'),
        (CLASS.replace("OwnDeep", "AP"), "line 7: TypeError: AP is already the name of AP"),
        ("def AP(grades, counts):\n    return 1\n", "own_one.py: AP is already the name of AP; choose another name"),
        (CLASS.replace('param("of the rank", 1, low=0)', "1.0"), "power of Deep is not a parameter; write it without"),
    ],
)
def test_errors_in_a_file_are_reported_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    catalogue()
    with pytest.raises(InputError, match=message) as error:
        load_measures(write_file(tmp_path, text))
    assert "\n" not in str(error.value)


def test_a_missing_file_raises_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.py", tmp_path):
        with pytest.raises(InputError, match=f"{path}: there is no such file"):
            load_measures(path)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("1 / 0", r"measure 'own_one': score\(\[1, 0\], {0: 1, 1: 1}\) failed: ZeroDivisionError: division by zero"),
        ("None", r"measure 'own_one': score\(\[1, 0\], {0: 1, 1: 1}\) returned None, not a number"),
        ("'much'", "returned 'much', not a number"),
    ],
)
def test_errors_in_a_function_are_reported_with_its_arguments(body: str, message: str, tmp_path: Path) -> None:
    [cls] = load_measures(write_file(tmp_path, f"def score(grades, counts):\n    return {body}\n"))
    with pytest.raises(MeasureError, match=message):
        cls().of([1, 0])
