"""Evaluation in chunks and blocks gives what evaluation as a whole gives: values, errors, notes, messages."""

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
FEW = ("AP", "nDCG@10", "RR", "BalancePoint", "NumRet")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Tiny chunks; temporary files in a directory that is empty before and after."""
    cases.tiny(monkeypatch)
    directory = tmp_path / "temporary"
    directory.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(directory))
    return directory


@pytest.fixture(autouse=True)
def clean(small: Path):  # type: ignore[no-untyped-def]
    yield
    assert list(small.iterdir()) == [], "temporary files are left"


@pytest.fixture
def partitioned(monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Return a function that says whether rows were put into partitions since it was last called."""
    loaded: list[int] = []
    load = Partitions.load
    monkeypatch.setattr(Partitions, "load", lambda self, number, origin: loaded.append(1) or load(self, number, origin))

    def asked() -> bool:
        any_loaded = bool(loaded)
        loaded.clear()
        return any_loaded

    return asked


@pytest.mark.parametrize("how", ["sorted", "any", "returns"])
@pytest.mark.parametrize("ending", ["run", "run.gz", "run.zst", "parquet"])
def test_every_measure(tmp_path: Path, how: str, ending: str, partitioned: Callable[[], bool]) -> None:
    qrels, rows = cases.collection(1)
    rows = cases.ordered(rows, how, 1)
    path = tmp_path / f"a.{ending}"
    name = cases.table(path, rows) if ending == "parquet" else cases.written(path, cases.lines(rows))
    cases.same(qrels, name, MEASURES)
    assert partitioned() == (how != "sorted")


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("how", ["sorted", "any"])
def test_every_measure_and_way_of_ties(tmp_path: Path, ties: str, how: str) -> None:
    qrels, rows = cases.collection(2, topics=7, documents=14)
    path = cases.written(tmp_path / "a.run", cases.lines(cases.ordered(rows, how, 2)))
    other = cases.written(tmp_path / "b.run.gz", cases.lines(rows[40:], "other"))
    cases.same(qrels, [path, other], MEASURES, ties=ties, samples=5)


@pytest.mark.parametrize("seed", range(12))
def test_policies(tmp_path: Path, seed: int) -> None:
    choices = itertools.product(("qrels", "intersection"), ("zero", "exclude"), ("nonrelevant", "condensed"))
    topics, undefined, unjudged = list(choices)[seed % 8]
    qrels, rows = cases.collection(seed, topics=8, documents=12)
    how = ("sorted", "any", "returns")[seed % 3]
    path = cases.written(tmp_path / "a.run", cases.lines(cases.ordered(rows, how, seed)))
    other = cases.table(tmp_path / "b.parquet", rows[: len(rows) // 2])
    measures = (*FEW, "Condensed(BalancePoint)", "Condensed(AP)", "ERR", "bpref")
    settings = {
        "ties": list(TIES)[seed % len(TIES)],
        "topics": topics,
        "undefined": undefined,
        "unjudged": unjudged,
        "samples": 6,
    }
    cases.same(qrels, {"x": path, "y": other, "z": {"t1": {"d1": 1.0}}}, measures, **settings)


def test_several_runs_in_a_table(tmp_path: Path, partitioned: Callable[[], bool]) -> None:
    qrels, rows = cases.collection(3)
    runs = ["b" if place % 3 else "a" for place in range(len(rows))]
    results = cases.same(qrels, cases.table(tmp_path / "x.parquet", rows, runs), FEW)
    assert not isinstance(results, str)
    assert results.runs == ("a", "b")
    order = np.argsort(runs, kind="stable").tolist()
    in_order = cases.table(tmp_path / "y.parquet", [rows[i] for i in order], [runs[i] for i in order])
    partitioned()
    cases.same(qrels, in_order, FEW)
    assert not partitioned()
    both = [(*row, run) for row in rows for run in ("a", "b")]  # by topic, and within a topic by run
    both.sort(key=lambda row: (row[0], row[3]))
    by_topic = cases.table(tmp_path / "w.parquet", [row[:3] for row in both], [row[3] for row in both])
    alone = cases.same(qrels, cases.table(tmp_path / "v.parquet", rows), FEW)
    together = cases.same(qrels, by_topic, FEW)
    assert not partitioned()
    assert isinstance(together, assay.Results)
    assert isinstance(alone, assay.Results)
    assert (together.values == alone.values).all()
    cases.same(qrels, cases.table(tmp_path / "z.parquet", rows[::-1] + rows, runs * 2), FEW, lenient=True)
    assert partitioned()


def test_runs_of_every_kind_together(tmp_path: Path) -> None:
    qrels, rows = cases.collection(4)
    dictionary: dict[str, dict[str, float]] = {}
    for topic, doc, score in rows:
        dictionary.setdefault(topic, {})[doc] = score
    json = tmp_path / "c.json"
    json.write_text(__import__("json").dumps(dictionary))
    folder = tmp_path / "folder"
    (folder / "deeper").mkdir(parents=True)
    for number in range(3):
        cases.written(folder / f"{number}.run", cases.lines(rows[number * 20 :], "same tag"[: 4 + number % 2]))
    frame = pl.DataFrame(rows, schema=["topic", "doc", "score"], orient="row")
    cases.same(qrels, [str(json), str(folder), dictionary, frame, str(tmp_path / "folder" / ".." / "c.json")][:4], FEW)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("how", ["sorted", "any"])
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
def test_odd_lines(tmp_path: Path, odd: str, how: str, lenient: bool) -> None:
    qrels, rows = cases.collection(5)
    content = cases.lines(cases.ordered(rows, how, 5)).splitlines()
    at = len(content) * 2 // 3
    content = [*content[:at], *odd.split("\n"), *content[at:], *(odd.split("\n") if lenient else [])]
    for ending in ("run", "run.gz"):
        path = cases.written(tmp_path / f"a.{ending}", "\n".join(content))
        cases.same(qrels, path, FEW, lenient=lenient)
        cases.same(qrels, path, FEW, lenient=lenient, ties="rank")


def test_a_duplicate_far_away_is_found_with_both_lines(tmp_path: Path) -> None:
    qrels, rows = cases.collection(6)
    path = cases.written(tmp_path / "a.run", cases.lines([*rows, rows[3], rows[1]]))
    message = cases.same(qrels, path, "AP")
    assert f"a.run:{len(rows) + 1}: document" in str(message)
    assert "(first: line 4)" in str(message)
    cases.same(qrels, path, FEW, lenient=True)


@pytest.mark.parametrize("lenient", [False, True])
def test_odd_tables(tmp_path: Path, lenient: bool) -> None:
    qrels, rows = cases.collection(7)
    odd = [
        [*rows[:100], ("t3", None, 1.0), *rows[100:], (None, "d", 1.0), (None, "d", 2.0)],
        [*rows[:90], ("t3", "x", float("nan")), *rows[90:], ("t3", "y", None), ("t3", "y", float("inf"))],
        [*rows, *rows[:5]],
        [("", "", None)],
    ]
    for number, some in enumerate(odd):
        frame = pl.DataFrame(some, schema={"qid": pl.String, "docno": pl.String, "score": pl.Float64}, orient="row")
        path = tmp_path / f"{number}.parquet"
        frame.write_parquet(path, row_group_size=40)
        cases.same(qrels, str(path), FEW, lenient=lenient)
        cases.same(qrels, str(path), FEW, lenient=lenient, ties="rank")
        runs = pl.Series("run", [None if place % 7 == 3 else f"r{place % 2}" for place in range(len(frame))])
        frame.with_columns(runs).write_parquet(path, row_group_size=40)
        cases.same(qrels, str(path), FEW, lenient=lenient)


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "content", ["", "\n \n", "# nothing\n", "\ufefft1 Q0 d1 1 2 s\n", "\xff\xfe", "far Q0 d 1 2 s\n", "t1 Q0 d1 1 2 s"]
)
def test_small_and_empty_files(tmp_path: Path, content: str, lenient: bool) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(content.encode("latin-1") if content == "\xff\xfe" else content.encode())
    cases.same({"t1": {"d1": 1}}, str(path), FEW, lenient=lenient)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    qrels, rows = cases.collection(8)
    good = cases.written(tmp_path / "a.run.gz", cases.lines(rows))
    data = Path(good).read_bytes()
    for name, damaged in {"cut.run.gz": data[:-20], "misnamed.run": data, "plain.run.gz": b"t1 Q0 d 1 2 s\n"}.items():
        (tmp_path / name).write_bytes(damaged)
        assert isinstance(cases.same(qrels, str(tmp_path / name), "AP"), str)
    assert isinstance(cases.same(qrels, str(tmp_path / "nowhere.run"), "AP"), str)
    assert isinstance(cases.same(str(tmp_path / "nowhere.qrels"), good, "AP"), str)
    cases.same(qrels, str(tmp_path / "misnamed.run"), "AP", lenient=True)


def test_errors_of_measures_come_last(tmp_path: Path) -> None:
    qrels, rows = cases.collection(9)
    path = cases.written(tmp_path / "a.run", cases.lines(rows))
    assert "max_rel" in str(cases.same(qrels, path, ["AP", "ERR(max_rel=1)", "nDCG(gains=exp12, max_rel=1)"]))
    bad = cases.written(tmp_path / "b.run", "t1 Q0 d\n")
    assert "b.run:1" in str(cases.same(qrels, [path, bad], ["ERR(max_rel=1)"]))


def test_too_little_memory_says_how_much_is_needed(tmp_path: Path) -> None:
    qrels, rows = cases.collection(10)
    path = cases.written(tmp_path / "a.run", cases.lines(rows))
    with pytest.raises(InputError, match=r"^memory 10M: too little for this evaluation; give at least 2\d\dM"):
        assay.evaluate(qrels, path, "AP", memory="10M")
    with pytest.raises(InputError, match=r"^memory 'lots': write a number of bytes such as 1.5G"):
        assay.evaluate(qrels, path, "AP", memory="lots")
    with pytest.raises(InputError, match="there is no directory"):
        assay.evaluate(qrels, path, "AP", memory="1G", temporary=tmp_path / "nowhere")


def test_a_topic_that_is_too_large_for_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cases.written(tmp_path / "a.run", cases.lines([("t1", f"d{i}", 1.0) for i in range(50_000)]))
    monkeypatch.setattr("assay.engine.budget._MIN_AVAILABLE", 1 << 20)
    with pytest.raises(InputError, match=r"a\.run: topic t1 alone is too large for this memory; give more than \d+M"):
        assay.evaluate({"t1": {"d1": 1}}, path, "AP", memory="163M")


def test_errors_take_memory_only_where_values_are_sampled(tmp_path: Path) -> None:
    qrels, rows = cases.collection(11)
    path = cases.written(tmp_path / "a.run", cases.lines(rows))
    exact = assay.evaluate(qrels, path, ["AP", "P@5"], ties="expected", memory="1G")
    assert exact.errors.strides == (0, 0, 0)
    sampled = assay.evaluate(qrels, path, ["AP", "bpref"], ties="expected", memory="1G")
    assert sampled.errors[1].any()
    assert not sampled.errors[0].any()


def test_grade_codes_beyond_a_share_of_the_memory_are_mapped(tmp_path: Path) -> None:
    qrels, rows = cases.collection(12)
    path = cases.written(tmp_path / "a.run", cases.lines(rows))
    assert not isinstance(assay.read(qrels, path, memory="all").whole.code, np.memmap)
    mapped = assay.read(qrels, path, memory="1G")
    assert isinstance(mapped.whole.code, np.memmap)
    assert "Twist" in str(assay.evaluate(mapped, ["Twist", "AP"]))
    assert assay.effort.indicators(mapped).frame().equals(assay.effort.indicators(assay.read(qrels, path)).frame())


def test_a_file_that_must_be_read_as_a_whole_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"t1": {"d1": 1.0}}')
    assert assay.evaluate({"t1": {"d1": 1}}, path, "AP", memory="1G").notes == ()
    monkeypatch.setattr("assay.engine.budget._MEMORY_PER_BYTE", 1 << 40)
    (note,) = assay.evaluate({"t1": {"d1": 1}}, path, "AP", memory="1G").notes
    assert note == f"{path}: files of this format are read as a whole and may exceed the memory limit"


@pytest.mark.parametrize("measure", ["AP", "BalancePoint"])
def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    qrels, rows = cases.collection(15)
    path = cases.written(tmp_path / "a.run", cases.lines(cases.ordered(rows, "any", 1)))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(InputError, match=r"temporary files cannot be written \(No space left on device\)"):
        assay.evaluate(qrels, path, measure, memory="1G")


def test_progress_is_reported_in_bytes(tmp_path: Path) -> None:
    qrels, rows = cases.collection(13)
    paths = [cases.written(tmp_path / f"{n}.run", cases.lines(rows, f"s{n}")) for n in range(3)]
    for memory in ("all", "1G"):
        steps: list[tuple[int, int]] = []
        assay.evaluate(qrels, paths, "AP", memory=memory, progress=lambda *step: steps.append(step))  # noqa: B023
        assert steps[-1] == (sum(Path(path).stat().st_size for path in paths),) * 2
        assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_temporary_files_are_gone_after_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, rows = cases.collection(14)
    path = cases.written(tmp_path / "a.run", cases.lines(cases.ordered(rows, "any", 1)))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.engine.partitions.Partitions.load", interrupt)
    with pytest.raises(KeyboardInterrupt):
        assay.evaluate(qrels, path, "AP", memory="1G")
