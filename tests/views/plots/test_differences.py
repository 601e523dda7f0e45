"""Tests of the figure of differences by topic."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import ttest_rel

import assay
from assay.errors import InputError
from assay.significance._compare import compare
from assay.views.plots._export import specification
from assay.views.plots._style import PALETTES, Style
from assay.views.plots.differences import data, draw

QRELS = {f"q{i}": {"a": 1, "b": 1} for i in range(1, 5)}
FIRST = {
    "q1": {"a": 2.0, "b": 1.0},  # AP 1
    "q2": {"x": 3.0, "a": 2.0, "b": 1.0},  # 7/12
    "q3": {"x": 3.0, "y": 2.0, "a": 1.0},  # 1/6
    "q4": {"a": 1.0},  # 1/2
}
SECOND = {
    "q1": {"x": 2.0, "a": 1.0},  # 1/4
    "q2": {"a": 3.0, "b": 2.0},  # 1
    "q3": {"x": 3.0, "y": 2.0, "b": 1.0},  # 1/6
    "q4": {"x": 1.0},  # 0
}


def read_data(**options: Any) -> Any:
    return data(assay.read(QRELS, {"first": FIRST, "second": SECOND}), **options)


def title_text(chart: Any) -> str:
    return str(specification(chart)["title"])


def layer_rows(spec: Any, layer: int) -> list[dict[str, Any]]:
    """Return the data rows of a layer."""
    rows: list[dict[str, Any]] = spec["datasets"][spec["layer"][layer]["data"]["name"]]
    return rows


def test_topics_are_sorted_and_the_mean_is_last() -> None:
    frame = read_data(pair=("first", "second")).frame
    assert frame["kind"].to_list() == ["topic"] * 4 + ["mean"]
    assert frame["topic"].to_list() == ["q1", "q4", "q3", "q2", "all"]
    assert frame["place"].to_list() == [1, 2, 3, 4, None]
    assert frame["outcome"].to_list() == ["better", "better", "equal", "worse", "better"]
    assert frame["difference"].to_list()[:4] == pytest.approx([3 / 4, 1 / 2, 0, -5 / 12])
    mean = frame.row(-1, named=True)
    expected = ttest_rel([1, 7 / 12, 1 / 6, 1 / 2], [1 / 4, 1, 1 / 6, 0])
    interval = expected.confidence_interval(0.95)
    assert mean["difference"] == pytest.approx(5 / 24)
    assert mean["p"] == pytest.approx(expected.pvalue)
    assert (mean["low"], mean["high"]) == pytest.approx((interval.low, interval.high))
    assert (mean["confidence"], mean["test"]) == (0.95, "t")


def test_default_is_the_two_best_runs() -> None:
    collection = assay.simulate(systems=5, topics=6, seed=2)
    results = assay.evaluate(collection.qrels, collection.runs, "nDCG@10")
    best = results.best("nDCG@10")
    default = data(assay.read(collection.qrels, collection.runs), measure="nDCG@10").frame
    assert (default["run_a"][0], default["run_b"][0]) == (best[0], best[1])
    selected = data(assay.read(collection.qrels, collection.runs), measure="nDCG@10", pair=[best[3], best[0]]).frame
    assert (selected["run_a"][0], selected["run_b"][0]) == (best[3], best[0])
    assert selected.equals(data(compare(results), pair=(best[3], best[0])).frame)


def test_significance_depends_only_on_the_pair() -> None:
    collection = assay.simulate(systems=5, topics=12, seed=2)
    results = assay.evaluate(collection.qrels, collection.runs, "AP")
    a, b = results.runs[:2]
    frame = data(compare(results, test="wilcoxon", alpha=0.1), pair=(a, b)).frame
    expected = compare(results.select([a, b]), test="wilcoxon", alpha=0.1).frame()
    assert frame["p"][-1] == expected["p"][0]
    assert frame["confidence"][-1] == pytest.approx(0.9)
    subtitle = " ".join(specification(draw(frame))["title"]["subtitle"])
    assert "uncorrected" in subtitle
    assert "90% interval (Student's t)" in subtitle


def test_subtitle_names_the_family_of_tukey_p_values() -> None:
    collection = assay.simulate(systems=5, topics=12, seed=2)
    comparison = compare(assay.evaluate(collection.qrels, collection.runs, "AP"), test="tukey")
    subtitle = " ".join(
        specification(draw(data(comparison, pair=comparison.results.runs[:2]).frame))["title"]["subtitle"]
    )
    assert "all pairs of 5 runs" in subtitle
    assert "uncorrected" not in subtitle


def test_outcome_if_lower_is_better() -> None:
    results = assay.evaluate(QRELS, {"first": FIRST, "second": SECOND}, "BackwardSpace")
    assert results.measures[0].lower_is_better
    frame = data(compare(results), pair=("first", "second")).frame.filter(kind="topic")
    for difference, outcome in frame.select("difference", "outcome").iter_rows():
        assert outcome == ("equal" if difference == 0 else "worse" if difference > 0 else "better")
    assert {"better", "worse"} <= set(frame["outcome"])
    spec = specification(draw(data(compare(results), pair=("first", "second")).frame))
    [index] = [i for i, layer in enumerate(spec["layer"]) if layer["mark"].get("baseline") == "top"]
    assert layer_rows(spec, index)[0]["text"] == "second better"


def test_topics_missing_from_one_run_are_excluded() -> None:
    short = {topic: FIRST[topic] for topic in ("q1", "q2")}
    runs = {"short": short, "second": SECOND}
    frame = data(assay.read(QRELS, runs, missing="exclude"), pair=("short", "second")).frame
    assert frame["topic"].to_list() == ["q1", "q2", "all"]
    assert frame["difference"][-1] == pytest.approx((3 / 4 - 5 / 12) / 2)


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("first", "secnd"), "there is no run secnd; did you mean second?"),
        (("first", "first"), "first cannot be compared with itself"),
        (("first",), "pair: name two runs, got first"),
        ("first", "pair: name two runs, got first"),
    ],
)
def test_invalid_pairs_are_rejected(pair: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_data(pair=pair)


def test_single_run_is_rejected() -> None:
    with pytest.raises(InputError, match="need at least two runs"):
        data(assay.read(QRELS, {"first": FIRST}))


def test_title_summarizes_the_differences() -> None:
    title = title_text(draw(read_data(pair=("first", "second")).frame))
    assert "first minus second" in title
    assert "mean difference 0.2083" in title
    assert "paired t test: p = 0.482" in title
    assert "better on 2 topics, worse on 1, equal on 1" in title
    single_qrels = {"q1": QRELS["q1"]}
    single = data(assay.read(single_qrels, {"first": FIRST, "second": SECOND}), pair=("first", "second"))
    assert "too few topics" in title_text(draw(single.frame))
    assert "better on 1 topic," in title_text(draw(single.frame))
    equal_runs = data(assay.read(QRELS, {"first": FIRST, "again": FIRST}), pair=("first", "again")).frame
    assert "worse on 0, equal on 4" in title_text(draw(equal_runs))


def test_p_of_zero_is_shown_as_a_bound() -> None:
    qrels = {f"q{i:02}": {"a": 1} for i in range(20)}
    good = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    bad = {topic: {"b": 2.0, "c": 1.5, **({"a": 1.0} if int(topic[1:]) % 2 else {})} for topic in qrels}
    runs = {"good": good, "bad": bad}
    frame = data(assay.read(qrels, runs), pair=("good", "bad"), test="bootstrap", resamples=100).frame
    assert (frame["p"][-1], frame["least"][-1]) == (0.0, 0.01)
    assert "paired bootstrap test: p < 0.01" in title_text(draw(frame))


def test_topic_labels_are_omitted_in_narrow_figures() -> None:
    collection = assay.simulate(systems=2, topics=50, seed=1)
    frame = data(assay.read(collection.qrels, collection.runs)).frame

    def read_labels(width: int | None) -> Any:
        bars = specification(draw(frame, Style(width=width)))["layer"][1]
        return bars["encoding"]["x"]["axis"].get("values")

    assert read_labels(None) is None, "all topics are labelled"
    assert read_labels(320) == []
    spec = specification(draw(frame))
    bars = spec["layer"][1]
    assert bars["mark"]["type"] == "bar"
    assert bars["encoding"]["color"]["scale"]["range"][:2] == [PALETTES["safe"].early, PALETTES["safe"].late]
    assert len(layer_rows(spec, 1)) == 50
