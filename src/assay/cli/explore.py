"""Explore a campaign in the browser: leaderboards, effort and gain, topics, runs, pairs, a lab for measures.

Runs are read once; then pages are served on this machine until Ctrl-C. Nothing is fetched from elsewhere, and
nothing can be changed from the pages.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress

from assay.cli import _options

TASK = "pictures"
EXAMPLES = """\
  assay explore qrels.txt runs/ --open
  assay explore qrels.txt bm25.run dense.run --port 9000
  assay explore qrels.txt runs/ --ties score-file --undefined exclude
  assay explore qrels.txt runs/ --grades 4=3,-2=0 --lenient
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    _options.inputs(parser)
    group = parser.add_argument_group("server")
    group.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on (default: 127.0.0.1, this machine only)",
    )
    group.add_argument("--port", type=int, default=8765, metavar="N", help="port (default: 8765; 0: any free port)")
    group.add_argument("--open", action="store_true", help="open the browser")
    _options.policies(parser, sampling=False)


def run(args: argparse.Namespace) -> None:
    """Read, then serve until interrupted."""
    from assay.errors import InputError
    from assay.views.explorer import require_packages

    if not 0 <= args.port <= 65535:
        raise InputError(f"--port must be from 0 to 65535, got {args.port}")
    require_packages()
    from assay.views.explorer.figures import prepare
    from assay.views.explorer.files import VegaProcess
    from assay.views.explorer.security import is_loopback
    from assay.views.explorer.server import listen, serve
    from assay.views.explorer.state import ExplorerState

    with listen(args.host, args.port) as listener:
        if not is_loopback(args.host):
            print(
                f"assay: note: --host {args.host}: whoever reaches this address can read the runs and judgments; "
                "there is no password",
                file=sys.stderr,
            )
        with VegaProcess() as vega:
            with _options.progress("reading runs") as progress:
                state = ExplorerState(_options.read_campaign(args, progress, keep="documents"))
                prepare(state)
            runtime = vega.result()
        _options.say(state.campaign.notes, where=" (all are in the explorer)")
        with suppress(KeyboardInterrupt):  # the usual way to end it
            serve(state, listener, args.host, lambda address: _ready(address, args.open), runtime)
    print("assay: stopped", file=sys.stderr)


def _ready(address: str, browser: bool) -> None:
    print(f"assay: the explorer is at {address} (Ctrl-C stops it)", flush=True)
    if browser:
        import webbrowser

        webbrowser.open(address)
