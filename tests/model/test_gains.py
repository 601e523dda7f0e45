"""Gain mappings."""

import math

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.errors import MeasureError
from assay.model.gains import NAMED_GAINS, Gains
from oracles.gains import gain, top_grade
from strategies import close, many_examples

GRADES = st.lists(st.sampled_from([-2, -1, 0, 0.25, 0.5, 1, 1.7, 2, 3, 4, 10]), unique=True).map(sorted)
LISTS = ({1: 3, 2: 9}, {0: -1, 1: 1}, {0: 0.5, 3: 1}, {-1: 2, 0: 1}, {-2: -5, 0.5: 7})


@many_examples(
    levels=GRADES,
    rel=st.sampled_from([None, 0.5, 1, 2, 5]),
    top=st.sampled_from([None, 10, 12.5]),
    spec=st.sampled_from([*NAMED_GAINS, *LISTS]),
)
def test_gains_agree_with_the_definition(levels, rel, top, spec):
    table = Gains(spec).table(np.array(levels, dtype=np.float64), rel, top)
    scale = top_grade(levels) if top is None else top
    expected = [gain(grade, spec, rel, scale) for grade in [None, *levels]]
    assert table.dtype == np.float64
    assert len(table) == len(expected)
    assert all(close(g, w, 1e-14) for g, w in zip(table, expected, strict=True))


def test_gains_of_the_grades_0_to_4():
    levels = np.arange(5.0)
    tables = {name: Gains(name).table(levels, None, 4).tolist() for name in NAMED_GAINS}
    assert tables["binary"] == [0, 0, 1, 1, 1, 1]
    assert tables["identity"] == [0, 0, 1, 2, 3, 4]
    assert tables["base5"] == [0, 0, 5, 10, 15, 20]
    assert tables["negative"] == [-1, -1, 1, 2, 3, 4]
    assert tables["unit"] == [0, 0, 0.25, 0.5, 0.75, 1]
    assert tables["exp"] == [0, 0, 1, 3, 7, 15]
    # docs/papers/med.md: the largest gain is 15/16.
    assert tables["exp12"] == [0, 0, 1 / 16, 3 / 16, 7 / 16, 15 / 16]
    assert tables["exp-unit"] == pytest.approx([0, 0, 1 / 15, 3 / 15, 7 / 15, 1])


def test_the_top_of_the_scale_is_at_least_1():
    # If the qrels hold only the grades 0 and 0.5, the top of the scale is still 1.
    assert Gains("unit").table(np.array([0, 0.5]), None, None).tolist() == [0, 0, 0.5]
    assert Gains("unit").table(np.array([]), None, None).tolist() == [0]


def test_large_grades_have_finite_gains():
    levels = np.array([0, 1, 1e6])
    for name in ("exp12", "exp-unit", "unit"):
        table = Gains(name).table(levels, None, None)
        assert np.isfinite(table).all()
        assert table[-1] == 1
    assert Gains("exp").table(np.array([1000.0]), None, None)[-1] == 2.0**1000
    with pytest.raises(MeasureError, match=r"gains exp: 2\^1001 is too large; use exp12 or exp-unit"):
        Gains("exp").table(np.array([1001.0]), None, None)


@pytest.mark.parametrize("name", ["unit", "exp12", "exp-unit"])
def test_a_grade_above_max_rel_raises_an_error(name):
    with pytest.raises(MeasureError, match=f"gains {name}: the qrels hold grade 4, above max_rel=3"):
        Gains(name).table(np.array([0, 4]), None, 3)


@pytest.mark.parametrize("spec", LISTS)
def test_unjudged_documents_never_have_a_positive_gain(spec):
    assert Gains(spec).table(np.array([0, 1]), None, None)[0] <= 0


def test_properties_of_a_mapping():
    assert [name for name in NAMED_GAINS if Gains(name).negative] == ["negative"]
    assert [name for name in NAMED_GAINS if Gains(name).unit] == ["binary", "unit", "exp12", "exp-unit"]
    assert Gains({0: -1}).negative
    assert not Gains({0: 0, 1: 2}).negative
    assert Gains({1: 0.5}).unit
    assert not Gains({1: 1.5}).unit


def test_a_unit_mapping_must_list_every_grade_above_1():
    levels = np.array([0.0, 1.0, 3.0])
    assert Gains({1: 0.5, 3: 1}).table(levels, None, None, unit=True).tolist() == [0, 0, 0.5, 1]
    with pytest.raises(MeasureError, match="grade 3 is not listed and would have a gain above 1"):
        Gains({1: 0.5}).table(levels, None, None, unit=True)


def test_gains_compare_by_value():
    assert Gains({2: 9, 1: 3}) == Gains({1: 3.0, 2: 9.0}) == Gains(((2, 9), (1, 3)))
    assert hash(Gains({2: 9, 1: 3})) == hash(Gains({1: 3, 2: 9}))
    assert Gains("exp") != Gains("exp12")


def test_str_of_gains():
    assert str(Gains("exp-unit")) == "exp-unit"
    assert str(Gains({2: 9, 1: 3, 0: -0.5})) == "{0:-0.5,1:3,2:9}"
    assert str(Gains({1: 1 / 3, 2: 1234567})) == "{1:0.3333333333333333,2:1234567.0}"


@pytest.mark.parametrize(
    "spec", [5, None, {}, (), {"a": 1}, {1: "b"}, {1: math.nan}, {1: math.inf}, {math.nan: 1}, [1]]
)
def test_an_invalid_mapping_raises_an_error(spec):
    with pytest.raises(MeasureError, match=r"gains must be a name or numbers by grade, such as \{1:3,2:9\}, got "):
        Gains(spec)


def test_an_unknown_name_raises_an_error_that_lists_the_choices():
    with pytest.raises(MeasureError) as error:
        Gains("zzz")
    assert str(error.value) == f"unknown gains zzz; choose from {', '.join(NAMED_GAINS)}"
    with pytest.raises(MeasureError, match=r"; did you mean binary\?"):
        Gains("binry")
