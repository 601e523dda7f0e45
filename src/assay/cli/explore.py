"""Explore runs, topics and measures in the browser.

Runs are read once. A local web server then shows the pages until you press Ctrl-C. The pages load nothing from the
network and cannot change any files. --export writes the pages as files for any web server instead.
"""

from __future__ import annotations

import argparse
import sys

from assay.cli._command import Command
from assay.cli._output import print_notes, show_progress
from assay.cli._parameters import Option, read_integer, read_one
from assay.errors import InputError

COMMAND = Command(
    "assay.explore",
    """\
  assay explore qrels.txt runs/ --open
  assay explore qrels.txt bm25.run dense.run --port 9000
  assay explore qrels.txt runs/ --grades 4=3,-2=0 --lenient
  assay explore qrels.txt runs/ --export copy
  assay explore qrels.txt runs/ --queries topics.tsv --docs corpus.jsonl
""",
    keep="documents",
    policies=("ties", "missing", "undefined", "unjudged"),
    texts=True,
    options={
        "host": Option("ADDRESS", "address to listen on"),
        "port": Option("N", "port; 0 chooses a free port", read_integer),
        "open": Option("", "open the explorer in the browser"),
        "export": Option("DIR", "write the pages as files for any web server to a new directory, and stop", read_one),
    },
    add_output=lambda parser: None,
)


def run(args: argparse.Namespace) -> None:
    """Read the campaign, and serve the explorer until interrupted or write it as files."""
    from assay.engine.campaign import Campaign
    from assay.memory import format_size
    from assay.views.explorer import export_campaign, is_loopback, serve_campaign

    arguments = COMMAND.read_options(args, COMMAND.parameters)
    defaults = COMMAND.parameters
    host, port = arguments.get("host", defaults["host"]), arguments.get("port", defaults["port"])
    directory = arguments.get("export")
    for name in ("host", "port", "open"):
        if directory is not None and name in arguments:
            raise InputError(f"--export cannot be combined with --{name}; omit one of them")

    def read() -> Campaign:
        if directory is None and not is_loopback(host):
            warning = "everyone who can reach this address can read the runs and judgments; there is no password"
            print_notes([f"--host {host}: {warning}"])
        with show_progress("reading runs") as progress:
            campaign = COMMAND.read(args, progress)
        print_notes(campaign.notes, where=" (the explorer shows all)", options=vars(args))
        return campaign

    if directory is not None:
        size = export_campaign(read, directory)
        print(f"assay: wrote {directory} ({format_size(size)})", file=sys.stderr)
        return
    serve_campaign(read, host, port, lambda address: _announce(address, args.open))
    print("assay: stopped", file=sys.stderr)


def _announce(address: str, open_browser: bool) -> None:
    """Print the address of the explorer and open the browser if requested."""
    print(f"assay: the explorer is at {address} (press Ctrl-C to stop)", flush=True)
    if open_browser:
        import webbrowser

        webbrowser.open(address)
