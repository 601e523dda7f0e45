"""Every command: purpose, usage, arguments and examples."""

from __future__ import annotations

import inspect

from assay.cli import ABOUT as ASSAY
from assay.cli import RENAMED, load_module, trec_eval
from assay.cli._parse import Parser
from assay.compat.trec_eval.help import OPTIONS
from reference_pages._markdown import block, code, escape, table
from reference_pages._parsers import Words, arguments, command_parser, grouped_commands, paragraphs

TITLE = "Commands"
ABOUT = "every command with its arguments and options"
_HEAD = """\
`assay COMMAND --help` prints the same text in the terminal. Options have the names and defaults of the parameters of
the corresponding Python function ([Python names](python.md)). [Formats](formats.md) describes the input files, and
[Tables and JSON](tables.md) the output.

The exit code is 0 for success, 2 for an error that the user can correct (reported in one line), 130 after an interrupt
and 143 after a termination signal.
"""
_MORE = {
    ("plot",): "[Figures](plots.md) lists the options of each figure.",
    ("measures",): "[Measures](measures.md) explains all measures.",
    ("explore",): "[JSON API](api.md) describes its routes for programs.",
}
_RENAMED = """\
## Renamed commands

An old name prints the new one and exits with code 2. `assay effort QRELS RUN...` is now `assay effort indicators`.
"""


def page() -> str:
    """Return the page."""
    groups = grouped_commands()
    index = "\n".join(_index(group, commands) for group, commands in groups.items())
    sections = [section for group, commands in groups.items() for section in _group(group, commands)]
    renamed = table(("old", "new"), ((code(f"assay {old}"), code(f"assay {new}")) for old, new in RENAMED.items()))
    return "\n".join([ASSAY, "", _HEAD, index, *sections, _RENAMED, renamed])


def name_of(words: Words) -> str:
    """Return a command without the leading ``assay``."""
    return " ".join(words)


def anchor(words: Words) -> str:
    """Return the anchor of the section of a command."""
    return "-".join(words)


def _index(group: str, commands: list[Words]) -> str:
    rows = [(f"[{name_of(words)}](#{anchor(words)})", escape(paragraphs(load_module(*words))[0])) for words in commands]
    return f"{table(('command' if not group else f'assay {group}', 'purpose'), rows)}"


def _group(group: str, commands: list[Words]) -> list[str]:
    title = f"## assay {group}\n\n{escape(paragraphs(load_module(group))[0])}\n" if group else "## Everyday commands\n"
    return [title, *map(_section, commands)]


def _section(words: Words) -> str:
    parser = command_parser(words)
    prose = "\n\n".join(map(escape, paragraphs(load_module(*words))))
    head = f"### {name_of(words)}\n\n{prose}\n"
    if parser is None:
        return f"{head}\n{block(OPTIONS)}\n{block(inspect.cleandoc(trec_eval.EXAMPLES), 'sh')}"
    parts = [head, block(_usage(parser))]
    for title, rows in arguments(parser).items():
        parts += [f"{title.capitalize()}:\n", rows] if title else [rows]
    more = [f"{_MORE[words]}\n"] if words in _MORE else []
    return "\n".join([*parts, *more, _examples(parser)])


def _usage(parser: Parser) -> str:
    """Return the usage line with all inputs."""
    inputs = [argument.flags[0] for argument in parser.option_help if not argument.group]
    usage = str(parser.usage)
    missing = [name for name in inputs if name not in usage]
    return usage.replace("[options]", " ".join([*missing, "[options]"]))


def _examples(parser: Parser) -> str:
    return block(inspect.cleandoc(str(parser.epilog).removeprefix("examples:\n")), "sh")
