"""Tests of the section on archetypes."""

from __future__ import annotations

import pytest

from assay.effort.archetypes import NAMES
from assay.views.report.section import Section
from assay.views.report.sections import archetypes
from report_cases import campaign_with_ranks, context_of, strip_markup, visible_text


def archetype_counts(**counts: int) -> dict[str, int]:
    all_counts = {name: counts.get(name.replace(" ", "_").replace("-", "_"), 0) for name in NAMES}
    return {"curves": sum(all_counts.values()), **all_counts}


def read_summary(total: dict[str, int]) -> str:
    return strip_markup(Section("archetypes", "", archetypes.summarize(total)).headline())


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (
            archetype_counts(typical_A=60, typical_B=40),
            "Of 100 rankings, 60 % are typical A: the curve recovers after rank R",
        ),
        (archetype_counts(typical_A=3, typical_B=1), "3 of 4 rankings are typical A:"),
        (archetype_counts(worst=1, ideal=1), "1 of 2 rankings is ideal:"),
        (archetype_counts(worst=2), "Both rankings are worst: no relevant document is retrieved."),
        (archetype_counts(ideal=1), "The only ranking is ideal: every document is at an ideal rank."),
        (archetype_counts(typical_B=1500), "All 1,500 rankings are typical B: the curve never recovers."),
    ],
)
def test_most_frequent_archetype(total: dict[str, int], expected: str) -> None:
    assert read_summary(total).startswith(expected)


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (archetype_counts(typical_A=9), "No ranking is ideal; every ranking contains a relevant document."),
        (
            archetype_counts(typical_A=9, ideal=1, worst=1),
            "1 ranking is ideal; 1 ranking contains no relevant document.",
        ),
        (
            archetype_counts(typical_A=9, ideal=2, worst=3),
            "2 rankings are ideal; 3 rankings contain no relevant document.",
        ),
        (archetype_counts(worst=3, typical_A=1), "No ranking is ideal."),
        (archetype_counts(ideal=3, typical_A=1), "Every ranking contains a relevant document."),
        (archetype_counts(worst=2), ""),
        (archetype_counts(ideal=2), ""),
    ],
)
def test_ideal_and_worst_rankings(total: dict[str, int], expected: str) -> None:
    assert read_summary(total).split(". ", 1)[1:] == ([expected] if expected else [])


def test_every_archetype_has_a_meaning() -> None:
    assert set(NAMES) < set(archetypes.MEANING)


def test_text_of_the_section() -> None:
    text = visible_text(archetypes, context_of(*campaign_with_ranks({"a": [1, 2], "b": [0, 1]}), "RR"))
    assert "2 of 4 rankings are ideal" in text
    assert "Archetypes of each run" in text
    assert "no curves" in visible_text(archetypes, context_of({"q": {"x": 0}}, {"a": {"q": {"x": 1.0}}}))
