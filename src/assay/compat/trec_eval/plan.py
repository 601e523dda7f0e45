"""From ``-m`` to the lines that are printed for each topic and at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.compat.trec_eval import registry
from assay.compat.trec_eval.parameters import EVALUATION, USAGE, Gain, RefusedError
from assay.compat.trec_eval.parameters import gains as read_gains
from assay.compat.trec_eval.registry import Column, Entry, Settings
from assay.errors import suggestion

FAMILY = {
    "qrels": registry.QRELS,
    "qrels_jg": registry.JUDGES,
    "prefs": registry.PREFERENCES,
    "qrels_prefs": registry.PREFERENCES,
}
_NEEDS = {
    registry.QRELS: "-R qrels",
    registry.JUDGES: "-R qrels_jg",
    registry.PREFERENCES: "-R prefs or -R qrels_prefs",
}


# Values that trec_eval 10 resets for a topic that the run lacks (see Item.is_reset).
_RESET = ("num_ret", "utility", "relstring", "rbp_resid", "unj")


@dataclass(frozen=True)
class Item:
    """A measure that was asked for: its parameters as they were written, if any, and its columns."""

    entry: Entry
    text: str | None
    columns: tuple[Column, ...]

    @property
    def label(self) -> str:
        """What it is called when it has one value."""
        return self.entry.label(self.text)

    @property
    def is_reset(self) -> bool:
        """Whether trec_eval 10 sets the value of a topic that the run lacks to 0, or to an empty text.

        With ``-c`` it evaluates a ranking of one unjudged document there and then resets the values that this document
        changes. It compares names as they are printed: with parameters, which are part of the name, utility, relstring
        and rbp_resid keep the value of that document.
        """
        return self.label in _RESET


def plan(measures: Sequence[str], layout: str, settings: Settings) -> tuple[list[Item], list[str]]:
    """What to print, in trec_eval's order, and notes on parameters that have no effect.

    When a measure is given parameters twice, the first count, as in trec_eval.
    """
    names: set[str] = set()
    texts: dict[str, str] = {}
    notes: list[str] = []
    for written in measures or ("official",):
        name, point, text = written.partition(".")
        if point and not text:
            raise RefusedError(f"-m {written}: write parameters after the point, such as P.5,10", USAGE)
        names.update(_selected(name, layout, settings))
        if point and name in texts and text != texts[name]:
            notes.append(f"-m {written}: {name} has parameters already ({texts[name]}), which count")
        if point:
            texts.setdefault(name, text)
    chosen = [entry for entry in registry.entries().values() if entry.name in names]
    items = [Item(entry, given := texts.get(entry.name), tuple(entry.made(given, settings))) for entry in chosen]
    return items, [*notes, *_idle(texts), *_unread(items, settings)]


def _selected(name: str, layout: str, settings: Settings) -> list[str]:
    found = registry.selected(name, FAMILY[layout], settings.profile)
    if found is None:
        known = [*registry.known(settings.profile), *registry.SETS]
        version = " in this version" if name in registry.entries() else ""
        hint = _as_parameter(name, known) or suggestion(name, known)
        raise RefusedError(f"-m {name}: trec_eval has no such measure{version}{hint}", USAGE)
    return found


def _as_parameter(name: str, known: Sequence[str]) -> str:
    """``P_5`` and ``P@5`` are what trec_eval prints and what assay writes; ``-m`` needs ``P.5``."""
    match = re.fullmatch(r"(\w+?)[_@]([\d.]+)", name)
    return f"; write {match[1]}.{match[2]}" if match and match[1] in known else ""


def refuse_others(items: Sequence[Item], layout: str) -> None:
    """Refuse measures that need other judgments."""
    for entry in (item.entry for item in items):
        if entry.family not in (None, FAMILY[layout]):
            raise RefusedError(f"-m {entry.name}: needs {_NEEDS[entry.family]}, not -R {layout}", EVALUATION)


def _unread(items: Sequence[Item], settings: Settings) -> list[str]:
    """Return notes on pairs that trec_eval 10 ignores without a word: names that are neither grades nor parameters."""
    if settings.profile == "9.0.8":
        return []
    given = [item for item in items if item.entry.takes is read_gains]
    return [
        f"-m {item.entry.name}.{item.text}: {gain.name} is not {_expected(item.entry.name)}; ignored"
        for item in given
        for gain in item.entry.given(item.text)
        if not _is_read(item.entry.name, gain)
    ]


def _is_read(measure: str, gain: Gain) -> bool:
    """Whether trec_eval 10 looks at a pair: rbp_resid takes p only, rbp takes p and grades, all others take grades."""
    if gain.name == "p" and measure in ("rbp", "rbp_resid"):
        return True
    return gain.grade is not None and measure != "rbp_resid"


def _expected(measure: str) -> str:
    return "the parameter p" if measure == "rbp_resid" else "a grade"


def _idle(texts: dict[str, str]) -> list[str]:
    """Notes on parameters of measures that take none, which trec_eval ignores without a word."""
    idle = [name for name in texts if name not in registry.entries() or registry.entries()[name].takes is None]
    return [f"-m {name}.{texts[name]}: {name} takes no parameters; ignored" for name in idle]
