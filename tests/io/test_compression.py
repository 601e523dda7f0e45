"""Decompression in bounded blocks."""

import bz2
import gzip
import lzma
import tracemalloc
from functools import cache

import pytest
import zstandard

import assay
from assay.errors import InputError
from assay.io import compression
from assay.io.compression import decompress, decompress_blocks

COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
LINES = b"".join(
    b"%d Q0 d%d %d %d x\n" % (topic, doc, doc, 1000 - doc) for topic in range(1, 51) for doc in range(1000)
)
ZEROS = bytes(1 << 20)


@cache
def compressed_lines(suffix: str) -> bytes:
    return COMPRESS[suffix](LINES)


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("text", [b"", b"x", LINES, ZEROS, LINES + ZEROS])
def test_members_are_concatenated_for_any_block_size(suffix, text):
    raw = COMPRESS[suffix](text) + compressed_lines(suffix)
    assert decompress(raw, suffix, "f") == text + LINES
    for size in (1, 7, 4096) if len(raw) < 50_000 else (4096, 1 << 20):
        blocks = [raw[begin : begin + size] for begin in range(0, len(raw), size)]
        assert b"".join(decompress_blocks(blocks, suffix, "f", len(raw))) == text + LINES


def test_zeros_after_gzip_data_are_ignored():
    assert decompress(compressed_lines(".gz") + bytes(1000), ".gz", "f") == LINES


@pytest.mark.parametrize("suffix", COMPRESS)
def test_small_files_may_expand_more(suffix):
    assert len(decompress(COMPRESS[suffix](ZEROS), suffix, "f")) == len(ZEROS)


@pytest.mark.parametrize("text", [ZEROS, b"1 Q0 doc 1 2.5 tag\n" * (1 << 16)], ids=["zeros", "lines"])
@pytest.mark.parametrize("suffix", COMPRESS)
def test_decompression_bomb_is_rejected_with_little_memory(suffix, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compression, "MAX_EXPANSION", 5)
    monkeypatch.setattr(compression, "MIN_LIMIT", 4 << 20)
    path = tmp_path / f"bomb.run{suffix}"
    # Compressing 40 copies of the text with bz2 takes long, so they are members of their own.
    path.write_bytes(COMPRESS[suffix](text) * 40 if suffix == ".bz2" else COMPRESS[suffix](text * 40))
    (tmp_path / "qrels.txt").write_text("1 0 doc 1\n")
    message = r"bomb.run.*: (expands .* 4M, .* 5 times .*decompress it|is a binary file)"
    for options in ({}, {"memory": "400M"}):
        tracemalloc.start()
        with pytest.raises(InputError, match=message):
            assay.evaluate("qrels.txt", str(path.name), "AP", **options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 37 << 20


@pytest.mark.parametrize("suffix", COMPRESS)
def test_text_larger_than_memory_is_rejected(suffix):
    with pytest.raises(InputError, match=r"f: holds more than 512K, .*in chunks"):
        decompress(compressed_lines(suffix), suffix, "f", 1 << 19)


def test_xz_file_that_needs_much_memory_is_rejected(monkeypatch):
    monkeypatch.setattr(compression, "WORKING_MEMORY", 1 << 20)
    with pytest.raises(InputError, match="f: decompressing it takes more than 1M of memory; decompress it first"):
        decompress(compressed_lines(".xz"), ".xz", "f")
