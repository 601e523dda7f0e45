"""Statistics of judgments."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from assay import meta, read
from assay.errors import InputError, MeasureError
from pool_cases import TOPIC
from real_data import real
from strategies import many_examples

VECTORS = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]
QRELS = {"q1": {"a": 4, "b": 3, "c": 0, "d": -2}, "q2": {"a": 1, "b": 3}, "q3": {"a": 0}}


def ideal_dcg(grades, cutoff, gain):
    """Return the ideal DCG: equation 3 with the documents sorted by gain."""
    gains = sorted((gain(grade) for grade in grades if grade > 0), reverse=True)[:cutoff]
    return sum(value / math.log2(1 + i) for i, value in enumerate(gains, 1))


@many_examples(60, qrels=st.fixed_dictionaries({"t1": TOPIC, "t2": TOPIC, "t3": TOPIC}), cutoff=st.integers(1, 5))
def test_agrees_with_the_definition(qrels, cutoff):
    report = meta.judgments(read(qrels), thresholds=[1, 2, 3], cutoff=cutoff)
    top = max(1, *(grade for docs in qrels.values() for grade in docs.values()))
    for i, topic in enumerate(report.topics):
        grades = list(qrels[topic].values())
        assert report.judged[i] == len(grades)
        assert report.negative[i] == sum(grade < 0 for grade in grades)
        assert report.nonrelevant[i] == sum(0 <= grade < 1 for grade in grades)
        assert report.relevant[i].tolist() == [sum(grade >= threshold for grade in grades) for threshold in (1, 2, 3)]
        expected = ideal_dcg(grades, cutoff, lambda grade: (2**grade - 1) / 2**top)
        assert report.ideal[i] == pytest.approx(expected, abs=1e-12)
    for j in range(3):
        ordered = report.sequences().filter(grade=report.thresholds[j])["relevant"].to_list()
        assert ordered == sorted(report.relevant[:, j].tolist(), reverse=True)
    assert report.ideals()["ideal_dcg"].to_list() == sorted(report.ideal.tolist(), reverse=True)


def test_reference_lines_agree_with_the_paper():
    """The lines of Figure 2: 20 documents of grade 4, and one of grade 4 with 19 of grade 3."""
    report = meta.judgments(read(QRELS))
    [vector] = [candidate for candidate in VECTORS if candidate["id"] == "004-fig2-line1"]
    discounts = sum(1 / math.log2(1 + i) for i in range(1, 21))
    assert report.all_top == pytest.approx(vector["computed"], abs=1e-12)
    assert report.all_top == pytest.approx(discounts * 15 / 16, abs=1e-12)
    assert report.one_top == pytest.approx(15 / 16 + 7 / 16 * (discounts - 1), abs=1e-12)
    assert (round(report.all_top, 3), round(report.one_top, 3)) == (6.6, 3.58)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"cutoff": 1}, (15 / 16, 15 / 16)),
        ({"gains": "exp", "cutoff": 2}, (15 * (1 + 1 / math.log2(3)), 15 + 7 / math.log2(3))),
        ({"max_rel": 5, "cutoff": 1}, (31 / 32, 31 / 32)),
        ({"gains": "binary", "cutoff": 2}, (1 + 1 / math.log2(3),) * 2),
    ],
)
def test_reference_lines_for_other_options(options, expected):
    report = meta.judgments(read(QRELS), **options)
    assert (report.all_top, report.one_top) == pytest.approx(expected, abs=1e-12)


def test_binary_judgments_have_one_relevant_grade():
    report = meta.judgments(read({"q": {"a": 1, "b": 0}}), cutoff=2)
    assert report.thresholds == (1,)
    assert report.one_top == 0.5  # The ranking has one relevant document and one of grade 0.
    assert meta.judgments(read({"q": {"a": 0}})).thresholds == (1,)
    assert meta.judgments(read({"q": {"a": -1}})).top == 1


def test_frames_of_the_report():
    report = meta.judgments(read(QRELS), cutoff=2)
    assert report.thresholds == (1, 3, 4)
    assert report.by_topic().rows()[:3] == [
        ("q1", 4, 1, 1, 1.0, 2, report.ideal[0]),
        ("q1", 4, 1, 1, 3.0, 2, report.ideal[0]),
        ("q1", 4, 1, 1, 4.0, 1, report.ideal[0]),
    ]
    assert report.frame().rows() == [
        (1.0, 4, 2, 0, 2.0, pytest.approx(4 / 3), 2, 2),
        (3.0, 3, 2, 0, 1.0, 1.0, 2, 1),
        (4.0, 1, 1, 0, 0.0, pytest.approx(1 / 3), 1, 0),
    ]
    assert report.ideals()["topic"].to_list() == ["q1", "q2", "q3"]
    assert set(report.ideals()["all_top"]) == {report.all_top}
    assert report.provenance.settings["top"] == 4


def test_tables():
    report = meta.judgments(read(QRELS), cutoff=2)
    assert report.table().compact.rows() == [
        ("1+", 4, 2, "       2", 0, 2, 2),
        ("3+", 3, 2, "       1", 0, 2, 1),
        ("4+", 1, 1, "       0", 0, 1, 0),
    ]
    assert report.table().compact.columns[-1] == "R >= 2"
    topics = report.table("topics").compact
    assert topics.columns == ["topic", "judged", "negative", "nonrelevant", "1+", "3+", "4+", "ideal DCG"]
    assert topics.rows()[1] == ("q2", 2, 0, 0, 2, 1, 0, report.ideal[1])
    assert "negative" not in meta.judgments(read({"q": {"a": 1}})).table("topics").compact.columns
    assert report.table("sorted").compact.rows() == [(1, 2, 2, 1), (2, 2, 1, 0), (3, 0, 0, 0)]
    ideal = report.table("ideal")
    assert ideal.frame.columns == ["place", "topic", "ideal_dcg", "all_top", "one_top"]
    assert ideal.compact.columns == ["place", "topic", "ideal DCG"]
    assert f"have a DCG of {report.one_top:.3f}; the ideal DCG of 1 of 3 topics" in ideal.caption


def test_summaries():
    assert meta.judgments(read(QRELS)).summary() == (
        "3 topics with 7 judged documents, including 4 relevant documents (grade 1 or above). The median number of "
        "relevant documents per topic is 2. 1 topic has no relevant documents: q3."
    )
    assert meta.judgments(read({"q": {"a": 1, "b": 2}}), thresholds=[2]).summary() == (
        "1 topic with 2 judged documents, including 1 relevant document (grade 2 or above). The median number of "
        "relevant documents per topic is 1. Every topic has a relevant document."
    )
    assert (
        "2 topics have no relevant documents: q1, q2"
        in meta.judgments(read({"q1": {"a": 0}, "q2": {"b": 0}})).summary()
    )


def test_many_grades_use_one_threshold():
    report = meta.judgments(read({"q": {f"d{i}": i / 10 for i in range(12)}}))
    assert report.thresholds == (0.1,)
    [note] = report.notes
    assert "11 grades above 0" in note
    assert "0.1" in note
    assert "thresholds" in note


@pytest.mark.parametrize("grades", [[], [0], [-1, 1], [math.nan], [math.inf]])
def test_invalid_thresholds_raise(grades):
    with pytest.raises(InputError, match="thresholds: name grades above 0"):
        meta.judgments(read(QRELS), thresholds=grades)


def test_invalid_arguments_raise():
    with pytest.raises(MeasureError, match="cutoff must be at least 1, got 0"):
        meta.judgments(read(QRELS), cutoff=0)
    with pytest.raises(MeasureError, match="the qrels hold grade 4, above max_rel=3"):
        meta.judgments(read(QRELS), max_rel=3)
    with pytest.raises(InputError, match="no judgments"):
        meta.judgments(read({}))


def test_selected_judgments():
    campaign = read(QRELS, {"q1": {"a": 1.0}})
    mask = campaign.qrels.frame()["grade"].to_numpy() >= 0
    assert meta.judgments(campaign.with_judgments(mask)).negative.sum() == 0
    assert meta.judgments(campaign).negative.sum() == 1


def test_missing_judgments_raise():
    with pytest.raises(InputError, match="qrels"):
        meta.judgments(read(runs={"q1": {"a": 1.0}}))


def test_web_track_2013_agrees_with_the_figures():
    """Figures 1 and 2 use these judgments: only two topics reach the lower line."""
    report = meta.judgments(read(real("qrels-only", "qrels.web.201-250.txt.gz")), thresholds=[1, 2, 3])
    assert len(report.topics) == 50
    assert report.relevant.sum(axis=0).tolist() == [4150, 1106, 186]
    assert (report.relevant[:, 2] > 20).sum() == 3
    assert (report.ideal > report.all_top).sum() == 0
    assert (report.ideal > report.one_top).sum() == 2
    assert np.median(report.ideal) < report.one_top / 2
