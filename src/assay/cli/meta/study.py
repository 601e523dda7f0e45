"""Study measures on a collection, and write all tables to a folder.

Scores, judgments, correlation of measures, pool depths, significance counts, discriminative power and robustness, with
the settings of the papers on Twist and RBP. Effort, order, balancing and distances have commands of their own. A study
that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property
from shutil import get_terminal_size
from typing import Any

from assay.cli._command import Command
from assay.cli._output import print_notes, show_steps
from assay.cli._parameters import OPTIONS
from assay.cli._parse import Parser
from assay.results.text_table import wrap_text


class StudyCommand(Command):
    """The command; its options are the settings of a study."""

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The settings and their defaults, and whether to begin anew."""
        from assay.meta.study_steps import StudySettings

        return {**{field.name: field.default for field in fields(StudySettings)}, "fresh": False}


def _add_output(parser: Parser) -> None:
    group = parser.group("output")
    parser.add(group, ["-o", "--output"], required=True, metavar="DIR", help="the folder of the study")


def _check(given: dict[str, Any]) -> None:
    """Refuse wrong settings before anything is computed: the steps would find them much later."""
    from assay.meta._paired import check_level
    from assay.meta.downsampling import check_ratio
    from assay.model.checks import whole

    for name, least in (("seeds", 1), ("resamples", 1), ("seed", 0)):
        whole(f"--{name}", given.get(name, least), least)
    for name, levels in (("--alpha", [given.get("alpha", 0.05)]), ("--levels", given.get("levels", []))):
        for level in levels:
            check_level(name, level)
    for ratio in given.get("ratios", []):
        check_ratio(ratio)


COMMAND = StudyCommand(
    "assay.meta.study",
    """\
  assay meta study qrels.txt runs/ -o study
  assay meta study qrels.txt runs/ -o three-measures -m AP nDCG@10 'RBP(p=0.8)' --seeds 5
  assay meta study qrels.txt runs/ -o reuse --groups runs-groups.txt --best 100% --depths 10,100
""",
    keep="judgments",
    policies=("ties",),
    options={
        "best": OPTIONS["best"]._replace(help="share of the runs that are the best ones, by MAP"),
        "alpha": OPTIONS["alpha"]._replace(help="level of discriminative power"),
        "levels": OPTIONS["levels"]._replace(help="levels of the significance counts", flags=()),
    },
    check=_check,
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Compute the steps that are left."""
    given = COMMAND.read_options(args, COMMAND.parameters)
    _check(given)
    fresh = given.pop("fresh", False)
    with show_steps("reading runs") as (progress, watch), _report_interrupt():
        campaign = COMMAND.read(args, progress)
        study = COMMAND.callable(campaign, args.output, given, fresh=fresh, watch=watch)
    print_notes(study.notes, where="")
    print(wrap_text(study.summary(), get_terminal_size().columns), end="")


@contextmanager
def _report_interrupt() -> Iterator[None]:
    """Say that nothing is lost when the user interrupts."""
    try:
        yield
    except KeyboardInterrupt:
        print("assay: interrupted; the same command goes on with what is left", file=sys.stderr)
        raise
