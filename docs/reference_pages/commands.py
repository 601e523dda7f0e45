"""Every command: what it does, how it is written, its arguments, examples."""

from __future__ import annotations

import inspect

from assay.cli import ABOUT as ASSAY
from assay.cli import RENAMED, load_module, trec_eval
from assay.cli._parse import Parser
from assay.compat.trec_eval.help import OPTIONS
from reference_pages._markdown import block, code, escaped, table
from reference_pages._parsers import Words, arguments, command_parser, grouped_commands, paragraphs

TITLE = "Commands"
ABOUT = "every command with its arguments and options"
_HEAD = """\
`assay COMMAND --help` prints the same in the terminal. Exit codes: 0 for success, 2 for an error that the user can
correct (one line says what and where), 130 when interrupted, 143 when terminated. Options have the names and the
defaults of the parameters of the Python function ([Python names](python.md)). The columns of tables and the JSON
output are described in [Tables and JSON](tables.md), the formats of files in [Formats](formats.md).
"""
_MORE = {
    ("plot",): "The options of each figure are in [Figures](plots.md).",
    ("measures",): "All measures are explained in [Measures](measures.md).",
    ("explore",): "The answers to programs are described in [JSON API](api.md).",
}
_RENAMED = """\
## Renamed commands

These names answer with the new one and exit with code 2. `assay effort QRELS RUN...` is now
`assay effort indicators`.
"""


def page() -> str:
    """The page."""
    groups = grouped_commands()
    index = "\n".join(_index(group, commands) for group, commands in groups.items())
    sections = [section for group, commands in groups.items() for section in _group(group, commands)]
    moved = table(("old", "new"), ((code(f"assay {old}"), code(f"assay {new}")) for old, new in RENAMED.items()))
    return "\n".join([ASSAY, "", _HEAD, index, *sections, _RENAMED, moved])


def name_of(words: Words) -> str:
    """Return a command as it is written behind ``assay``."""
    return " ".join(words)


def anchor(words: Words) -> str:
    """Return the anchor of the section of a command."""
    return "-".join(words)


def _index(group: str, commands: list[Words]) -> str:
    rows = [
        (f"[{name_of(words)}](#{anchor(words)})", escaped(paragraphs(load_module(*words))[0])) for words in commands
    ]
    return f"{table(('command' if not group else f'assay {group}', 'purpose'), rows)}"


def _group(group: str, commands: list[Words]) -> list[str]:
    title = f"## assay {group}\n\n{escaped(paragraphs(load_module(group))[0])}\n" if group else "## Everyday commands\n"
    return [title, *map(_section, commands)]


def _section(words: Words) -> str:
    parser = command_parser(words)
    prose = "\n\n".join(map(escaped, paragraphs(load_module(*words))))
    head = f"### {name_of(words)}\n\n{prose}\n"
    if parser is None:
        return f"{head}\n{block(OPTIONS)}\n{block(inspect.cleandoc(trec_eval.EXAMPLES), 'sh')}"
    parts = [head, block(_usage(parser))]
    for title, rows in arguments(parser).items():
        parts += [f"{title.capitalize()}:\n", rows] if title else [rows]
    more = [f"{_MORE[words]}\n"] if words in _MORE else []
    return "\n".join([*parts, *more, _examples(parser)])


def _usage(parser: Parser) -> str:
    """Return the usage with the inputs that it does not name itself."""
    inputs = [argument.flags[0] for argument in parser.option_help if not argument.group]
    usage = str(parser.usage)
    missing = [name for name in inputs if name not in usage]
    return usage.replace("[options]", " ".join([*missing, "[options]"]))


def _examples(parser: Parser) -> str:
    return block(inspect.cleandoc(str(parser.epilog).removeprefix("examples:\n")), "sh")
