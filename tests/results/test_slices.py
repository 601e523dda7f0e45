"""Slices of topics: the topics table, cuts of numbers, values in slices and weighted means."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import assay
from assay.errors import InputError
from assay.results.aggregation import aggregate_with_interval, compute_weighted_mean
from assay.results.slices import cut_numbers, find_edges, name_ranges, slice_topics
from oracles.slices import weighted_interval
from report_contract import check_report
from slice_cases import VECTORS, make_results, vectors

TOPICS = ("1", "2", "3", "4", "5", "6")
LENGTHS = (3, 5, 5, 6, 10, 12)
TABLE = {
    topic: {"category": name, "length": length}
    for topic, name, length in zip(TOPICS, ("law", "news", "law", "", "news", "law"), LENGTHS, strict=True)
}


def names(table: Any, *by: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.name, one.topics) for one in slice_topics(TOPICS, table, by).slices]


BY_CATEGORY = [("law", ("1", "3", "6")), ("news", ("2", "5")), ("(none)", ("4",))]


@pytest.mark.parametrize("name", vectors("bins"))
def test_cuts_agree_with_the_vectors(name: str) -> None:
    inputs, expected = VECTORS[name]["inputs"], VECTORS[name]["expected"]
    values = np.array(inputs["values"], dtype=float)
    edges = np.array(inputs["edges"]) if "edges" in inputs else find_edges(values, inputs["quantiles"])
    assert cut_numbers(values, edges).tolist() == expected["bin"]
    assert name_ranges(edges) == expected.get("labels", name_ranges(edges))
    assert edges.tolist() == pytest.approx(expected.get("edges", edges.tolist()))


@pytest.mark.parametrize("name", vectors("means"))
def test_means_agree_with_the_vectors(name: str) -> None:
    slices, expected = VECTORS[name]["inputs"]["values"], VECTORS[name]["expected"]
    table = [(value, {"s": key}) for key, values in slices.items() for value in values]
    results = make_results([[value for value, _ in table]])
    frame = results.by(dict(zip(results.topics, (row for _, row in table), strict=True)), "s").frame()
    for key, numbers in expected.items():
        row = frame.row(by_predicate=pl.col("slice") == key, named=True)
        assert {column: row[column] for column in numbers} == pytest.approx(numbers, abs=1e-9)


# The topics table -----------------------------------------------------------------------------------------------


def test_files_and_frames_give_the_same_slices(tmp_path: Path) -> None:
    rows = [{"qid": topic, **attributes} for topic, attributes in TABLE.items()]
    csv, tsv, lines = (tmp_path / name for name in ("t.csv", "t.tsv", "t.jsonl"))
    csv.write_text("qid,category,length\n" + "".join(f"{r['qid']},{r['category']},{r['length']}\n" for r in rows))
    tsv.write_text(csv.read_text().replace(",", "\t"))
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    frame = pl.DataFrame(rows)
    tables = [csv, str(tsv), lines, frame, pd.DataFrame(rows), pd.DataFrame(rows).set_index("qid"), TABLE]
    tables.append(frame.with_columns(pl.col("qid").cast(pl.Int64)))  # integer ids are their decimal digits
    for table in tables:
        assert names(table, "category") == BY_CATEGORY
        assert names(table, "length:5,10") == [("<=5", ("1", "2", "3")), ("5-10", ("4", "5")), (">10", ("6",))]
    slices = slice_topics(TOPICS, csv, "category")
    assert slices.source.endswith("t.csv")
    assert slices.digest is not None


def test_numbers_are_sorted_as_numbers_and_groups_are_not_empty() -> None:
    table = {topic: {"n": n, "flat": 7, "text": str(n)} for topic, n in zip(TOPICS, (10, 9, 10, 2, 2, 9), strict=True)}
    assert [name for name, _ in names(table, "n")] == ["2", "9", "10"] == [name for name, _ in names(table, "text")]
    assert [name for name, _ in names(table, "n:5")] == ["<=2", "2-9", ">9"]
    assert [name for name, _ in names(table, "flat:4")] == ["all values"]
    assert [name for name, _ in names(table, "n:9,")] == ["<=9", ">9"]
    assert [name for name, _ in names(table, "n:100,200")] == ["<=100"]


def test_lists_put_a_topic_into_several_slices() -> None:
    table = pl.DataFrame({"topic": list(TOPICS), "tags": [["x", "y"], ["x"], [], None, ["y", "y"], ["z"]]})
    slices = slice_topics(TOPICS, table, "tags")
    assert [(one.name, one.topics) for one in slices.slices] == [
        ("x", ("1", "2")),
        ("y", ("1", "5")),
        ("z", ("6",)),
        ("(none)", ("3", "4")),
    ]
    assert slices.overlapping == {"tags"}
    assert any("several slices" in note for note in slices.notes)


def test_notes_count_the_topics_that_do_not_match() -> None:
    table = {**{topic: TABLE[topic] for topic in TOPICS[:4]}, "other": {"category": "law"}}
    notes = " ".join(slice_topics(TOPICS, table, "category").notes)
    for text in (
        "lacks 2 of the 6 topics",
        "ignored 1 topic that the results do not contain",
        "3 topics without a value",
    ):
        assert text in notes


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ((), "by: name an attribute; the columns of topics table are category, length"),
        (("categroy",), "has no column 'categroy'; did you mean category?"),
        (("length:a",), "by 'length:a': write ascending edges such as length:5,10"),
        (("length:5,3",), "write ascending edges"),
        (("length:1",), "write 2 to 100 quantile groups"),
        (("category:3",), "category cannot be cut: 'law' is not a number"),
        (("category", "category"), "category is already given"),
    ],
)
def test_invalid_attributes_are_refused(by: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        slice_topics(TOPICS, TABLE, by)


def test_attributes_with_too_many_values_are_refused() -> None:
    topics = [f"t{number}" for number in range(12)]
    table = {topic: {"n": number, "text": topic, "none": None} for number, topic in enumerate(topics)}
    for by, message in (
        ("n", r"12 different numbers; cut it into quantile groups \(n:4\)"),
        ("text", "as many values as topics"),
        ("none", "none is empty for all topics"),
    ):
        with pytest.raises(InputError, match=message):
            slice_topics(topics, table, by)


def test_errors_name_the_file_and_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for text, message in (
        ("qid,c\n1,x\n2,y\n1,z\n", r"t.csv:4: topic 1 is also at .*t.csv:2; keep one row"),
        ("qid,c\n1,x\n,y\n", "t.csv:3: the topic is missing"),
        ("qid,c\n", "t.csv: has no topics; write a row for each topic"),
        ("qid,c\n1,x,y\n", r"t.csv:2: expected 2 .* columns \(qid, c\), found 3"),
        ("id,c\n1,x\n", "no column for the topic among id, c; name it one of topic"),
        ("qid,c\n7,x\n", r"shares no topic with the results \(it has 7; the results have 1, 2"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=message):
            slice_topics(TOPICS, path, "c")
    with pytest.raises(InputError, match=r"topic '1': expected \{topic: \{attribute: value\}\}"):
        slice_topics(TOPICS, {"1": 5}, "c")


# Values in slices -----------------------------------------------------------------------------------------------


def test_the_report_has_all_topics_and_each_slice() -> None:
    rng = np.random.default_rng(1)
    results = make_results(rng.random((2, 3, 6)), ("AP", "P@10"), TOPICS)
    report = results.by(TABLE, ["category", "length:2"])
    frame = report.frame()
    assert check_report(report).name == "slices"
    assert frame["attribute"].unique(maintain_order=True).to_list() == [None, "category", "length"]
    means = results.means()
    everything = frame.filter(pl.col("slice") == "all").sort("run", "measure")
    for column in ("value", "low", "high", "topics"):
        assert everything[column].to_list() == means.sort("run", "measure")[column].to_list()
    for one, part in report.parts():
        rows = frame.filter((pl.col("attribute") == one.attribute) & (pl.col("slice") == one.name))
        assert rows.sort("run", "measure")["value"].to_list() == part.means().sort("run", "measure")["value"].to_list()
    assert report.provenance.settings["by"] == ["category", "length:2"]
    assert any("fewer than 5 topics" in note for note in report.notes)


def test_lower_values_are_better_and_topics_without_a_value_are_skipped() -> None:
    values = np.array([[1.0, 2, 3, 4, 5, np.nan], [2.0, 3, 4, 5, 6, 7]])
    report = make_results(values, "NumRet", TOPICS).by(TABLE, "category")
    assert report.frame().filter(slice="law", run="a")["topics"].item() == 2
    assert "mean" not in report.summary().partition(".")[0]  # a count has no mean


# Weights --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_weighted_means_agree_with_the_oracle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values, weights = rng.random(9), rng.lognormal(0, 1.5, 9)
    expected = weighted_interval(values.tolist(), weights.tolist(), 0.9)
    for scale in (1.0, 1e-150, 1e150):
        assert compute_weighted_mean(values, weights * scale, "mean", 0.9)[:3] == pytest.approx(expected)
    geometric = compute_weighted_mean(values, weights, "geometric", 0.9)
    expected = weighted_interval(np.log(values).tolist(), weights.tolist(), 0.9)
    with np.errstate(over="ignore"):
        assert geometric[:3] == pytest.approx(np.exp(expected).tolist())


def test_equal_weights_give_students_interval_and_weight_0_excludes() -> None:
    values = np.random.default_rng(0).random(8)
    expected = aggregate_with_interval(values, "mean", 0.95)
    assert compute_weighted_mean(values, np.full(8, 3.0), "mean", 0.95) == pytest.approx(expected)
    padded = np.append(values, [0.9, np.nan])
    assert compute_weighted_mean(padded, np.append(np.ones(8), [0.0, 5.0]), "mean", 0.95) == pytest.approx(expected)
    single = compute_weighted_mean(values, np.eye(8)[0], "mean", 0.95)
    assert (single.value, single.topics) == (values[0], 1)
    assert np.isnan(single.low)


def test_the_weighted_interval_has_its_level() -> None:
    rng, covered = np.random.default_rng(3), 0
    for _ in range(400):
        result = compute_weighted_mean(rng.beta(0.8, 1.2, 40), rng.lognormal(0, 1, 40), "mean", 0.95)
        covered += result.low <= 0.4 <= result.high
    assert stats.binomtest(covered, 400, 0.95).pvalue > 0.01


def test_weights_are_named_and_invalid_weights_are_refused() -> None:
    results = make_results(np.arange(12.0).reshape(2, 6) / 12, topics=TOPICS)
    table = {topic: {"w": weight, "bad": bad} for topic, weight, bad in zip(TOPICS, "123456", "12x-45", strict=True)}
    report = results.by(table, weights="w")
    check_report(report)
    assert report.frame().filter(run="a")["value"].item() == pytest.approx(sum(i * (i + 1) for i in range(6)) / 12 / 21)
    for text in (report.summary(), report.table().caption, repr(report)):
        assert "weighted by w" in text
    for bad in ("x", "-1", "", None, float("inf"), ["1", "2"]):
        with pytest.raises(InputError, match="topic '3': the weight w of topic 3 must be a number of at least 0"):
            results.by({**table, "3": {"w": bad}}, weights="w")
    with pytest.raises(InputError, match="no weight for topic 6"):
        results.by({topic: table[topic] for topic in TOPICS[:5]}, weights="w")
    with pytest.raises(InputError, match="all weights w are 0"):
        results.by({topic: {"w": 0} for topic in TOPICS}, weights="w")


def test_standardized_values_can_be_sliced() -> None:
    collection = assay.simulate(systems=3, topics=8, seed=1)
    results = assay.evaluate(collection.qrels, list(collection.runs), "AP").standardize("z")
    table = {topic: {"s": number % 2} for number, topic in enumerate(results.topics)}
    assert results.by(table, "s").frame()["measure"].unique().to_list() == ["z(AP)"]
