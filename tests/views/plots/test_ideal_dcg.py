"""The ideal DCG of topics."""

from __future__ import annotations

import math

import pytest

from assay.analyses.meta.judgments import judgment_report
from assay.errors import AssayError
from assay.views.plots.ideal_dcg import data, draw, shaped
from chart_parts import drawn, marks, texts
from real_data import real

QRELS = {"poor": {"a": 1}, "rich": {"a": 4, "b": 2, "c": 0}, "none": {"a": 0}}


def test_by_hand() -> None:
    """Gains are (2^grade - 1) / 16."""
    frame = data(QRELS).frame
    assert frame.columns == ["place", "topic", "ideal_dcg", "measure", "cutoff", "top", "all_top", "one_top"]
    assert frame["topic"].to_list() == ["rich", "poor", "none"]
    assert frame["ideal_dcg"].to_list() == pytest.approx([15 / 16 + 3 / 16 / math.log2(3), 1 / 16, 0.0])
    assert (frame["cutoff"][0], frame["top"][0]) == (20, 4.0)


def test_the_lines_of_the_paper() -> None:
    frame = data(QRELS).frame
    assert frame.select("all_top", "one_top").unique().row(0) == pytest.approx((6.600, 3.580), abs=5e-4)
    assert texts(draw(frame)) == ["20 of grade 4: 6.600", "one of grade 4, 19 of the next lower: 3.580"]


def test_the_track_of_the_paper() -> None:
    """Both lines are above the ideal DCG of nearly every topic of the TREC 2013 Web Track."""
    frame = data(str(real("qrels-only", "qrels.web.201-250.txt.gz"))).frame
    assert len(frame) == 50
    assert (frame["ideal_dcg"] < frame["all_top"]).all()
    assert (frame["ideal_dcg"] < frame["one_top"]).sum() >= 48


def test_other_settings_are_those_of_the_report() -> None:
    chosen = {"cutoff": 2, "gains": "identity", "max_rel": 5}
    found = data(QRELS, **chosen)  # type: ignore[arg-type]
    assert found.frame.equals(shaped(judgment_report(QRELS, **chosen)))  # type: ignore[arg-type]
    assert found.frame["top"][0] == 5
    assert found.frame["ideal_dcg"][0] == pytest.approx(4 + 2 / math.log2(3))
    with pytest.raises(AssayError, match="gains"):
        data(QRELS, gains="no such")


def test_a_point_for_each_topic_and_two_lines() -> None:
    frame = data(QRELS).frame
    chart = draw(frame)
    assert marks(chart) == ["rule", "line", "circle", "text", "text"]
    assert [row["value"] for row in drawn(chart, "rule")] == [frame["all_top"][0], frame["one_top"][0]]
    assert [row["topic"] for row in drawn(chart, "circle")] == ["rich", "poor", "none"]
    assert "circle" not in marks(draw(data({f"q{i}": {"a": 1} for i in range(400)}).frame))
