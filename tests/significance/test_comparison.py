"""Tables and summaries of comparisons."""

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


def make_results(runs: tuple[str, ...] = ("a", "b", "c"), measure: str = "AP") -> Results:
    values = np.array([[A, NEAR, C]])
    topics = ("1", "2", "3", "4", "5")
    return Results(runs, topics, measures(measure), values, np.zeros((1, 3, 5)), Provenance((), Policies()), ("note",))


def make_comparison(**options: object) -> Comparison:
    return compare(make_results(), **options)


def test_compact_tables_have_requested_columns_and_frames_have_all() -> None:
    table = make_comparison().table()
    assert table.frame.columns == ["measure", "run_a", "run_b", *COLUMNS, "test"]
    assert table.compact.columns == ["run", "against", "mean", "difference", "p (Holm)", "W/T/L"]
    with_options = make_comparison(margin=0.1, power=0.8).table()
    assert with_options.frame.columns == table.frame.columns
    assert with_options.compact.columns == [*table.compact.columns, "p equivalent", "topics needed"]
    assert make_comparison(baseline="c").table().compact.columns == ["run", "mean", "difference", "p (Holm)", "W/T/L"]
    assert make_comparison().notes == ("note",)


def test_rows_are_ordered_by_mean_and_marked_by_direction() -> None:
    table = make_comparison().table()
    assert table.compact.select("run", "against").rows() == [("b", "a"), ("b", "c"), ("a", "c")]
    assert table.marks["difference"] == ["", "▲", "▲"]
    assert table.compact["W/T/L"].to_list() == ["3/1/1", "5/0/0", "5/0/0"]
    worse = make_comparison(baseline="b").table()
    assert worse.compact["run"].to_list() == ["a", "c"]
    assert worse.marks["difference"] == ["", "▼"]
    assert [end[1] < 0 for end in worse.intervals["difference"]] == [True, True]


def test_marks_and_order_if_lower_is_better() -> None:
    table = compare(make_results(measure="Unjudged@5")).table()
    assert table.compact["run"].to_list()[0] == "c"
    assert table.marks["difference"][0] == "▲"
    assert table.compact["difference"][0] < 0


def test_caption_names_test_correction_topics_and_alpha() -> None:
    lines = make_comparison().table().caption.splitlines()
    assert "(p (Holm) < 0.05)" in lines[0]
    assert lines[1] == "paired t test, Holm's correction over all 3 pairs of runs; 5 topics"
    assert lines[2].startswith("95 % CI by Student's t is for each pair alone, not corrected")
    both = make_comparison(margin=0.1, power=0.8, alpha=0.1).table()
    assert "≈ equivalent within 0.1 by t tests (p equivalent < 0.1)" in both.caption
    assert "topics needed: to detect the observed difference with probability 0.8" in both.caption
    assert both.marks["p equivalent"] == ["≈", "", ""]


def test_labels_of_raw_and_corrected_p() -> None:
    plain = make_comparison(correction="none").table()
    assert "p" in plain.compact.columns
    tukey = make_comparison(test="tukey", alpha=0.1).table()
    assert "p (all pairs)" in tukey.compact.columns
    assert "90 % CI and p hold for all pairs together" in tukey.caption
    assert tukey.interval_name == "90 % CI"
    assert "95 % CI by Student's t" in make_comparison(test="sign").table().caption
    assert "95 % CI by bootstrap percentiles" in make_comparison(test="bootstrap").table().caption


@pytest.mark.parametrize(
    ("rows", "conclusion"),
    [
        ([A, NEAR], "AP: b and a do not differ significantly; b is better on 3 and worse on 1 of 5 topics."),
        ([A, C], "AP: a is significantly better than b; a is better on 5 and worse on 0 of 5 topics."),
        ([A, A[::-1]], "AP: a and b are tied: their means are equal."),
    ],
)
def test_summary_of_one_pair(rows: list[list[float]], conclusion: str) -> None:
    two = replace(make_results(("a", "b")), values=np.array([rows]), errors=np.zeros((1, 2, 5)))
    assert compare(two).summary() == conclusion


def test_summary_of_several_pairs() -> None:
    assert make_comparison().summary() == (
        "AP: 2 of 3 pairs differ significantly. b has the best mean; a does not differ significantly from it."
    )
    assert make_comparison(baseline="c").summary() == (
        "AP: 2 runs are significantly better than c, 0 significantly worse, 0 not significantly different."
    )


def test_compact_table_of_many_runs_compares_with_the_best() -> None:
    rng = np.random.default_rng(3)
    runs = tuple(f"r{i}" for i in range(12))
    many = replace(make_results(), runs=runs, values=rng.random((1, 12, 5)), errors=np.zeros((1, 12, 5)))
    comparison = compare(many)
    table = comparison.table()
    assert len(table.frame) == 66
    assert len(table.compact) == 11
    best = comparison.results.best("AP")[0]
    assert best not in table.compact["run"].to_list()
    assert "all 66 pairs" in table.caption
    assert (table.compact["difference"] <= 0).all()


@pytest.mark.parametrize(
    ("options", "expected"),
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
def test_describe_test(options: dict[str, object], expected: str) -> None:
    assert describe_test(make_comparison(**options)) == expected


def test_a_user_defined_test_is_described_by_its_name() -> None:
    from assay.significance.base import SignificanceTest, significance_tests

    assert all(test.title for test in significance_tests().values())

    class Own(SignificanceTest):
        pass

    own = Own()
    object.__setattr__(own, "name", "own")
    assert describe_test(replace(make_comparison(correction="none"), test=own)) == "test own, no correction"


def test_smallest_nonzero_p_of_resampling_tests() -> None:
    assert (
        make_comparison(test="bootstrap", resamples=100, correction="none").table().probability_columns["p"] == 1 / 100
    )
    assert make_comparison().table().probability_columns["p (Holm)"] == 0


def test_matrix_table() -> None:
    comparison = make_comparison()
    table = comparison.table("matrix")
    assert table.compact.columns == ["run", "a", "b", "c"]
    assert table.compact["run"].to_list() == ["a", "b", "c"]
    assert table.compact["a"][0] is None
    assert table.compact["c"][0] == -table.compact["a"][2] == comparison.frame()["difference"][1]
    assert table.marks == {"a": ["", "", "▼"], "b": ["", "", "▼"], "c": ["▲", "▲", ""]}
    assert table.caption.startswith("AP: row minus column")
    assert table.frame.equals(table.compact)  # Every format writes the matrix.
    assert compare(make_results(("run", "b", "c"))).table("matrix").compact.columns == ["run_", "run", "b", "c"]


def test_variance_table() -> None:
    comparison = make_comparison(systems={"a": "x", "b": "x"})
    assert comparison.table("variance").frame.columns == ["measure", "source", "squares", "degrees", "share", "f", "p"]
    assert comparison.notes[0].startswith("3 runs of 2 systems")


def test_every_format_renders() -> None:
    for format_name in FORMATS:
        assert render(make_comparison(margin=0.1), format_name)
    document = json.loads(render(make_comparison(baseline="c"), "json"))
    assert document["schema"] == {"report": "compare", "table": "pairs", "version": 1}
    assert document["provenance"]["settings"]["baseline"] == ["c"]
    assert [(row["run_a"], row["run_b"]) for row in document["rows"]] == [("a", "c"), ("b", "c")]
    assert set(document["rows"][0]) == {"measure", "run_a", "run_b", *COLUMNS, "test"}
    assert document["rows"][0]["p_equivalent"] is None
    assert isinstance(document["rows"][0]["wins"], int)


def test_table_fits_80_columns() -> None:
    text = render(make_comparison(margin=0.1, power=0.8), layout=TableLayout(width=80)).decode()
    assert max(map(len, text.splitlines())) <= 80


def test_summary_if_nothing_could_be_tested() -> None:
    one = make_results().select(topics="1")
    assert compare(one).summary() == "AP: no pair could be tested (too few topics)."
    assert compare(one, baseline="a").summary() == "AP: no run could be tested against a (too few topics)."


def test_tied_leaders_are_named_once() -> None:
    same = replace(make_results(), values=np.array([[A, A, C]]))
    assert compare(same).summary() == (
        "AP: 2 of 3 pairs differ significantly. a, b are tied for first: their means are equal; every other run "
        "differs significantly from a."
    )
    all_same = replace(make_results(), values=np.array([[A, A, A]]))
    assert compare(all_same).summary().endswith("a, b, c are tied for first: their means are equal.")


def test_summary_names_equal_runs_and_counts_equivalent_runs() -> None:
    same = replace(make_results(), values=np.array([[A, A, C]]))
    summary = compare(same, baseline="a", margin=0.02).summary()
    assert "1 not significantly different (b with an equal mean); 1 equivalent within 0.02." in summary


def test_number_of_topics_may_differ_between_pairs() -> None:
    short = replace(make_results(), values=np.array([[A, [*NEAR[:3], np.nan, np.nan], C]]))
    assert compare(short).topics_title == "3 to 5 topics per pair"
    assert "3 to 5 topics per pair" in compare(short).table().caption
    assert "(over 3 to 5 topics, depending on run and measure)" in short.summary()
