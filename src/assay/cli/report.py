"""Write an HTML report to share: tables, figures, findings.

The report is a single file and needs no network. It starts with the conclusion, a forest plot, and three cards: how
certain the conclusion is, what could change it, and where it fails. With --baseline, it compares the best other run
with the baseline, topic by topic. An appendix has all analyses: leaderboard, effort and gain, archetypes, agreement of
measures, significance, slices of topics (--by), robustness to the pool, uncertainty, topics, and each system. The same
inputs and options give identical files.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from assay.cli._command import Command
from assay.cli._output import check_target, print_notes, refuse_overwriting, show_steps
from assay.cli._parameters import Option, read_integer, read_one
from assay.cli._parse import Parser
from assay.cli._slicing import SLICING, check_slicing
from assay.errors import InputError


def _add_output(parser: Parser) -> None:
    group = parser.group("output")
    parser.add(
        group,
        ["-o", "--output"],
        default="report.html",
        metavar="FILE",
        help="the file to write (default: report.html)",
    )


COMMAND = Command(
    "assay.report",
    """\
  assay report qrels.txt runs/ -o report.html
  assay report qrels.txt bm25.run dense.run -m nDCG@10 AP --title 'Spring campaign'
  assay report qrels.txt runs/ --test randomization --resamples 100000 --alpha 0.01 --seed 7
  assay report qrels.txt runs/ --topics-table topics.csv --by category
  assay report --values bm25.eval dense.eval -m map
  assay report qrels.txt runs/ --baseline bm25 --for summary --queries topics.tsv --docs corpus.jsonl
  assay report qrels.txt runs/ --most 10 --without robustness --without uncertainty
""",
    keep="judgments",
    policies=("ties", "missing", "undefined", "unjudged"),
    texts=True,
    options={
        **SLICING,
        "most": Option("N", "describe the best N runs by the first measure in detail", read_integer, ("--top",)),
        "baseline": Option("RUN", "compare every run with this run, by name or file", read_one, default="all pairs"),
        "for_": Option("WHO", "the readers: summary (only the main story) or full (also the appendix)"),
    },
    python_only=("watch",),
    add_output=_add_output,
)


def run(args: argparse.Namespace) -> None:
    """Compute the report and write it atomically."""
    from assay.views.report.build import check_report
    from assay.views.report.settings import MEASURES

    _check(args.output)
    check_slicing(args)
    arguments = COMMAND.read_options(args, COMMAND.parameters)
    # Measures of values need not be measures that assay knows.
    checked = arguments if args.values is None else {**arguments, "measures": MEASURES}
    check_report(ties=COMMAND.read_options(args, COMMAND.read_parameters).get("ties"), **checked)
    with show_steps("reading runs") as (progress, watch):
        source = COMMAND.read_source(args, arguments, progress)
        refuse_overwriting(args.output, source.provenance)
        page = COMMAND.callable(source, **arguments, watch=watch)
    print_notes(page.notes, where=" (the report shows all)", options=vars(args))
    page.write(args.output)
    print(f"assay: wrote {args.output} ({len(page.html) / 1e6:.1f} MB)", file=sys.stderr)


def _check(output: str) -> None:
    """Check the output file before anything is read or computed."""
    check_target(output, "name a file to write, such as report.html")
    path = Path(output)
    if path.suffix.lower() not in (".html", ".htm", ""):
        raise InputError(f"-o {output}: a report is an HTML file; use a name such as {path.stem}.html")
