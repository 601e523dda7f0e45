"""Parser of the command line: arguments in any order, several measures after one ``-m``, one-line errors."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping, Sequence
from shutil import get_terminal_size
from textwrap import fill
from typing import Any, NamedTuple, NoReturn

from assay.errors import InputError, escape_control_characters, suggestion

_FLAGS = ("-m", "--measure", "--measures", "--metric", "--metrics")
# A measure after -m: a name with optional parameters and cutoff. File names, globs and irds:ID do not match.
_MEASURE = re.compile(r"(\d+pt_avg|[^\W\d][\w*-]*([.,][\d.]+)*)\s*(\(.*\))?\s*(@.+)?", re.DOTALL)
_COMMA = re.compile(r",(?![^()]*\))")  # A comma outside parentheses.


class OptionGroup(NamedTuple):
    """A group of options in the help: its title and the group of ``argparse``."""

    title: str
    arguments: Any


class OptionHelp(NamedTuple):
    """Help of a positional argument or an option; positional arguments have an empty group."""

    group: str
    flags: tuple[str, ...]
    metavar: str
    about: str


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line and suggests similar options."""

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
        """All options, including hidden ones."""
        self.moved: Mapping[str, str] = {}
        """Options of earlier versions, and their replacements."""
        self.inputs: list[str] = []
        """Names of the positional arguments."""
        self._alternative: tuple[str, Sequence[str], Mapping[str, str]] | None = None
        self.option_help: list[OptionHelp] = []
        """Help of the positional arguments and options, for the reference pages."""
        self._many: list[str] = []  # options that take all words that follow
        self._words: Sequence[str] = ()
        self.options = self.group("options")
        self.add(self.options, ["-h", "--help"], action="store_true", help="show this help")

    def group(self, title: str) -> OptionGroup:
        """Add a group of options and return it."""
        return OptionGroup(title, self.add_argument_group(title))

    def add_input(self, name: str, metavar: str, many: str | None, about: str) -> None:
        """Add a positional argument; *many* is the ``nargs`` of ``argparse``: None, ``?``, ``+`` or ``*``."""
        self.inputs.append(name)
        self.add_argument(name, metavar=metavar, nargs=many, help=about)
        self.option_help.append(OptionHelp("", (metavar,), "", about))

    def add(self, group: OptionGroup, flags: Sequence[str], *, hidden: Sequence[str] = (), **settings: Any) -> None:
        """Add an option; *hidden* names are accepted but not shown, *settings* are passed to ``add_argument``."""
        self.flags += [*flags, *hidden]
        group.arguments.add_argument(*flags, **settings)
        if hidden:
            group.arguments.add_argument(*hidden, **{**settings, "help": argparse.SUPPRESS})
        about = str(settings["help"]).replace("%%", "%")
        count = settings.get("nargs") or 1
        metavar = str(settings.get("metavar", ""))
        metavars = f"{metavar}..." if count == "+" else " ".join([metavar] * count)
        self._many += flags if count == "+" else []
        self.option_help.append(OptionHelp(group.title, tuple(flags), metavars, about))

    def allow_instead(self, option: str, inputs: Sequence[str], required: Mapping[str, str]) -> None:
        """Allow an option instead of the inputs; *required* maps the inputs needed without it to their placeholders."""
        self._alternative = option, inputs, required

    def _check_alternative(self, namespace: argparse.Namespace) -> None:
        """Raise an error unless either the inputs or the option that replaces them are given."""
        if self._alternative is None:
            return
        option, inputs, required = self._alternative
        if getattr(namespace, option) is not None:
            extra = next((getattr(namespace, name) for name in inputs if getattr(namespace, name)), None)
            if extra is not None:
                first = extra if isinstance(extra, str) else extra[0]
                self.error(f"--{option} cannot be combined with judgments and runs; omit {first} or --{option}")
            return
        missing = [placeholder for name, placeholder in required.items() if not getattr(namespace, name)]
        if missing:
            self.error(f"the following arguments are required: {', '.join(missing)}")

    def error(self, message: str) -> NoReturn:
        """Raise a user error that refers to the help; ``argparse`` calls this method."""
        taken = [flag for flag in self._many if flag in self._words]
        if "arguments are required" in message and taken:
            message += f"; name them before {taken[0]}, which takes all words that follow it"
        raise InputError(escape_control_characters(f"{message} (see {self.prog} --help)"))

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the parsed arguments; positional arguments and options may come in any order."""
        if "--values" in words and "--values" not in self.flags:
            self.error("--values: values are not enough for this command, which needs runs, judgments or both")
        self._words = words
        namespace, unknown = self.parse_known_intermixed_args(repeat_measure_flag(words))
        if unknown:
            self.refuse(unknown)
        for name, value in vars(namespace).items():
            # Before Python 3.13, argparse drops the value of an option if it is "--".
            if value in ([], [[]]) and name not in self.inputs:
                self.error(f"--{name.replace('_', '-')}: expected a value")
        self._check_alternative(namespace)
        return namespace

    def refuse(self, unknown: Sequence[str]) -> NoReturn:
        """Raise an error for unknown words; suggest the replacement of an old option, or a similar option."""
        option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), None)
        if option is None:
            self.error(f"too many arguments: {' '.join(unknown)}")
        if option in self.moved:
            self.error(f"{option} was replaced by {self.moved[option]}")
        known = [name.removeprefix("--") for name in self.flags if name.startswith("--")]
        near = suggestion(option.lstrip("-"), known) if option.startswith("--") else ""
        self.error(f"unknown option {option}{near.replace('mean ', 'mean --')}")


def wrap(text: str) -> str:
    """Wrap paragraphs to the width of the terminal, at most 98 characters."""
    width = max(min(get_terminal_size().columns, 100) - 2, 40)
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(fill(" ".join(paragraph.split()), width, break_on_hyphens=False) for paragraph in paragraphs)


def asks_for_help(words: Sequence[str]) -> bool:
    """Return True if ``-h`` or ``--help`` occurs among the options."""
    options = words[: words.index("--")] if "--" in words else words
    return bool({"-h", "--help"} & set(options))


def repeat_measure_flag(words: Sequence[str]) -> list[str]:
    """Repeat ``-m`` before each measure of a list, so that several measures may follow one ``-m``.

    The list ends at the next option, at an existing path, or at a word that is not a measure.

    >>> repeat_measure_flag(["q.txt", "a.run", "-m", "AP", "nDCG@10"])
    ['q.txt', 'a.run', '-m', 'AP', '-m', 'nDCG@10']
    >>> repeat_measure_flag(["q.txt", "a.run", "-m", "AP,RBP(p=0.8, rel=2)"])
    ['q.txt', 'a.run', '-m', 'AP', '-m', 'RBP(p=0.8, rel=2)']
    """
    output: list[str] = []
    in_list = False
    for word in words:
        parts = [word]
        if output and output[-1] in _FLAGS:
            in_list, parts = True, _split_measures(word)
        elif word.startswith("-") and word != "-":
            in_list = word.startswith(("-m", *(f"{flag}=" for flag in _FLAGS)))
        elif in_list and not os.path.exists(word) and all(map(_MEASURE.fullmatch, _split_measures(word))):
            parts = _split_measures(word)
            output.append(_FLAGS[0])
        else:
            in_list = False
        output += [parts[0], *(item for measure in parts[1:] for item in (_FLAGS[0], measure))]
    return output


def _split_measures(word: str) -> list[str]:
    """Split a list of measures at its commas; commas between cutoffs, as in ``P.5,10``, do not split."""
    parts = [part.strip() for part in _COMMA.split(word) if part.strip()]
    return parts if parts and all(map(_MEASURE.fullmatch, parts)) else [word]
