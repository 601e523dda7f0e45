"""Parsing of measure notation: ``nDCG@10``, ``RBP(p=0.8)``, ``AP(rel=2)@100``, ``ndcg_cut_10``, ``P.5``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from assay.errors import MeasureError, suggestion
from assay.io.numbers import NUMBER, parse_integer
from assay.measures._base import CATALOGUE, MAX_NESTING, Measure, describe_unknown_parameter
from assay.measures._ir_measures import (
    apply_ir_defaults,
    check_ir_name,
    is_ir_measure,
    refuse_intent_aware,
    split_ir_measure,
    translate_name,
    translate_parameters,
)
from assay.measures._parameters import parameters_of
from assay.measures._trec_eval import (
    PARAMETERS,
    SETS,
    SEVERAL_MEASURES,
    TEXTS,
    expand_name,
    refuse_measure_sets,
    refuse_preferences_and_judges,
)

_NOTATION = re.compile(r"(?P<name>[^()@\s]+?)\s*(\((?P<params>.*)\))?\s*(@\s*(?P<cut>[^()@]+))?", re.DOTALL)
_SEVERAL = re.compile(r"(?P<name>[A-Za-z]\w*?)[._](?P<values>[\d.]+(,[\d.]+)+)", re.ASCII)  # trec_eval: P.5,10
MAX_CHARACTERS = 1000
"""Maximum length of the text of a measure."""
_EXPECTED = "expected a name with optional parameters and cutoff, such as nDCG(gains=exp)@10"


def measure(text: object) -> Measure:
    """Parse a measure; *text* may also be a measure, a class of measures or an ir_measures object.

    >>> measure("ndcg_cut_10"), measure("nDCG(gains=exp)@20"), measure("map"), measure("P.5")
    (nDCG@10, nDCG(gains=exp)@20, AP, P@5)
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, type) and issubclass(text, Measure):
        text = text.name
    if is_ir_measure(text):
        return from_ir_measures(text)
    if not isinstance(text, str):
        raise MeasureError(f"a measure is written as text such as 'nDCG@10', got {type(text).__name__}")
    if len(text) > MAX_CHARACTERS:
        raise MeasureError(f"measure '{text[:40]}…': a measure is written in at most {MAX_CHARACTERS} characters")
    open_brackets = accumulate(((char == "(") - (char == ")") for char in text), initial=0)
    if max(open_brackets) > MAX_NESTING:
        raise MeasureError(f"measure '{text[:40]}…': measures must nest at most {MAX_NESTING - 1} deep")
    try:
        return _parse(text.strip())
    except MeasureError as error:
        raise _with_text(text, error) from None


def measures(texts: object) -> tuple[Measure, ...]:
    """Parse several measures and drop duplicates.

    A trec_eval name may stand for several measures: ``P.5,10``, ``success`` with its default cutoffs, and the sets
    ``official``, ``set`` and ``all_trec`` (without ``runid`` and ``relstring``, which are not numbers).

    >>> measures(["AP", "map", "P.5,10", "success"])
    (AP, P@5, P@10, Success@1, Success@5, Success@10)
    """
    is_single = isinstance(texts, str | Measure | type) or is_ir_measure(texts)
    if not is_single and not isinstance(texts, Iterable):
        raise MeasureError(
            f"measures are written as text such as 'nDCG@10', or as a list of texts, got {type(texts).__name__}"
        )
    requested = list(texts) if not is_single and isinstance(texts, Iterable) else [texts]
    distinct_measures = dict.fromkeys(parsed for text in requested for parsed in _parse_one_or_more(text))
    if not distinct_measures:
        raise MeasureError("name at least one measure, such as AP or nDCG@10")
    return tuple(distinct_measures)


def from_ir_measures(text: object) -> Measure:
    """Parse a measure as ir_measures defines it; *text* may also be an ir_measures object.

    :func:`measure` parses most texts in the same way. The two functions differ in some defaults and in ERR, IPrec and
    graded RBP; see *docs/differences.md*.

    >>> measure("ERR@20"), from_ir_measures("ERR@20")
    (ERR@20, ERR(max_rel=4)@20)
    """
    try:
        if is_ir_measure(text):
            return _create(*apply_ir_defaults(*split_ir_measure(text)))
        if not isinstance(text, str):
            raise MeasureError("ir_measures writes a measure as text such as 'nDCG@10'")
        match = _NOTATION.fullmatch(text.strip())
        if match is not None:
            check_ir_name(match["name"])
        return _create(*apply_ir_defaults(*_parse_notation(text.strip())))
    except MeasureError as error:
        raise _with_text(text, error) from None


def _parse(text: str) -> Measure:
    """Parse one measure in the notation of assay, or by its name in trec_eval."""
    refuse_measure_sets(text)
    match = _NOTATION.fullmatch(text)
    if match is None or _find_lazily(match["name"]) is None:
        return parse_trec_eval(text) or _create(*_parse_notation(text))
    try:
        return _create(*_parse_notation(text))
    except MeasureError:
        # Names are case-insensitive, so the trec_eval name rbp, which needs no parameters, also matches RBP, which
        # requires p.
        measure = parse_trec_eval(text) if match["name"] == text else None
        if measure is None:
            raise
        return measure


def _with_text(text: object, error: MeasureError) -> MeasureError:
    """Return the error with the whole text of the user instead of the part that failed to parse."""
    problem = re.sub(r"^measure '[^']*': ", "", str(error))
    return MeasureError(f"measure '{text}': {problem}")


def _parse_one_or_more(text: object) -> list[Measure]:
    """Parse a text that may stand for several measures."""
    if isinstance(text, str) and (names := expand_name(text.strip())) is not None:
        return [measure(name) for name in names]
    match = _SEVERAL.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return [measure(text)]
    return [measure(f"{match['name']}_{value}") for value in match["values"].split(",")]


def catalogue() -> dict[str, type[Measure]]:
    """Return the class of every measure by name.

    >>> catalogue()["nDCG"](cutoff=10)
    nDCG@10
    """
    for family in _family_sources():
        import_module(f"assay.measures.{family}")
    return {cls.name: cls for cls in sorted(set(CATALOGUE.values()), key=lambda cls: cls.name.lower())}


@cache
def _family_sources() -> dict[str, str]:
    """Return the source text of each family of measures, in lower case, by module name."""
    folder = Path(__file__).parent
    families = [module.name for module in iter_modules([str(folder)]) if not module.name.startswith("_")]
    return {family: (folder / f"{family}.py").read_text(encoding="utf-8").lower() for family in families}


def measure_class(text: str) -> type[Measure]:
    """Return the class of a measure, written in full (``nDCG@10``) or by name (``nDCG``, ``ndcg_cut``)."""
    text = text.strip()
    match = _NOTATION.fullmatch(text)
    try:
        names = expand_name(text) if text in PARAMETERS else None
        measure = parse_trec_eval(names[0] if names else text)
        return type(measure) if measure is not None else _find_class(match["name"] if match else text)
    except MeasureError as error:
        raise MeasureError(f"measure '{text}': {error}") from None


def parse_trec_eval(text: str) -> Measure | None:
    """Parse a name that trec_eval prints or accepts: ``map``, ``P_10``, ``ndcg_cut.10``, ``iprec_at_recall_0.10``.

    Return None if *text* is not such a name.
    """
    if _SEVERAL.fullmatch(text) or text in SETS:
        raise MeasureError(SEVERAL_MEASURES)
    for cls in catalogue().values():
        for name in cls.trec_eval:
            pattern, _, notation = name.partition("=")
            stem, star, _ = pattern.partition("_*")
            match = re.fullmatch(re.escape(stem) + r"[._]([\d.]+)" if star else re.escape(pattern), text, re.ASCII)
            if match:
                # "P_*" becomes P@10; "iprec_at_recall_*=IPrec(rounding=trec_eval-10)@*" has its own notation.
                template = notation or (f"{cls.name}@*" if star else cls.name)
                return _create(*_parse_notation(template.replace("*", "".join(match.groups()))))
    return None


def _parse_notation(text: str) -> tuple[str, dict[str, Any]]:
    """Split the text of a measure into its name and its parameters, including the cutoff."""
    match = _NOTATION.fullmatch(text)
    if match is None:
        raise MeasureError(_EXPECTED)
    cls = _find_class(match["name"])
    parameters = _parse_parameters(cls, match["params"] or "")
    if match["cut"] is not None:
        cut = _parse_value(match["cut"].strip())
        if not isinstance(cut, int | float) or isinstance(cut, bool):
            raise MeasureError(f"the cutoff after @ must be a number, got {match['cut'].strip()}")
        cutoff_names = [f.name for f in parameters_of(cls) if f.metadata["at"]]
        if not cutoff_names:
            raise MeasureError(f"{cls.name} takes no cutoff")
        if cutoff_names[0] in parameters:
            raise MeasureError(f"{cutoff_names[0]} is given twice")
        parameters[cutoff_names[0]] = cut
    return match["name"], parameters


def _create(name: str, parameters: dict[str, Any]) -> Measure:
    """Create a measure from its name and parameters, which may be in the notation of ir_measures."""
    name, parameters = translate_name(name, parameters)
    cls = _find_class(name)
    parameters, judged_only = translate_parameters(cls, parameters)
    known = {field.name for field in parameters_of(cls)}
    for parameter in parameters:
        if parameter not in known:
            raise MeasureError(describe_unknown_parameter(cls, parameter))
    measure = cls(**parameters)
    return _find_class("Condensed")(of_measure=measure) if judged_only else measure


def _find_class(name: str) -> type[Measure]:
    """Return the class with this name or alias, or raise an error with a suggestion."""
    cls = _find_lazily(name)
    if cls is None:
        # Import all families: a measure may be listed under a name that is not a literal in its source.
        all_measures = catalogue()
        cls = CATALOGUE.get(name.lower())
    if cls is None:
        refuse_intent_aware(name)
        refuse_preferences_and_judges(name)
        known = [*SETS, *(alias for measure in all_measures.values() for alias in (measure.name, *measure.aliases))]
        if name in TEXTS:
            raise MeasureError(f"{name} is a text ({TEXTS[name]}), not a value; use assay trec_eval -q -m {name}")
        raise MeasureError(f"there is no measure {name}{suggestion(name, known)}")
    return cls


def _find_lazily(name: str) -> type[Measure] | None:
    """Return the class with this name or alias, importing only modules that may define it.

    Importing every family takes longer than evaluating a small run. ``name`` and ``aliases`` are string literals, so
    only modules whose source contains the name in quotes are imported.
    """
    if name.lower() not in CATALOGUE:
        for family, source in _family_sources().items():
            if f'"{name.lower()}"' in source:
                import_module(f"assay.measures.{family}")
    return CATALOGUE.get(name.lower())


def _parse_parameters(cls: type[Measure], text: str) -> dict[str, Any]:
    """Parse the text inside the brackets: ``gains=exp, rel=2``, or the inner measure of a wrapper."""
    measure_names = [f.name for f in parameters_of(cls) if f.metadata["kind"] == "measure"]
    parameters: dict[str, Any] = {}
    for item in _split(text):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or "(" in name or "@" in name:
            # Only the inner measure of a wrapper may be written without its name: GM(AP).
            if not measure_names:
                raise MeasureError(f"write parameters as name=value, got {item.strip()!r}")
            name, value = measure_names[0], item.strip()
        if name in parameters:
            raise MeasureError(f"{name} is given twice")
        parameters[name] = _parse(value) if name in measure_names else _parse_value(value)
    return parameters


def _split(text: str) -> list[str]:
    """Split at commas outside brackets."""
    items, depth = [""], 0
    for char in text:
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            items.append("")
        else:
            items[-1] += char
    return [item for item in items if item.strip()]


def _parse_value(text: str) -> Any:
    """Parse a number, ``true`` or ``false``, a mapping of gains, or a plain text."""
    text = text.strip().strip("'\"")
    if NUMBER.fullmatch(text):
        whole = parse_integer(text)
        return float(text) if whole is None else whole
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.startswith("{"):
        return _parse_gains(text)
    return text


def _parse_gains(text: str) -> dict[float, float]:
    """Parse gains by grade: ``{1:3,2:9}``."""
    pairs = [pair.split(":") for pair in text.strip("{}").split(",") if pair.strip()]
    if not pairs or any(len(pair) != 2 or not all(NUMBER.fullmatch(p.strip()) for p in pair) for pair in pairs):
        raise MeasureError(f"write gains as {{grade:gain,...}}, such as {{1:3,2:9}}, got {text}")
    return {float(grade): float(gain) for grade, gain in pairs}
