"""Run the analyses of the papers and write their tables and figures to a directory.

The analyses are: values, judgments, correlation of measures, pool depths, significance counts, discriminative power,
robustness, effort and archetypes, effort against gain, bounds of RBP, the order of rankings, axioms, balancing index,
and MED of the best runs. index.html shows all tables and figures. The default settings are those of the papers on Twist
and RBP. An interrupted study continues where it stopped.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property
from shutil import get_terminal_size
from typing import Any

from assay.cli._command import Command
from assay.cli._output import print_notes, show_steps
from assay.cli._parameters import OPTIONS
from assay.cli._parse import Parser
from assay.errors import DependencyError
from assay.results.text_table import wrap_text


class StudyCommand(Command):
    """The command ``assay meta study``; its options are the settings of a study."""

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """Settings with their defaults, and the option ``--fresh``."""
        from assay.meta.study_context import StudySettings

        return {**{field.name: field.default for field in fields(StudySettings)}, "fresh": False}


def _add_output(parser: Parser) -> None:
    group = parser.group("output")
    parser.add(group, ["-o", "--output"], required=True, metavar="DIR", help="directory of the study")


def _check(arguments: dict[str, Any]) -> None:
    """Raise an error for invalid settings before anything is computed; otherwise a later step would report them."""
    from assay.meta.downsampling import check_ratio
    from assay.model.checks import check_fraction, check_integer

    for name, minimum in (("seeds", 1), ("resamples", 1), ("seed", 0)):
        check_integer(f"--{name}", arguments.get(name, minimum), minimum)
    for name, levels in (("--alpha", [arguments.get("alpha", 0.05)]), ("--levels", arguments.get("levels", []))):
        for level in levels:
            check_fraction(name, level)
    for ratio in arguments.get("ratios", []):
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
        "best": OPTIONS["best"]._replace(help="fraction of the runs to use, the best by MAP"),
        "alpha": OPTIONS["alpha"]._replace(help="significance level of discriminative power"),
        "levels": OPTIONS["levels"]._replace(help="significance levels of the significance counts", flags=()),
    },
    check=_check,
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Compute the steps that are not done yet, and print the summary."""
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    _check(arguments)
    fresh = arguments.pop("fresh", False)
    with show_steps("reading runs") as (progress, watch), _report_interrupt():
        campaign = COMMAND.read(args, progress)
        study = COMMAND.callable(campaign, args.output, arguments, plot=_find_plot(), fresh=fresh, watch=watch)
    print_notes(study.notes, where="", options=vars(args))
    print(wrap_text(study.summary(), get_terminal_size().columns), end="")


def _find_plot() -> Callable[..., Any] | None:
    """Return the function that draws figures; None if its packages are not installed."""
    from assay.views.plots._altair import altair
    from assay.views.plots._figures import plot

    try:
        altair()
    except DependencyError:
        return None
    return plot


@contextmanager
def _report_interrupt() -> Iterator[None]:
    """If the user interrupts the study, print how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        print("assay: interrupted; run the same command again to continue", file=sys.stderr)
        raise
