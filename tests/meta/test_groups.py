"""Assignment of runs to groups."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.meta.groups import number_groups


def test_groups_from_a_file(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("b2 B\na1 A\nb1 B\nother C\n")
    names, number = number_groups(["b1", "a1", "b2"], path)
    assert (names, number.tolist()) == (("B", "A"), [0, 1, 0])
    assert number_groups(["a1"], str(path))[0] == ("A",)


def test_a_run_without_a_group_raises(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("b1 B\n")
    with pytest.raises(InputError, match=r"groups\.txt: no group for run a1; add a line such as: a1 GROUP"):
        number_groups(["a1"], path)


def test_invalid_groups_raise():
    with pytest.raises(InputError, match="groups: no group for run a1"):
        number_groups(["a1"], {"b1": "B"})
    with pytest.raises(InputError, match=r"expected a dict or a file of two columns \(run group\), got list"):
        number_groups(["a1"], ["A"])
