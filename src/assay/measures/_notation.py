"""Measures as the field writes them: ``nDCG@10``, ``RBP(p=0.8)``, ``AP(rel=2)@100``, ``ndcg_cut_10``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from assay.errors import MeasureError, suggestion
from assay.measures._base import CATALOGUE, Measure, parameters_of, unknown

_NOTATION = re.compile(r"(?P<name>[^()@\s]+?)\s*(\((?P<params>.*)\))?\s*(@\s*(?P<cut>[^()@]+))?", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def measure(text: str | Measure | type[Measure]) -> Measure:
    """The measure that *text* names.

    >>> measure("ndcg_cut_10"), measure("nDCG(gains=exp)@20"), measure("map")
    (nDCG@10, nDCG(gains=exp)@20, AP)
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, type) and issubclass(text, Measure):
        text = text.name
    if not isinstance(text, str):
        raise MeasureError(f"a measure is written as text such as 'nDCG@10', got {text!r}")
    try:
        written = text.strip()
        match = _NOTATION.fullmatch(written)
        plain = match is not None and _known(match["name"]) is not None
        return (None if plain else _from_trec_eval(written)) or _parsed(written)
    except MeasureError as error:
        problem = re.sub(r"^measure '[^']*': ", "", str(error))
        raise MeasureError(f"measure '{text}': {problem}") from None


def measures(texts: str | Measure | type[Measure] | Iterable[str | Measure | type[Measure]]) -> tuple[Measure, ...]:
    """Each of the measures, once."""
    if not isinstance(texts, str | Measure | type | Iterable):
        raise MeasureError(f"measures are written as text such as 'nDCG@10', or a list of it, got {texts!r}")
    listed = [texts] if isinstance(texts, str | Measure | type) else list(texts)
    found = dict.fromkeys(measure(text) for text in listed)
    if not found:
        raise MeasureError("name at least one measure, such as AP or nDCG@10")
    return tuple(found)


def catalogue() -> dict[str, type[Measure]]:
    """Every measure by its name."""
    for module in _modules():
        import_module(f"assay.measures.{module}")
    return {cls.name: cls for cls in sorted(set(CATALOGUE.values()), key=lambda cls: cls.name.lower())}


@cache
def _modules() -> frozenset[str]:
    """The files of measures."""
    folder = [str(Path(__file__).parent)]
    return frozenset(module.name for module in iter_modules(folder) if not module.name.startswith("_"))


def measure_class(text: str) -> type[Measure]:
    """The class of a measure that is written in full (``nDCG@10``) or by its name alone (``nDCG``)."""
    written = _from_trec_eval(text.strip())
    if written is not None:
        return type(written)
    match = _NOTATION.fullmatch(text.strip())
    try:
        return _class(match["name"] if match else text)
    except MeasureError as error:
        raise MeasureError(f"measure '{text}': {error}") from None


def _from_trec_eval(text: str) -> Measure | None:
    """``map``, ``P_10``, ``ndcg_cut_10``, ``iprec_at_recall_0.10``: what trec_eval writes."""
    for cls in catalogue().values():
        for name in cls.trec_eval:
            pattern, _, notation = name.partition("=")
            match = re.fullmatch(re.escape(pattern).replace(r"\*", r"([\d.]+)"), text)
            if match:
                written = (notation or f"{cls.name}@*").replace("*", "".join(match.groups()))
                return _parsed(written if "*" in pattern or notation else cls.name)
    return None


def _parsed(text: str) -> Measure:
    match = _NOTATION.fullmatch(text)
    if match is None:
        raise MeasureError("expected a name, perhaps parameters and a cutoff, such as nDCG(gains=exp)@10")
    cls = _class(match["name"])
    given = _params(cls, match["params"] or "")
    if match["cut"] is not None:
        cut = _value(match["cut"].strip())
        if not isinstance(cut, int | float) or isinstance(cut, bool):
            raise MeasureError(f"the cutoff behind @ must be a number, got {match['cut'].strip()}")
        at = [f.name for f in parameters_of(cls) if f.metadata["at"]]
        if not at:
            raise MeasureError(f"{cls.name} takes no cutoff")
        if at[0] in given:
            raise MeasureError(f"{at[0]} is given twice")
        given[at[0]] = cut
    return cls(**given)


def _class(name: str) -> type[Measure]:
    cls = _known(name) or _found(name)
    if cls is None:
        known = [each for measure in catalogue().values() for each in (measure.name, *measure.aliases)]
        raise MeasureError(f"there is no measure {name}{suggestion(name, known)}")
    return cls


def _known(name: str) -> type[Measure] | None:
    """The measure of that name, if its file is called after it: so a command loads the measures it needs, not all."""
    if name.lower() not in CATALOGUE and name.lower() in _modules():
        import_module(f"assay.measures.{name.lower()}")
    return CATALOGUE.get(name.lower())


def _found(name: str) -> type[Measure] | None:
    """The measure of that name or alias, whatever its file is called."""
    catalogue()
    return CATALOGUE.get(name.lower())


def _params(cls: type[Measure], text: str) -> dict[str, Any]:
    fields = {f.name: f for f in parameters_of(cls)}
    given: dict[str, Any] = {}
    for piece in _split(text):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or "(" in name or "@" in name:
            name, value = _positional(cls, piece.strip())
        if name == "dcg" and "base" in fields:
            given |= _dcg(_value(value))
            continue
        if name not in fields:
            raise MeasureError(unknown(cls, name))
        if name in given:
            raise MeasureError(f"{name} is given twice")
        given[name] = measure(value) if fields[name].metadata["kind"] == "measure" else _value(value)
    return given


def _dcg(value: Any) -> dict[str, Any]:
    """What ir_measures calls ``dcg``: it writes the exponential gains as a kind of discount."""
    if value not in ("log2", "exp-log2"):
        raise MeasureError(f"dcg must be log2 or exp-log2, got {value}")
    return {"gains": "exp"} if value == "exp-log2" else {}


def _positional(cls: type[Measure], text: str) -> tuple[str, str]:
    """A measure inside a measure stands without a name: ``GM(AP)``."""
    inner = [f.name for f in parameters_of(cls) if f.metadata["kind"] == "measure"]
    if not inner:
        raise MeasureError(f"write parameters as name=value, got {text!r}")
    return inner[0], text


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    pieces, depth = [""], 0
    for char in text:
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += char
    return [piece for piece in pieces if piece.strip()]


def _value(text: str) -> Any:
    text = text.strip().strip("'\"")
    if _NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith("{"):
        return _mapping(text)
    return text


def _mapping(text: str) -> dict[float, float]:
    pairs = [pair.split(":") for pair in text.strip("{}").split(",") if pair.strip()]
    if not pairs or any(len(pair) != 2 or not all(_NUMBER.fullmatch(p.strip()) for p in pair) for pair in pairs):
        raise MeasureError(f"write gains as {{grade:gain,...}}, such as {{1:3,2:9}}, got {text}")
    return {float(grade): float(gain) for grade, gain in pairs}
