"""Memory limits: parsing, and the budget derived from a limit."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from assay.engine import budget
from assay.engine.sources import find_sources
from assay.errors import InputError
from assay.model.qrels import Qrels


@pytest.mark.parametrize(
    ("text", "size"),
    [("1G", 1 << 30), ("1.5GiB", 3 << 29), ("800m", 800 << 20), ("2 kB", 2048), (12345, 12345), ("7", 7)],
)
def test_parse_memory(text: str | int, size: int) -> None:
    assert budget.parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "1P", "half", True, "1e9x"])
def test_invalid_sizes_raise_an_error(text: str | bool) -> None:
    with pytest.raises(InputError, match=r"write a number of bytes such as 1\.5G or 800M, or all"):
        budget.parse_memory(text)


def test_all_means_no_limit() -> None:
    assert budget.parse_memory("all") is None
    assert budget.parse_memory(None) is None


def test_more_memory_means_larger_chunks_and_more_threads_up_to_a_limit() -> None:
    small, large = budget.limited_budget(220 << 20, None, 1, 1), budget.limited_budget(8 << 30, None, 1, 1)
    assert small.chunk <= large.chunk == budget._MAX_CHUNK
    assert small.threads <= large.threads
    for one in (small, large):
        assert (one.threads + 1) * one.chunk * budget._MEMORY_PER_BYTE <= one.available
    assert small.partition_count(1 << 30) > large.partition_count(1 << 30)
    assert large.partition_count(0) == 8
    assert large.partition_count(1 << 60) == 512


def test_too_little_memory_raises_an_error() -> None:
    qrels = Qrels.from_dict({f"t{topic}": {f"d{doc}": 1 for doc in range(20)} for topic in range(1000)})
    with pytest.raises(InputError, match=r"memory 100M: .* at least 2\d\dM \(including \d+M for the judgments"):
        budget.limited_budget(100 << 20, qrels, 10, 5)


def test_text_size_estimates_compressed_files_by_a_factor_of_5(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "a.run", tmp_path / "a.run.gz"
    plain.write_bytes(b"x" * 100)
    compressed.write_bytes(gzip.compress(b"x"))
    one, other = find_sources([plain, compressed])
    assert one.text_size() == 100
    assert other.text_size() == 5 * other.size() == 5 * compressed.stat().st_size
    assert (one.is_small(100), one.is_small(99)) == (True, False)
    assert (other.is_small(5 * other.size()), other.is_small(5 * other.size() - 1)) == (True, False)
    assert find_sources({"t": {"d": 1.0}})[0].text_size() == 0


def test_there_is_no_limit_if_the_system_does_not_report_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sysconf", lambda _: (_ for _ in ()).throw(ValueError))
    assert budget.available_memory() is None
    assert budget.default_budget().spill_limit == float("inf")
