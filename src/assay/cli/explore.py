"""Explore runs, topics and measures in the browser.

Runs are read once. A local web server then shows the pages until you press Ctrl-C. The pages load nothing from the
network and cannot change any files.
"""

from __future__ import annotations

import argparse
import sys

from assay.cli._command import Command
from assay.cli._output import print_notes, show_progress
from assay.cli._parameters import Option, read_integer

COMMAND = Command(
    "assay.explore",
    """\
  assay explore qrels.txt runs/ --open
  assay explore qrels.txt bm25.run dense.run --port 9000
  assay explore qrels.txt runs/ --grades 4=3,-2=0 --lenient
  assay explore qrels.txt runs/ --queries topics.tsv --docs corpus.jsonl
""",
    keep="documents",
    policies=("ties", "missing", "undefined", "unjudged"),
    texts=True,
    options={
        "host": Option("ADDRESS", "address to listen on"),
        "port": Option("N", "port; 0 chooses a free port", read_integer),
        "open": Option("", "open the explorer in the browser"),
    },
    add_output=lambda parser: None,
)


def run(args: argparse.Namespace) -> None:
    """Read the campaign and serve the explorer until interrupted."""
    from assay.engine.campaign import Campaign
    from assay.views.explorer import is_loopback, serve_campaign

    arguments = COMMAND.read_options(args, COMMAND.parameters)
    defaults = COMMAND.parameters
    host, port = arguments.get("host", defaults["host"]), arguments.get("port", defaults["port"])

    def read() -> Campaign:
        if not is_loopback(host):
            warning = "everyone who can reach this address can read the runs and judgments; there is no password"
            print_notes([f"--host {host}: {warning}"])
        with show_progress("reading runs") as progress:
            campaign = COMMAND.read(args, progress)
        print_notes(campaign.notes, where=" (the explorer shows all)", options=vars(args))
        return campaign

    serve_campaign(read, host, port, lambda address: _announce(address, args.open))
    print("assay: stopped", file=sys.stderr)


def _announce(address: str, open_browser: bool) -> None:
    """Print the address of the explorer and open the browser if requested."""
    print(f"assay: the explorer is at {address} (press Ctrl-C to stop)", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(address)
