"""The ``assay`` command: each subcommand is a small module of this folder."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, NoReturn

from assay._version import VERSION

ABOUT = "Evaluate ranked retrieval: from run files and relevance judgments to values per topic, strict and fast."
EXAMPLES = """\
examples:
  assay demo
  assay eval qrels.txt bm25.run dense.run.gz -m AP nDCG@10
  assay measures nDCG

assay COMMAND --help shows the options of a command and more examples.
"""
TASKS = ("to begin", "values", "which run is better", "effort", "missing judgments", "measures", "pictures", "other")
"""What commands are for, in the order of the help; each says its own as ``TASK``."""
SAME = (
    ("--measure", "--measures", "--metric", "--metrics"),
    ("--depth", "--depths", "-k"),
    ("--persistence", "--persistences", "-p"),
    ("--pool", "--pools", "--pool-depth"),
    ("--test", "--tests"),
    ("--alpha", "--levels"),
    ("--top", "--most"),
    ("--best", "--share"),
    ("--run", "--only"),
    ("--pair", "--compare"),
    ("--sizes", "-n"),
)
"""Names of one thing in different commands and figures: whichever a command has, it takes the others for it."""
_AS_THEY_ARE = ("trec_eval",)  # named as the tools they stand for
_ALONE = ("-h", "--help", "--version")  # what goes without a command
# What may follow -m: a name, perhaps with parameters and a cutoff; not a file name, a glob or irds:ID.
_MEASURE = re.compile(r"(\d+pt_avg|[^\W\d][\w*-]*([.,][\d.]+)*)\s*(\(.*\))?\s*(@.+)?", re.DOTALL)
_COMMA = re.compile(r",(?![^()]*\))")  # outside brackets
_FLAGS = ("-m", *SAME[0])


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.register("type", int, _whole)
        self.register("type", float, _number)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        from assay.errors import printable

        self.exit(2, printable(f"{self.prog}: {message} (see {self.prog} --help)") + "\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help; argparse itself would ignore that standard output cannot be written."""
        if file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Say which of the words mean nothing here; of an option, which one may have been meant."""
        from assay.errors import suggestion

        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), None)
        if option is None:
            self.error(f"too many arguments: {' '.join(unknown)}")
        known = [name.removeprefix("--") for name in self._option_string_actions if name.startswith("--")]
        near = suggestion(option.lstrip("-"), known) if option.startswith("--") else ""
        self.error(f"there is no option {option}{near.replace('mean ', 'mean --')}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse words; an option may have the name that it has in other commands."""
        return super().parse_known_args(None if args is None else [*map(self._own, args)], namespace)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Take the value of ``--format=--`` as it is: argparse before Python 3.13 drops it and returns a list."""
        if action.option_strings and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            return value if action.nargs is None else [value]
        return super()._get_values(action, arg_strings)

    def _own(self, word: str) -> str:
        name, sign, value = word.partition("=")
        if not name.startswith("-") or name in self._option_string_actions:
            return word
        same = [other for group in SAME if name in group for other in group if other in self._option_string_actions]
        return f"{same[0]}{sign}{value}" if len(same) == 1 else word


def _whole(text: str) -> int:
    from assay.io.numbers import MOST_DIGITS, whole_number
    from assay.io.problems import shown

    value = whole_number(text)
    if value is None:
        digits = f" of at most {MOST_DIGITS} digits" if len(text) > MOST_DIGITS else ""
        raise argparse.ArgumentTypeError(f"write a whole number{digits}, not {shown(text)}")
    return value


def _number(text: str) -> float:
    from assay.io.numbers import number
    from assay.io.problems import shown

    value = number(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"write a number, not {shown(text)}")
    return value


def names() -> list[str]:
    """Every subcommand."""
    found = [module.name for module in iter_modules(__path__) if not module.name.startswith("_")]
    return [name if name in _AS_THEY_ARE else name.replace("_", "-") for name in found]


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def parser(only: str | None = None) -> Parser:
    """The parser of the whole command, or of one subcommand only: the others need not be loaded to run it."""
    modules = {name: _module(name) for name in (names() if only is None else [only])}
    top = Parser(
        prog="assay",
        usage="assay [-h] [--version] COMMAND ...",
        description=ABOUT,
        epilog=None if only else f"{_listed(modules)}\n{EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"assay {VERSION}")
    subparsers = top.add_subparsers(dest="command", prog="assay", help=argparse.SUPPRESS, required=True)
    for name, module in modules.items():
        sub = subparsers.add_parser(
            name,
            description=module.__doc__,
            epilog=f"examples:\n{module.EXAMPLES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(sub)
        sub.set_defaults(run=getattr(module, "run", None), parser=sub)
    return top


def _listed(modules: dict[str, ModuleType]) -> str:
    """The commands by what they are for, each with the first line of what it says about itself."""
    wide = max(map(len, modules)) + 4
    lines = []
    for task in TASKS:
        own = {name: module for name, module in modules.items() if getattr(module, "TASK", TASKS[-1]) == task}
        lines += (
            [f"{task}:", *(_entry(name, str(module.__doc__), wide) for name, module in own.items()), ""] if own else []
        )
    return "\n".join(lines)


def _entry(name: str, about: str, wide: int) -> str:
    from shutil import get_terminal_size
    from textwrap import fill

    return fill(
        about.strip().splitlines()[0],
        width=max(get_terminal_size().columns - 2, wide + 20),
        initial_indent=f"  {name}".ljust(wide),
        subsequent_indent=" " * wide,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 0, 2 for what a user can mend, 130 when interrupted, 143 when terminated."""
    from assay.errors import AssayError, SkippableError, printable

    try:
        try:
            _run(sys.argv[1:] if argv is None else list(argv))
        except SystemExit:  # after --help and --version
            sys.stdout.flush()
            raise
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
    """Run a command; one that reads its arguments in a way of its own has the function ``words``."""
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    command = _command(words)
    given = getattr(_module(command), "words", None) if command is not None else None
    if given is not None:
        given(words[1:])
        return
    args = _arguments(spread(words), command)
    args.run(args)


def _command(words: list[str]) -> str | None:
    """The command that is asked for; None where there is an option that goes without one."""
    from assay.errors import suggestion

    if not words:
        Parser(prog="assay").error("name a command, such as demo or eval")
    first = words[0]
    if first in names():
        return first
    if first not in _ALONE:
        what = "option" if first.startswith("-") else "command"
        known: Iterable[str] = _ALONE if what == "option" else names()
        Parser(prog="assay").error(f"there is no {what} {first}{suggestion(first, known)}")
    return None


def _arguments(words: list[str], command: str | None) -> argparse.Namespace:
    from assay.cli import _options

    args: argparse.Namespace
    args, unknown = parser(command).parse_known_args(words)
    runs = getattr(args, "runs", None)
    # argparse fills a list of positionals from one place only: runs behind an option (a.run -m AP b.run) are left over.
    if isinstance(runs, list) and not any(word.startswith("-") and word != "-" for word in unknown):
        runs += unknown
    elif unknown:
        args.parser.refuse(unknown)
    if hasattr(args, "digits"):
        _options.check(args)
    return args


def command() -> NoReturn:
    """Run the command and leave at once: taking the interpreter and its libraries down would take longer than a run."""
    from assay.cli import _process

    try:
        signal.signal(signal.SIGTERM, _terminated)
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the shell
                setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        if isinstance(sys.stdout, TextIOWrapper):  # what is printed may hold a file name that is not UTF-8
            sys.stdout.reconfigure(errors="backslashreplace")
        _process.prepare()
        code = main()
        with suppress(OSError):
            sys.stderr.flush()
    except KeyboardInterrupt as stopped:
        code = _code(stopped)
    os._exit(code)


class Terminated(KeyboardInterrupt):
    """The process was asked to end; what goes for Ctrl-C goes for this: temporary files are taken away."""


def _terminated(*_: object) -> NoReturn:
    raise Terminated


def _code(stopped: KeyboardInterrupt) -> int:
    return 143 if isinstance(stopped, Terminated) else 130


def spread(argv: list[str]) -> list[str]:
    """Let several measures follow one ``-m``: what follows it is a measure until an option or an existing path.

    >>> spread(["eval", "q.txt", "a.run", "-m", "AP", "nDCG@10"])
    ['eval', 'q.txt', 'a.run', '-m', 'AP', '-m', 'nDCG@10']
    >>> spread(["eval", "q.txt", "a.run", "-m", "AP,RBP(p=0.8, rel=2)"])
    ['eval', 'q.txt', 'a.run', '-m', 'AP', '-m', 'RBP(p=0.8, rel=2)']
    """
    out: list[str] = []
    open_list = False
    for word in argv:
        words = [word]
        if out and out[-1] in _FLAGS:
            open_list, words = True, _apart(word)
        elif word.startswith("-") and word != "-":
            open_list = word.startswith(("-m", *(f"{flag}=" for flag in _FLAGS)))
        elif open_list and not os.path.exists(word) and all(map(_MEASURE.fullmatch, _apart(word))):
            words = _apart(word)
            out.append(_FLAGS[0])
        else:
            open_list = False
        out += [words[0], *(each for more in words[1:] for each in (_FLAGS[0], more))]
    return out


def _apart(word: str) -> list[str]:
    """Measures with commas between them; the commas of ``P.5,10`` stand between parameters of one."""
    pieces = [piece.strip() for piece in _COMMA.split(word) if piece.strip()]
    return pieces if pieces and all(map(_MEASURE.fullmatch, pieces)) else [word]
