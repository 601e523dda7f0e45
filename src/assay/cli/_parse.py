"""From words to arguments."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, NamedTuple, NoReturn

from assay.errors import InputError, printable, suggestion

_FLAGS = ("-m", "--measure", "--measures", "--metric", "--metrics")
# What may follow -m: a name, perhaps with parameters and a cutoff; not a file name, a glob or irds:ID.
_MEASURE = re.compile(r"(\d+pt_avg|[^\W\d][\w*-]*([.,][\d.]+)*)\s*(\(.*\))?\s*(@.+)?", re.DOTALL)
_COMMA = re.compile(r",(?![^()]*\))")  # outside brackets


class OptionGroup(NamedTuple):
    """A group of options: its title, and what takes them."""

    title: str
    add: Any


class Described(NamedTuple):
    """An input or an option as help shows it; inputs have no group."""

    group: str
    flags: tuple[str, ...]
    metavar: str
    about: str


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and which suggests the option that may have been meant."""

    def __init__(self, prog: str, usage: str = "", about: str = "", examples: str = "") -> None:
        super().__init__(
            prog=prog,
            usage=f"{prog} {usage}".strip(),
            description=wrap(about),
            epilog=f"examples:\n{examples}" if examples else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        self.flags: list[str] = []
        """All options."""
        self.moved: Mapping[str, str] = {}
        """What replaces options that were here once."""
        self.inputs: list[str] = []
        """Names of the positional arguments."""
        self.described: list[Described] = []
        """Inputs and options, as help shows them."""
        self.options = self.group("options")
        self.add(self.options, ["-h", "--help"], action="store_true", help="show this help")

    def group(self, title: str) -> OptionGroup:
        """Return a new group of options."""
        return OptionGroup(title, self.add_argument_group(title))

    def add_input(self, name: str, metavar: str, many: str | None, about: str) -> None:
        """Add a positional argument: one, ``?`` for at most one, ``+`` or ``*`` for several."""
        self.inputs.append(name)
        self.add_argument(name, metavar=metavar, nargs=many, help=about)
        self.described.append(Described("", (metavar,), "", about))

    def add(self, group: OptionGroup, flags: Sequence[str], *, hidden: Sequence[str] = (), **given: Any) -> None:
        """Add an option under its names; *hidden* ones are accepted but not shown."""
        self.flags += [*flags, *hidden]
        group.add.add_argument(*flags, **given)
        if hidden:
            group.add.add_argument(*hidden, **{**given, "help": argparse.SUPPRESS})
        about = str(given["help"]).replace("%%", "%")
        words = " ".join([str(given.get("metavar", ""))] * (given.get("nargs") or 1))
        self.described.append(Described(group.title, tuple(flags), words, about))

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        raise InputError(printable(f"{message} (see {self.prog} --help)"))

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the arguments; inputs and options may come in any order."""
        namespace, unknown = self.parse_known_intermixed_args(spread(words))
        if unknown:
            self.refuse(unknown)
        for name, value in vars(namespace).items():
            if value in ([], [[]]) and name not in self.inputs:  # argparse before Python 3.13 drops the value --
                self.error(f"--{name.replace('_', '-')}: expected a value")
        return namespace

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Say which words mean nothing here; of an option, which one may have been meant."""
        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), None)
        if option is None:
            self.error(f"too many arguments: {' '.join(unknown)}")
        if option in self.moved:
            self.error(f"{option} is now: {self.moved[option]}")
        known = [name.removeprefix("--") for name in self.flags if name.startswith("--")]
        near = suggestion(option.lstrip("-"), known) if option.startswith("--") else ""
        self.error(f"there is no option {option}{near.replace('mean ', 'mean --')}")


def wrap(text: str) -> str:
    """Return paragraphs in lines that fit the terminal."""
    width = max(min(get_terminal_size().columns, 100) - 2, 40)
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(fill(" ".join(paragraph.split()), width) for paragraph in paragraphs)


def asks_for_help(words: Sequence[str]) -> bool:
    """Whether help is asked for among the options."""
    before = words[: words.index("--")] if "--" in words else words
    return bool({"-h", "--help"} & set(before))


def spread(words: Sequence[str]) -> list[str]:
    """Let several measures follow one ``-m``: what follows it is a measure until an option or an existing path.

    >>> spread(["q.txt", "a.run", "-m", "AP", "nDCG@10"])
    ['q.txt', 'a.run', '-m', 'AP', '-m', 'nDCG@10']
    >>> spread(["q.txt", "a.run", "-m", "AP,RBP(p=0.8, rel=2)"])
    ['q.txt', 'a.run', '-m', 'AP', '-m', 'RBP(p=0.8, rel=2)']
    """
    out: list[str] = []
    open_list = False
    for word in words:
        pieces = [word]
        if out and out[-1] in _FLAGS:
            open_list, pieces = True, _split_measures(word)
        elif word.startswith("-") and word != "-":
            open_list = word.startswith(("-m", *(f"{flag}=" for flag in _FLAGS)))
        elif open_list and not os.path.exists(word) and all(map(_MEASURE.fullmatch, _split_measures(word))):
            pieces = _split_measures(word)
            out.append(_FLAGS[0])
        else:
            open_list = False
        out += [pieces[0], *(each for more in pieces[1:] for each in (_FLAGS[0], more))]
    return out


def _split_measures(word: str) -> list[str]:
    """Split measures at the commas between them; the commas of ``P.5,10`` separate parameters of one."""
    pieces = [piece.strip() for piece in _COMMA.split(word) if piece.strip()]
    return pieces if pieces and all(map(_MEASURE.fullmatch, pieces)) else [word]
