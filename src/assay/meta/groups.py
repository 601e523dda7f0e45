"""Groups that submitted the runs: a map of run names to groups, from a dict or from a file of two columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.io import labels
from assay.model.arrays import Ints


def number_groups(runs: Sequence[str], groups: Any) -> tuple[tuple[str, ...], Ints]:
    """Return the groups, and the number of the group of each run.

    *groups* is a dict from run names to groups, or the path of a file with lines ``run group``; it may have more runs
    than are looked at, but must have each of these.

    >>> number_groups(["a1", "b1", "a2"], {"a1": "A", "a2": "A", "b1": "B", "c1": "C"})[1].tolist()
    [0, 1, 0]
    """
    where, known = _read_groups(groups)
    missing = [run for run in runs if run not in known]
    if missing:
        raise InputError(f"{where}: no group for run {missing[0]}; add a line such as: {missing[0]} GROUP")
    names = tuple(dict.fromkeys(known[run] for run in runs))
    number = {name: i for i, name in enumerate(names)}
    return names, np.array([number[known[run]] for run in runs], dtype=np.int64)


def _read_groups(groups: Any) -> tuple[str, dict[str, str]]:
    if isinstance(groups, Mapping):
        return "groups", {str(run): str(group) for run, group in groups.items()}
    if not isinstance(groups, str | Path):
        raise InputError(f"groups: expected a dict or a file of two columns (run group), got {type(groups).__name__}")
    return str(groups), labels.read(groups, "group")
