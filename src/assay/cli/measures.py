"""List the measures, or explain one: formula, parameters, properties, reference."""

from __future__ import annotations

import argparse

from assay.cli import _options

EXAMPLES = """\
  assay measures
  assay measures nDCG
  assay measures 'RBP(p=0.8)'
  assay measures --format markdown -o measures.md
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a measure, such as nDCG, map or RBP(p=0.8)")
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Print the catalogue or one measure."""
    from assay.views.catalogue import explained, listed

    if args.name is None:
        _options.emit(listed(), args)
    else:
        print(explained(args.name), end="")
