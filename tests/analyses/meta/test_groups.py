"""The map of runs to groups."""

from __future__ import annotations

import pytest

from assay.analyses.meta.groups import groups_of
from assay.errors import InputError


def test_a_file(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_bytes(b"\xef\xbb\xbf# run group\nb2\tB\r\n\na1   A  \nb1 B\nb1 B\nother C\n")
    names, number = groups_of(["b1", "a1", "b2"], path)
    assert (names, number.tolist()) == (("B", "A"), [0, 1, 0])
    assert groups_of(["a1"], str(path))[0] == ("A",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a1 A\nb1\n", r"groups\.txt:2: expected 2 columns \(run group\), found 1"),
        (b"a1 A x\n", r"groups\.txt:1: expected 2 columns"),
        (b"a1 A\na1 B\n", r"groups\.txt:2: run a1 is in group A already, here B; remove one"),
        (b"b1 B\n", r"groups\.txt: no group for run a1; add a line such as: a1 GROUP"),
        (b"", r"groups\.txt: no group for run a1"),
        (b"a1 \xff\n", r"groups\.txt: invalid UTF-8 \(byte 0xff\)"),
    ],
)
def test_bad_files(tmp_path, content, message):
    path = tmp_path / "groups.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        groups_of(["a1"], path)


def test_other_things():
    with pytest.raises(InputError, match="groups: no group for run a1"):
        groups_of(["a1"], {"b1": "B"})
    with pytest.raises(InputError, match=r"expected a dict or a file of two columns \(run group\), got list"):
        groups_of(["a1"], ["A"])
