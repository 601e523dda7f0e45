"""Campaigns of judgments with facets: every derived campaign gives the values of judgments that were read so."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import assay
from assay.cli import main
from assay.errors import InputError, MeasureError
from assay.judges import read_judges

MEASURES = ["StRecall@2", "IA(AP)", "IA(nDCG@3)", "AP", "nDCG@3"]


def simulate(seed: int, topics: int = 5) -> tuple[pl.DataFrame, dict[str, dict[str, dict[str, float]]]]:
    """Return random judgments of subtopics, with unjudged documents and negative grades, and two runs with ties."""
    random = np.random.default_rng(seed)
    rows = [
        (f"t{topic}", f"s{subtopic}", f"d{doc}", float(random.choice([-2, 0, 0, 1, 2])))
        for topic in range(topics)
        for doc in range(8)
        for subtopic in range(1 + topic % 4)
        if random.random() < 0.6
    ]
    runs = {
        name: {
            f"t{topic}": {f"d{doc}": float(random.integers(5)) for doc in random.permutation(10)[:7].tolist()}
            for topic in range(topics)
            if random.random() < 0.9
        }
        for name in ("one", "two")
    }
    return pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "grade"], orient="row"), runs


FRAME, RUNS = simulate(1)
CAMPAIGN = assay.read(FRAME, RUNS)


def values(campaign: assay.Campaign) -> np.ndarray:
    return assay.evaluate(campaign, MEASURES).values


@pytest.mark.parametrize("keep", ["judgments", "documents", "runs"])
def test_the_values_do_not_depend_on_the_data_that_is_kept(keep):
    assert np.array_equal(values(assay.read(FRAME, RUNS, keep=keep)), values(CAMPAIGN))


def test_order_of_rows_and_memory_do_not_matter(tmp_path):
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {d} 1 {s} {name}\n" for t, docs in run.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    shuffled = FRAME.sample(fraction=1, shuffle=True, seed=3)
    results = assay.evaluate(shuffled, [str(tmp_path / f"{name}.run") for name in RUNS], MEASURES, memory="240M")
    assert results.values == pytest.approx(values(CAMPAIGN), abs=1e-12)


@pytest.mark.parametrize("policies", [{"unjudged": "condensed"}, {"ties": "score-id"}, {"undefined": "exclude"}])
def test_policies(policies):
    changed = CAMPAIGN.with_policies(**policies)
    assert np.array_equal(values(changed), values(assay.read(FRAME, RUNS, **policies)), equal_nan=True)


def test_selected_runs_and_topics():
    full = values(CAMPAIGN)
    selected = CAMPAIGN.select(["two", "one"], ["t3", "t1"])
    assert np.array_equal(values(selected), full[:, [1, 0]][:, :, [1, 3]])
    one = selected.select(topics="t3")
    again = one.with_judgments(np.ones(len(one.judgments), dtype=bool))
    assert np.array_equal(values(again), full[:, [1, 0]][:, :, [3]])


def test_some_judgments():
    keep = np.random.default_rng(2).random(len(CAMPAIGN.judgments)) < 0.6
    kept = CAMPAIGN.judgments.frame().filter(pl.Series(keep)).select("topic", "doc")
    frame = FRAME.join(kept, on=["topic", "doc"], how="semi", maintain_order="left")
    topics = frame["topic"].unique().to_list()
    expected = values(assay.read(frame, RUNS).select(topics=topics))
    assert values(CAMPAIGN.with_judgments(keep).select(topics=topics)) == pytest.approx(expected, abs=1e-12)
    assert values(CAMPAIGN.with_qrels(CAMPAIGN.judgments.keep(keep)).select(topics=topics)) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize("collapse", ["max", "first", "mean"])
def test_grades_are_replaced_before_they_are_collapsed(collapse):
    grades = {2: 0, -2: 1}
    replaced = FRAME.with_columns(pl.col("grade").replace({2.0: 0.0, -2.0: 1.0}))
    expected = values(assay.read(replaced, RUNS, collapse=collapse))
    campaign = assay.read(FRAME, RUNS, collapse=collapse)
    assert np.array_equal(values(campaign.with_grades(grades)), expected)
    assert np.array_equal(values(assay.read(FRAME, RUNS, collapse=collapse, grades=grades)), expected)
    with pytest.raises(InputError, match="has no grade 7"):
        campaign.with_grades({7: 1})


def collapse_by_hand(grades: dict[str, float], first: str, how: str) -> float:
    if max(grades.values()) < 0:
        return max(grades.values())
    if how == "first":
        return grades.get(first, 0.0)
    return max(grades.values()) if how == "max" else sum(grades.values()) / len(grades)


@pytest.mark.parametrize("how", ["max", "first", "mean"])
def test_collapse(how):
    campaign = assay.read(FRAME, collapse=how)
    first: dict[str, str] = {}
    grades: dict[tuple[str, str], dict[str, float]] = {}
    for topic, subtopic, doc, grade in FRAME.iter_rows():
        first.setdefault(topic, subtopic)
        grades.setdefault((topic, doc), {})[subtopic] = grade
    found = {(topic, doc): grade for topic, doc, grade in campaign.judgments.frame().iter_rows()}
    assert found == {key: collapse_by_hand(by, first[key[0]], how) for key, by in grades.items()}
    assert any(f"(--collapse {how})" in note for note in campaign.notes)


def test_top_keeps_the_subtopics():
    results = assay.evaluate(CAMPAIGN.top(2), ["StRecall@2", "StRecall@5"]).values
    assert np.array_equal(results[0], values(CAMPAIGN)[0])
    assert np.array_equal(results[1], results[0])


JUDGES = pl.DataFrame(
    [("1", "A", "d1", 0.0), ("1", "B", "d1", 2.0), ("1", "C", "d1", 2.0), ("1", "A", "d2", 1.0), ("2", "C", "d1", 3.0)],
    schema=["topic", "judge", "doc", "grade"],
    orient="row",
)


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        ("mean", {("1", "d1"): 4 / 3, ("1", "d2"): 1, ("2", "d1"): 3}),
        ("median", {("1", "d1"): 2, ("1", "d2"): 1, ("2", "d1"): 3}),
        ("majority", {("1", "d1"): 2, ("1", "d2"): 1, ("2", "d1"): 3}),
        ("B,A", {("1", "d1"): 2, ("1", "d2"): 1}),
        (["A", "C"], {("1", "d1"): 0, ("1", "d2"): 1, ("2", "d1"): 3}),
    ],
)
def test_judges_are_merged_on_request(merge, expected):
    campaign = assay.read(JUDGES, merge=merge)
    assert {(t, d): grade for t, d, grade in campaign.judgments.frame().iter_rows()} == expected
    assert any("merged the grades of 3 judges" in note for note in campaign.notes)
    assert any("ignored 1 judgment by other judges only" in note for note in campaign.notes) == (merge == "B,A")
    with pytest.raises(InputError, match=r"qrels, row 2: document d1 of topic 1 was judged by several judges"):
        assay.read(JUDGES)


def test_majority_takes_the_lowest_of_equally_frequent_grades():
    two_judges = JUDGES.filter(pl.col("judge") != "C")
    assert assay.read(two_judges, merge="majority").judgments.frame()["grade"].to_list() == [0.0, 1.0]


def test_one_judge_for_each_document_needs_no_merging():
    campaign = assay.read(JUDGES.filter(pl.col("judge") == "A"))
    assert campaign.judgments.facets == ("judge",)
    with pytest.raises(InputError, match="no judge is named 'D'; --merge takes mean, median, majority or names"):
        assay.read(JUDGES, merge="D")
    with pytest.raises(InputError, match="--merge needs several judges"):
        assay.read({"1": {"d": 1}}, merge="mean")


def test_judges_of_one_file_are_compared(tmp_path, capsys):
    path = tmp_path / "j.txt"
    path.write_text("".join(f"{t} {judge} {doc} {grade:g}\n" for t, judge, doc, grade in JUDGES.iter_rows()))
    judges = read_judges([str(path)], qrels_format="judges")
    assert {name: len(qrels) for name, qrels in judges.items()} == {"A": 2, "B": 1, "C": 2}
    with pytest.raises(InputError, match=r"j.txt: names no judges; .*--qrels-format judges"):
        read_judges([str(path)])
    path.write_text("1 A d1 1\n1 B d1 1\n1 A d1 2\n")
    assert main(["judges", "agree", str(path), "--qrels-format", "judges"]) == 2
    assert "j.txt:3: document d1 of topic 1, judge A has grade 2 here" in capsys.readouterr().err


def test_costs_of_documents(tmp_path):
    (tmp_path / "costs.txt").write_text("d1 3\nd2 0.5\n")
    runs = {"one": {"1": {"d2": 2.0, "d1": 1.0}, "9": {"d7": 1.0}}, "two": {"1": {"d1": 1.0}}}
    qrels = {"1": {"d1": 1}, "2": {"x": 1}}
    campaign = assay.read(qrels, runs, costs=tmp_path / "costs.txt")
    assert campaign.load_costs().judged.cost.tolist() == [0.5, 3, 3]
    assert campaign.load_costs().select("two").judged.cost.tolist() == [3]
    condensed = campaign.with_costs({"d1": 2}, 7).with_policies(unjudged="condensed").load_costs()
    assert condensed.judged.cost.tolist() == [2, 2]
    assert campaign.judged.cost.tolist() == [1, 1, 1]
    assert [(item.role, item.sha256 is None) for item in campaign.provenance.inputs if item.role == "costs"] == [
        ("costs", False)
    ]
    with pytest.raises(InputError, match=r"costs: no cost for document d2, and for 0 more .*--default-cost"):
        campaign.with_costs({"d1": 2}).load_costs()
    with pytest.raises(InputError, match="default_cost: needs costs"):
        assay.read(qrels, runs, default_cost=2)
    with pytest.raises(InputError, match="costs: this needs costs of documents; name them with --costs FILE"):
        assay.read(qrels, runs).load_costs()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("d1 0\n", r"c.txt:1: the cost must be a number above 0, found 0.0"),
        ("d1 1\nd1 2\n", r"c.txt:2: document d1 already has a cost"),
        ("d1\n", r"c.txt:1: expected 2 columns \(doc cost\), found 1"),
        ("docno,cost\nd1,-1\n", r"c.txt:2: the cost must be a number above 0, found -1.0"),
        ("docno,cost\nd1,\n", r"c.txt:2: the cost must be a number above 0, found None"),
    ],
)
def test_bad_costs(tmp_path, text, message):
    (tmp_path / "c.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        assay.read({"1": {"d1": 1}}, costs=tmp_path / "c.txt")


def test_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text("1 a d1 1\n1 b d1 1\n1 b d2 1\n1 c d3 1\n")
    (tmp_path / "a.run").write_text("1 Q0 d1 1 3 one\n1 Q0 d2 2 2 one\n")
    (tmp_path / "w.txt").write_text("1 a 0.6\n1 b 0.3\n1 c 0.1\n")
    measures = ["-m", "StRecall@5", "IA(P@2)", "--format", "csv"]
    command = ["eval", "q.txt", "a.run", *measures, "--qrels-format", "subtopics"]
    assert main(command) == 0
    lines = ["one,StRecall@5,all,0.6666666666666666", "one,IA(P@2),all,0.5"]
    assert capsys.readouterr().out.splitlines()[1:] == lines
    assert main([*command, "--subtopic-weights", "w.txt"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [lines[0], "one,IA(P@2),all,0.6000000000000001"]
    assert main(command[:-2]) == 2
    assert "q.txt:2: document d1 was already judged for topic 1" in capsys.readouterr().err
    (tmp_path / "plain.txt").write_text("1 0 d1 1\n")
    assert main(["eval", "plain.txt", *command[2:-2]]) == 2
    assert "--qrels-format subtopics" in capsys.readouterr().err
    assert main([*command, "--engine", "spark"]) == 2
    assert "--qrels-format cannot be combined with --engine spark" in capsys.readouterr().err


def test_declared_facets_are_checked():
    with pytest.raises(MeasureError, match="needs judgments with subtopics"):
        assay.evaluate(assay.read({"1": {"d": 1}}, {"1": {"d": 1.0}}), "IA(AP)")
