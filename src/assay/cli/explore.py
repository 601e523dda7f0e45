"""Explore a campaign in the browser: runs, topics, pairs, measures.

Runs are read once; then pages are served on this machine until Ctrl-C. Nothing is fetched from elsewhere, and nothing
can be changed from the pages.
"""

from __future__ import annotations

import argparse
import sys

from assay.cli._command import Command
from assay.cli._output import print_notes, show_progress
from assay.cli._parameters import Option, read_whole

COMMAND = Command(
    "assay.explore",
    """\
  assay explore qrels.txt runs/ --open
  assay explore qrels.txt bm25.run dense.run --port 9000
  assay explore qrels.txt runs/ --grades 4=3,-2=0 --lenient
""",
    keep="documents",
    policies=("ties", "missing", "undefined", "unjudged"),
    options={
        "host": Option("ADDRESS", "address to listen on"),
        "port": Option("N", "port; 0: any free one", read_whole),
        "open": Option("", "open the browser"),
    },
    add_output=lambda parser: None,
)


def run(args: argparse.Namespace) -> None:
    """Read, then serve until interrupted."""
    from assay.engine.campaign import Campaign
    from assay.views.explorer import is_loopback, serve_campaign

    given = COMMAND.read_options(args, COMMAND.parameters)
    defaults = COMMAND.parameters
    host, port = given.get("host", defaults["host"]), given.get("port", defaults["port"])

    def read() -> Campaign:
        if not is_loopback(host):
            told = "whoever reaches this address can read the runs and judgments; there is no password"
            print_notes([f"--host {host}: {told}"])
        with show_progress("reading runs") as progress:
            campaign = COMMAND.read(args, progress)
        print_notes(campaign.notes, where=" (all are in the explorer)")
        return campaign

    serve_campaign(read, host, port, lambda address: _ready(address, args.open))
    print("assay: stopped", file=sys.stderr)


def _ready(address: str, browser: bool) -> None:
    print(f"assay: the explorer is at {address} (Ctrl-C stops it)", flush=True)
    if browser:
        import webbrowser

        webbrowser.open(address)
