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
    parser.add_argument("name", metavar="NAME", nargs="?", help="explain one, such as nDCG, map or RBP(p=0.8), as text")
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Print the catalogue or one measure."""
    from assay.errors import InputError
    from assay.io.writing import whole
    from assay.views.catalogue import explained, listed

    if args.name is None:
        _options.emit(listed(), args)
    elif args.format is not None:
        raise InputError("a measure is explained as text; leave --format out")
    elif args.output is not None:
        whole(args.output, explained(args.name).encode())
    else:
        print(explained(args.name), end="")
