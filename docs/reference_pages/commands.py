"""Every command: what it does, how it is written, its arguments, examples."""

from __future__ import annotations

import argparse
import inspect

from assay.cli import ABOUT as ASSAY
from assay.compat.trec_eval import help as trec_eval
from reference_pages._markdown import block, escaped, table
from reference_pages._parsers import arguments, commands, usage

TITLE = "Commands"
ABOUT = "every command with its arguments and options"
_HEAD = """\
`assay COMMAND --help` says the same in the terminal. Exit codes: 0, 2 for what a user can mend (one line says what and
where), 130 when interrupted, 143 when terminated. The columns of tables and what JSON looks like are in
[Tables and JSON](tables.md); what is read and written, in [Formats](formats.md).
"""
_MORE = {
    "plot": "What a figure takes beyond this is in [Figures](plots.md).",
    "measures": "The same for all measures is in [Measures](measures.md).",
    "explore": "What it answers to programs is in [JSON API](api.md).",
}


def page() -> str:
    """The page."""
    known = commands()
    index = table(("command", "what it does"), ((f"[{name}](#{name})", _first(one)) for name, one in known.items()))
    return "\n".join([ASSAY, "", _HEAD, index, *(_section(name, one) for name, one in known.items())])


def _first(of: argparse.ArgumentParser) -> str:
    return escaped((of.description or "").strip().splitlines()[0])


def _section(name: str, of: argparse.ArgumentParser) -> str:
    if name == "trec_eval":
        return f"## {name}\n\n{_prose(of)}\n\n{block(trec_eval.OPTIONS)}\n{_examples(of)}"
    parts = [f"## {name}\n", f"{_prose(of)}\n", block(usage(of))]
    for title, rows in arguments(of).items():
        parts += [f"{title[0].upper()}{title[1:]}:\n", rows] if title else [rows]
    more = [f"{_MORE[name]}\n"] if name in _MORE else []
    return "\n".join([*parts, *more, _examples(of)])


def _prose(of: argparse.ArgumentParser) -> str:
    """The description; its paragraphs are text, and what is indented is as it is."""
    paragraphs = inspect.cleandoc(of.description or "").split("\n\n")
    return "\n\n".join(block(one).rstrip() if one.startswith("  ") else escaped(one) for one in paragraphs)


def _examples(of: argparse.ArgumentParser) -> str:
    return block(inspect.cleandoc((of.epilog or "").removeprefix("examples:\n")), "sh")
