"""Which runs and which topic are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError, InputError
from assay.views.plots._rankings import joined, rankings

QRELS = {"1": {"a": 0}, "2": {"a": 1, "b": 1}, "3": {"a": 1}}
RUNS = {
    "bm25": {"3": {"a": 2.0, "b": 1.0}, "4": {"a": 1.0}},
    "dense": {"2": {"x": 3.0, "a": 2.0, "b": 1.0}, "3": {"z": 1.0}},
}


def test_the_first_run_and_its_first_topic_with_relevant_documents() -> None:
    found = rankings(QRELS, RUNS)
    assert list(found.runs) == ["bm25"]
    assert found.topic == "3"
    assert found.longest == 2
    assert any("1 topic without judgments ignored" in note for note in found.notes)
    assert [each["name"] for each in found.provenance["inputs"][1:]] == ["bm25"]
    assert found.curve("bm25")["document"].to_list() == ["a", "b"]
    assert found.notes[-1] == "bm25 is shown, the first of 2 runs; --run names others"
    assert not any("is shown" in note for note in rankings(QRELS, RUNS["bm25"]).notes)


def test_runs_by_name_in_their_order() -> None:
    found = rankings(QRELS, RUNS, None, ["dense", "bm25", "dense"])
    assert list(found.runs) == ["dense", "bm25"]
    assert found.topic == "2"
    assert found.longest == 3
    assert [len(found.curve(name)) for name in found.runs] == [4, 4], "2 R ranks for both"
    assert len(found.curve("bm25", depth=1, length="asis")) == 2
    assert rankings(QRELS, RUNS, "3", "dense").curve("dense")["document"].to_list() == ["z", None, None]


def test_a_topic_that_no_run_has() -> None:
    assert rankings({"1": {"a": 0}, "9": {"a": 1}, "4": {"a": 0}}, {"r": {"4": {"b": 1.0}}}).topic == "9"
    assert rankings({"1": {"a": 0}, "4": {"a": 0}}, {"r": {"4": {"b": 1.0}}}).topic == "1"


def test_runs_that_share_a_tag_are_named_by_their_files(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text(f"2 Q0 {name} 1 1.0 same\n")
    (tmp_path / "z.run").write_text("2 Q0 z 1 1.0 own\n")
    for asked in ("y.run", str(tmp_path / "y.run")):
        found = rankings(QRELS, tmp_path, "2", asked)
        assert list(found.runs) == ["y.run"]
        assert found.curve("y.run")["document"][0] == "y"
    assert list(rankings(QRELS, tmp_path, "2", "own").runs) == ["own"]


def test_ties(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("2 Q0 a 2 1.0 t\n2 Q0 b 1 1.0 t\n2 Q0 c 3 1.0 t\n")
    first = {
        ties: rankings(QRELS, path, ties=ties).curve("t")["document"][0] for ties in ("trec_eval-10", "rank", "file")
    }
    assert first == {"trec_eval-10": "c", "rank": "b", "file": "a"}
    assert rankings(QRELS, path, None, "t", ties="rank").curve("t")["document"][0] == "b"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topic": "22"}, "has no topic 22; did you mean 2?"),
        ({"topic": "x"}, "has no topic x; they have 1, 2, 3"),
        ({"run": "bm52"}, "there is no run bm52; did you mean bm25?"),
        ({"run": []}, "this figure shows 1 to 8 runs, got 0"),
        ({"run": ["bm25"] * 9}, "this figure shows 1 to 8 runs, got 9"),
        ({"run": ["bm25", "dense"], "most": 1}, "this figure shows one run, got 2"),
        ({"ties": "expected"}, "a curve needs an order"),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        rankings(QRELS, RUNS, **given)
    assert message in str(error.value)


def test_curves_that_cannot_be() -> None:
    found = rankings(QRELS, RUNS)
    with pytest.raises(InputError, match="depth must be at least 1, got 0"):
        found.curve("bm25", depth=0)
    with pytest.raises(InputError, match="length 'extended': choose one of extend, error, asis; did you mean extend"):
        found.curve("bm25", length="extended")


def test_all_runs_for_curves() -> None:
    ready = joined(QRELS, RUNS, {"unjudged": "condensed"})
    assert ready.runs == ("bm25", "dense")
    assert ready.provenance.policies.unjudged == "condensed"
    with pytest.raises(assay.errors.PolicyError, match="a curve needs an order"):
        joined(QRELS, RUNS, {"ties": "expected"})
