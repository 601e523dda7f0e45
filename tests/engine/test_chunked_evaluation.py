"""Evaluation in chunks and blocks equals evaluation in memory: values, errors, notes and messages."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import assay
import engine_cases as cases
from assay.engine.partitions import Partitions
from assay.errors import InputError
from assay.measures import catalogue, measure
from assay.model.policies import TIES

MEASURES = [measure(text) for cls in catalogue().values() for text in cls.examples]
FEW_MEASURES = ("AP", "nDCG@10", "RR", "BalancePoint", "NumRet")


@pytest.fixture(autouse=True)
def temporary_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Shrink chunks, and put temporary files into a directory that is empty before and after the test."""
    cases.shrink_chunks(monkeypatch)
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(directory))
    return directory


@pytest.fixture(autouse=True)
def check_temporary_files(temporary_directory: Path):  # type: ignore[no-untyped-def]
    yield
    assert list(temporary_directory.iterdir()) == [], "temporary files remain"


@pytest.fixture
def used_partitions(monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Return a function that tells whether partitions were loaded since its last call."""
    loaded: list[int] = []
    load = Partitions.load
    monkeypatch.setattr(Partitions, "load", lambda self, number, origin: loaded.append(1) or load(self, number, origin))

    def pop_flag() -> bool:
        any_loaded = bool(loaded)
        loaded.clear()
        return any_loaded

    return pop_flag


@pytest.mark.parametrize("order", ["sorted", "any", "returns"])
@pytest.mark.parametrize("ending", ["run", "run.gz", "run.zst", "parquet"])
def test_every_measure(tmp_path: Path, order: str, ending: str, used_partitions: Callable[[], bool]) -> None:
    qrels, rows = cases.random_judgments_and_run(1)
    rows = cases.order_rows(rows, order, 1)
    path = tmp_path / f"a.{ending}"
    name = cases.write_parquet(path, rows) if ending == "parquet" else cases.write_text(path, cases.to_trec_text(rows))
    cases.check_chunked_evaluation(qrels, name, MEASURES)
    assert used_partitions() == (order != "sorted")


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("order", ["sorted", "any"])
def test_every_measure_and_tie_policy(tmp_path: Path, ties: str, order: str) -> None:
    qrels, rows = cases.random_judgments_and_run(2, topics=7, documents=14)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(cases.order_rows(rows, order, 2)))
    other = cases.write_text(tmp_path / "b.run.gz", cases.to_trec_text(rows[40:], "other"))
    cases.check_chunked_evaluation(qrels, [path, other], MEASURES, ties=ties, samples=5)


@pytest.mark.parametrize("seed", range(12))
def test_every_combination_of_policies(tmp_path: Path, seed: int) -> None:
    choices = itertools.product(("qrels", "intersection"), ("zero", "exclude"), ("nonrelevant", "condensed"))
    topics, undefined, unjudged = list(choices)[seed % 8]
    qrels, rows = cases.random_judgments_and_run(seed, topics=8, documents=12)
    order = ("sorted", "any", "returns")[seed % 3]
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(cases.order_rows(rows, order, seed)))
    other = cases.write_parquet(tmp_path / "b.parquet", rows[: len(rows) // 2])
    measures = (*FEW_MEASURES, "Condensed(BalancePoint)", "Condensed(AP)", "ERR", "bpref")
    settings = {
        "ties": list(TIES)[seed % len(TIES)],
        "topics": topics,
        "undefined": undefined,
        "unjudged": unjudged,
        "samples": 6,
    }
    cases.check_chunked_evaluation(qrels, {"x": path, "y": other, "z": {"t1": {"d1": 1.0}}}, measures, **settings)


def test_a_table_with_several_runs(tmp_path: Path, used_partitions: Callable[[], bool]) -> None:
    qrels, rows = cases.random_judgments_and_run(3)
    runs = ["b" if index % 3 else "a" for index in range(len(rows))]
    results = cases.check_chunked_evaluation(
        qrels, cases.write_parquet(tmp_path / "x.parquet", rows, runs), FEW_MEASURES
    )
    assert not isinstance(results, str)
    assert results.runs == ("a", "b")
    order = np.argsort(runs, kind="stable").tolist()
    in_order = cases.write_parquet(tmp_path / "y.parquet", [rows[i] for i in order], [runs[i] for i in order])
    used_partitions()
    cases.check_chunked_evaluation(qrels, in_order, FEW_MEASURES)
    assert not used_partitions()
    both = [(*row, run) for row in rows for run in ("a", "b")]  # Sorted by topic, then by run.
    both.sort(key=lambda row: (row[0], row[3]))
    by_topic = cases.write_parquet(tmp_path / "w.parquet", [row[:3] for row in both], [row[3] for row in both])
    alone = cases.check_chunked_evaluation(qrels, cases.write_parquet(tmp_path / "v.parquet", rows), FEW_MEASURES)
    together = cases.check_chunked_evaluation(qrels, by_topic, FEW_MEASURES)
    assert not used_partitions()
    assert isinstance(together, assay.Results)
    assert isinstance(alone, assay.Results)
    assert (together.values == alone.values).all()
    cases.check_chunked_evaluation(
        qrels, cases.write_parquet(tmp_path / "z.parquet", rows[::-1] + rows, runs * 2), FEW_MEASURES, lenient=True
    )
    assert used_partitions()


def test_inputs_of_different_kinds_together(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(4)
    dictionary: dict[str, dict[str, float]] = {}
    for topic, doc, score in rows:
        dictionary.setdefault(topic, {})[doc] = score
    json = tmp_path / "c.json"
    json.write_text(__import__("json").dumps(dictionary))
    folder = tmp_path / "folder"
    (folder / "deeper").mkdir(parents=True)
    for number in range(3):
        cases.write_text(
            folder / f"{number}.run", cases.to_trec_text(rows[number * 20 :], "same tag"[: 4 + number % 2])
        )
    frame = pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")
    cases.check_chunked_evaluation(
        qrels, [str(json), str(folder), dictionary, frame, str(tmp_path / "folder" / ".." / "c.json")][:4], FEW_MEASURES
    )


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("order", ["sorted", "any"])
@pytest.mark.parametrize(
    "odd",
    [
        "t5 Q0 d1 1 2.5",
        "t5 Q0 d1 1 x sys",
        "t5 Q0 d1 1 nan sys\nt5 Q0 d1 1 x sys",
        "# a comment\n\n   \n  t5   Q0 extra 1\t2.5  sys  ",
        "t5 Q0 extra 1 2.5 other\nt5 Q0 extra2 1 2.5 third",
        "t5 Q0 extra one 2.5 sys",
        "t5 Q0 twice 1 2 sys\nt5 Q0 twice 1 2.5 sys",
        "t5 Q0 twice 1 2 sys\nt5 Q0 twice 1 2.5 sys\nt5 Q0",
        "elsewhere Q0 twice 1 2 sys\nelsewhere Q0 twice 1 2.5 sys",
        "t5 Q0 \xe9\0 1 2 sys",
    ],
)
def test_irregular_lines(tmp_path: Path, odd: str, order: str, lenient: bool) -> None:
    qrels, rows = cases.random_judgments_and_run(5, topics=6, documents=16)
    content = cases.to_trec_text(cases.order_rows(rows, order, 5)).splitlines()
    position = len(content) * 2 // 3
    content = [*content[:position], *odd.split("\n"), *content[position:], *(odd.split("\n") if lenient else [])]
    for ending in ("run", "run.gz"):
        path = cases.write_text(tmp_path / f"a.{ending}", "\n".join(content))
        cases.check_chunked_evaluation(qrels, path, FEW_MEASURES, lenient=lenient)
        cases.check_chunked_evaluation(qrels, path, FEW_MEASURES, lenient=lenient, ties="rank")


def test_a_distant_duplicate_is_reported_with_both_lines(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(6)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text([*rows, rows[3], rows[1]]))
    message = cases.check_chunked_evaluation(qrels, path, "AP")
    assert f"a.run:{len(rows) + 1}: document" in str(message)
    assert "(first: line 4)" in str(message)
    cases.check_chunked_evaluation(qrels, path, FEW_MEASURES, lenient=True)


@pytest.mark.parametrize("lenient", [False, True])
def test_irregular_tables(tmp_path: Path, lenient: bool) -> None:
    qrels, rows = cases.random_judgments_and_run(7)
    odd = [
        [*rows[:100], ("t3", None, 1.0), *rows[100:], (None, "d", 1.0), (None, "d", 2.0)],
        [*rows[:90], ("t3", "x", float("nan")), *rows[90:], ("t3", "y", None), ("t3", "y", float("inf"))],
        [*rows, *rows[:5]],
        [("", "", None)],
    ]
    for number, odd_rows in enumerate(odd):
        frame = pl.DataFrame(odd_rows, schema={"qid": pl.String, "docno": pl.String, "score": pl.Float64}, orient="row")
        path = tmp_path / f"{number}.parquet"
        frame.write_parquet(path, row_group_size=40)
        cases.check_chunked_evaluation(qrels, str(path), FEW_MEASURES, lenient=lenient)
        cases.check_chunked_evaluation(qrels, str(path), FEW_MEASURES, lenient=lenient, ties="rank")
        runs = pl.Series("run", [None if index % 7 == 3 else f"r{index % 2}" for index in range(len(frame))])
        frame.with_columns(runs).write_parquet(path, row_group_size=40)
        cases.check_chunked_evaluation(qrels, str(path), FEW_MEASURES, lenient=lenient)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "content", ["", "\n \n", "# nothing\n", "\ufefft1 Q0 d1 1 2 s\n", "\xff\xfe", "far Q0 d 1 2 s\n", "t1 Q0 d1 1 2 s"]
)
def test_tiny_and_empty_files(tmp_path: Path, content: str, lenient: bool) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(content.encode("latin-1") if content == "\xff\xfe" else content.encode())
    cases.check_chunked_evaluation({"t1": {"d1": 1}}, str(path), FEW_MEASURES, lenient=lenient)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(8)
    good = cases.write_text(tmp_path / "a.run.gz", cases.to_trec_text(rows))
    data = Path(good).read_bytes()
    for name, damaged in {"cut.run.gz": data[:-20], "misnamed.run": data, "plain.run.gz": b"t1 Q0 d 1 2 s\n"}.items():
        (tmp_path / name).write_bytes(damaged)
        assert isinstance(cases.check_chunked_evaluation(qrels, str(tmp_path / name), "AP"), str)
    assert isinstance(cases.check_chunked_evaluation(qrels, str(tmp_path / "nowhere.run"), "AP"), str)
    assert isinstance(cases.check_chunked_evaluation(str(tmp_path / "nowhere.qrels"), good, "AP"), str)
    cases.check_chunked_evaluation(qrels, str(tmp_path / "misnamed.run"), "AP", lenient=True)


def test_errors_of_measures_are_reported_last(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(9)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(rows))
    assert "max_rel" in str(
        cases.check_chunked_evaluation(qrels, path, ["AP", "ERR(max_rel=1)", "nDCG(gains=exp12, max_rel=1)"])
    )
    bad = cases.write_text(tmp_path / "b.run", "t1 Q0 d\n")
    assert "b.run:1" in str(cases.check_chunked_evaluation(qrels, [path, bad], ["ERR(max_rel=1)"]))


def test_the_error_states_the_memory_needed(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(10)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(rows))
    with pytest.raises(InputError, match=r"^memory 10M: too little for this evaluation; give at least 2\d\dM"):
        assay.evaluate(qrels, path, "AP", memory="10M")
    with pytest.raises(InputError, match=r"^memory 'lots': write a number of bytes such as 1.5G"):
        assay.evaluate(qrels, path, "AP", memory="lots")
    with pytest.raises(InputError, match="there is no directory"):
        assay.evaluate(qrels, path, "AP", memory="1G", temporary=tmp_path / "nowhere")


def test_a_topic_too_large_for_the_memory_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text([("t1", f"d{i}", 1.0) for i in range(50_000)]))
    monkeypatch.setattr("assay.engine.budget._MIN_AVAILABLE", 1 << 20)
    with pytest.raises(InputError, match=r"a\.run: topic t1 alone is too large for this memory; allow more than \d+M"):
        assay.evaluate({"t1": {"d1": 1}}, path, "AP", memory="163M")


def test_errors_are_stored_only_for_sampled_values(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(11)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(rows))
    exact = assay.evaluate(qrels, path, ["AP", "P@5"], ties="expected", memory="1G")
    assert exact.errors.strides == (0, 0, 0)
    sampled = assay.evaluate(qrels, path, ["AP", "bpref"], ties="expected", memory="1G")
    assert sampled.errors[1].any()
    assert not sampled.errors[0].any()


def test_large_grade_codes_are_memory_mapped(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(12)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(rows))
    assert not isinstance(assay.read(qrels, path, memory="all").whole.code, np.memmap)
    mapped = assay.read(qrels, path, memory="1G")
    assert isinstance(mapped.whole.code, np.memmap)
    assert "Twist" in str(assay.evaluate(mapped, ["Twist", "AP"]))
    assert assay.effort.indicators(mapped).frame().equals(assay.effort.indicators(assay.read(qrels, path)).frame())


def test_a_note_names_files_that_are_read_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"t1": {"d1": 1.0}}')
    assert assay.evaluate({"t1": {"d1": 1}}, path, "AP", memory="1G").notes == ()
    monkeypatch.setattr("assay.engine.budget._MEMORY_PER_BYTE", 1 << 40)
    (note,) = assay.evaluate({"t1": {"d1": 1}}, path, "AP", memory="1G").notes
    assert note == f"{path}: files of this format are read as a whole and may exceed the memory limit"


@pytest.mark.parametrize("measure", ["AP", "BalancePoint"])
def test_a_full_disk_raises_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    qrels, rows = cases.random_judgments_and_run(15)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(cases.order_rows(rows, "any", 1)))

    def raise_disk_full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", raise_disk_full)
    with pytest.raises(InputError, match=r"temporary files cannot be written \(No space left on device\)"):
        assay.evaluate(qrels, path, measure, memory="1G")


def test_progress_is_reported_in_bytes(tmp_path: Path) -> None:
    qrels, rows = cases.random_judgments_and_run(13)
    paths = [cases.write_text(tmp_path / f"{n}.run", cases.to_trec_text(rows, f"s{n}")) for n in range(3)]
    for memory in ("all", "1G"):
        steps: list[tuple[int, int]] = []
        assay.evaluate(qrels, paths, "AP", memory=memory, progress=lambda *step: steps.append(step))  # noqa: B023
        assert steps[-1] == (sum(Path(path).stat().st_size for path in paths),) * 2
        assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_an_interrupt_removes_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, rows = cases.random_judgments_and_run(14)
    path = cases.write_text(tmp_path / "a.run", cases.to_trec_text(cases.order_rows(rows, "any", 1)))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.engine.partitions.Partitions.load", interrupt)
    with pytest.raises(KeyboardInterrupt):
        assay.evaluate(qrels, path, "AP", memory="1G")
