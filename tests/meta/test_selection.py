"""Selection of the best fraction of the runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from assay import evaluate, read
from assay.errors import InputError
from assay.meta.selection import best_runs, count_best, find_best, parse_share, select_best, select_results
from strategies import many_examples

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1}}
RUNS = {
    "zz": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 1.0}},
    "bad": {"q1": {"c": 1.0}},
    "tied": {"q1": {"c": 2.0, "a": 1.0}},
    "also": {"q1": {"c": 2.0, "b": 1.0}},
}


@pytest.mark.parametrize(("runs", "expected"), [(95, 72), (74, 56), (37, 28), (27, 21), (129, 97), (4, 3), (1, 1)])
def test_number_of_runs_is_rounded_up(runs, expected):
    assert count_best(runs, 0.75) == expected


@pytest.mark.parametrize(
    ("runs", "share", "expected"), [(30, 0.1, 3), (10, 0.7, 7), (100, 0.07, 7), (3, 1, 3), (9, 0.01, 1)]
)
def test_rounding_tolerates_floating_point_errors(runs, share, expected):
    assert count_best(runs, share) == expected


@pytest.mark.parametrize("share", [0, -0.1, 1.01, np.nan])
def test_invalid_fractions_raise(share):
    with pytest.raises(InputError, match=r"must be above 0 and at most 1, such as 0\.75"):
        count_best(10, share)


@many_examples(
    100, values=st.lists(st.sampled_from([0.0, 0.1, 0.2, float("nan")]), min_size=1, max_size=9), data=st.data()
)
def test_agrees_with_the_definition(values, data):
    names = data.draw(st.permutations([f"r{i}" for i in range(len(values))]))
    share = data.draw(st.sampled_from([0.25, 0.5, 0.75, 1.0]))
    ordered = sorted(names, key=lambda name: (-np.nan_to_num(values[names.index(name)], nan=-1), name))
    selected = [names[i] for i in find_best(names, np.array(values), share)]
    assert set(selected) == set(ordered[: -(-int(share * 100) * len(names) // 100)])
    assert selected == [name for name in names if name in selected]


def test_best_runs_by_map():
    campaign = read(QRELS, RUNS)
    assert best_runs(campaign, 0.75) == ("zz", "tied", "also")
    assert best_runs(campaign, 0.5) == ("zz", "also")  # Of two runs with the same MAP, the first by name is selected.


def test_every_positive_grade_is_relevant():
    runs = {"one": {"q1": {"b": 1.0}}, "two": {"q1": {"c": 2.0, "a": 1.0}}}
    assert best_runs(read(QRELS, runs), 0.5) == ("one",)


def test_selection_from_results():
    results = evaluate(QRELS, RUNS, ["RR", "AP"])
    assert select_best(results, 0.5).runs == ("zz", "also")
    with pytest.raises(InputError, match="chosen by AP, which is not among these results"):
        select_best(evaluate(QRELS, RUNS, "RR"), 0.5)


def test_campaigns_and_results_give_the_same_selection():
    campaign, results = read(QRELS, RUNS), evaluate(QRELS, RUNS, ["RR", "AP"])
    assert select_results(results) is results
    for share in (None, 0.5):
        expected = select_results(campaign, "RR", share)
        assert select_results(results, "RR", share).frame().equals(expected.frame())
    assert expected.runs == ("zz", "also")
    with pytest.raises(InputError, match="measures: name at least one"):
        select_results(campaign)


def test_parse_share():
    assert parse_share("12.5%") == 0.125
    assert parse_share("1") == 1
    for text in ("75", "0", "most", "%", "-5%", "nan", "101%"):
        with pytest.raises(InputError, match=r"write a fraction of the runs, such as 75% or 0\.75"):
            parse_share(text)
