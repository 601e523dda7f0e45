"""Runs and topics of a figure, as named by the user; by default the best ones."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import InputError, suggestion
from assay.model.notes import some
from assay.model.provenance import Provenance


def run_named(name: str, runs: Sequence[str], provenance: Provenance) -> str:
    """Return the run of a name; the path of a file stands for its run."""
    if name in runs:
        return name
    read = [each.name for each in provenance.inputs if each.role == "run" and each.source == name]
    if len(read) == 1 and read[0] in runs:
        return read[0]
    hint = suggestion(name, runs) or f"; they are {some(runs)}"
    raise InputError(f"there is no run {name}{hint}")


def two_runs(pair: Sequence[str] | None, best: Sequence[str], provenance: Provenance) -> tuple[str, str]:
    """Return the two runs of a pair; unless they are named, the first two of all runs, *best* first."""
    if len(best) < 2:
        raise InputError("runs: need at least two runs to compare")
    if pair is None:
        return best[0], best[1]
    if isinstance(pair, str) or len(pair) != 2:
        raise InputError(f"pair: name two runs, got {pair if isinstance(pair, str) else ', '.join(pair) or 'none'}")
    a, b = (run_named(name, best, provenance) for name in pair)
    if a == b:
        raise InputError(f"pair: {a} cannot be compared with itself; name another run")
    return a, b


def topic_named(topic: str, topics: Sequence[str], provenance: Provenance) -> int:
    """Return the number of a topic."""
    if topic in topics:
        return topics.index(topic)
    source = next((each.source for each in provenance.inputs if each.role == "qrels"), "qrels")
    hint = suggestion(topic, topics) or f"; they have {some(topics)}"
    raise InputError(f"{source}: has no topic {topic}{hint}")
