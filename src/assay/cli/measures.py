"""List the measures, or explain some: formula, parameters, reference."""

from __future__ import annotations

import argparse
from shutil import get_terminal_size
from textwrap import fill

from assay.cli._output import add_output, check_output, emit, write_output
from assay.cli._parse import Parser
from assay.errors import InputError

EXAMPLES = """\
  assay measures
  assay measures nDCG
  assay measures 'RBP(p=0.8)'
  assay measures --format markdown -o measures.md
"""


_LONG = 80  # characters of a line that goes on in the next


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
        text = "\n\n".join(map(explain, args.names))
        if args.output is None:
            text = wrap_text(text)
        write_output(text.encode(), args.output)


def wrap_text(text: str) -> str:
    """Return text in lines that fit the terminal; lines of one paragraph are joined first."""
    paragraphs: list[str] = []
    goes_on = False
    for line in text.splitlines():
        plain = bool(line) and not line.startswith((" ", "-", ">>>"))
        if goes_on and plain:
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
        goes_on = plain and len(line) > _LONG
    return "".join(f"{_wrap(paragraph)}\n" for paragraph in paragraphs)


def _wrap(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return fill(line, get_terminal_size().columns, subsequent_indent=indent, break_long_words=False)


COMMAND = MeasuresCommand()
