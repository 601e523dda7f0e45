"""Tests of the selection of runs and a topic whose curves are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots._shown_curves import choose_curves

QRELS = {"1": {"a": 0}, "2": {"a": 1, "b": 1}, "3": {"a": 1}}
RUNS = {
    "bm25": {"3": {"a": 2.0, "b": 1.0}, "4": {"a": 1.0}},
    "dense": {"2": {"x": 3.0, "a": 2.0, "b": 1.0}, "3": {"z": 1.0}},
}


CAMPAIGN = assay.read(QRELS, RUNS)


def test_default_is_the_first_run_and_its_first_topic_with_relevant_documents() -> None:
    shown = choose_curves(CAMPAIGN)
    assert list(shown.curves) == ["bm25"]
    assert shown.topic == "3"
    assert any("ignored 1 topic without judgments" in note for note in shown.notes)
    assert shown.provenance.inputs
    assert shown.curves["bm25"]["document"].to_list() == ["a", "b"], "as long as the longest ranking of this run"
    assert "only the first of 2 runs, bm25, is shown" in shown.notes[-1]
    assert not any("is shown" in note for note in choose_curves(assay.read(QRELS, RUNS["bm25"])).notes)


def test_selected_runs_keep_their_order() -> None:
    shown = choose_curves(CAMPAIGN, None, ["dense", "bm25", "dense"])
    assert list(shown.curves) == ["dense", "bm25"]
    assert shown.topic == "2"
    assert [len(frame) for frame in shown.curves.values()] == [4, 4], "2 R ranks for both"
    assert len(choose_curves(CAMPAIGN, "2", "bm25", depth=1, length="asis").curves["bm25"]) == 2
    assert choose_curves(CAMPAIGN, "3", "dense").curves["dense"]["document"].to_list() == ["z", None, None]


def test_existing_curves_are_unchanged() -> None:
    shown = choose_curves(CAMPAIGN)
    assert choose_curves(shown, "2", "dense", depth=1) is shown


def test_topic_without_rankings() -> None:
    run = {"r": {"4": {"b": 1.0}}}
    assert choose_curves(assay.read({"1": {"a": 0}, "9": {"a": 1}, "4": {"a": 0}}, run)).topic == "9"
    assert choose_curves(assay.read({"1": {"a": 0}, "4": {"a": 0}}, run)).topic == "1"


def test_runs_with_the_same_tag_are_named_by_file(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.run").write_text(f"2 Q0 {name} 1 1.0 same\n")
    (tmp_path / "z.run").write_text("2 Q0 z 1 1.0 own\n")
    campaign = assay.read(QRELS, tmp_path)
    for name in ("y.run", str(tmp_path / "y.run")):
        shown = choose_curves(campaign, "2", name)
        assert shown.run == "y"
        assert shown.curves["y"]["document"][0] == "y"
    assert choose_curves(campaign, "2", "own").run == "own"


@pytest.mark.parametrize(("ties", "first"), [("trec_eval-10", "c"), ("rank", "b"), ("file", "a")])
def test_tie_policies_order_the_documents(tmp_path: Path, ties: str, first: str) -> None:
    path = tmp_path / "run"
    path.write_text("2 Q0 a 2 1.0 t\n2 Q0 b 1 1.0 t\n2 Q0 c 3 1.0 t\n")
    campaign = assay.read(QRELS, path, ties=ties)
    for run in (None, "t"):
        assert choose_curves(campaign, None, run).curves["t"]["document"][0] == first


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topic": "22"}, "has no topic 22; did you mean 2?"),
        ({"topic": "x"}, "has no topic x; choose from 1, 2, 3"),
        ({"run": "bm52"}, "there is no run bm52; did you mean bm25?"),
        ({"run": []}, "this figure shows 1 to 8 runs, got 0"),
        ({"run": ["bm25"] * 9}, "this figure shows 1 to 8 runs, got 9"),
        ({"run": ["bm25", "dense"], "most": 1}, "this figure shows one run, got 2"),
        ({"depth": 0}, "depth must be at least 1, got 0"),
        ({"length": "extended"}, "length 'extended': choose one of extend, error, asis; did you mean extend"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        choose_curves(CAMPAIGN, **options)
    assert message in str(error.value)


def test_expected_ties_are_rejected() -> None:
    with pytest.raises(AssayError, match="a curve needs an order"):
        choose_curves(assay.read(QRELS, RUNS, ties="expected"))
