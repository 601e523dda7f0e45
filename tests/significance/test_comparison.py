"""The tables of comparisons."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from assay.measures import measures
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.results.formats import FORMATS, TableLayout, render
from assay.results.results import Results
from assay.significance._compare import COLUMNS, Comparison, compare
from assay.significance.wording import describe_test

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
    table = compared().table()
    assert table.frame.columns == ["measure", "run_a", "run_b", *COLUMNS, "test"]
    assert table.compact.columns == ["run", "against", "mean", "difference", "p (Holm)", "W/T/L"]
    more = compared(margin=0.1, power=0.8).table()
    assert more.frame.columns == table.frame.columns
    assert more.compact.columns == [*table.compact.columns, "p equivalent", "topics needed"]
    assert compared(baseline="c").table().compact.columns == ["run", "mean", "difference", "p (Holm)", "W/T/L"]
    assert compared().notes == ("said",)


def test_rows_are_best_first_and_marked_in_both_directions() -> None:
    table = compared().table()
    assert table.compact.select("run", "against").rows() == [("b", "a"), ("b", "c"), ("a", "c")]
    assert table.marks["difference"] == ["", "▲", "▲"]
    assert table.compact["W/T/L"].to_list() == ["3/1/1", "5/0/0", "5/0/0"]
    worse = compared(baseline="b").table()
    assert worse.compact["run"].to_list() == ["a", "c"]
    assert worse.marks["difference"] == ["", "▼"]
    assert [end[1] < 0 for end in worse.intervals["difference"]] == [True, True]


def test_lower_values_may_be_better() -> None:
    table = compare(results(of="Unjudged@5")).table()
    assert table.compact["run"].to_list()[0] == "c"
    assert table.marks["difference"][0] == "▲"
    assert table.compact["difference"][0] < 0


def test_the_caption_names_test_correction_topics_and_alpha() -> None:
    lines = compared().table().caption.splitlines()
    assert "(p (Holm) < 0.05)" in lines[0]
    assert lines[1] == "paired t test, Holm's correction over all 3 pairs of runs; 5 topics"
    assert lines[2].startswith("95 % CI by Student's t is for each pair alone, not corrected")
    both = compared(margin=0.1, power=0.8, alpha=0.1).table()
    assert "≈ equivalent within 0.1 by t tests (p equivalent < 0.1)" in both.caption
    assert "topics needed: to detect the observed difference with probability 0.8" in both.caption
    assert both.marks["p equivalent"] == ["≈", "", ""]


def test_raw_and_corrected_p_are_labelled() -> None:
    plain = compared(correction="none").table()
    assert "p" in plain.compact.columns
    tukey = compared(test="tukey", alpha=0.1).table()
    assert "p (all pairs)" in tukey.compact.columns
    assert "90 % CI and p hold for all pairs together" in tukey.caption
    assert tukey.confidence == "90 % CI"
    assert "95 % CI by Student's t" in compared(test="sign").table().caption
    assert "95 % CI by bootstrap percentiles" in compared(test="bootstrap").table().caption


@pytest.mark.parametrize(
    ("rows", "conclusion"),
    [
        ([A, NEAR], "AP: b and a do not differ significantly; b is better on 3 and worse on 1 of 5 topics."),
        ([A, C], "AP: a is significantly better than b; a is better on 5 and worse on 0 of 5 topics."),
        ([A, A[::-1]], "AP: a and b are tied: their means are equal."),
    ],
)
def test_the_conclusion_of_one_pair(rows: list[list[float]], conclusion: str) -> None:
    two = replace(results(("a", "b")), values=np.array([rows]), errors=np.zeros((1, 2, 5)))
    assert compare(two).summary() == conclusion


def test_conclusions() -> None:
    assert compared().summary() == (
        "AP: 2 of 3 pairs differ significantly. b has the best mean; a does not differ significantly from it."
    )
    assert compared(baseline="c").summary() == (
        "AP: 2 runs are significantly better than c, 0 significantly worse, 0 not significantly different."
    )


def test_of_many_runs_people_see_those_against_the_best() -> None:
    rng = np.random.default_rng(3)
    runs = tuple(f"r{i}" for i in range(12))
    many = replace(results(), runs=runs, values=rng.random((1, 12, 5)), errors=np.zeros((1, 12, 5)))
    found = compare(many)
    table = found.table()
    assert len(table.frame) == 66
    assert len(table.compact) == 11
    best = found.results.best("AP")[0]
    assert best not in table.compact["run"].to_list()
    assert "all 66 pairs" in table.caption
    assert (table.compact["difference"] <= 0).all()


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
def test_the_test_in_words(given: dict[str, object], words: str) -> None:
    assert describe_test(compared(**given)) == words


def test_every_test_has_a_title_and_one_of_ones_own_its_name() -> None:
    from assay.significance.base import SignificanceTest, significance_tests

    assert all(test.title for test in significance_tests().values())

    class Own(SignificanceTest):
        pass

    own = Own()
    object.__setattr__(own, "name", "own")
    assert describe_test(replace(compared(correction="none"), test=own)) == "test own, no correction"


def test_a_small_share_of_resamples_is_not_told_from_0() -> None:
    assert compared(test="bootstrap", resamples=100, correction="none").table().chances["p"] == 1 / 100
    assert compared().table().chances["p (Holm)"] == 0


def test_matrix() -> None:
    found = compared()
    table = found.table("matrix")
    assert table.compact.columns == ["run", "a", "b", "c"]
    assert table.compact["run"].to_list() == ["a", "b", "c"]
    assert table.compact["a"][0] is None
    assert table.compact["c"][0] == -table.compact["a"][2] == found.frame()["difference"][1]
    assert table.marks == {"a": ["", "", "▼"], "b": ["", "", "▼"], "c": ["▲", "▲", ""]}
    assert table.caption.startswith("AP: row minus column")
    assert table.frame.equals(table.compact)  # a matrix in every format
    assert compare(results(("run", "b", "c"))).table("matrix").compact.columns == ["run_", "run", "b", "c"]


def test_variance() -> None:
    found = compared(systems={"a": "x", "b": "x"})
    assert found.table("variance").frame.columns == ["measure", "source", "squares", "degrees", "share", "f", "p"]
    assert found.notes[0].startswith("2 systems of 3 runs")


def test_every_format() -> None:
    for form in FORMATS:
        assert render(compared(margin=0.1), form)
    told = json.loads(render(compared(baseline="c"), "json"))
    assert told["schema"] == {"report": "compare", "table": "pairs", "version": 1}
    assert told["provenance"]["settings"]["baseline"] == ["c"]
    assert [(row["run_a"], row["run_b"]) for row in told["rows"]] == [("a", "c"), ("b", "c")]
    assert set(told["rows"][0]) == {"measure", "run_a", "run_b", *COLUMNS, "test"}
    assert told["rows"][0]["p_equivalent"] is None
    assert isinstance(told["rows"][0]["wins"], int)


def test_it_fits_a_terminal() -> None:
    text = render(compared(margin=0.1, power=0.8), layout=TableLayout(width=80)).decode()
    assert max(map(len, text.splitlines())) <= 80


def test_what_cannot_be_tested_is_not_called_different() -> None:
    one = results().select(topics="1")
    assert compare(one).summary() == "AP: no pair could be tested (too few topics)."
    assert compare(one, baseline="a").summary() == "AP: no run could be tested against a (too few topics)."


def test_tied_leaders_are_named_once() -> None:
    same = replace(results(), values=np.array([[A, A, C]]))
    assert compare(same).summary() == (
        "AP: 2 of 3 pairs differ significantly. a, b are tied for first: their means are equal; every other run "
        "differs significantly from a."
    )
    all_same = replace(results(), values=np.array([[A, A, A]]))
    assert compare(all_same).summary().endswith("a, b, c are tied for first: their means are equal.")


def test_a_run_equal_to_the_baseline_is_named_and_equivalence_is_counted() -> None:
    same = replace(results(), values=np.array([[A, A, C]]))
    found = compare(same, baseline="a", margin=0.02).summary()
    assert "1 not significantly different (b with an equal mean); 1 equivalent within 0.02." in found


def test_topics_of_pairs_may_differ() -> None:
    short = replace(results(), values=np.array([[A, [*NEAR[:3], np.nan, np.nan], C]]))
    assert compare(short).topics_title == "3 to 5 topics per pair"
    assert "3 to 5 topics per pair" in compare(short).table().caption
    assert "(over 3 to 5 topics, not the same for all)" in short.summary()
