"""Every command: purpose, usage, arguments and examples."""

from __future__ import annotations

import inspect

from assay.cli import ABOUT as ASSAY
from assay.cli import RENAMED, load_module, trec_eval
from assay.cli._parse import Parser
from assay.compat.trec_eval.help import OPTIONS
from reference_pages._markdown import escape, format_code, render_block, render_table
from reference_pages._parsers import Words, build_parser, group_commands, render_arguments, split_help

TITLE = "Commands"
ABOUT = "every command with its arguments and options"
_HEAD = """\
Which options does a command have? This page describes every command. `assay COMMAND --help` prints the same text in the
terminal. Options have the names and defaults of the parameters of the corresponding Python function
([Python names](python.md)). [Formats](formats.md) describes the input files, and [Tables and JSON](tables.md) describes
the output.

The exit code is 0 for success, 2 for an error that the user can correct, 130 after an interrupt, and 143 after a
termination signal.
"""
_LINKS = {
    ("plot",): "[Figures](plots.md) lists the options of each figure.",
    ("measures",): "[Measures](measures.md) explains all measures.",
    ("explore",): "[JSON API](api.md) describes the routes for programs.",
}
_RENAMED = """\
## Renamed commands

If a command is called by its old name, it prints the new name and exits with code 2. `assay effort QRELS RUN...` is now
`assay effort indicators QRELS RUN...`.
"""


def render_page() -> str:
    """Return the page."""
    groups = group_commands()
    index = "\n".join(_render_index(group, commands) for group, commands in groups.items())
    sections = [section for group, commands in groups.items() for section in _render_group(group, commands)]
    names = ((format_code(f"assay {old}"), format_code(f"assay {new}")) for old, new in RENAMED.items())
    renamed = render_table(("old", "new"), names)
    return "\n".join([ASSAY, "", _HEAD, index, *sections, _RENAMED, renamed])


def join_words(words: Words) -> str:
    """Return the name of a command without the leading ``assay``."""
    return " ".join(words)


def make_anchor(words: Words) -> str:
    """Return the anchor of the section of a command."""
    return "-".join(words)


def _render_index(group: str, commands: list[Words]) -> str:
    links = [f"[{join_words(words)}](#{make_anchor(words)})" for words in commands]
    purposes = [escape(split_help(load_module(*words))[0]) for words in commands]
    header = (f"assay {group}" if group else "command", "purpose")
    return render_table(header, zip(links, purposes, strict=True))


def _render_group(group: str, commands: list[Words]) -> list[str]:
    title = f"## assay {group}\n\n{escape(split_help(load_module(group))[0])}\n" if group else "## Everyday commands\n"
    return [title, *map(_render_section, commands)]


def _render_section(words: Words) -> str:
    parser = build_parser(words)
    prose = "\n\n".join(map(escape, split_help(load_module(*words))))
    head = f"### {join_words(words)}\n\n{prose}\n"
    if parser is None:
        return f"{head}\n{render_block(OPTIONS)}\n{render_block(inspect.cleandoc(trec_eval.EXAMPLES), 'sh')}"
    parts = [head, render_block(_format_usage(parser))]
    for title, rows in render_arguments(parser).items():
        parts += [f"{title.capitalize()}:\n", rows] if title else [rows]
    link = [f"{_LINKS[words]}\n"] if words in _LINKS else []
    return "\n".join([*parts, *link, _render_examples(parser)])


def _format_usage(parser: Parser) -> str:
    """Return the usage line with all inputs."""
    inputs = [argument.flags[0] for argument in parser.option_help if not argument.group]
    usage = str(parser.usage)
    missing = [name for name in inputs if name not in usage]
    return usage.replace("[options]", " ".join([*missing, "[options]"]))


def _render_examples(parser: Parser) -> str:
    return render_block(inspect.cleandoc(str(parser.epilog).removeprefix("examples:\n")), "sh")
