"""Large files in pieces that end where a topic ends."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.io import pieces

SMALL = 1 << 10


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of a kilobyte, and windows shorter than a topic, so that small files have many."""
    monkeypatch.setattr(pieces, "SIZE", SMALL)
    monkeypatch.setattr(pieces, "_WINDOW", 100)


def lines(topics: int = 30, documents: int = 20, tag: str = "sys") -> list[str]:
    rng = np.random.default_rng(1)
    return [
        f"t{topic:03} Q0 doc{rng.integers(10**9)}-{rank} {rank} {(documents - rank) // 3} {tag}"
        for topic in range(topics)
        for rank in range(documents)
    ]


QRELS = {f"t{topic:03}": {"x": 1, "y": 0} for topic in range(30)}


def written(path: Path, rows: list[str]) -> str:
    path.write_text("\n".join(rows) + "\n")
    return str(path)


def test_pieces_end_with_topics_and_make_up_the_file(cut: None, tmp_path: Path) -> None:
    path = written(tmp_path / "a.run", lines())
    large = pieces.opened(path)
    assert large is not None
    parts = [large.read(begin, end) for begin, end in large.ranges()]
    assert len(parts) > 5
    assert b"".join(parts) == Path(path).read_bytes()
    topics = [{line.split()[0] for line in part.splitlines()} for part in parts]
    assert sum(map(len, topics)) == 30, "no topic stands in two pieces"
    assert all(len(part) >= SMALL for part in parts[:-1])


def test_a_line_longer_than_a_window(cut: None, tmp_path: Path) -> None:
    rows = [row.replace("doc", "d" * 300) for row in lines(topics=4, documents=4)]
    large = pieces.opened(written(tmp_path / "a.run", rows))
    assert large is not None
    assert b"".join(large.read(*piece) for piece in large.ranges()).count(b"\n") == 16


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_the_last_line_may_end_as_it_likes(cut: None, tmp_path: Path, ending: str) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(("\n".join(lines()) + ending).encode())
    results = assay.evaluate(QRELS, path, "NumRet")
    assert results.overall().tolist() == [[600.0]]


def test_values_are_those_of_the_whole(cut: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lines()
    judged = [(row.split()[0], row.split()[2], i % 3) for i, row in enumerate(rows) if i % 2]
    qrels = assay.Qrels.from_tuples(judged)
    path = written(tmp_path / "a.run", rows)
    for ties in ("trec_eval-10", "trec_eval-9", "file", "expected", "rank"):
        in_pieces = assay.evaluate(qrels, path, ["AP", "nDCG@5", "bpref"], ties=ties)
        with monkeypatch.context() as whole:
            whole.setattr(pieces, "SIZE", 1 << 30)
            as_whole = assay.evaluate(qrels, path, ["AP", "nDCG@5", "bpref"], ties=ties)
        assert np.array_equal(in_pieces.values, as_whole.values)
        assert in_pieces.provenance == as_whole.provenance
        assert in_pieces.notes == as_whole.notes
        assert in_pieces.runs == as_whole.runs == ("sys",)


def test_odd_files_are_read_as_a_whole_with_their_messages(cut: None, tmp_path: Path) -> None:
    rows = lines()
    bad = written(tmp_path / "bad.run", [*rows[:400], "t020 Q0 d 1 2.5", *rows[401:]])
    with pytest.raises(InputError, match=r"bad\.run:401: expected 6 columns"):
        assay.evaluate(QRELS, bad, "AP")
    twice = written(tmp_path / "twice.run", [*rows, rows[3]])
    with pytest.raises(InputError, match=r"twice\.run:601: document .* was already retrieved for topic t000"):
        assay.evaluate(QRELS, twice, "AP")
    interleaved = written(tmp_path / "mixed.run", rows[::2] + rows[1::2])
    assert np.array_equal(
        assay.evaluate(QRELS, interleaved, "NumRet").values,
        assay.evaluate(QRELS, written(tmp_path / "a.run", rows), "NumRet").values,
    )
    tags = written(tmp_path / "tags.run", [*rows[:300], *lines(tag="other")[300:]])
    assert "holds 2 different tags" in assay.evaluate(QRELS, tags, "AP").notes[0]
    with pytest.raises(InputError, match="shares no topic with the qrels"):
        assay.evaluate({"q": {"d": 1}}, written(tmp_path / "far.run", rows), "AP")


def test_small_compressed_and_other_files_are_not_cut(cut: None, tmp_path: Path) -> None:
    assert pieces.opened("-") is None
    assert pieces.opened(written(tmp_path / "small.run", lines(topics=1))) is None
    packed = tmp_path / "a.run.gz"
    packed.write_bytes(gzip.compress(np.random.default_rng(0).bytes(5000)))
    assert pieces.opened(str(packed)) is None
    assert pieces.opened(written(tmp_path / "a.json", ["{" + " " * 5000 + "}"])) is None


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "a.run", lines())
    assert pieces.digest(path) == hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_file_that_goes_away_is_an_error(cut: None, tmp_path: Path) -> None:
    path = written(tmp_path / "a.run", lines())
    large = pieces.opened(path)
    assert large is not None
    Path(path).unlink()
    with pytest.raises(InputError, match=r"a\.run: cannot be read"):
        large.read(0, 10)
