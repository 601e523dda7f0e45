"""Files that tell what each run belongs to."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.io import labels


def test_a_file(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_bytes(b"\xef\xbb\xbf# run system\n\nx1 x\nx2\tx\r\n  y1 y  \n  # x3 x\nx1 x\n")
    assert labels.read(path, "system") == {"x1": "x", "x2": "x", "y1": "y"}
    assert labels.read(str(path), "system") == labels.read(path, "system")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x1 x\nx2\n", ":2: expected 2 columns (run system), found 1"),
        (b"x1 x y\n", ":1: expected 2 columns (run system), found 3"),
        (b"x1 x\n\nx1 y\n", ":3: run x1 is of system x already, here of y; remove one"),
        (b"# nothing\n", ": no lines in it; write one for each run: run system"),
        (b"", ": no lines in it; write one for each run: run system"),
        (b"x1 \xff\n", ": invalid UTF-8 (byte 0xff); save the file as UTF-8"),
    ],
)
def test_files_that_are_refused(tmp_path, content, message):
    path = tmp_path / "seeds.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        labels.read(path, "system")
    assert str(refused.value) == f"{path}{message}"
