"""Measure what rankings cost their users: Twist, recovery, space, archetypes.

One line for each run: means over topics. With --weights or --persistence recovery and Twist are discontinuous:
misplacements no longer cancel exactly, so a curve that returned to the axis may never do so. Archetypes ignore both
options.
"""

from __future__ import annotations

from typing import Any

from assay.cli._command import Command
from assay.errors import InputError, suggestion


def _check(given: dict[str, Any]) -> None:
    """Refuse wrong options by their own names; the measures behind the indicators have others."""
    from assay.model.checks import whole
    from assay.model.relative_position import CROSSINGS, ENDPOINTS, LENGTHS

    whole("--depth", given.get("depth", 1), 1)
    for name, known in (("length", LENGTHS), ("crossing", CROSSINGS), ("endpoint", ENDPOINTS)):
        chosen = given.get(name)
        if chosen is not None and chosen not in known:
            raise InputError(f"--{name} {chosen}: choose one of {', '.join(known)}{suggestion(chosen, known)}")
    if not 0 < given.get("persistence", 1) <= 1:
        raise InputError(f"--persistence must be above 0 and at most 1, got {given['persistence']:g}")


COMMAND = Command(
    "assay.effort.indicators",
    """\
  assay effort indicators qrels.txt bm25.run dense.run.gz
  assay effort indicators qrels.txt runs/ --show archetypes --merge
  assay effort indicators qrels.txt runs/ --per-topic --format tsv -o effort.tsv
  assay effort indicators qrels.txt runs/ --grades 4=3,-2=0 --crossing literal
""",
    policies=("ties", "missing", "undefined", "unjudged"),
    check=_check,
    moved={"--indicators": "--show indicators"},
)
