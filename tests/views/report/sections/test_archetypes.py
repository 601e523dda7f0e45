"""What is said of archetypes."""

from __future__ import annotations

import pytest

from assay.effort.archetypes import NAMES
from assay.views.report.section import Section
from assay.views.report.sections import archetypes
from report_cases import campaign_with_ranks, context_of, strip_markup, visible_text


def counts(**of: int) -> dict[str, int]:
    kinds = {name: of.get(name.replace(" ", "_").replace("-", "_"), 0) for name in NAMES}
    return {"curves": sum(kinds.values()), **kinds}


def described(total: dict[str, int]) -> str:
    return strip_markup(Section("archetypes", "", archetypes.summarize(total)).headline())


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (
            counts(typical_A=60, typical_B=40),
            "Of 100 rankings, 60 % are typical A: losses are made up for after rank R",
        ),
        (counts(typical_A=3, typical_B=1), "3 of 4 rankings are typical A:"),
        (counts(worst=1, ideal=1), "1 of 2 rankings is ideal:"),
        (counts(worst=2), "Both rankings are worst: nothing relevant found."),
        (counts(ideal=1), "The only ranking is ideal: every document where it belongs."),
        (counts(typical_B=1500), "All 1,500 rankings are typical B: losses are never made up for."),
    ],
)
def test_the_commonest(found: dict[str, int], told: str) -> None:
    assert described(found).startswith(told)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (counts(typical_A=9), "No ranking is ideal; every ranking contains a relevant document."),
        (counts(typical_A=9, ideal=1, worst=1), "1 ranking is ideal; 1 ranking contains no relevant document."),
        (counts(typical_A=9, ideal=2, worst=3), "2 rankings are ideal; 3 rankings contain no relevant document."),
        (counts(worst=3, typical_A=1), "No ranking is ideal."),
        (counts(ideal=3, typical_A=1), "Every ranking contains a relevant document."),
        (counts(worst=2), ""),
        (counts(ideal=2), ""),
    ],
)
def test_the_extremes(found: dict[str, int], told: str) -> None:
    assert described(found).split(". ", 1)[1:] == ([told] if told else [])


def test_every_archetype_has_a_meaning() -> None:
    assert set(NAMES) < set(archetypes.MEANING)


def test_the_section() -> None:
    found = visible_text(archetypes, context_of(*campaign_with_ranks({"a": [1, 2], "b": [0, 1]}), "RR"))
    assert "2 of 4 rankings are ideal" in found
    assert "Archetypes of each run" in found
    assert "no curves" in visible_text(archetypes, context_of({"q": {"x": 0}}, {"a": {"q": {"x": 1.0}}}))
