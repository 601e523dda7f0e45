"""Judgments with facets: text formats, tables, duplicates and bad values."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.io import files
from assay.model.facets import FacetOptions
from assay.model.qrels import Qrels

VECTORS = json.loads((Path(__file__).parent.parent / "vectors-more.json").read_text(encoding="utf-8"))
READ = [
    pytest.param(vector, id=vector["id"])
    for vector in VECTORS
    if vector["op"] == "read" and vector["input"]["format"] not in ("nuggets", "element-costs")
]
SUBTOPICS = "1 a d1 2\n1 b d1 0\n1 b d2 1\n2 a d1 -2\n"


@pytest.mark.parametrize("vector", READ)
def test_read_vectors(tmp_path, vector):
    path = tmp_path / "qrels.txt"
    path.write_text(vector["input"]["text"])
    table = files.read_qrels(str(path), layout=vector["input"]["format"])
    rows = table.frame.rename({"value": "grade"}).to_dicts()
    assert rows == vector["expected"]


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["op"] == "collapse"], ids=lambda v: v["id"])
def test_collapse_vectors(tmp_path, vector):
    path = tmp_path / "qrels.txt"
    path.write_text(vector["input"]["text"])
    table = files.read_qrels(str(path), layout="subtopics")
    qrels = Qrels(table, FacetOptions.of(vector["input"]["how"], None))
    assert dict(qrels.frame().select("doc", "grade").iter_rows()) == vector["expected"]


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["op"] == "read-error"], ids=lambda v: v["id"])
def test_duplicate_vectors(tmp_path, vector):
    path = tmp_path / "qrels.txt"
    path.write_text(vector["input"]["text"])
    with pytest.raises(InputError, match=r"qrels.txt:2: document d1 of topic 1, subtopic a has grade 0 here and 1"):
        files.read_qrels(str(path), layout="subtopics")


@pytest.mark.parametrize(
    ("layout", "text", "message"),
    [
        ("qrels", SUBTOPICS, r"q.txt:2: document d1 of topic 1 .*column 2 is a subtopic, say --qrels-format subtopics"),
        (
            "qrels",
            "1 0 d1 2\n1 0 d1 2\n",
            r"q.txt:2: .* already judged for topic 1 .*same grade\)(\nFix it, .*)?$",
        ),
        ("subtopics", "1 a d1 1\n1 a d1 1\n", r"q.txt:2: document d1 was already judged for topic 1, subtopic a"),
        ("subtopics", "1 a d1 1\n1 b d1 x\n", r"q.txt:2: the grade must be a finite number, found 'x'"),
        ("subtopics", "1 a d1\n", r"q.txt:1: expected 4 columns \(topic subtopic doc grade\), found 3"),
        ("judges", "1 A d1 1\n2 A d1 1\n1 A d1 2\n", r"q.txt:3: document d1 of topic 1, judge A has grade 2 here"),
        ("judges", "1 A d1 1\n1 B d2 1\n1 B d1 2\n", r"q.txt:3: document d1 of topic 1 was judged by .*--merge mean"),
        ("strata", "1 0 d1 1\n", r"q.txt:1: expected 5 columns \(topic iteration doc stratum grade\), found 4"),
        ("prels", "1 d1 1 1 0.5\n1 d1 1 1 0.5\n", r"q.txt:2: document d1 was already judged for topic 1"),
        ("prels", "1 d1 1 1 0.5\n1 d2 1 1 much\n", r"q.txt:2: the probability must be above 0 .*found 'much'"),
        ("prels", "1 d1 1 1 0\n", r"q.txt:1: the probability must be above 0 and at most 1, found '0'"),
        ("prels", "1 d1 1 1 NA\n", r"q.txt: contains no judgments"),
    ],
)
def test_an_error_names_the_line(tmp_path, layout, text, message):
    (tmp_path / "q.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        assay.read(tmp_path / "q.txt", qrels_format=layout)


def test_lenient_reading_keeps_the_first_of_duplicates(tmp_path):
    (tmp_path / "q.txt").write_text("1 a d1 1\n1 a d1 2\n1 b d1 x\n1 b d1 3\n")
    campaign = assay.read(tmp_path / "q.txt", qrels_format="subtopics", lenient=True)
    assert campaign.judgments.facet_frame().rows() == [("1", "d1", "a", 1.0), ("1", "d1", "b", 3.0)]
    assert any("contradictory judgments, keeping the first: 1" in note for note in campaign.notes)


def test_prels_count_ignored_lines(tmp_path):
    (tmp_path / "q.txt").write_text("1 d1 0 1 0.25\n1 d2 1 0 0.1\n1 d3 1 1 NA\n1 d4 -999 1 0.3\n1 d5 1 1 1.5\n")
    campaign = assay.read(tmp_path / "q.txt", qrels_format="prels")
    assert campaign.judgments.facet_frame().rows() == [("1", "d1", 0.25, 0.0), ("1", "d2", 1.0, 1.0)]
    assert any(note.endswith("outside 0 to 1: 3") for note in campaign.notes)


ROWS = {"qid": ["1", "1", "1"], "docno": ["d1", "d1", "d2"], "grade": [2.0, 0.0, 1.0], "Subtopic-ID": ["a", "b", "b"]}
EXPECTED = [("1", "d1", "a", 2.0), ("1", "d1", "b", 0.0), ("1", "d2", "b", 1.0)]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "polars", "pandas", "arrow", "text"])
def test_tables_name_subtopics_in_a_column(tmp_path, kind):
    frame = pl.DataFrame(ROWS)
    path = tmp_path / f"q.{kind}"
    if kind == "csv":
        frame.write_csv(path)
    elif kind == "tsv":
        frame.write_csv(path, separator="\t")
    elif kind == "jsonl":
        frame.write_ndjson(path)
    elif kind == "parquet":
        frame.write_parquet(path)
    elif kind == "text":
        path.write_text("1 a d1 2\n1 b d1 0\n1 b d2 1\n")
    source = {"polars": frame, "pandas": pd.DataFrame(ROWS), "arrow": frame.to_arrow() if kind == "arrow" else None}
    layouts = ["subtopics"] if kind == "text" else ["qrels", "subtopics"]
    for layout in layouts:
        qrels = assay.read(source.get(kind, path), qrels_format=layout).judgments
        assert qrels.facets == ("subtopic",)
        assert qrels.facet_frame().rows() == EXPECTED
        assert qrels.frame().rows() == [("1", "d1", 2.0), ("1", "d2", 1.0)]


def test_users_may_name_the_column():
    frame = pl.DataFrame(ROWS).rename({"Subtopic-ID": "facet"}).with_columns(pi=pl.lit(0.5))
    with pytest.raises(InputError, match=r"qrels: no column for the subtopic among .*name it one of subtopic"):
        assay.read(frame, qrels_format="subtopics")
    qrels = assay.read(frame, columns={"subtopic": "facet", "probability": "pi"}).judgments
    assert qrels.facets == ("subtopic", "probability")
    assert qrels.facet_frame()["probability"].to_list() == [0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"subtopic": ["a", None, "b"]}, r"qrels, row 2: the subtopic is missing"),
        ({"subtopic": ["a", "b", "b"], "judge": ["x", "x", ""]}, r"qrels, row 3: the judge is missing"),
        ({"subtopic": [0.5, 1.0, 2.0]}, r"qrels: subtopic ids must be text or integers, but column 'subtopic'"),
        ({"subtopic": ["a", "b", "b"], "probability": [0.5, 1.5, 1]}, r"qrels, row 2: the probability must be above 0"),
    ],
)
def test_bad_facets_in_frames(changes, message):
    rows = {name: values for name, values in ROWS.items() if name != "Subtopic-ID"} | changes
    for frame in (pl.DataFrame(rows, strict=False), pd.DataFrame(rows)):
        with pytest.raises(InputError, match=message):
            assay.read(frame, qrels_format="prels" if "probability" in changes else "qrels")


def test_other_facets_are_read_only_on_request():
    frame = pl.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1], "probability": [0.0], "groups": [["a", "b"]]})
    assert assay.read(frame).judgments.facets == ()
    assert assay.read(frame, qrels_format="groups").judgments.facet_frame()["groups"].to_list() == [["a", "b"]]
    with pytest.raises(InputError, match="qrels, row 1: the probability must be above 0"):
        assay.read(frame, columns={"probability": "probability"})


def test_other_judgments_have_no_format():
    with pytest.raises(InputError, match=r"qrels_format 'subtopics': applies to files and frames"):
        assay.read({"1": {"d1": 1}}, qrels_format="subtopics")
    with pytest.raises(InputError, match=r"qrels_format 'subtopic': choose one of .*did you mean subtopics"):
        assay.read({"1": {"d1": 1}}, qrels_format="subtopic")


def test_groups_of_documents(tmp_path):
    (tmp_path / "q.txt").write_text("1 1|2 d1 1\n1 2,3 d2 0\n1 -1 d3 0\n")
    frame = assay.read(tmp_path / "q.txt", qrels_format="groups").judgments.facet_frame()
    assert frame["groups"].to_list() == [["1", "2"], ["2", "3"], []]
    (tmp_path / "q.jsonl").write_text('{"qid": "1", "docno": "d", "label": 1, "groups": ["a", "b"]}\n')
    frame = assay.read(tmp_path / "q.jsonl", qrels_format="groups").judgments.facet_frame()
    assert frame["groups"].to_list() == [["a", "b"]]
