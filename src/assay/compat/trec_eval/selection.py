"""Measures selected by ``-m``, and the columns printed for each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.compat.trec_eval import registry
from assay.compat.trec_eval.measure_spec import JUDGES, PREFERENCES, QRELS, MeasureSettings, MeasureSpec, OutputColumn
from assay.compat.trec_eval.parameters import EVALUATION, USAGE, Gain, RefusedError, parse_gains
from assay.errors import suggestion

FAMILY = {
    "qrels": QRELS,
    "qrels_jg": JUDGES,
    "prefs": PREFERENCES,
    "qrels_prefs": PREFERENCES,
}
_NEEDS = {
    QRELS: "-R qrels",
    JUDGES: "-R qrels_jg",
    PREFERENCES: "-R prefs or -R qrels_prefs",
}


# Values that trec_eval 10 resets for a topic that the run lacks (see Item.is_reset).
_RESET = ("num_ret", "utility", "relstring", "rbp_resid", "unj")


@dataclass(frozen=True)
class Item:
    """A selected measure: its parameters as the user wrote them, if any, and its columns."""

    spec: MeasureSpec
    text: str | None
    columns: tuple[OutputColumn, ...]

    @property
    def label(self) -> str:
        """Printed name of a measure with one value."""
        return self.spec.label(self.text)

    @property
    def is_reset(self) -> bool:
        """True if trec_eval 10 sets the value of a topic that the run lacks to 0, or to an empty string.

        With ``-c``, trec_eval evaluates a ranking of one unjudged document for such a topic, and then resets the values
        that this document affects. It identifies these values by their printed names. Parameters are part of a name, so
        utility, relstring and rbp_resid with parameters are not reset.
        """
        return self.label in _RESET


def select_measures(measures: Sequence[str], layout: str, settings: MeasureSettings) -> tuple[list[Item], list[str]]:
    """Return the measures to print, in trec_eval's order, and notes on parameters that have no effect.

    If parameters of a measure are given twice, those given first apply, as in trec_eval.
    """
    names: set[str] = set()
    texts: dict[str, str] = {}
    notes: list[str] = []
    for written in measures or ("official",):
        name, point, text = written.partition(".")
        if point and not text:
            raise RefusedError(f"-m {written}: write parameters after the point, such as P.5,10", USAGE)
        names.update(_expand(name, layout, settings))
        if point and name in texts and text != texts[name]:
            notes.append(f"-m {written}: ignored; the first parameters of {name} apply ({texts[name]})")
        if point:
            texts.setdefault(name, text)
    selected = [(spec, texts.get(spec.name)) for spec in registry.specs().values() if spec.name in names]
    items = [Item(spec, text, tuple(spec.build_columns(text, settings))) for spec, text in selected]
    return items, [*notes, *_superfluous_parameter_notes(texts), *_ignored_pair_notes(items, settings)]


def _expand(name: str, layout: str, settings: MeasureSettings) -> list[str]:
    """Return the measures that a name denotes; refuse an unknown name."""
    expanded = registry.expand_name(name, FAMILY[layout], settings.profile)
    if expanded is None:
        known = [*registry.known_names(settings.profile), *registry.SETS]
        version = " in this version" if name in registry.specs() else ""
        hint = _suggest_parameter(name, known) or suggestion(name, known)
        raise RefusedError(f"-m {name}: trec_eval has no such measure{version}{hint}", USAGE)
    return expanded


def _suggest_parameter(name: str, known: Sequence[str]) -> str:
    """Suggest ``P.5`` for ``P_5``, which trec_eval prints, and for ``P@5``, the notation of assay."""
    match = re.fullmatch(r"(\w+?)[_@]([\d.]+)", name)
    return f"; write {match[1]}.{match[2]}" if match and match[1] in known else ""


def check_judgments(items: Sequence[Item], layout: str) -> None:
    """Refuse measures that need judgments of another kind."""
    for spec in (item.spec for item in items):
        if spec.family not in (None, FAMILY[layout]):
            raise RefusedError(f"-m {spec.name}: needs {_NEEDS[spec.family]}, not -R {layout}", EVALUATION)


def _ignored_pair_notes(items: Sequence[Item], settings: MeasureSettings) -> list[str]:
    """Note the pairs that trec_eval 10 ignores silently: their names are neither grades nor parameters."""
    if settings.profile == "9.0.8":
        return []
    expected = {"rbp_resid": "the parameter p"}
    return [
        f"-m {item.spec.name}.{item.text}: {gain.name} is not {expected.get(item.spec.name, 'a grade')}; ignored"
        for item in items
        if item.spec.parser is parse_gains
        for gain in item.spec.parse(item.text)
        if not _is_read(item.spec.name, gain)
    ]


def _is_read(measure: str, gain: Gain) -> bool:
    """Return True if trec_eval 10 reads a pair: rbp_resid takes only p, rbp takes p and grades, others take grades."""
    if gain.name == "p" and measure in ("rbp", "rbp_resid"):
        return True
    return gain.grade is not None and measure != "rbp_resid"


def _superfluous_parameter_notes(texts: dict[str, str]) -> list[str]:
    """Note parameters of measures that take none, which trec_eval ignores silently."""
    names = [name for name in texts if name not in registry.specs() or registry.specs()[name].parser is None]
    return [f"-m {name}.{texts[name]}: {name} takes no parameters; ignored" for name in names]
