"""Tests of the leaderboard section."""

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


def first_sentence(ranks: dict[str, list[int]], *measures: str, **settings: object) -> str:
    return headline(leaderboard, context_of(*campaign_with_ranks(ranks), *(measures or ("RR",)), **settings))[0]


def test_leading_run() -> None:
    assert first_sentence({"a": [1, 1], "b": [1, 2]}) == "a leads with RR 1 (over 2 topics)."
    assert first_sentence({"b": [1, 2], "a": [1, 1]}) == "a leads with RR 1 (over 2 topics)."


def test_interval_needs_enough_topics() -> None:
    ranks = {"a": [1, 1, 1, 2, 2, 2], "b": [2] * 6}
    assert first_sentence(ranks) == "a leads with RR 0.750 (95 % interval 0.46 to 1.04, over 6 topics)."
    assert "99 % interval 0.30 to 1.20" in first_sentence(ranks, alpha=0.01)


def test_single_run_does_not_lead() -> None:
    assert first_sentence({"a": [2]}) == "a reaches RR 0.500 (over 1 topic)."


def test_equal_runs_are_tied_for_first() -> None:
    assert first_sentence({"a": [1], "b": [1], "c": [2]}) == "a and b are tied for first, with RR 1."
    assert first_sentence({"a": [2], "b": [2]}) == "Both runs are tied: they have the same RR, 0.500."
    assert first_sentence({"a": [0], "b": [0], "c": [0]}) == "All 3 runs are tied: they have the same RR, 0."


def test_runs_are_equal_up_to_rounding() -> None:
    """Sums of equal values in different orders differ in the last digit."""
    ranks = {"a": [7, 12, 1, 9, 4, 8], "b": [1, 7, 8, 12, 4, 9]}
    context = context_of(*campaign_with_ranks(ranks), "RR")
    assert context.overall[0, 0] != context.overall[1, 0]
    assert "tied" in headline(leaderboard, context)[0]
    assert context.places[:, 0].tolist() == [1, 1]


def test_lowest_value_leads_if_lower_is_better() -> None:
    assert (
        first_sentence({"a": [1], "b": [3]}, "NumUnjudgedRet")
        == "a leads with the lowest NumUnjudgedRet 0 (over 1 topic)."
    )


def test_missing_values_are_explained() -> None:
    context = context_of({"q": {"a": 0}}, {"x": {"q": {"a": 1.0}}}, undefined="exclude")
    assert headline(leaderboard, context) == ["No run has a value of AP."]
    assert "–" in visible_text(leaderboard, context)


def describe_test(pairs: str) -> str:
    return f"(paired t test, Holm's correction over {pairs} of runs, alpha 0.05)."


ONE_PAIR, THREE_PAIRS = describe_test("one pair"), describe_test("all 3 pairs")
LOW_RANKS = [3, 4] * 4


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ({"a": [1] * 8, "b": LOW_RANKS}, f"The other run differs significantly from it {ONE_PAIR}"),
        (
            {"a": [1] * 8, "b": LOW_RANKS, "c": [5, 6] * 4},
            f"Each of the other 2 runs differs significantly from it {THREE_PAIRS}",
        ),
        ({"a": [1] * 8, "b": [1] * 7 + [2]}, f"The other run does not differ significantly from it {ONE_PAIR}"),
        (
            {"a": [1] * 8, "b": [1] * 7 + [2], "c": [1] * 7 + [3]},
            f"None of the other runs differs significantly from it {THREE_PAIRS}",
        ),
        (
            {"a": [1] * 8, "b": [1] * 7 + [2], "c": LOW_RANKS},
            f"1 other run does not differ significantly from it {THREE_PAIRS}",
        ),
        (
            {"a": [1] * 8, "b": [1] * 8, "c": LOW_RANKS},
            f"1 other run does not differ significantly from a {THREE_PAIRS}",
        ),
        ({"a": [1], "b": [2]}, "Differences between runs could not be tested: there are too few topics."),
        ({"a": [1]}, ""),
        ({"a": [2], "b": [2]}, ""),
    ],
)
def test_summary_of_the_tests(ranks: dict[str, list[int]], expected: str) -> None:
    assert headline(leaderboard, context_of(*campaign_with_ranks(ranks), "RR"))[1:] == ([expected] if expected else [])


def test_first_runs_by_other_measures() -> None:
    ranks = {"a": [1, 1, 1], "b": [4, 4, 4], "c": [2, 2, 2]}
    context = context_of(*campaign_with_ranks(ranks), "RR", "AP", "NumRet")
    assert "It is also first by AP. By NumRet (12), b comes first." in visible_text(leaderboard, context)
    context_with_ties = context_of(
        *campaign_with_ranks({"a": [1, 2], "b": [2, 2], "c": [2, 2]}), "RR", "Success@10", "NumRet", "AP"
    )
    expected = (
        "It is also first by AP. By Success@10 (1), all 3 runs are tied. By NumRet (4), b and c are tied for first."
    )
    assert expected in visible_text(leaderboard, context_with_ties)
    context_of_same_leader = context_of(*campaign_with_ranks(ranks), "RR", "AP", "P@1")
    assert "It is also first by both other measures." in visible_text(leaderboard, context_of_same_leader)
    context_of_tied_leaders = context_of(*campaign_with_ranks({"a": [1, 1], "b": [3, 3], "c": [3, 3]}), "RR", "NumRet")
    text = visible_text(leaderboard, context_of_tied_leaders)
    assert "By NumRet (6), b and c are tied for first." in text
    assert "It is also first" not in text
    assert leaderboard.group_other_measures(context_of(*campaign_with_ranks(ranks), "RR")) == []
    assert leaderboard.group_other_measures(context_of(*campaign_with_ranks({"a": [1], "b": [1]}), "RR", "AP")) == []


def test_identical_runs_are_mentioned() -> None:
    one_group = context_of(*campaign_with_ranks({"a": [1, 2], "b": [1, 2], "c": [1, 1]}), "RR")
    assert "a and b have the same values on every topic." in visible_text(leaderboard, one_group)
    two_groups = context_of(*campaign_with_ranks({"a": [1, 2], "b": [1, 2], "c": [1, 1], "d": [1, 1]}), "RR")
    assert "on every topic; there is 1 other group of such runs." in visible_text(leaderboard, two_groups)
    assert "the same values" not in visible_text(
        leaderboard, context_of(*campaign_with_ranks({"a": [1, 2], "b": [2, 1]}), "RR")
    )


@pytest.mark.parametrize(
    ("runs", "topics", "expected"),
    [
        (1, 1, "With 1 topic there is no interval and no test."),
        (2, 1, "With 1 topic there is no interval and no test; the order of the runs may be due to chance."),
        (1, 3, "With only 3 topics, intervals are wide."),
        (2, 3, "With only 3 topics, intervals are wide and tests have little power."),
    ],
)
def test_few_topics_are_mentioned(runs: int, topics: int, expected: str) -> None:
    ranks = {f"r{i}": [1 + i] * topics for i in range(runs)}
    assert expected in visible_text(leaderboard, context_of(*campaign_with_ranks(ranks), "RR"))


def test_many_topics_are_not_mentioned() -> None:
    assert "With only" not in visible_text(
        leaderboard, context_of(*campaign_with_ranks({"a": [1] * 10, "b": [2] * 10}), "RR")
    )


def test_table_has_every_run_and_measure() -> None:
    context = simulated_context(6, 12, 3, "AP", "P@10")
    section = compute_section(leaderboard, context)
    text = strip_markup(section.html())
    for run in context.runs:
        assert run in text
    assert "P@10" in text
    assert f"{context.overall[context.order[0], 1]:.3f}" in text
    assert "Runs that share a letter" in text
    assert section.html().count("<table>") == 2


def test_too_many_letters_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaderboard, "_MAX_LETTERS", 0)
    text = visible_text(leaderboard, simulated_context(6, 12, 3))
    assert "letter" not in text
    assert "worse than" in text
