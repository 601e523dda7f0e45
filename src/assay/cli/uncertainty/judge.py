"""Judge documents in the browser, and append the grades to a qrels file.

A page on this machine shows the documents of judge-next, best first, with the texts of --queries and --docs. Press a
grade from 0 to 9; s skips a document, u marks it as unsure, and z undoes the last answer. Each judgment is on the disk
before the next document appears. To continue later, run the same command again. QRELS may be "none".
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from assay.cli._command import Command
from assay.cli._output import check_target, print_notes, refuse_overwriting, show_progress
from assay.cli._parameters import Option, read_integer
from assay.cli._parse import Parser
from assay.cli.uncertainty.judge_next import QUEUE_OPTIONS, STOP, read_campaign
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign
    from assay.uncertainty._stopping import StoppingMonitor

PORT = 8766


def _add_output(parser: Parser) -> None:
    group = parser.group("output")
    help_text = "append the judgments to this qrels file; unsure documents are listed in FILE.unsure"
    parser.add(group, ["-o", "--output"], metavar="FILE", help=help_text)


COMMAND = Command(
    "assay.uncertainty.JudgingQueue",
    """\
  assay uncertainty judge qrels.txt runs/ --queries queries.tsv --docs docs.jsonl -o judged.qrels --open
  assay uncertainty judge none runs/ --docs docs.jsonl -o judged.qrels --max-grade 3
  assay uncertainty judge qrels.txt runs/ --pair bm25 dense --stop pair:bm25,dense -o judged.qrels
""",
    keep="documents",
    policies=("ties",),
    options={
        **QUEUE_OPTIONS,
        "stop": STOP,
        "max_grade": Option(
            "N", "highest grade, up to 9", read_integer, default="highest judged grade, or 9 without one"
        ),
        "port": Option("N", f"port; 0 chooses a free port (default: {PORT})", read_integer),
        "open": Option("", "open the page in the browser"),
    },
    add_output=_add_output,
    texts=True,
)


def run(args: argparse.Namespace) -> None:
    """Serve the judging page until interrupted."""
    from assay.views.judging import serve_judging
    from assay.views.judging.session import MAX_GRADE, JudgingSession

    if args.output is None:
        raise InputError("-o is required; add -o FILE, to which judgments are appended")
    check_target(args.output, "name a file for the judgments")
    numbers = {name: _read_number(args, name) for name in ("max_grade", "port")}
    max_grade, port = numbers["max_grade"], PORT if numbers["port"] is None else numbers["port"]
    if max_grade is not None and not 1 <= max_grade <= MAX_GRADE:
        raise InputError(f"--max-grade must be from 1 to {MAX_GRADE}, got {max_grade}")
    arguments = COMMAND.read_options(args, COMMAND.parameters)

    def start() -> JudgingSession:
        with show_progress("reading runs") as progress:
            campaign = read_campaign(COMMAND, args, progress)
            queue = COMMAND.callable(campaign, **arguments)
            monitor = _monitor(args, campaign, arguments) if args.stop else None
        refuse_overwriting(args.output, campaign.provenance)
        session = JudgingSession(campaign, queue, args.output, max_grade, monitor)
        print_notes([*campaign.notes, *session.notes], options=vars(args))
        return session

    serve_judging(start, port, lambda address: _announce(address, args.open))
    print("assay: stopped; all judgments are saved", file=sys.stderr)


def _monitor(args: argparse.Namespace, campaign: Campaign, arguments: dict[str, Any]) -> StoppingMonitor:
    """Return the stopping rules; they need a queue of all runs, whatever the order of judging is."""
    from assay.uncertainty._stopping import StoppingMonitor, check_campaign

    check_campaign(campaign)
    queue = COMMAND.callable(campaign, **{**arguments, "pair": None, "order": "residual"})
    return StoppingMonitor(args.stop, queue)


def _read_number(args: argparse.Namespace, name: str) -> int | None:
    texts = getattr(args, name)
    return None if texts is None else read_integer(f"--{name.replace('_', '-')}", texts)


def _announce(address: str, open_browser: bool) -> None:
    """Print the address of the page and open the browser if requested."""
    print(f"assay: judge at {address} (press Ctrl-C to stop)", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(address)
