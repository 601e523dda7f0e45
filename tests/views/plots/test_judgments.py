"""Tests of the figure of relevant documents by topic."""

from __future__ import annotations

import pytest

from assay import meta, read, simulate
from assay.errors import AssayError, InputError
from assay.views.plots.judgments import data, draw
from chart_parts import mark_rows, marks, texts
from real_data import real

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 2, "b": 2, "c": 2, "d": -1}, "q3": {"a": 0}}
CAMPAIGN = read(QRELS)


def test_each_grade_is_sorted_separately() -> None:
    frame = data(CAMPAIGN, cutoff=2).frame
    assert frame.rows() == [
        (1.0, 1, "q2", 3, 2),
        (1.0, 2, "q1", 2, 2),
        (1.0, 3, "q3", 0, 2),
        (2.0, 1, "q2", 3, 2),
        (2.0, 2, "q1", 1, 2),
        (2.0, 3, "q3", 0, 2),
    ]
    assert frame.columns == ["grade", "place", "topic", "relevant", "cutoff"]


def test_sequences_match_the_report() -> None:
    collection = simulate(systems=4, topics=9, seed=2)
    report = meta.judgments(read(collection.qrels))
    expected = report.sequences().sort("grade", "place").select("grade", "place", "relevant")
    assert data(report).frame.select(expected.columns).equals(expected)


def test_thresholds_replace_grades() -> None:
    assert data(CAMPAIGN, thresholds=[1.5]).frame["relevant"].to_list() == [3, 1, 0]
    with pytest.raises(InputError, match="thresholds: name grades above 0"):
        data(CAMPAIGN, thresholds=[0])
    with pytest.raises(AssayError, match="cutoff must be at least 1, got 0"):
        data(CAMPAIGN, cutoff=0)


def test_counts_of_the_track_of_the_paper() -> None:
    """Judgments of the TREC 2013 Web Track, as plotted in the paper."""
    frame = data(read(real("qrels-only", "qrels.web.201-250.txt.gz"))).frame
    assert frame["place"].max() == 50
    first = dict(frame.filter(place=1).select("grade", "relevant").iter_rows())
    assert list(first) == [1, 2, 3, 4]
    assert (frame.filter(grade=3)["relevant"] > 20).sum() < 5  # a small minority


def test_one_line_per_grade_and_one_at_the_cutoff() -> None:
    chart = draw(data(CAMPAIGN).frame)
    assert marks(chart) == ["rule", "text", "line", "circle", "text"]
    assert texts(chart) == ["cutoff 20", "1+", "2+"]
    assert [row["cutoff"] for row in mark_rows(chart, "rule")] == [20]


def test_labels_of_lines_do_not_overlap() -> None:
    """Both lines start at 3."""
    chart = draw(data(CAMPAIGN).frame)
    low, high = sorted(row["at"] for row in mark_rows(chart, "text") if "at" in row)
    assert low < 3 < high


def test_many_topics_have_no_points() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(400)}
    assert marks(draw(data(read(qrels)).frame)) == ["rule", "text", "line", "text"]


def test_topic_without_relevant_documents() -> None:
    frame = data(read({"q": {"a": 0}})).frame
    assert frame.rows() == [(1.0, 1, "q", 0, 20)]
    assert "circle" in marks(draw(frame))
