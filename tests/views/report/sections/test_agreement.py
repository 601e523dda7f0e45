"""Tests of the section on the agreement of measures."""

from __future__ import annotations

from assay.views.report.sections import agreement
from report_cases import campaign_with_ranks, context_of, headline, simulated_context, visible_text

ORDER = {"a": [1, 1], "b": [2, 2], "c": [3, 3], "d": [4, 4], "e": [5, 5]}


def read_headline(*measures: str, ranks: dict[str, list[int]] | None = None) -> list[str]:
    context = context_of(*campaign_with_ranks(ranks or ORDER), *measures)
    return headline(agreement, context)


def test_two_measures() -> None:
    assert read_headline("RR", "AP") == ["RR and AP agree on the order of 5 runs with tau 1."]
    assert read_headline("RR", "NumRet") == ["RR and NumRet agree on the order of 5 runs with tau -1."]


def test_several_measures() -> None:
    summary, pairs = read_headline("RR", "NumRet", "AP")
    assert summary == "RR and AP agree most on the order of 5 runs (tau 1); 2 pairs of measures agree least (tau -1)."
    summary_of_ties, _ = read_headline("RR", "AP", "RBP(p=0.8)", "NumRet")
    assert (
        summary_of_ties
        == "3 pairs of measures agree most on the order of 5 runs (tau 1); 3 pairs of measures agree least (tau -1)."
    )
    assert pairs == "Of 3 pairs of measures, 1 has a tau above 0.9 and 2 have a tau below 0.8."
    sentences = read_headline("RR", "AP", "RBP(p=0.8)")
    assert sentences[0] == "All 3 pairs of measures agree on the order of 5 runs with tau 1."
    assert sentences[1] == "Of 3 pairs of measures, 3 have a tau above 0.9 and none has a tau below 0.8."


def test_few_runs_are_mentioned() -> None:
    sentences = read_headline("RR", "AP", "P@1", ranks={"a": [1, 1], "b": [2, 3]})
    assert sentences[1] == "With only 2 runs there are few possible orders, so tau says little."


def test_single_topic_is_mentioned() -> None:
    ranks = {f"r{i}": [i + 1] for i in range(5)}
    assert read_headline("RR", "AP", "RBP(p=0.8)", ranks=ranks) == [
        "All 3 pairs of measures agree on the order of 5 runs with tau 1.",
        "Every order is based on a single topic, so tau says little about the measures.",
    ]


def test_missing_comparisons_are_explained() -> None:
    assert read_headline("RR", ranks={"a": [1]}) == [
        "There is only one run, so measures cannot disagree on the order of runs."
    ]
    assert read_headline("RR")[0].startswith("There is only one measure")
    assert read_headline("RR", "AP", ranks={"a": [1], "b": [1]})[0] == (
        "No two measures can be compared: at most one of them distinguishes the runs."
    )


def test_matrix_is_shown() -> None:
    context = simulated_context(6, 8, 2, "AP", "RR", "P@5")
    assert context.correlation is not None
    text = visible_text(agreement, context)
    assert f"{context.correlation.taus.tau[0, 1]:.3f}" in text
