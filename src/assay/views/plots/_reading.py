"""Runs joined with their qrels as a figure is told to read them, for figures that need more than one analysis."""

from __future__ import annotations

from typing import Any

from assay.model.policies import Policies, PolicyOptions
from assay.results._evaluate import Prepared, prepared
from assay.views.plots._figures import Reading


def read(qrels: Any, runs: Any, reading: Reading) -> Prepared:
    """Read everything and join it, once."""
    chosen: dict[str, Any] = {name: value for name, value in reading.items() if name in PolicyOptions.__annotations__}
    return prepared(
        qrels,
        runs,
        Policies(**chosen),
        lenient=reading.get("lenient", False),
        progress=reading.get("progress"),
    )
