"""Answers of ``assay.check`` to standard questions, compared with other analyses and with definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

import assay
from assay.input_check.report import InputCheck
from assay.significance.topic_set_size import compute_detectable_difference
from report_contract import check_report

TOPICS = [str(number) for number in range(12)]
RANDOM = np.random.default_rng(3)
QRELS = {topic: {f"d{i}": int(RANDOM.integers(-1, 3)) for i in range(12)} for topic in TOPICS}
RUNS = {
    name: {
        topic: {f"d{i}": float(RANDOM.integers(0, scores)) for i in RANDOM.choice(18, 10, replace=False).tolist()}
        for topic in TOPICS
    }
    for name, scores in (("fine", 10_000), ("coarse", 3), ("other", 50))
}
CAMPAIGN = assay.read(QRELS, RUNS)
REPORT = assay.check(QRELS, RUNS, ["AP", "RR"], cutoffs=(2, 5))


def value(quantity: str, measure: str | None = None, run: str | None = None, report: InputCheck = REPORT) -> float:
    rows = report.table("questions").frame.rows(named=True)
    keys = {"quantity": quantity, "measure": measure, "run": run}
    (found,) = [row["value"] for row in rows if keys.items() <= row.items()]
    return float(found)


def rank(run: str, topic: str) -> list[str]:
    """Rank documents by score; tied documents have descending ids."""
    ranking = RUNS[run][topic]
    return sorted(sorted(ranking, reverse=True), key=lambda doc: -ranking[doc])


@pytest.mark.parametrize("cutoff", [2, 5])
@pytest.mark.parametrize("run", RUNS)
def test_unjudged_documents(run: str, cutoff: int) -> None:
    documents = [(topic, doc) for topic in TOPICS for doc in rank(run, topic)[:cutoff]]
    expected = np.mean([doc not in QRELS[topic] for topic, doc in documents])
    assert value(f"unjudged@{cutoff}", run=run) == pytest.approx(expected)
    row = REPORT.runs.row(by_predicate=pl.col("run") == run, named=True)
    assert row[f"unjudged_{cutoff}"] == pytest.approx(expected)


@pytest.mark.parametrize("cutoff", [2, 5])
def test_pairs_with_overlapping_bounds_agree_with_the_bounds_of_precision(cutoff: int) -> None:
    # Documents with negative grades count as judged here, but may have any grade in ``bounds``.
    qrels = {topic: {doc: max(grade, 0) for doc, grade in grades.items()} for topic, grades in QRELS.items()}
    bounds = assay.uncertainty.bounds(assay.read(qrels, RUNS), f"P@{cutoff}").means()
    ends = list(zip(bounds["low"], bounds["high"], strict=True))
    overlapping = sum(a[0] <= b[1] + 1e-12 and b[0] <= a[1] + 1e-12 for a, b in combinations(ends, 2))
    report = assay.check(qrels, RUNS, cutoffs=[cutoff])
    assert value("pairs with overlapping bounds", f"P@{cutoff}", report=report) == overlapping


@pytest.mark.parametrize("run", RUNS)
def test_ties_agree_with_the_analysis_of_ties(run: str) -> None:
    frame = assay.uncertainty.ties(assay.read(QRELS, RUNS, keep="runs"), ["AP", "RR"]).frame()
    for row in frame.rows(named=True):
        if row["run"] == run:
            assert value("tied documents", run=run) == pytest.approx(row["tied"] / row["documents"])
            width = row["high"] - row["low"]
            assert value("range of the mean", row["measure"], run) == pytest.approx(width, abs=1e-12)


def test_comparisons() -> None:
    assert value("pairs of runs") == 3
    assert value("expected false positives without correction") == pytest.approx(0.15)
    assert value("level for the smallest p with Holm's correction") == pytest.approx(0.05 / 3)


@pytest.mark.parametrize("index", [0, 1])
def test_power(index: int) -> None:
    results = assay.evaluate(CAMPAIGN, ["AP", "RR"])
    values = results.values[index]
    variances = [np.var(values[a] - values[b], ddof=1) for a, b in combinations(range(3), 2)]
    differences = compute_detectable_difference(12, np.array(variances))
    measure = str(results.measures[index])
    assert value("detectable difference, median", measure) == pytest.approx(np.median(differences))
    assert value("detectable difference, lowest", measure) == pytest.approx(min(differences))
    corrected = compute_detectable_difference(12, np.median(variances), 0.05 / 3)
    assert value("detectable difference, median, Holm", measure) == pytest.approx(float(corrected))


def test_one_run_has_no_comparisons() -> None:
    report = assay.check(QRELS, {"fine": RUNS["fine"]})
    assert [answer.question for answer in report.answers] == ["unjudged documents", "ties"]
    check_report(report)


def test_identical_runs_have_no_variance() -> None:
    report = assay.check(QRELS, {"a": RUNS["fine"], "b": RUNS["fine"]})
    assert "unknown" in report.answers[-1].text


@pytest.mark.parametrize("options", [{"missing": "exclude"}, {"ties": "expected"}, {"ties": "file"}, {"ties": "rank"}])
def test_policies(options: dict[str, str]) -> None:
    runs = {name: dict(list(run.items())[1:]) for name, run in RUNS.items()}
    if options != {"ties": "rank"}:
        assert check_report(assay.check(QRELS, runs, **options)).name == "problems"
    else:
        assert assay.check(QRELS, runs, **options).exit_code == 2


def test_grades_are_replaced_and_counted() -> None:
    report = assay.check(QRELS, RUNS, grades={-1: 0})
    assert report.grades["grade"].to_list() == [0, 1, 2]
    assert report.grades["judgments"].sum() == 12 * 12
    assert not any("negative" in finding.kind for finding in report.findings)


def test_the_distribution_of_grades() -> None:
    assert "Grades: 144 judgments with the grades -1 (" in REPORT.summary_of(REPORT.table())
    many = {"q": {f"d{grade}": grade / 10 for grade in range(20)}}
    report = assay.check(many)
    assert "20 judgments with 20 different grades from 0 to 1.9" in report.summary_of(report.table())


def test_tables() -> None:
    assert check_report(REPORT).name == "problems"
    assert REPORT.topics.columns == ["topic", "judged", "relevant", "runs", "tied", "unjudged_2", "unjudged_5"]
    assert REPORT.topics["runs"].to_list() == [3] * 12
    relevant = [sum(grade > 0 for grade in QRELS[topic].values()) for topic in sorted(TOPICS)]
    assert REPORT.topics["relevant"].to_list() == relevant
    assert REPORT.provenance.settings == {"measures": ["AP", "RR"], "cutoffs": [2, 5], "lenient": False}
