"""What is said of the best run."""

from __future__ import annotations

import pytest

from assay.views.report.sections import leaderboard
from report_cases import (
    campaign_with_ranks,
    compute_section,
    context_of,
    headline,
    simulated_context,
    strip_markup,
    visible_text,
)


def said(ranks: dict[str, list[int]], *measures: str, **settings: object) -> str:
    return headline(leaderboard, context_of(*campaign_with_ranks(ranks), *(measures or ("RR",)), **settings))[0]


def test_the_first_run() -> None:
    assert said({"a": [1, 1], "b": [1, 2]}) == "a leads with RR 1 (over 2 topics)."
    assert said({"b": [1, 2], "a": [1, 1]}) == "a leads with RR 1 (over 2 topics)."


def test_an_interval_is_told_of_enough_topics() -> None:
    ranks = {"a": [1, 1, 1, 2, 2, 2], "b": [2] * 6}
    assert said(ranks) == "a leads with RR 0.750 (95 % interval 0.46 to 1.04, over 6 topics)."
    assert "99 % interval 0.30 to 1.20" in said(ranks, alpha=0.01)


def test_one_run_leads_nobody() -> None:
    assert said({"a": [2]}) == "a reaches RR 0.500 (over 1 topic)."


def test_equal_runs_are_tied_and_none_leads() -> None:
    assert said({"a": [1], "b": [1], "c": [2]}) == "a and b are tied for first, with RR 1."
    assert said({"a": [2], "b": [2]}) == "Both runs are tied: they have the same RR, 0.500."
    assert said({"a": [0], "b": [0], "c": [0]}) == "All 3 runs are tied: they have the same RR, 0."


def test_runs_are_equal_up_to_rounding() -> None:
    """The same values, added in another order, differ in the last digit."""
    ranks = {"a": [7, 12, 1, 9, 4, 8], "b": [1, 7, 8, 12, 4, 9]}
    found = context_of(*campaign_with_ranks(ranks), "RR")
    assert found.overall[0, 0] != found.overall[1, 0]
    assert "tied" in headline(leaderboard, found)[0]
    assert found.places[:, 0].tolist() == [1, 1]


def test_the_lowest_cost_leads() -> None:
    assert said({"a": [1], "b": [3]}, "NumUnjudgedRet") == "a leads with the lowest NumUnjudgedRet 0 (over 1 topic)."


def test_no_value_is_said() -> None:
    found = context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}, undefined="exclude")
    assert headline(leaderboard, found) == ["No run has a value of AP."]
    assert "–" in visible_text(leaderboard, found)


def words_of(pairs: str) -> str:
    return f"(paired t test, Holm's correction over {pairs} of runs, alpha 0.05)."


ONE, THREE = words_of("one pair"), words_of("all 3 pairs")
FAR = [3, 4] * 4


@pytest.mark.parametrize(
    ("ranks", "told"),
    [
        ({"a": [1] * 8, "b": FAR}, f"The other run differs significantly from it {ONE}"),
        ({"a": [1] * 8, "b": FAR, "c": [5, 6] * 4}, f"Each of the other 2 runs differs significantly from it {THREE}"),
        ({"a": [1] * 8, "b": [1] * 7 + [2]}, f"The other run does not differ significantly from it {ONE}"),
        (
            {"a": [1] * 8, "b": [1] * 7 + [2], "c": [1] * 7 + [3]},
            f"None of the other runs differs significantly from it {THREE}",
        ),
        ({"a": [1] * 8, "b": [1] * 7 + [2], "c": FAR}, f"1 other run does not differ significantly from it {THREE}"),
        ({"a": [1] * 8, "b": [1] * 8, "c": FAR}, f"1 other run does not differ significantly from a {THREE}"),
        ({"a": [1], "b": [2]}, "Differences between runs could not be tested: there are too few topics."),
        ({"a": [1]}, ""),
        ({"a": [2], "b": [2]}, ""),
    ],
)
def test_what_is_tested_is_said_and_nothing_else(ranks: dict[str, list[int]], told: str) -> None:
    assert headline(leaderboard, context_of(*campaign_with_ranks(ranks), "RR"))[1:] == ([told] if told else [])


def test_other_measures() -> None:
    ranks = {"a": [1, 1, 1], "b": [4, 4, 4], "c": [2, 2, 2]}
    by = context_of(*campaign_with_ranks(ranks), "RR", "AP", "NumRet")
    assert "It is also first by AP. By NumRet (12), b comes first." in visible_text(leaderboard, by)
    every = context_of(
        *campaign_with_ranks({"a": [1, 2], "b": [2, 2], "c": [2, 2]}), "RR", "Success@10", "NumRet", "AP"
    )
    told = "It is also first by AP. By Success@10 (1), all 3 runs are tied. By NumRet (4), b and c are tied for first."
    assert told in visible_text(leaderboard, every)
    both = context_of(*campaign_with_ranks(ranks), "RR", "AP", "P@1")
    assert "It is also first by both other measures." in visible_text(leaderboard, both)
    tied = context_of(*campaign_with_ranks({"a": [1, 1], "b": [3, 3], "c": [3, 3]}), "RR", "NumRet")
    seen = visible_text(leaderboard, tied)
    assert "By NumRet (6), b and c are tied for first." in seen
    assert "It is also first" not in seen
    assert leaderboard.group_other_measures(context_of(*campaign_with_ranks(ranks), "RR")) == []
    assert leaderboard.group_other_measures(context_of(*campaign_with_ranks({"a": [1], "b": [1]}), "RR", "AP")) == []


def test_runs_that_are_the_same() -> None:
    two = context_of(*campaign_with_ranks({"a": [1, 2], "b": [1, 2], "c": [1, 1]}), "RR")
    assert "a and b have the same values on every topic." in visible_text(leaderboard, two)
    more = context_of(*campaign_with_ranks({"a": [1, 2], "b": [1, 2], "c": [1, 1], "d": [1, 1]}), "RR")
    assert "on every topic, and so does 1 other group of runs." in visible_text(leaderboard, more)
    assert "the same values" not in visible_text(
        leaderboard, context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 1]}), "RR")
    )


@pytest.mark.parametrize(
    ("runs", "topics", "told"),
    [
        (1, 1, "With 1 topic there is no interval and no test."),
        (2, 1, "With 1 topic there is no interval and no test; the order of the runs may be due to chance."),
        (1, 3, "With only 3 topics, intervals are wide."),
        (2, 3, "With only 3 topics, intervals are wide and tests have little power."),
    ],
)
def test_few_topics_are_said_to_be_few(runs: int, topics: int, told: str) -> None:
    ranks = {f"r{i}": [1 + i] * topics for i in range(runs)}
    assert told in visible_text(leaderboard, context_of(*campaign_with_ranks(ranks), "RR"))


def test_many_topics_are_not_said_to_be_few() -> None:
    assert "With only" not in visible_text(
        leaderboard, context_of(*campaign_with_ranks({"a": [1] * 10, "b": [2] * 10}), "RR")
    )


def test_the_table_has_every_run_and_measure() -> None:
    found = simulated_context(6, 12, 3, "AP", "P@10")
    made = compute_section(leaderboard, found)
    seen = strip_markup(made.html())
    for run in found.runs:
        assert run in seen
    assert "P@10" in seen
    assert f"{found.overall[found.order[0], 1]:.3f}" in seen
    assert "Runs that share a letter" in seen
    assert made.html().count("<table>") == 2


def test_letters_that_nobody_could_read_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaderboard, "_LETTERS", 0)
    seen = visible_text(leaderboard, simulated_context(6, 12, 3))
    assert "letter" not in seen
    assert "worse than" in seen
