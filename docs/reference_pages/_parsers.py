"""What the parsers of commands and figures know of their arguments."""

from __future__ import annotations

import argparse

from assay.cli import parser
from reference_pages._markdown import code, escaped, table


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command."""
    [subparsers] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(subparsers.choices)


def usage(of: argparse.ArgumentParser) -> str:
    """How a command is written, with what must be given."""
    inputs = [_input(action) for action in of._actions if not action.option_strings]
    needed = [f"{action.option_strings[-1]} {_value(action)}" for action in of._actions if _is_needed(action)]
    return " ".join([of.prog, *inputs, *needed, "[OPTIONS]"])


def _is_needed(action: argparse.Action) -> bool:
    return bool(action.option_strings) and action.required


def _input(action: argparse.Action) -> str:
    name = str(action.metavar)
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(str(action.nargs), name)


def _value(action: argparse.Action) -> str:
    return " ".join([str(action.metavar)] * (action.nargs if isinstance(action.nargs, int) else 1))


def arguments(of: argparse.ArgumentParser) -> dict[str, str]:
    """The groups of arguments: their titles (of the first none), and tables of what is in them."""
    found: dict[str, list[tuple[str, str]]] = {}
    for group in of._action_groups:
        title = "" if group in (of._positionals, of._optionals) else str(group.title)
        shown = [one for one in group._group_actions if one.help is not argparse.SUPPRESS and one.dest != "help"]
        found.setdefault(title, []).extend((_written(one), _help(of, one)) for one in shown)
    return {title: table(("argument", "meaning"), rows) for title, rows in found.items() if rows}


def _written(action: argparse.Action) -> str:
    if not action.option_strings:
        return code(action.metavar)
    *short, full = action.option_strings
    return ", ".join(map(code, [*short, f"{full} {_value(action)}" if action.nargs != 0 else full]))


def _help(of: argparse.ArgumentParser, action: argparse.Action) -> str:
    """The help of an argument, as the command prints it."""
    return escaped(of._get_formatter()._expand_help(action))
