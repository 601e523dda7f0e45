"""The section on slices of topics."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.views.report.sections import slices
from report_cases import HOSTILE, context_of, context_with_ranks, headline, visible_text

TABLE = {f"q{topic}": {"kind": ("odd", HOSTILE)[topic % 2], "length": topic} for topic in range(16)}
OPTIONS: dict[str, Any] = {"topics_table": TABLE, "by": ("kind",)}
RANKS = {"a": [1, 4, 1, 3, 2, 3, 1, 2] * 2, "b": [3, 1, 4, 1, 2, 1, 3, 1] * 2, "c": [2, 2, 1, 3, 2, 2, 2, 1] * 2}


def test_the_headline_states_a_significant_interaction() -> None:
    context = context_with_ranks({run: RANKS[run] for run in "ab"}, **OPTIONS)
    [sentence] = headline(slices, context)
    assert sentence.startswith("By RR, the difference between ")
    assert "depends on kind" in sentence
    assert "better in odd" in sentence


def test_three_runs() -> None:
    context = context_with_ranks(RANKS, "RR", "P@1", **{**OPTIONS, "by": ("kind", "length:3")})
    text = visible_text(slices, context)
    assert "Mean RR over all topics and in each slice by kind, length." in text
    assert "no significant evidence for any of 3 pairs of runs that the difference depends on length" in text
    assert "length: <=5 (6)" in text


def test_one_run_has_values_only() -> None:
    context = context_with_ranks({"a": RANKS["a"]}, **OPTIONS)
    assert headline(slices, context) == ["The topics are divided into 2 slices by kind."]
    assert "Student" in visible_text(slices, context)


def test_a_table_needs_a_column() -> None:
    with pytest.raises(InputError, match="topics_table and by: slices need both"):
        context_of({"q": {"a": 1}}, {"x": {"q": {"a": 1.0}}}, topics_table=TABLE)
