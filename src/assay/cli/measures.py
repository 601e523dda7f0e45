"""List the measures, or explain some: formula, parameters, reference."""

from __future__ import annotations

import argparse

from assay.cli._output import add_output, check_output, emit, write_output
from assay.cli._parse import Parser
from assay.errors import InputError

EXAMPLES = """\
  assay measures
  assay measures nDCG
  assay measures 'RBP(p=0.8)'
  assay measures --format markdown -o measures.md
"""


class MeasuresCommand:
    """The command; its arguments are names of measures."""

    def parser(self, prog: str, about: str) -> Parser:
        """Return the parser."""
        parser = Parser(prog, "[NAME...] [options]", about, EXAMPLES)
        parser.add_input("names", "NAME", "*", "explain these, such as nDCG, map or RBP(p=0.8)")
        add_output(parser, {})
        return parser

    def run(self, args: argparse.Namespace) -> None:
        """Print the catalogue, or explain measures."""
        from assay.views.catalogue import MeasureList, explain

        check_output(args, {})
        if not args.names:
            emit(MeasureList(), args)
            return
        if args.format is not None:
            raise InputError("measures are explained as text; leave --format out")
        write_output("\n\n".join(map(explain, args.names)).encode(), args.output)


COMMAND = MeasuresCommand()
