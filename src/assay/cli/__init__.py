"""The ``assay`` command line: modules of this package are commands, and subpackages are groups of commands."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pkgutil import iter_modules
from textwrap import wrap
from types import ModuleType
from typing import NoReturn

from assay._version import VERSION

ABOUT = """\
Evaluate ranked retrieval: the effectiveness of runs and its uncertainty,
the effort of users, and the reliability of measures."""
EVERYDAY = (
    "check",
    "eval",
    "compare",
    "gate",
    "leaderboard",
    "topics",
    "collections",
    "plot",
    "report",
    "explore",
    "measures",
    "simulate",
    "demo",
    "trec_eval",
)
"""The most frequent commands, in the order of the help."""
EXAMPLES = """\
examples:
  assay demo
  assay eval qrels.txt bm25.run dense.run.gz -m AP nDCG@10
  assay compare qrels.txt runs/ --baseline bm25

assay COMMAND --help shows the options of a command and more examples.
"""
RENAMED = {
    **dict.fromkeys(("curve",), "effort curve"),
    "effort-gain": "effort against-gain",
    **{name: f"uncertainty {name}" for name in ("bounds", "residual", "depth", "judge-next", "ties")},
    **{name: f"distance {name}" for name in ("med", "rbo")},
    **{name: f"theory {name}" for name in ("order", "axioms", "balance")},
    **{
        name: f"meta {name}"
        for name in ("correlate", "robustness", "power", "pool-depth", "judgments", "study", "significance-counts")
    },
}
"""Current names of commands that had no group in earlier versions."""
_WITH_UNDERSCORE = ("trec_eval",)  # Named after a tool. Other commands have hyphens where modules have underscores.


def list_names(*group: str) -> list[str]:
    """Return the names of the top-level commands and groups, or of the commands in a group."""
    path = import_module(".".join([__name__, *group])).__path__
    modules = sorted(module.name for module in iter_modules(path) if not module.name.startswith("_"))
    return [name if name in _WITH_UNDERSCORE else name.replace("_", "-") for name in modules]


def list_commands() -> list[tuple[str, ...]]:
    """Return every command as a tuple of its words, such as ``("meta", "power")``."""
    return [
        words
        for name in list_names()
        for words in ([(name, inner) for inner in list_names(name)] if is_group(name) else [(name,)])
    ]


def load_module(*words: str) -> ModuleType:
    """Return the module of a command or group."""
    return import_module(".".join([__name__, *(word.replace("-", "_") for word in words)]))


def is_group(name: str) -> bool:
    """Return True if a top-level name is a group of commands."""
    return hasattr(load_module(name), "__path__")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    The code is 0 on success, 2 after a user error, 130 after an interrupt (SIGINT) and 143 after SIGTERM. Commands
    with a verdict return the exit code of their report (``Report.exit_code``).
    """
    from assay.errors import AssayError, SkippableError, escape_control_characters

    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except AssayError as error:
        remedy = "; fix it, or pass --lenient" if isinstance(error, SkippableError) else ""
        print(f"assay: {error}{remedy}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        return _exit_code(interrupt)
    except BrokenPipeError:
        # The reader of the pipe (such as ``head``) has exited. Redirect standard output, so that the interpreter does
        # not report the broken pipe again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError as error:
        print(f"assay: not enough memory{f' ({error})' if str(error) else ''}", file=sys.stderr)
        return 2
    except OSError as error:
        print(
            escape_control_characters(f"assay: {error.filename or 'standard output'}: {error.strerror}"),
            file=sys.stderr,
        )
        return 2
    return code


def _run(words: list[str]) -> int:
    """Find the command, run it and return its exit code.

    A module that defines ``run_argv`` parses its arguments itself. Functions that return None have the exit code 0.
    """
    from assay.cli._option_names import name_options
    from assay.cli._parse import asks_for_help

    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if words[:1] == ["--version"]:
        print(f"assay {VERSION}")
        return 0
    command = find_command(words)
    if not command or (len(command) == 1 and is_group(command[0])):
        if not asks_for_help(words):
            _refuse(words, command)
        print(describe_group(command[0]) if command else describe_all(), end="")
        return 0
    module, rest = load_module(*command), words[len(command) :]
    if hasattr(module, "run_argv"):
        module.run_argv(rest)
        return 0
    parser = module.COMMAND.parser(f"assay {' '.join(command)}", str(module.__doc__))
    if asks_for_help(rest):
        print(parser.format_help(), end="")
        return 0
    args = parser.parse(rest)
    with name_options(vars(args)):
        code: int | None = getattr(module, "run", module.COMMAND.run)(args)
    return code or 0


def find_command(words: Sequence[str]) -> tuple[str, ...]:
    """Return the leading words that name a command: one word, or a group and one of its commands."""
    if not words or words[0] not in list_names():
        return ()
    group = words[0]
    return (group, words[1]) if is_group(group) and words[1:] and words[1] in list_names(group) else (group,)


def _refuse(words: Sequence[str], command: tuple[str, ...]) -> NoReturn:
    """Raise an error for a missing, unknown or renamed command."""
    from assay.errors import InputError, suggestion

    rest = words[len(command) :]
    group = f" {command[0]}" if command else ""
    help_hint = f"(see assay{group} --help)"
    if not rest:
        raise InputError(
            f"name a command, such as {list_names(*command)[0] if command else 'demo or eval'} {help_hint}"
        )
    if not command and rest[0] in RENAMED:
        raise InputError(f"{rest[0]} was renamed to assay {RENAMED[rest[0]]}")
    if command == ("effort",) and os.path.exists(rest[0]):
        raise InputError(f"effort is now a group of commands; use assay effort indicators {' '.join(rest)}")
    kind = "option" if rest[0].startswith("-") else "command"
    known = ("--help", "--version") if kind == "option" else (*list_names(*command), *(() if command else RENAMED))
    similar = suggestion(rest[0], known)
    raise InputError(f"unknown {kind} {rest[0]}{f' in assay{group}' if command else ''}{similar} {help_hint}")


def describe_all() -> str:
    """Return the help of the entire command line."""
    groups = [name for name in list_names() if is_group(name)]
    others = [name for name in list_names() if name not in (*EVERYDAY, *groups)]
    lines = ["usage: assay COMMAND [arguments] [options]", "", ABOUT, "", "commands:"]
    lines += [line for name in (*EVERYDAY, *others) for line in _summarize(name, 13)]
    lines += ["", "groups of commands:"]
    for name in groups:
        lines += wrap(", ".join(list_names(name)), 78, initial_indent=f"  {name:<13}", subsequent_indent=" " * 15)
    return "\n".join([*lines, "", EXAMPLES])


def describe_group(group: str) -> str:
    """Return the help of a group of commands."""
    about = "\n".join(wrap(str(load_module(group).__doc__).strip(), 78))
    width = max(map(len, list_names(group))) + 2
    lines = [f"usage: assay {group} COMMAND [arguments] [options]", "", about, "", "commands:"]
    lines += [line for name in list_names(group) for line in _summarize(name, width, group)]
    return "\n".join([*lines, "", f"assay {group} COMMAND --help shows the options of a command and examples.", ""])


def _summarize(name: str, width: int, *group: str) -> list[str]:
    """Return the name of a command and the first line of its help, wrapped."""
    about = str(load_module(*group, name).__doc__).strip().splitlines()[0]
    return wrap(about, 79, initial_indent=f"  {name:<{width}}", subsequent_indent=" " * (width + 2))


def command() -> NoReturn:
    """Run the command line and exit the process.

    ``os._exit`` skips the shutdown of the interpreter and its libraries, which can take longer than the command.
    """
    from assay.cli import _process

    try:
        signal.signal(signal.SIGTERM, _raise_on_sigterm)
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # The shell closed the stream (``>&-``).
                setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        if isinstance(sys.stdout, TextIOWrapper):
            # The output may contain file names that are not valid UTF-8.
            sys.stdout.reconfigure(errors="backslashreplace")
            if os.name == "nt":  # Windows would write files in another encoding and with other line ends.
                sys.stdout.reconfigure(encoding="utf-8", newline="\n")
        _process.prepare()
        code = main()
        with suppress(OSError):
            sys.stderr.flush()
    except KeyboardInterrupt as interrupt:
        code = _exit_code(interrupt)
    os._exit(code)


class Terminated(KeyboardInterrupt):
    """The process received SIGTERM; as after Ctrl-C, temporary files are removed."""


def _raise_on_sigterm(*_: object) -> NoReturn:
    raise Terminated


def _exit_code(interrupt: KeyboardInterrupt) -> int:
    return 143 if isinstance(interrupt, Terminated) else 130
