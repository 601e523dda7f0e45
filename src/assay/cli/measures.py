"""List the measures, or show the formula and the reference of one."""

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
_LONG_LINE = 80  # A line longer than this continues in the next line.


class MeasuresCommand:
    """The command ``assay measures``; its arguments are names of measures."""

    def parser(self, prog: str, about: str) -> Parser:
        """Return the parser of the command."""
        parser = Parser(prog, "[NAME...] [options]", about, EXAMPLES)
        parser.add_input("names", "NAME", "*", "measures to describe, such as nDCG, map or RBP(p=0.8)")
        add_output(parser, {})
        return parser

    def run(self, args: argparse.Namespace) -> None:
        """Print the list of all measures, or describe the given measures."""
        from assay.views.catalogue import MeasureList, explain

        check_output(args, {})
        if not args.names:
            emit(MeasureList(), args)
            return
        if args.format is not None:
            raise InputError("--format applies only to the list of all measures; omit --format or the names")
        text = "\n\n".join(map(explain, args.names))
        if args.output is None:
            text = wrap_text(text)
        write_output(text.encode(), args.output)


def wrap_text(text: str) -> str:
    """Join the lines of each paragraph and wrap them to the width of the terminal."""
    paragraphs: list[str] = []
    continues = False
    for line in text.splitlines():
        is_prose = bool(line) and not line.startswith((" ", "-", ">>>"))
        if continues and is_prose:
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
        continues = is_prose and len(line) > _LONG_LINE
    return "".join(f"{_wrap(paragraph)}\n" for paragraph in paragraphs)


def _wrap(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return fill(line, get_terminal_size().columns, subsequent_indent=indent, break_long_words=False)


COMMAND = MeasuresCommand()
