"""Check the options of figures, and find the runs and topics that a figure shows by their names."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any

from assay.errors import InputError, suggestion
from assay.model.notes import join_names
from assay.model.provenance import RUN_ROLES, Provenance
from assay.results.run_pairs import require_two_runs


def check_choice(option: str, value: Any, choices: Collection[str]) -> None:
    """Raise an error that lists the choices if the value of an option is not one of them."""
    if value not in choices:
        raise InputError(f"{option} {value!r}: choose one of {', '.join(choices)}{suggestion(str(value), choices)}")


def check_minimum(option: str, value: int, minimum: int) -> None:
    """Raise an error if the value of an option is below its minimum."""
    if value < minimum:
        raise InputError(f"{option} must be at least {minimum}, got {value}")


def find_run(name: str, runs: Sequence[str], provenance: Provenance) -> str:
    """Return the run with this name, or the run that was read from the file with this path or file name."""
    if name in runs:
        return name
    from_file = [
        entry.name
        for entry in provenance.inputs
        if entry.role in RUN_ROLES and name in (entry.source, os.path.basename(entry.source))
    ]
    if len(from_file) == 1 and from_file[0] in runs:
        return from_file[0]
    hint = suggestion(name, runs) or f"; choose from {join_names(runs)}"
    raise InputError(f"there is no run {name}{hint}")


def find_pair(pair: Sequence[str] | None, best: Sequence[str], provenance: Provenance) -> tuple[str, str]:
    """Return the two runs named by *pair*; by default the first two of *best*, which lists all runs, best first."""
    require_two_runs(best)
    if pair is None:
        return best[0], best[1]
    if isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"pair: name two runs, got {pair if isinstance(pair, str) else ', '.join(pair) or 'none'}")
    a, b = (find_run(name, best, provenance) for name in pair)
    if a == b:
        raise InputError(f"pair: {a} cannot be compared with itself; name another run")
    return a, b


def find_topic(topic: str, topics: Sequence[str], provenance: Provenance) -> int:
    """Return the index of a topic in *topics*."""
    if topic in topics:
        return topics.index(topic)
    source = next((entry.source for entry in provenance.inputs if entry.role == "qrels"), "qrels")
    hint = suggestion(topic, topics) or f"; choose from {join_names(topics)}"
    raise InputError(f"{source}: has no topic {topic}{hint}")
