"""Research groups that submitted the runs: a dict from run names to groups, or a file with both in two columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.io import run_labels
from assay.model.arrays import Ints


def number_groups(runs: Sequence[str], groups: Any) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the groups, and the index of the group of each run.

    *groups* is a dict from run names to groups, or the path of a file with lines ``run group``. It must contain all
    *runs*; additional runs are ignored.

    >>> number_groups(["a1", "b1", "a2"], {"a1": "A", "a2": "A", "b1": "B", "c1": "C"})[1].tolist()
    [0, 1, 0]
    """
    source, group_of_run = _read_groups(groups)
    missing = [run for run in runs if run not in group_of_run]
    if missing:
        raise InputError(f"{source}: no group for run {missing[0]}; add a line such as: {missing[0]} GROUP")
    names = tuple(dict.fromkeys(group_of_run[run] for run in runs))
    index = {name: i for i, name in enumerate(names)}
    return names, np.array([index[group_of_run[run]] for run in runs], dtype=np.int64)


def _read_groups(groups: Any) -> tuple[str, dict[str, str]]:
    """Return the name of the source for error messages, and the group of each run."""
    if isinstance(groups, Mapping):
        return "groups", {str(run): str(group) for run, group in groups.items()}
    if not isinstance(groups, str | Path):
        raise InputError(f"groups: expected a dict or a file of two columns (run group), got {type(groups).__name__}")
    return str(groups), run_labels.read(groups, "group")
