"""Names of measures in the files of other tools.

A name becomes a measure of assay only where the format fixes its meaning. Any other name is an external measure: a
number for each run and topic, with a direction. For example, ``accuracy`` in a table can be the accuracy of a
classifier, although assay has a measure of rankings with this name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NoReturn

from assay.errors import InputError, MeasureError
from assay.measures import Measure, catalogue, from_ir_measures, measure, param
from assay.measures._notation import parse_trec_eval
from assay.measures._trec_eval import TEXTS
from assay.model.judged import Judged
from assay.results.standardization import METHODS, Standardized

DIRECTIONS = ("higher", "lower", "unstated")
MARKERS = frozenset({*TEXTS, "num_q"})
"""Names that trec_eval prints beside the measures."""
_STANDARDIZED = re.compile(rf"({'|'.join(METHODS)})\((.+)\)")
_RANX = {
    "ndcg": "nDCG",
    "map": "AP",
    "mrr": "RR",
    "precision": "P",
    "recall": "R",
    "hit_rate": "Success",
    "r-precision": "Rprec",
    "f1": "F",
    "bpref": "bpref",
}
_MTEB = {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "precision": "P", "recall": "R"}
_RANX_NAME = re.compile(rf"({'|'.join(_RANX)})(?:@([1-9]\d*))?", re.ASCII)
_MTEB_NAME = re.compile(rf"({'|'.join(_MTEB)})_at_([1-9]\d*)", re.ASCII)
_MAX_NAME_LENGTH = 200


class ExternalMeasure(Measure):
    """A measure that is known only by its name and its direction; its values were computed by another tool.

    It exists only in results. The value over topics is the mean. A direction that was not stated counts as ``higher``.
    """

    label: str = param("name, as the file contains it", kind="text")
    direction: str = param("which values are better", "unstated", kind="text", choices=DIRECTIONS)

    def __init__(self, *, label: str, direction: str = "unstated") -> None:
        # Measures are immutable, so attributes that depend on the parameters are set with object.__setattr__.
        object.__setattr__(self, "name", label)
        super().__init__(label=label, direction=direction)
        object.__setattr__(self, "bounds", (-math.inf, math.inf))
        object.__setattr__(self, "lower_is_better", direction == "lower")
        object.__setattr__(self, "opaque", True)

    def __str__(self) -> str:
        return self.label

    def score(self, judged: Judged) -> NoReturn:
        """Raise an error: assay does not know how to compute the measure."""
        raise MeasureError(f"measure '{self}': was read as values; assay cannot compute it")


def refuse_unstated_directions(measures: Iterable[Measure]) -> None:
    """Raise an error for an external measure whose direction was not stated, for analyses that must not assume it."""
    for one in measures:
        if isinstance(one, ExternalMeasure) and one.direction == "unstated":
            raise InputError(
                f"{one}: not a measure that assay knows; state whether lower or higher values are better, with lower "
                f"'{one}' or higher '{one}'"
            )


@lru_cache(maxsize=4096)  # Many files contain the same names.
def parse_name(text: str, origin: str) -> Measure | None:
    """Return the measure of assay that a name means in a format; None if it is an external measure.

    >>> parse_name("map", "trec_eval"), parse_name("map", "tidy"), parse_name("ndcg_at_10", "mteb")
    (AP, None, nDCG@10)
    """
    try:
        return _PARSERS.get(origin, _parse_notation)(text)
    except MeasureError:
        return None


def _parse_notation(text: str) -> Measure | None:
    """Parse a text that is exactly what assay prints for a measure, such as ``nDCG@10`` or ``z(AP)``."""
    if not _resembles_measure(text):
        return None
    match = _STANDARDIZED.fullmatch(text)
    parsed = measure(text) if match is None else Standardized(of_measure=measure(match[2]), how=match[1])
    return parsed if str(parsed) == text else None


def _parse_trec_eval(text: str) -> Measure | None:
    return parse_trec_eval(text) or _parse_notation(text)


def _parse_ranx(text: str) -> Measure | None:
    match = _RANX_NAME.fullmatch(text)
    return match and measure(_RANX[match[1]] + (f"@{match[2]}" if match[2] else ""))


def _parse_mteb(text: str) -> Measure | None:
    match = _MTEB_NAME.fullmatch(text)
    return match and measure(f"{_MTEB[match[1]]}@{match[2]}")


_PARSERS = {
    "trec_eval": _parse_trec_eval,
    "pytrec_eval": _parse_trec_eval,
    "ir_measures": from_ir_measures,
    "ranx": _parse_ranx,
    "mteb": _parse_mteb,
}


def forget_names() -> None:
    """Clear the caches of names, because users may have defined or removed measures."""
    parse_name.cache_clear()
    _known_names.cache_clear()


def is_known_name(text: str) -> bool:
    """Return True if a text names a measure in some format, or if trec_eval prints it beside the measures.

    >>> [is_known_name(text) for text in ("P_5", "nDCG@10", "hit_rate@5", "relstring", "301", "q1")]
    [True, True, True, True, False, False]
    """
    if text in MARKERS or _RANX_NAME.fullmatch(text) or _MTEB_NAME.fullmatch(text):
        return True
    if not _resembles_measure(text):
        return False
    try:
        return measure(text) is not None
    except MeasureError:
        return False


def _resembles_measure(text: str) -> bool:
    """Return False if a text cannot be a measure. Parsing would also find this out, but a thousand times slower."""
    if len(text) > _MAX_NAME_LENGTH:
        return False
    names, stems = _known_names()
    head = re.split(r"[@(]", text, maxsplit=1)[0].strip().lower()
    parts = re.fullmatch(r"(.+?)[._][\d.]+", text, re.ASCII)
    return head in names or (parts is not None and parts[1].lower() in stems)


@cache
def _known_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of measures in lower case, and the names in trec_eval that are followed by a number."""
    classes = catalogue().values()
    patterns = [name.partition("=")[0].lower() for cls in classes for name in cls.trec_eval]
    names = {alias.lower() for cls in classes for alias in (cls.name, *cls.aliases)} | set(map(str.lower, METHODS))
    stems = {pattern.removesuffix("_*") for pattern in patterns if pattern.endswith("_*")}
    return frozenset(names.union(patterns)), frozenset(stems | names)
