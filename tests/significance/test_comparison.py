"""The tables of comparisons."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.table import Results
from assay.significance._compare import COLUMNS, Comparison, compare
from assay.views.compare import how, matrix, pairs, variance
from assay.views.tables import FORMATS, render

A = [0.5, 0.7, 0.2, 0.9, 0.4]
NEAR = [0.51, 0.69, 0.2, 0.91, 0.41]
C = [0.1, 0.3, 0.0, 0.4, 0.2]


def results(runs: tuple[str, ...] = ("a", "b", "c"), of: str = "AP") -> Results:
    values = np.array([[A, NEAR, C]])
    topics = ("1", "2", "3", "4", "5")
    return Results(runs, topics, measures(of), values, np.zeros((1, 3, 5)), Provenance((), Policies()), ("said",))


def compared(**given: object) -> Comparison:
    return compare(results(), **given)


def test_people_see_what_was_asked_for_and_programs_see_all() -> None:
    table = pairs(compared())
    assert table.tidy.columns == ["measure", "run_a", "run_b", *COLUMNS, "test"]
    labels = {"low": "CI low", "high": "CI high", "p_adjusted": "p (Holm)"}
    shown = [labels.get(name, name) for name in COLUMNS]
    assert table.wide.columns == ["measure", "run_a", "run_b", *shown[:-2]]
    more = pairs(compared(margin=0.1, power=0.8))
    assert more.tidy.columns == table.tidy.columns
    assert more.wide.columns == ["measure", "run_a", "run_b", *shown]
    assert table.notes == ("said",)


def test_significance_is_a_comparison_of_the_view() -> None:
    table = pairs(compared())
    p = table.tidy["p_adjusted"].to_list()
    assert table.marks["p (Holm)"] == ["*" if each < 0.05 else "" for each in p]
    assert 0 < table.marks["p (Holm)"].count("*") < 3
    assert table.caption.split(";\n") == [
        "paired t test, Holm's correction over all 3 pairs of runs",
        "* p (Holm) < 0.05",
        "95 % CI by Student's t and p are of each pair alone, not corrected",
        "AP: 2 of 3 pairs differ significantly; 1 does not differ significantly from the leader b: a",
    ]


def test_raw_and_corrected_p_are_labelled() -> None:
    plain = pairs(compared(correction="none"))
    assert "p" in plain.wide.columns
    assert not any(name.startswith(("p (", "p_adjusted")) for name in plain.wide.columns)
    assert plain.marks["p"].count("*") == 2
    tukey = pairs(compared(test="tukey", alpha=0.1))
    assert [name for name in tukey.wide.columns if name.startswith("p")] == ["p (all pairs)"]
    assert "90 % CI and p hold for all pairs together" in tukey.caption
    assert "95 % CI by Student's t" in pairs(compared(test="sign")).caption
    assert "95 % CI by bootstrap percentiles" in pairs(compared(test="bootstrap")).caption


@pytest.mark.parametrize(
    ("rows", "conclusion"),
    [
        ([A, NEAR], "AP: b and a do not differ significantly"),
        ([A, C], "AP: a and b differ significantly"),
        ([A, A[::-1]], "AP: a and b are tied: their means are equal"),
    ],
)
def test_the_conclusion_of_one_pair(rows: list[list[float]], conclusion: str) -> None:
    two = replace(results(("a", "b")), values=np.array([rows]), errors=np.zeros((1, 2, 5)))
    assert pairs(compare(two)).caption.endswith(conclusion)


def test_conclusions_against_a_baseline() -> None:
    caption = pairs(compared(baselines="c")).caption
    assert "Holm's correction over all 2 comparisons with c" in caption
    assert caption.endswith("AP: 2 significantly better than c, 0 worse, 0 not significantly different")


def test_equivalence_and_power_are_said() -> None:
    table = pairs(compared(margin=0.1, power=0.8, alpha=0.1))
    assert table.marks["p_equivalent"] == ["=", "", ""]
    lines = table.caption.split(";\n")
    assert "* p (Holm) < 0.1" in lines
    assert "= equivalent within 0.1 by t tests, p_equivalent < 0.1" in lines
    assert "topics_needed for a power of 0.8" in lines


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"test": "wilcoxon", "correction": "bh"},
            "Wilcoxon signed-rank test, Benjamini and Hochberg's correction over all 3 pairs of runs",
        ),
        ({"test": "sign", "correction": "none"}, "sign test, no correction"),
        (
            {"correction": "bonferroni", "family": "all"},
            "paired t test, Bonferroni's correction over all 3 pairs of runs",
        ),
        ({"test": "tukey-randomized", "resamples": 9}, "randomised Tukey HSD over all pairs of 3 runs"),
    ],
)
def test_how_in_words(given: dict[str, object], words: str) -> None:
    assert how(compared(**given)) == words


def test_every_test_has_words_and_one_of_ones_own_its_name() -> None:
    from assay.significance.base import SignificanceTest, significance_tests

    assert all(test.title for test in significance_tests().values())

    class Own(SignificanceTest):
        pass

    own = Own()
    object.__setattr__(own, "name", "own")
    assert how(replace(compared(correction="none"), test=own)) == "test own, no correction"


def test_a_small_share_of_resamples_is_not_told_from_0() -> None:
    many = pairs(compared(test="bootstrap", resamples=100))
    assert many.chances["p"] == 1 / 100
    assert pairs(compared()).chances == {"p": 0, "p (Holm)": 0, "p_equivalent": 0}


def test_matrix() -> None:
    found = compared()
    table = matrix(found, found.results.measures[0])
    assert table.wide.columns == ["AP", "a", "b", "c"]
    assert table.wide["AP"].to_list() == ["a", "b", "c"]
    assert table.wide["a"][0] is None
    assert table.wide["c"][0] == -table.wide["a"][2] == found.frame()["difference"][1]
    assert table.marks == {"a": ["", "", "*"], "b": ["", "", "*"], "c": ["*", "*", ""]}
    assert table.caption.startswith("row minus column; * p (Holm) < 0.05;\npaired t test")
    assert table.tidy.equals(table.wide)  # a matrix in every format


def test_a_run_may_have_the_name_of_the_measure() -> None:
    found = compare(results(("AP", "b", "c")))
    assert matrix(found, found.results.measures[0]).wide.columns == ["AP: run", "AP", "b", "c"]


def test_variance() -> None:
    table = variance(compared(systems={"a": "x", "b": "x"}))
    assert table.wide.columns == ["measure", "source", "squares", "degrees", "share", "f", "p"]
    assert table.notes[0].startswith("2 systems of 3 runs")
    assert table.caption == ""


def test_every_format() -> None:
    for form in FORMATS:
        assert render(pairs(compared(margin=0.1)), form)
    told = json.loads(render(pairs(compared(baselines="c")), "json"))
    assert told["provenance"]["comparison"]["baselines"] == ["c"]
    assert [(row["run_a"], row["run_b"]) for row in told["rows"]] == [("a", "c"), ("b", "c")]
    assert set(told["rows"][0]) == {"measure", "run_a", "run_b", *COLUMNS, "test"}
    assert told["rows"][0]["p_equivalent"] is None
    assert isinstance(told["rows"][0]["wins"], int)


def test_tables_that_do_not_correct_say_so() -> None:
    from assay.significance.base import significance_test
    from assay.views.compare import uncorrected

    t, tukey = significance_test("t"), significance_test("tukey")
    assert uncorrected([t]).startswith("p of each pair alone, not corrected; to see")
    assert uncorrected([tukey]).startswith("tukey: p of all pairs together; to see")
    assert "not corrected; tukey: p of all pairs together" in uncorrected([t, tukey])
