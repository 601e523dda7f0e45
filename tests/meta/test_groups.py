"""The map of runs to groups."""

from __future__ import annotations

import pytest

from assay.meta.groups import groups_of
from assay.errors import InputError


def test_a_file(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("b2 B\na1 A\nb1 B\nother C\n")
    names, number = groups_of(["b1", "a1", "b2"], path)
    assert (names, number.tolist()) == (("B", "A"), [0, 1, 0])
    assert groups_of(["a1"], str(path))[0] == ("A",)


def test_a_run_without_a_group_is_refused(tmp_path):
    path = tmp_path / "groups.txt"
    path.write_text("b1 B\n")
    with pytest.raises(InputError, match=r"groups\.txt: no group for run a1; add a line such as: a1 GROUP"):
        groups_of(["a1"], path)


def test_other_things():
    with pytest.raises(InputError, match="groups: no group for run a1"):
        groups_of(["a1"], {"b1": "B"})
    with pytest.raises(InputError, match=r"expected a dict or a file of two columns \(run group\), got list"):
        groups_of(["a1"], ["A"])
