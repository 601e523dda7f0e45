"""Tests of evaluate: inputs of every kind, policies, notes and provenance."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay.errors import InputError, MeasureError, PolicyError
from assay.measures import measure
from assay.model.qrels import Qrels
from assay.model.run import Run

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "x": 0}, "q3": {"z": 0}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "u": 1.5, "c": 1.0}, "q2": {"x": 1.0, "a": 1.0}}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    Qrels.from_dict(QRELS).write(tmp_path / "qrels.txt")
    (tmp_path / "runs").mkdir()
    Run.from_dict(RUN, name="sys").write(tmp_path / "runs" / "sys.run")
    return tmp_path / "qrels.txt", tmp_path / "runs" / "sys.run"


def make_frame(nested: dict[str, dict[str, float]], value: str) -> pl.DataFrame:
    rows = [(topic, doc, float(number)) for topic, docs in nested.items() for doc, number in docs.items()]
    return pl.DataFrame(rows, schema=["topic", "doc", value], orient="row")


def test_every_kind_of_input_gives_the_same_values(files: tuple[Path, Path]) -> None:
    qrels, run = files
    expected = assay.evaluate(QRELS, RUN, ["AP", "nDCG@10"]).values
    qrels_sources = [
        qrels,
        str(qrels),
        Qrels.from_dict(QRELS),
        make_frame(QRELS, "grade"),
        make_frame(QRELS, "grade").to_pandas(),
    ]
    run_sources = [
        run, str(run), run.parent, [run], str(run.parent / "*.run"), Run.from_dict(RUN), [Run.from_dict(RUN)], [RUN],
        {"sys": RUN}, {"sys": run}, make_frame(RUN, "score"), [make_frame(RUN, "score")],
        make_frame(RUN, "score").lazy(), make_frame(RUN, "score").to_arrow(),
        pd.DataFrame(make_frame(RUN, "score").to_dict(as_series=False)),
    ]  # fmt: skip
    for source in qrels_sources:
        assert np.array_equal(assay.evaluate(source, RUN, ["AP", "nDCG@10"]).values, expected)
    for source in run_sources:
        results = assay.evaluate(QRELS, source, ["AP", "nDCG@10"])
        assert np.array_equal(results.values, expected)


def test_qrels_and_runs_may_be_tuples() -> None:
    qrels = [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
    run = [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    expected = assay.evaluate(QRELS, RUN, "AP").values
    assert np.array_equal(assay.evaluate(qrels, run, "AP").values, expected)
    assert assay.evaluate(qrels, [run, run], "AP").runs == ("run1", "run2")


def test_a_frame_may_name_its_runs() -> None:
    two_runs = pl.concat([make_frame(RUN, "score").with_columns(run=pl.lit(name)) for name in ("A", "B")])
    assert assay.evaluate(QRELS, two_runs, "AP").runs == ("A", "B")
    assert assay.evaluate(QRELS, [two_runs.filter(pl.col("run") == "B"), make_frame(RUN, "score")], "AP").runs == (
        "B",
        "run2",
    )


def test_errors_use_the_given_names_of_runs(files: tuple[Path, Path]) -> None:
    runs = {"empty": {}, "full": RUN}
    with pytest.raises(InputError, match=r"^empty: contains no results"):
        assay.evaluate(QRELS, runs, "AP")
    Run.from_dict(RUN, name="other").write(files[1].parent / "other.run")
    with pytest.raises(InputError, match="'mine' names 2 runs; give each run its own name"):
        assay.evaluate(QRELS, {"mine": files[1].parent}, "AP")


def test_runs_may_come_from_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_ir_datasets(name: str, *, lenient: bool) -> Run:
        assert not lenient
        return Run.from_dict(RUN, name=name)

    monkeypatch.setattr(Run, "from_ir_datasets", from_ir_datasets)
    assert assay.evaluate(QRELS, "irds:some/set", "AP").runs == ("irds:some/set",)


def test_paths_and_objects_may_be_mixed(files: tuple[Path, Path]) -> None:
    results = assay.evaluate(QRELS, [RUN, files[1].parent], "AP")
    assert results.runs == ("run1", "sys")


def test_reading_standard_input_twice_raises() -> None:
    with pytest.raises(InputError, match="standard input can be read only once"):
        assay.evaluate("-", ["-"], "AP")


def test_qrels_may_come_from_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = []

    def from_ir_datasets(name: str, *, lenient: bool) -> Qrels:
        requests.append((name, lenient))
        return Qrels.from_dict(QRELS)

    monkeypatch.setattr(Qrels, "from_ir_datasets", from_ir_datasets)
    assert assay.evaluate("irds:some/set", RUN, "AP").topics == ("q1", "q2", "q3")
    assert requests == [("irds:some/set", False)]


def test_names_come_from_tags_keys_or_numbers(files: tuple[Path, Path]) -> None:
    assert assay.evaluate(QRELS, files[1], "AP").runs == ("sys",)
    assert assay.evaluate(QRELS, {"mine": RUN, "yours": files[1]}, "AP").runs == ("mine", "yours")
    assert assay.evaluate(QRELS, [RUN, RUN], "AP").runs == ("run1", "run2")


def test_runs_with_the_same_tag_are_named_by_file_and_noted(tmp_path: Path) -> None:
    for name in ("one.run", "two.run"):
        Run.from_dict(RUN, name="bm25").write(tmp_path / name)
    results = assay.evaluate(QRELS, tmp_path, "AP")
    assert results.runs == ("one", "two")
    assert any("shares the tag bm25 with another run; named one" in note for note in results.notes)


def test_missing_topics_are_empty_or_excluded() -> None:
    results = assay.evaluate(QRELS, RUN, ["P@1", "NumQ"])
    assert results.topics == ("q1", "q2", "q3")
    assert results.matrix("P@1").tolist() == [[0.0, 0.0, 0.0]]
    assert any("lacks 1 of the 3 topics of the qrels; counted as empty rankings" in note for note in results.notes)
    answered = assay.evaluate(QRELS, RUN, ["P@1", "NumQ"], missing="exclude")
    assert np.isnan(answered.matrix("P@1")[0, 2])
    assert answered.overall()[0].tolist() == [0.0, 2.0]
    assert any("excluded" in note for note in answered.notes)


def test_undefined_topics_count_zero_or_are_excluded_and_noted() -> None:
    run = {**RUN, "q3": {"z": 1.0}}
    counted = assay.evaluate(QRELS, run, ["AP", "P@1"])
    assert counted.matrix("AP")[0, 2] == 0
    assert "AP: counted 1 topic without relevant documents as 0: q3" in counted.notes
    excluded = assay.evaluate(QRELS, run, ["AP", "P@1"], undefined="exclude")
    assert np.isnan(excluded.matrix("AP")[0, 2])
    assert excluded.matrix("P@1")[0, 2] == 0, "precision is defined without relevant documents"
    assert "AP: excluded 1 topic without relevant documents: q3" in excluded.notes


def test_condensed_rankings_drop_unjudged_documents() -> None:
    assert assay.evaluate(QRELS, RUN, "P@3").matrix("P@3")[0, 0] == pytest.approx(1 / 3)
    assert assay.evaluate(QRELS, RUN, "P@3", unjudged="condensed").matrix("P@3")[0, 0] == pytest.approx(2 / 3)


def test_topics_without_judgments_are_ignored_and_noted() -> None:
    results = assay.evaluate(QRELS, {**RUN, "q9": {"a": 1.0, "b": 0.5}}, "AP")
    assert results.topics == ("q1", "q2", "q3")
    assert any("ignored 1 topic without judgments (2 documents): q9" in note for note in results.notes)
    assert np.array_equal(results.values, assay.evaluate(QRELS, RUN, "AP").values)


@pytest.mark.parametrize("memory", ["all", "1G"])
@pytest.mark.parametrize("lenient", [False, True])
def test_a_run_without_a_common_topic_raises(memory: str, lenient: bool) -> None:
    run = {"t7": {"a": 1.0}}
    message = r"^run1: shares no topic with the qrels \(the run has t7; the qrels have q1, q2, q3\)$"
    with pytest.raises(InputError, match=message):
        assay.evaluate(QRELS, run, "AP", lenient=lenient, memory=memory)


def test_expected_ties_by_closed_form_and_by_sampling() -> None:
    results = assay.evaluate(QRELS, RUN, ["RR", "bpref"], ties="expected", samples=50, seed=3)
    assert results.matrix("RR")[0, 1] == pytest.approx(0.75)
    assert results.errors[0].max() == 0
    assert results.errors[1, 0, 1] > 0
    assert any(
        "bpref: expected values over ties were estimated from 50 sampled orders (seed 3)" in note
        for note in results.notes
    )
    repeated = assay.evaluate(QRELS, RUN, ["RR", "bpref"], ties="expected", samples=50, seed=3)
    assert np.array_equal(results.values, repeated.values)


def test_provenance_names_inputs_hashes_and_policies(files: tuple[Path, Path]) -> None:
    results = assay.evaluate(files[0], files[1], "AP", seed=5)
    provenance = results.provenance.as_dict()
    assert provenance["assay"] == assay.__version__
    assert provenance["policies"]["ties"] == "trec_eval-10"
    assert provenance["policies"]["seed"] == 5
    roles = [(entry["role"], entry["name"], len(entry["sha256"])) for entry in provenance["inputs"]]
    assert roles == [("qrels", str(files[0]), 64), ("run", "sys", 64)]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, RUN, "AP"), InputError, "qrels: expected a path, Qrels, a dict of dicts, tuples or a frame, got int"),
        ((QRELS, 3, "AP"), InputError, "runs: expected paths, runs, dicts or frames, got int"),
        ((QRELS, [3], "AP"), InputError, "runs: expected a path, Run, a dict of dicts, tuples or a frame, got int"),
        ((QRELS, [], "AP"), InputError, "runs: name at least one run"),
        ((QRELS, RUN, []), MeasureError, "name at least one measure"),
        (
            (QRELS, RUN, 3),
            MeasureError,
            "measures are written as text such as 'nDCG@10', or as a list of texts, got int",
        ),
        ((QRELS, RUN, "ndgc"), MeasureError, "did you mean nDCG"),
        ((QRELS, [Run.from_dict(RUN), Run.from_dict(RUN)], "AP"), InputError, "both named run"),
    ],
)
def test_invalid_arguments_raise(arguments: tuple[object, object, object], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        assay.evaluate(*arguments)  # type: ignore[arg-type]


def test_unknown_policies_raise() -> None:
    with pytest.raises(PolicyError, match=r"ties 'ranks': choose one of .*did you mean rank"):
        assay.evaluate(QRELS, RUN, "AP", ties="ranks")


def test_a_policy_that_is_not_a_string_raises() -> None:
    with pytest.raises(PolicyError, match=r"ties \[\]: choose one of"):
        assay.evaluate(QRELS, RUN, "AP", ties=[])  # type: ignore[arg-type]


def test_measures_may_be_objects_classes_and_repeated() -> None:
    from assay.measures.average_precision import AP
    from assay.measures.dcg import nDCG

    results = assay.evaluate(QRELS, RUN, [AP, nDCG @ 10, "ndcg_cut_10", "map"])
    assert results.measures == (measure("AP"), measure("nDCG@10"))


def test_runs_are_evaluated_independently() -> None:
    rng = np.random.default_rng(0)
    runs = {
        f"s{i}": {topic: {f"d{d}": float(rng.integers(4)) for d in rng.permutation(12)[:8]} for topic in ("q1", "q2")}
        for i in range(5)
    }
    qrels = {topic: {f"d{d}": int(rng.integers(3)) for d in range(0, 12, 2)} for topic in ("q1", "q2")}
    together = assay.evaluate(qrels, runs, ["AP", "nDCG", "bpref", "ERR@5", "Q"])
    for i, (name, run) in enumerate(runs.items()):
        alone = assay.evaluate(qrels, {name: run}, ["AP", "nDCG", "bpref", "ERR@5", "Q"])
        assert np.array_equal(together.values[:, [i]], alone.values)


@pytest.mark.parametrize("memory", [None, "1G"])
def test_notes_on_a_file_appear_once(memory: str | None, tmp_path: Path) -> None:
    """A note on a file with several runs appears once, not once per run."""
    rows = [{"qid": "q", "docno": "a", "score": 1, "run": name} for name in ("one", "two", "three")]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\nbroken\n")
    results = assay.evaluate({"q": {"a": 1}}, path, "AP", lenient=True, memory=memory)
    assert len(results.runs) == 3
    assert len([note for note in results.notes if "not JSON" in note]) == 1


@pytest.mark.parametrize("memory", [None, "1G"])
def test_a_measure_without_a_value_is_noted(memory: str | None, tmp_path: Path) -> None:
    """CRPN is undefined if the number of relevant documents is half the number of ranks."""
    path = tmp_path / "x.run"
    path.write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 c 1 2 x\n")
    undefined_everywhere = assay.evaluate({"1": {"a": 1}, "2": {"c": 1}}, path, ["CRPN@2", "AP"], memory=memory)
    assert np.isnan(undefined_everywhere.overall()[0, 0])
    assert [note for note in undefined_everywhere.notes if note.startswith("CRPN@2: no run has a value for any topic")]
    assert not [note for note in undefined_everywhere.notes if note.startswith("AP: ")]
    undefined_once = assay.evaluate({"1": {"a": 1, "b": 1}, "2": {"c": 1}}, path, "CRPN@4", memory=memory)
    [note] = [note for note in undefined_once.notes if "without a value" in note]
    assert note.startswith("CRPN@4: excluded 1 topic without a value from the mean: 1")
    without_missing = assay.evaluate({"1": {"a": 1}, "3": {"c": 1}}, path, "AP", missing="exclude", memory=memory)
    assert not [note for note in without_missing.notes if "without a value" in note]
