"""The ``assay`` command: each subcommand is a small module of this folder."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import NoReturn

from assay._version import VERSION

ABOUT = "Evaluate ranked retrieval: from run files and relevance judgments to values per topic, strict and fast."
EXAMPLES = """\
examples:
  assay demo
  assay eval qrels.txt bm25.run dense.run.gz -m AP nDCG@10
  assay measures nDCG

assay COMMAND --help shows the options of a command and more examples.
"""
_AS_THEY_ARE = ("trec_eval",)  # named as the tools they stand for
# What may follow -m: a name, perhaps with parameters and a cutoff; not a file name, a glob or irds:ID.
_MEASURE = re.compile(r"(\d+pt_avg|[^\W\d][\w*-]*([.,][\d.]+)*)\s*(\(.*\))?\s*(@.+)?", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def names() -> list[str]:
    """Every subcommand."""
    found = [module.name for module in iter_modules(__path__) if not module.name.startswith("_")]
    return [name if name in _AS_THEY_ARE else name.replace("_", "-") for name in found]


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def parser(only: str | None = None) -> Parser:
    """The parser of the whole command, or of one subcommand only: the others need not be loaded to run it."""
    top = Parser(prog="assay", description=ABOUT, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--version", action="version", version=f"assay {VERSION}")
    subparsers = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in names() if only is None else [only]:
        module = _module(name)
        short = (module.__doc__ or "").strip().splitlines()[0]
        sub = subparsers.add_parser(
            name,
            help=short,
            description=module.__doc__,
            epilog=f"examples:\n{module.EXAMPLES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.arguments(sub)
        sub.set_defaults(run=getattr(module, "run", None))
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 0, 2 for what a user can mend, 130 when interrupted, 143 when terminated."""
    from assay.errors import AssayError

    try:
        _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
    except AssayError as error:
        print(f"assay: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as stopped:
        return _code(stopped)
    except BrokenPipeError:
        # The reader has gone: keep the interpreter from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"assay: {error.filename or 'standard output'}: {error.strerror}", file=sys.stderr)
        return 2
    return 0


def _run(words: list[str]) -> None:
    """Run a command; one that reads its arguments in a way of its own has the function ``words``."""
    command = words[0] if words and words[0] in names() else None
    given = getattr(_module(command), "words", None) if command is not None else None
    if given is not None:
        given(words[1:])
        return
    args = _arguments(spread(words), command)
    args.run(args)


def _arguments(words: list[str], command: str | None) -> argparse.Namespace:
    from assay.cli import _options

    args, unknown = parser(command).parse_known_args(words)
    if unknown:
        Parser(prog=f"assay {args.command}").error(f"unrecognized arguments: {' '.join(unknown)}")
    if hasattr(args, "digits"):
        _options.check(args)
    return args


def command() -> NoReturn:
    """Run the command and leave at once: taking the interpreter and its libraries down would take longer than a run."""
    try:
        signal.signal(signal.SIGTERM, _terminated)
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the shell
                setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
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
    """
    out: list[str] = []
    open_list = False
    for word in argv:
        if out and out[-1] in ("-m", "--measure"):
            open_list = True
        elif word.startswith("-") and word != "-":
            open_list = word.startswith(("-m", "--measure="))
        elif open_list and _MEASURE.fullmatch(word) and not os.path.exists(word):
            out.append("-m")
        else:
            open_list = False
        out.append(word)
    return out
