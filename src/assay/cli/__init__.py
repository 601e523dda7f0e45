"""The ``assay`` command: a module of this folder is a command, a folder is a group of commands."""

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
Evaluate ranked retrieval: how good runs are, how certain that is, what effort
they cost their users, and how far measures can be trusted."""
EVERYDAY = ("eval", "compare", "leaderboard", "plot", "report", "explore", "measures", "simulate", "demo", "trec_eval")
"""Commands in the order of the help."""
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
"""Where commands went that were once at the top level."""
_AS_THEY_ARE = ("trec_eval",)  # named after the tools they stand for


def names(*group: str) -> list[str]:
    """Return the commands and groups at the top level, or the commands of a group."""
    path = import_module(".".join([__name__, *group])).__path__
    modules = sorted(module.name for module in iter_modules(path) if not module.name.startswith("_"))
    return [name if name in _AS_THEY_ARE else name.replace("_", "-") for name in modules]


def commands() -> list[tuple[str, ...]]:
    """Return every command as its words."""
    return [
        words
        for name in names()
        for words in ([(name, inner) for inner in names(name)] if is_group(name) else [(name,)])
    ]


def load(*words: str) -> ModuleType:
    """Return the module of a command or group."""
    return import_module(".".join([__name__, *(word.replace("-", "_") for word in words)]))


def is_group(name: str) -> bool:
    """Whether a name at the top level is a group of commands."""
    return hasattr(load(name), "__path__")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 0, 2 for an error of the user, 130 if interrupted, 143 if terminated."""
    from assay.errors import AssayError, SkippableError, printable

    try:
        _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except AssayError as error:
        remedy = "; fix it, or pass --lenient" if isinstance(error, SkippableError) else ""
        print(f"assay: {error}{remedy}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as stopped:
        return _code(stopped)
    except BrokenPipeError:
        # The reader has gone: keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError as error:
        print(f"assay: not enough memory{f' ({error})' if str(error) else ''}", file=sys.stderr)
        return 2
    except OSError as error:
        print(printable(f"assay: {error.filename or 'standard output'}: {error.strerror}"), file=sys.stderr)
        return 2
    return 0


def _run(words: list[str]) -> None:
    """Find the command and run it; a module with the function ``words`` reads its arguments itself."""
    from assay.cli._parse import asks_for_help

    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if words[:1] == ["--version"]:
        print(f"assay {VERSION}")
        return
    command = find_command(words)
    if not command or (len(command) == 1 and is_group(command[0])):
        if not asks_for_help(words):
            _refuse(words, command)
        print(describe_group(command[0]) if command else describe_all(), end="")
        return
    module, rest = load(*command), words[len(command) :]
    if hasattr(module, "words"):
        module.words(rest)
        return
    parser = module.COMMAND.parser(f"assay {' '.join(command)}", str(module.__doc__))
    if asks_for_help(rest):
        print(parser.format_help(), end="")
        return
    getattr(module, "run", module.COMMAND.run)(parser.parse(rest))


def find_command(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of the command at the beginning: one, or a group and one of its commands."""
    if not words or words[0] not in names():
        return ()
    group = words[0]
    return (group, words[1]) if is_group(group) and words[1:] and words[1] in names(group) else (group,)


def _refuse(words: Sequence[str], command: tuple[str, ...]) -> NoReturn:
    """Say which command is missing, or unknown, and where an old one went."""
    from assay.errors import InputError, suggestion

    rest = words[len(command) :]
    group = f" {command[0]}" if command else ""
    see = f"(see assay{group} --help)"
    if not rest:
        raise InputError(f"name a command, such as {names(*command)[0] if command else 'demo or eval'} {see}")
    if not command and rest[0] in RENAMED:
        raise InputError(f"{rest[0]} is now: assay {RENAMED[rest[0]]}")
    if command == ("effort",) and os.path.exists(rest[0]):
        raise InputError(f"effort is a group of commands now: assay effort indicators {' '.join(rest)}")
    kind = "option" if rest[0].startswith("-") else "command"
    known = ("--help", "--version") if kind == "option" else (*names(*command), *(() if command else RENAMED))
    near = suggestion(rest[0], known)
    raise InputError(f"there is no {kind} {rest[0]}{f' in assay{group}' if command else ''}{near} {see}")


def describe_all() -> str:
    """Return the help of the whole command."""
    groups = [name for name in names() if is_group(name)]
    others = [name for name in names() if name not in (*EVERYDAY, *groups)]
    lines = ["usage: assay COMMAND [arguments] [options]", "", ABOUT, "", "commands:"]
    lines += [line for name in (*EVERYDAY, *others) for line in _lines(name, 13)]
    lines += ["", "groups of commands:"]
    for name in groups:
        lines += wrap(", ".join(names(name)), 78, initial_indent=f"  {name:<13}", subsequent_indent=" " * 15)
    return "\n".join([*lines, "", EXAMPLES])


def describe_group(group: str) -> str:
    """Return the help of a group."""
    about = "\n".join(wrap(str(load(group).__doc__).strip(), 78))
    width = max(map(len, names(group))) + 2
    lines = [f"usage: assay {group} COMMAND [arguments] [options]", "", about, "", "commands:"]
    lines += [line for name in names(group) for line in _lines(name, width, group)]
    return "\n".join([*lines, "", f"assay {group} COMMAND --help shows the options of a command and examples.", ""])


def _lines(name: str, width: int, *group: str) -> list[str]:
    about = str(load(*group, name).__doc__).strip().splitlines()[0]
    return wrap(about, 79, initial_indent=f"  {name:<{width}}", subsequent_indent=" " * (width + 2))


def command() -> NoReturn:
    """Run the command and leave at once: taking the interpreter and its libraries down would take longer than a run."""
    from assay.cli import _process

    try:
        signal.signal(signal.SIGTERM, _terminated)
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the shell
                setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        if isinstance(sys.stdout, TextIOWrapper):  # output may hold a file name that is not UTF-8
            sys.stdout.reconfigure(errors="backslashreplace")
        _process.prepare()
        code = main()
        with suppress(OSError):
            sys.stderr.flush()
    except KeyboardInterrupt as stopped:
        code = _code(stopped)
    os._exit(code)


class Terminated(KeyboardInterrupt):
    """The process was asked to end: as after Ctrl-C, temporary files are removed."""


def _terminated(*_: object) -> NoReturn:
    raise Terminated


def _code(stopped: KeyboardInterrupt) -> int:
    return 143 if isinstance(stopped, Terminated) else 130
