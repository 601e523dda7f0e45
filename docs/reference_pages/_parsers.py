"""Parsers of commands and figures, and tables of their arguments."""

from __future__ import annotations

from types import ModuleType

from assay.cli import EVERYDAY, is_group, list_commands, list_names, load_module
from assay.cli._parse import OptionHelp, Parser
from assay.cli.plot import general_parser
from reference_pages._markdown import escape, format_code, render_table

Words = tuple[str, ...]
"""The words of a command, such as ``("effort", "curve")``."""


def group_commands() -> dict[str, list[Words]]:
    """Return the commands of each group, in the order of the help. The group ``""`` contains the top-level commands."""
    everyday = [(name,) for name in EVERYDAY]
    others = [words for words in list_commands() if len(words) == 1 and words not in everyday]
    groups = [name for name in list_names() if is_group(name)]
    return {"": [*everyday, *others], **{group: [(group, name) for name in list_names(group)] for group in groups}}


def build_parser(words: Words) -> Parser | None:
    """Return the parser of a command, or None for trec_eval, which parses its own arguments."""
    module = load_module(*words)
    if words == ("plot",):
        return general_parser()
    if not hasattr(module, "COMMAND"):
        return None
    parser: Parser = module.COMMAND.parser(f"assay {' '.join(words)}", str(module.__doc__))
    return parser


def split_help(module: ModuleType) -> list[str]:
    """Return the help text of a command as a list of paragraphs."""
    return [" ".join(text.split()) for text in str(module.__doc__).strip().split("\n\n")]


def render_arguments(parser: Parser, inputs: bool = True) -> dict[str, str]:
    """Return a table of arguments for each group of options. The group ``""`` contains inputs and general options."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for argument in sorted(parser.option_help, key=lambda argument: argument.group != ""):
        if "--help" not in argument.flags and (inputs or argument.group):
            title = "" if argument.group == "options" else argument.group
            groups.setdefault(title, []).append((_format_flags(argument), escape(argument.about)))
    return {title: render_table(("argument", "meaning"), rows) for title, rows in groups.items()}


def _format_flags(argument: OptionHelp) -> str:
    *short, full = argument.flags
    return ", ".join(map(format_code, [*short, f"{full} {argument.metavar}".strip()]))
