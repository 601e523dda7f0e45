"""Files that assign each run to a system or a group."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.io import run_labels


def test_read_labels(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_bytes(b"\xef\xbb\xbf# run system\n\nx1 x\nx2\tx\r\n  y1 y  \n  # x3 x\nx1 x\n")
    assert run_labels.read(path, "system") == {"x1": "x", "x2": "x", "y1": "y"}
    assert run_labels.read(str(path), "system") == run_labels.read(path, "system")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x1 x\nx2\n", ":2: expected 2 columns (run system), found 1"),
        (b"x1 x y\n", ":1: expected 2 columns (run system), found 3"),
        (
            b"x1 x\n\nx1 y\n",
            ":3: run x1 belongs to system x on an earlier line, but to y here; remove one of the lines",
        ),
        (b"# nothing\n", ": the file lists no runs; write one line for each run: run system"),
        (b"", ": the file lists no runs; write one line for each run: run system"),
        (b"x1 \xff\n", ": invalid UTF-8 (byte 0xff); save the file as UTF-8"),
    ],
)
def test_invalid_files_are_rejected(tmp_path, content, message):
    path = tmp_path / "seeds.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        run_labels.read(path, "system")
    assert str(error.value) == f"{path}{message}"
