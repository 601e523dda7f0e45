"""Measure the effort of users by run: Twist, recovery, space, archetypes.

Each line shows the means of a run over the topics. Archetypes and balance points ignore --weights and --persistence.
"""

from __future__ import annotations

from typing import Any

from assay.cli._command import Command
from assay.cli._parameters import Option
from assay.errors import InputError, check_choice


def _check(arguments: dict[str, Any]) -> None:
    """Raise an error that names the invalid option; the measures of the indicators use other names."""
    from assay.model.checks import check_integer
    from assay.model.relative_position import CROSSINGS, ENDPOINTS, LENGTHS

    check_integer("--depth", arguments.get("depth", 1), 1)
    for name, known in (("length", LENGTHS), ("crossing", CROSSINGS), ("endpoint", ENDPOINTS)):
        chosen = arguments.get(name)
        if chosen is not None:
            check_choice(f"--{name} {chosen}", chosen, known)
    if not 0 < arguments.get("persistence", 1) <= 1:
        raise InputError(f"--persistence must be above 0 and at most 1, got {arguments['persistence']:g}")


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
    options={
        "merge": Option("", "count ups-and-downs, excellent A and excellent B as one archetype, as in the Twist paper")
    },
    moved={"--indicators": "--show indicators"},
)
