"""Command-line options of trec_eval, and those that assay adds."""

from __future__ import annotations

import getopt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.compat.trec_eval.parameters import INPUT, LARGEST, USAGE, RefusedError
from assay.errors import suggestion

USE = "assay trec_eval [-q] [-m MEASURE[.PARAMETERS]]... [other options] QRELS RUN (see assay trec_eval -h)"
FLAGS = {
    "q": "query_eval_wanted",
    "n": "nosummary",
    "c": "complete_rel_info_wanted",
    "J": "Judged_docs_only",
    "h": "help",
    "v": "version",
}
WITH_VALUE = {
    "m": "measure",
    "l": "level_for_rel",
    "D": "Debug_level",
    "N": "Number_docs_in_coll",
    "M": "Max_retrieved_per_topic",
    "R": "Rel_info_format",
    "T": "Results_format",
    "Z": "Zscore",
    "o": "output",
    "": "profile",
}
PROFILES = ("10.0", "9.0.8")
FORMATS = ("qrels", "prefs", "qrels_prefs", "qrels_jg")
_SWITCHES = {"q": "per_topic", "n": "summary", "c": "complete", "J": "judged_only"}
_CHOICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "R": ("layout", FORMATS),
    "T": ("", ("trec_results",)),
    "profile": ("profile", PROFILES),
}


@dataclass(frozen=True)
class TrecEvalOptions:
    """Parsed command line; *requested* contains ``h`` for help and ``v`` for the version."""

    qrels: str = ""
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    profile: str = "10.0"
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    judged_only: bool = False
    docs: int = 0
    max_documents: int | None = None
    layout: str = "qrels"
    zscores: str | None = None
    topic: str | None = None
    debug: int = 0
    output: str | None = None
    requested: frozenset[str] = field(default_factory=frozenset)


def parse_options(words: Sequence[str]) -> TrecEvalOptions:
    """Parse a command line; options and files may be mixed in any order."""
    short = "".join(FLAGS) + "".join(f"{letter}:" for letter in WITH_VALUE if letter)
    long = [*FLAGS.values(), *(f"{name}=" for name in WITH_VALUE.values())]
    try:
        flags, files = getopt.gnu_getopt(list(words), short, long)
    except getopt.GetoptError as error:
        raise RefusedError(f"{error.msg}; {USE}", USAGE) from None
    letters = {f"--{name}": letter or name for letter, name in (FLAGS | WITH_VALUE).items()}
    options = TrecEvalOptions()
    for flag, value in flags:
        options = replace(options, **_parse_flag(letters.get(flag, flag[1:]), value, options))
    if not options.requested & {"h", "v"}:
        _check_files(files)
    return replace(options, qrels=files[0], runs=tuple(files[1:])) if files else options


def _parse_flag(letter: str, value: str, options: TrecEvalOptions) -> dict[str, Any]:
    """Return the fields of the options that a flag sets, with their new values."""
    if letter in _SWITCHES:
        return {_SWITCHES[letter]: letter != "n"}
    if letter in _VALUES:
        name, convert = _VALUES[letter]
        return {name: convert(f"-{letter}", value)}
    if letter in ("h", "v"):
        return {"requested": options.requested | {letter}}
    if letter == "m":
        return {"measures": (*options.measures, value)}
    if letter == "D":
        level, _, topic = value.partition(".")
        return {"debug": _parse_integer("-D", level or "0"), "topic": topic or None}
    name, known = _CHOICES[letter]
    choice = _check_choice(f"-{letter}" if len(letter) == 1 else f"--{letter}", value, known)
    return {name: choice} if name else {}


def _parse_integer(flag: str, text: str) -> int:
    if not re.fullmatch(r"\s*\+?\d+", text, re.ASCII):
        raise RefusedError(f"{flag} must be a whole number of at least 0, got {text!r}", USAGE)
    return min(int(text.strip().lstrip("+0")[:18] or "0"), LARGEST)


def _parse_directory(_flag: str, text: str) -> str:
    """Return the directory of ``-o``; refuse another option where the directory is expected.

    In trec_eval ``-o`` takes no value (it selects an output format that no longer exists), so old command lines may
    continue with another option.
    """
    if not text or text.startswith("-"):
        raise RefusedError(f"-o {text!r}: name a directory after -o; trec_eval's old output format is gone", USAGE)
    return text


_VALUES: dict[str, tuple[str, Callable[[str, str], int | str]]] = {
    "l": ("level", _parse_integer),
    "N": ("docs", _parse_integer),
    "M": ("max_documents", _parse_integer),
    "Z": ("zscores", lambda _flag, text: text),
    "o": ("output", _parse_directory),
}


def _check_choice(flag: str, text: str, known: Sequence[str]) -> str:
    if text not in known:
        code = USAGE if flag.startswith("--") else INPUT  # trec_eval exits with INPUT for an unknown -R or -T
        raise RefusedError(f"{flag} {text}: choose one of {', '.join(known)}{suggestion(text, known)}", code)
    return text


def _check_files(files: Sequence[str]) -> None:
    if len(files) < 2:
        missing = "QRELS and RUN" if not files else "RUN"
        raise RefusedError(f"missing {missing}; {USE}", USAGE)
    if files.count("-") > 1:
        raise RefusedError("standard input (-) can be read only once; name files for the other inputs", USAGE)
