"""List the measures, or explain some: formula, parameters, properties, reference."""

from __future__ import annotations

import argparse

from assay.cli import _options

TASK = "to begin"
EXAMPLES = """\
  assay measures
  assay measures nDCG
  assay measures 'RBP(p=0.8)'
  assay measures --format markdown -o measures.md
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="explain these, such as nDCG, map or RBP(p=0.8), as text"
    )
    _options.output(parser)


def run(args: argparse.Namespace) -> None:
    """Print the catalogue or one measure."""
    from assay.errors import InputError
    from assay.io.writing import write_file
    from assay.views.catalogue import explained, listed

    if not args.names:
        _options.emit(listed(), args)
        return
    if args.format is not None:
        raise InputError("a measure is explained as text; leave --format out")
    text = "\n\n".join(map(explained, args.names))
    if args.output is not None:
        write_file(args.output, text.encode())
    else:
        print(text, end="")
