"""What is said of how measures agree."""

from __future__ import annotations

from assay.views.report.sections import agreement
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text

ORDER = {"a": [1, 1], "b": [2, 2], "c": [3, 3], "d": [4, 4], "e": [5, 5]}


def said(*measures: str, ranks: dict[str, list[int]] | None = None) -> list[str]:
    found = context_of(*campaign_with_ranks(ranks or ORDER), *measures)
    return headline(agreement, found)


def test_two_measures() -> None:
    assert said("RR", "AP") == ["RR and AP agree on the order of 5 runs with tau 1."]
    assert said("RR", "NumRet") == ["RR and NumRet agree on the order of 5 runs with tau -1."]


def test_several_measures() -> None:
    most, pairs = said("RR", "NumRet", "AP")
    assert most == "RR and AP agree most on the order of 5 runs (tau 1), 2 pairs of measures least (tau -1)."
    several, _ = said("RR", "AP", "RBP(p=0.8)", "NumRet")
    assert (
        several == "3 pairs of measures agree most on the order of 5 runs (tau 1), 3 pairs of measures least (tau -1)."
    )
    assert pairs == "Of 3 pairs of measures, 1 has a tau above 0.9 and 2 have a tau below 0.8."
    same = said("RR", "AP", "RBP(p=0.8)")
    assert same[0] == "All 3 pairs of measures agree on the order of 5 runs with tau 1."
    assert same[1] == "Of 3 pairs of measures, 3 have a tau above 0.9 and none has a tau below 0.8."


def test_few_runs_are_said_to_be_few() -> None:
    told = said("RR", "AP", "P@1", ranks={"a": [1, 1], "b": [2, 3]})
    assert told[1] == "With only 2 runs there are few possible orders, so tau says little."


def test_a_single_topic_says_little_about_measures() -> None:
    ranks = {f"r{i}": [i + 1] for i in range(5)}
    assert said("RR", "AP", "RBP(p=0.8)", ranks=ranks) == [
        "All 3 pairs of measures agree on the order of 5 runs with tau 1.",
        "Every order is based on a single topic, so tau says little about the measures.",
    ]


def test_what_cannot_be_compared() -> None:
    assert said("RR", ranks={"a": [1]}) == ["There is only one run, so there is no order for measures to agree on."]
    assert said("RR")[0].startswith("There is only one measure")
    assert said("RR", "AP", ranks={"a": [1], "b": [1]})[0] == (
        "No two measures can be compared: at most one of them distinguishes the runs."
    )


def test_the_matrix_is_there() -> None:
    found = simulated_context(6, 8, 2, "AP", "RR", "P@5")
    assert found.correlation is not None
    seen = visible_text(agreement, found)
    assert f"{found.correlation.taus.tau[0, 1]:.3f}" in seen
