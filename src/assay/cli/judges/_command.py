"""Commands that read the judgments of several judges."""

from __future__ import annotations

import argparse
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.cli import _numbers
from assay.cli._command import Command
from assay.cli._parameters import OPTIONS, Option, read_one
from assay.errors import InputError
from assay.io.numbers import parse_number

if TYPE_CHECKING:
    from assay.model.qrels import Qrels


class JudgesCommand(Command):
    """A command that reads judgments of several judges."""

    @cached_property
    def read_parameters(self) -> dict[str, Any]:
        """Options of reading."""
        return {"lenient": False, "qrels_format": "qrels"}

    def read(self, args: argparse.Namespace, progress: Any = None, **overrides: Any) -> dict[str, Qrels]:  # type: ignore[override]
        """Read the judgments of each judge."""
        from assay.judges import read_judges

        return read_judges(args.judges, **self.read_options(args, self.read_parameters))


def _read_grades(option: str, texts: list[str]) -> dict[str, dict[float, float]]:
    """Return the replaced grades of each judge from texts such as ``llm:2=1,3=2``."""
    grades = {}
    for text in texts:
        judge, colon, pairs = text.rpartition(":")
        if not colon:
            raise InputError(f"{option}: write JUDGE:GRADE=GRADE, such as llm:2=1, not {text!r}")
        grades[judge] = _numbers.parse_pairs(option, pairs, "grade=grade", "2=1,3=2", parse_number)
    return grades


JUDGE_OPTIONS = {
    "reference": Option("JUDGE", "compare every other judge with this judge", read_one, default="all pairs"),
    "negative": Option("HOW", "negative grades: zero (they count as 0), keep or drop (unjudged)"),
    "grades": Option("JUDGE:MAP", "replace grades of a judge, such as llm:2=1,3=2", _read_grades, default="unchanged"),
    "gwet": Option("", "also compute Gwet's AC1 and AC2"),
    "rel": OPTIONS["rel"]._replace(help="lowest relevant grade")
    if "rel" in OPTIONS
    else Option("G", "lowest relevant grade"),
}
