"""Tests of the figure of ideal DCG by topic."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import meta, read
from assay.errors import AssayError
from assay.views.plots._style import Style
from assay.views.plots.ideal_dcg import _curve, _place_labels, _PlotArea, data, draw
from chart_parts import mark_rows, marks, texts
from real_data import real

QRELS = {"poor": {"a": 1}, "rich": {"a": 4, "b": 2, "c": 0}, "none": {"a": 0}}
CAMPAIGN = read(QRELS)


def test_values_computed_by_hand() -> None:
    """Gains are (2^grade - 1) / 16."""
    frame = data(CAMPAIGN).frame
    assert frame.columns == ["place", "topic", "ideal_dcg", "measure", "cutoff", "top", "all_top", "one_top"]
    assert frame["topic"].to_list() == ["rich", "poor", "none"]
    assert frame["ideal_dcg"].to_list() == pytest.approx([15 / 16 + 3 / 16 / math.log2(3), 1 / 16, 0.0])
    assert (frame["cutoff"][0], frame["top"][0]) == (20, 4.0)


def test_lines_of_the_paper() -> None:
    frame = data(CAMPAIGN).frame
    assert frame.select("all_top", "one_top").unique().row(0) == pytest.approx((6.600, 3.580), abs=5e-4)
    assert texts(draw(frame)) == ["20 documents of grade 4: 6.600", "one of grade 4, 19 of the next lower: 3.580"]


def test_lines_are_above_most_topics_of_the_track() -> None:
    """Both lines are above the ideal DCG of nearly every topic of the TREC 2013 Web Track."""
    frame = data(read(real("qrels-only", "qrels.web.201-250.txt.gz"))).frame
    assert len(frame) == 50
    assert (frame["ideal_dcg"] < frame["all_top"]).all()
    assert (frame["ideal_dcg"] < frame["one_top"]).sum() >= 48


def test_settings_match_the_report() -> None:
    settings = {"cutoff": 2, "gains": "identity", "max_rel": 5}
    plot_data = data(CAMPAIGN, **settings)  # type: ignore[arg-type]
    assert plot_data.frame.equals(data(meta.judgments(CAMPAIGN, **settings)).frame)  # type: ignore[arg-type]
    assert plot_data.frame["top"][0] == 5
    assert plot_data.frame["ideal_dcg"][0] == pytest.approx(4 + 2 / math.log2(3))
    with pytest.raises(AssayError, match="gains"):
        data(CAMPAIGN, gains="no such")


def test_one_point_per_topic_and_two_lines() -> None:
    frame = data(CAMPAIGN).frame
    chart = draw(frame)
    assert marks(chart) == ["rule", "line", "circle", *["text"] * 4], "each label has a halo"
    assert [row["value"] for row in mark_rows(chart, "rule")] == [frame["all_top"][0], frame["one_top"][0]]
    assert [row["topic"] for row in mark_rows(chart, "circle")] == ["rich", "poor", "none"]
    assert "circle" not in marks(draw(data(read({f"q{i}": {"a": 1} for i in range(400)})).frame))


@pytest.mark.parametrize("crossing", [0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("width", [266, 306, 600])
def test_labels_hide_no_points(crossing: float, width: int) -> None:
    area = _PlotArea(width, 180, 0.0, 5.9)
    values = np.where(np.arange(100) < 100 * crossing, 5.28, 1.76)
    curve = _curve(values, area)
    labels = {"20 documents of grade 2: 5.280": 5.28, "one of grade 2, 19 of the next lower: 2.260": 2.26}
    first, second = _place_labels(labels, curve, area)
    assert second.count_hidden(curve) == 0
    assert not first.overlaps(second)
    assert first.top >= 0
    assert second.bottom <= 180
    middle = (second.top + second.bottom) / 2
    assert second.count_hidden(np.array([[0.0, width], [middle, middle]])) == 1


def test_labels_are_wrapped_if_they_would_hide_points() -> None:
    topics = {f"q{i}": {f"d{j}": 2 if i < 15 else 1 for j in range(20)} for i in range(40)}
    assert "one of grade 2,\n19 of the next lower: 2.260" in texts(draw(data(read(topics)).frame))
    assert "one of grade 2, 19 of the next lower: 2.260" in texts(draw(data(read(topics)).frame, Style(width=900)))
