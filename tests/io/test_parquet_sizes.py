"""Deliberately damaged Parquet files: each gives its rows or one error, and none ends the process."""

import io
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import assay
from assay.errors import InputError
from assay.io.parquet_sizes import MIN_ROW_LIMIT, check_sizes

ROWS = 300
FRAME = pl.DataFrame(
    {
        "run": ["a"] * ROWS,
        "topic": [str(row // 50) for row in range(ROWS)],
        "doc": [f"d{row % 50}" for row in range(ROWS)],
        "score": [float(ROWS - row) for row in range(ROWS)],
    }
)
READ_ALL = """\
import os, sys
from assay.errors import AssayError
from assay.io import files, native, parquet
from assay.io.columns import ColumnNames
native.separate_stderr()
for path in sys.argv[1:]:
    for read in (lambda: files.read_runs(path), lambda: list(parquet.read_frames(path, ColumnNames("run", False), 64))):
        try:
            read()
            print("read")
        except AssayError as error:
            print(error)
sys.stdout.flush()
os._exit(0)
"""


def to_parquet(frame: pl.DataFrame = FRAME, **options) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, **options)
    return buffer.getvalue()


def encode_varint(number: int) -> bytes:
    """Encode an integer in Thrift's compact protocol."""
    number = 2 * number if number >= 0 else -2 * number - 1
    groups = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def replace_footer(data: bytes, change) -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    footer = change(data[-8 - length : -8])
    return data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def damage(data: bytes, seed: int) -> bytes:
    """Change one to four bytes, half of them in the footer."""
    rng = random.Random(seed)
    changed = bytearray(data)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for _ in range(rng.choice([1, 1, 2, 4])):
        position = rng.randrange(footer, len(data) - 8) if rng.random() < 0.5 else rng.randrange(4, footer)
        changed[position] = rng.choice([0, 127, 255, changed[position] ^ 1 << rng.randrange(8)])
    return bytes(changed)


@pytest.mark.parametrize("compression", ["uncompressed", "zstd", "snappy"])
@pytest.mark.parametrize("rows_in_group", [None, 100])
def test_valid_files_pass(compression, rows_in_group):
    check_sizes(to_parquet(compression=compression, row_group_size=rows_in_group), "f")


def test_files_of_pyarrow_pass(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({**FRAME.to_dict(as_series=False), "list": [[1, 2]] * ROWS, "nothing": [None] * ROWS})
    path = str(tmp_path / "f.parquet")
    for options in ({}, {"data_page_version": "2.0"}, {"use_dictionary": False}, {"write_page_index": True}):
        parquet.write_table(table, path, data_page_size=100, **options)
        check_sizes(Path(path).read_bytes(), path)
        assert len(assay.model.read_run(path)) == ROWS


@pytest.mark.parametrize("count", [1, -1])
@pytest.mark.parametrize("number", [-1, 2**31, 2**58, 2**62])
def test_contradictory_numbers_of_rows_are_rejected(number, count, tmp_path):
    """Without the check, polars would allocate memory for 2^31 rows and end the process."""
    data = replace_footer(
        to_parquet(), lambda footer: footer.replace(encode_varint(ROWS), encode_varint(number), count)
    )
    (tmp_path / "f.parquet").write_bytes(data)
    with pytest.raises(
        InputError, match=r"f.parquet: the Parquet data is damaged \(.*(rows|values).*\); write it again"
    ):
        assay.model.read_run(tmp_path / "f.parquet")
    with pytest.raises(InputError, match="damaged"):
        assay.evaluate({"1": {"d1": 1}}, str(tmp_path / "f.parquet"), "AP", memory="400M")


def test_too_many_rows_for_the_file_size_are_rejected():
    rows = MIN_ROW_LIMIT + 1
    frame = pl.select(topic=pl.repeat("1", rows))
    with pytest.raises(InputError, match=rf"f: expands .* {rows:,} rows.* {MIN_ROW_LIMIT:,}.*plain text"):
        check_sizes(to_parquet(frame), "f")
    check_sizes(to_parquet(frame.head(MIN_ROW_LIMIT)), "f")


def test_page_that_expands_too_much_is_rejected():
    frame = pl.DataFrame({"topic": ["1"], "doc": ["d" * (40 << 20)], "score": [1.0]})
    with pytest.raises(InputError, match=r"f: expands from .* to 4\dM .*200 times its size"):
        check_sizes(to_parquet(frame, compression="zstd"), "f")
    check_sizes(to_parquet(frame, compression="uncompressed"), "f")


def test_random_damage_gives_rows_or_one_error_line(tmp_path):
    originals = [to_parquet(compression=codec) for codec in ("uncompressed", "zstd", "snappy")]
    paths = [tmp_path / f"{number}.parquet" for number in range(400)]
    for number, path in enumerate(paths):
        path.write_bytes(damage(originals[number % len(originals)], number))
    command = [sys.executable, "-P", "-c", READ_ALL, *map(str, paths)]
    completed_process = subprocess.run(command, check=False, capture_output=True, text=True)
    assert completed_process.returncode == 0
    assert completed_process.stderr == ""
    lines = completed_process.stdout.splitlines()
    assert len(lines) == 2 * len(paths)
    assert all(line == "read" or ".parquet" in line for line in lines)
    assert lines.count("read") < len(paths)
