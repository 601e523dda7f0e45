"""What ir_measures writes, in the words of assay.

Where nothing contradicts, its words are understood wherever measures are read (``renamed``, ``reworded``). Where the
same text means something else there, only ``from_ir_measures`` reads it so (``meant``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from assay.errors import MeasureError, suggestion
from assay.measures._base import Measure
from assay.measures._parameters import parameters_of
from assay.model.gains import Gains

# Every measure of ir_measures that needs no other data, with its parameters.
_BINARY = ("cutoff", "rel", "judged_only")
_SCALED = ("min_rel", "max_rel")
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "Accuracy": ("cutoff", "rel"),
    "AP": _BINARY,
    "BPM": ("cutoff", "T", *_SCALED),
    "Bpref": ("rel",),
    "Compat": ("p", "normalize"),
    "ERR": ("cutoff",),
    "infAP": ("rel",),
    "INSQ": ("T", *_SCALED),
    "INST": ("T", *_SCALED),
    "IPrec": ("recall", "rel", "judged_only"),
    "Judged": ("cutoff",),
    "nDCG": ("cutoff", "dcg", "gains", "judged_only"),
    "NERR8": ("cutoff", *_SCALED),
    "NERR9": ("cutoff", *_SCALED),
    "NERR10": ("p", *_SCALED),
    "NERR11": ("T", *_SCALED),
    "NumQ": (),
    "NumRel": ("rel",),
    "NumRelRet": ("rel",),
    "NumRet": ("rel",),
    "P": _BINARY,
    "R": _BINARY,
    "RBP": ("cutoff", "p", "rel"),
    "Rprec": ("rel", "judged_only"),
    "RR": _BINARY,
    "SDCG": ("cutoff", "dcg", *_SCALED),
    "SetAP": ("rel", "judged_only"),
    "SetF": ("rel", "beta", "judged_only"),
    "SetP": ("rel", "relative", "judged_only"),
    "SetR": ("rel",),
    "SetRelP": ("rel", "relative", "judged_only"),
    "Success": _BINARY,
}
_ALIASES = {
    "BPref": "Bpref",
    "MAP": "AP",
    "MRR": "RR",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
}
_OF_SUBTOPICS = {
    *("alpha_dcg", "α_dcg", "alpha_ndcg", "α_ndcg", "ap_ia", "map_ia", "err_ia", "nerr_ia", "nnrbp", "nrbp", "p_ia"),
    "strecall",
}
_MOST_GRADES = 1000


def is_theirs(thing: object) -> bool:
    """Whether *thing* is a measure of ir_measures, which need not be loaded to find out."""
    modules = (base.__module__.partition(".")[0] for base in type(thing).__mro__)
    return "ir_measures" in modules and hasattr(thing, "params")


def parts_of(thing: Any) -> tuple[str, dict[str, Any]]:
    """The name and the parameters of a measure of ir_measures."""
    if hasattr(thing, "runtime_impl"):
        raise MeasureError("it was defined in Python, so that only ir_measures can compute it")
    return str(thing.NAME), dict(thing.params)


def refuse_subtopics(name: str) -> None:
    """Say what the measures of diversity lack here."""
    if name.lower() in _OF_SUBTOPICS:
        raise MeasureError(f"{name} needs judgments of subtopics, which assay does not read")


# Other words for the same ------------------------------------------------------------------------------------


def renamed(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Measures that ir_measures tells apart by a parameter, and assay by their names."""
    known, given = name.lower(), dict(given)
    if known == "numret" and "rel" in given:
        return "NumRelRet", given
    if known in ("setp", "setrelp") and "relative" in given:
        return ("SetRelP" if _flag("relative", given.pop("relative")) else "SetP"), given
    beta = given.get("beta")
    if known == "setf" and isinstance(beta, int | float) and not isinstance(beta, bool) and beta > 0:
        # How many times recall counts as much as precision: the square of what F calls so.
        given["beta"] = math.sqrt(beta)
    return name, given


def reworded(cls: type[Measure], given: dict[str, Any]) -> dict[str, Any]:
    """Parameters that say the same in another way."""
    fields = {field.name: field for field in parameters_of(cls)}
    given = dict(given)
    gains: dict[str, Any] = {}
    if "dcg" in given and "dcg" not in fields and hasattr(cls, "base"):
        gains |= _dcg(given.pop("dcg"))
    if "min_rel" in given and "gains" in fields and str(fields["gains"].default) == "unit":
        gains |= _from_the_lowest(given.pop("min_rel"), given.get("max_rel"))
    if gains and "gains" in given:
        raise MeasureError("gains is given twice")
    return given | gains


def judged_only(given: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Whether the ranking is to be condensed, and the other parameters."""
    rest = dict(given)
    return _flag("judged_only", rest.pop("judged_only", False)), rest


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise MeasureError(f"{name} must be true or false, got {value}")
    return value


def _dcg(value: object) -> dict[str, Any]:
    """It writes the exponential gains as a kind of discount."""
    if value not in ("log2", "exp-log2"):
        raise MeasureError(f"dcg must be log2 or exp-log2, got {value}")
    return {"gains": "exp"} if value == "exp-log2" else {}


def _from_the_lowest(low: Any, top: Any) -> dict[str, Any]:
    """Gains that rise from 0 at the grade *low* to 1 at the grade *top*, for whole grades."""
    if type(low) is int and low == 0:
        return {}
    if type(low) is not int or type(top) is not int or not 0 < low < top <= _MOST_GRADES:
        limit = f"max_rel, which must be given and at most {_MOST_GRADES}"
        raise MeasureError(f"min_rel must be a whole number from 0 to below {limit}, got {low}")
    return {"gains": {grade: max(grade - low, 0) / (top - low) for grade in range(1, top + 1)}}


# The same words for something else ---------------------------------------------------------------------------


def known_to_them(name: str) -> str:
    """The name of a measure of ir_measures, which is refused if it has no such measure."""
    refuse_subtopics(name)
    name = _ALIASES.get(name, name)
    if name not in _PARAMETERS:
        raise MeasureError(f"ir_measures has no measure {name}{suggestion(name, [*_PARAMETERS, *_ALIASES])}")
    return name


def meant(name: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A measure as ir_measures means it: with its defaults, and with what its providers compute."""
    name = known_to_them(name)
    known = _PARAMETERS[name]
    for parameter in given:
        if parameter not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise MeasureError(f"{name} of ir_measures has no parameter {parameter}; {has}")
    return name, _MEANT.get(name, dict)(given)


def _rbp(given: dict[str, Any]) -> dict[str, Any]:
    if "rel" not in given:
        raise MeasureError(
            "without rel ir_measures means RBP of graded gains, which none of its usual providers computes; "
            "write rel=1 for binary gains"
        )
    return {"p": 0.8, **given}


def _iprec(given: dict[str, Any]) -> dict[str, Any]:
    """It asks pytrec_eval, which is trec_eval 9, for a recall level of two digits."""
    level = given.get("recall")
    two_digits = {"recall": float(f"{level:.2f}")} if isinstance(level, int | float) else {}
    return {**given, **two_digits, "rounding": "trec_eval-9"}


def _ndcg(given: dict[str, Any]) -> dict[str, Any]:
    """Its gains are other grades for trec_eval, to which negative ones are worth nothing and not even judged."""
    rest = {parameter: value for parameter, value in given.items() if parameter != "gains"}
    if not given.get("gains"):
        return rest
    worth = Gains(given["gains"]).spec
    if isinstance(worth, str):
        raise MeasureError(f"gains of ir_measures are numbers by grade, such as {{1:3,2:9}}, got {worth}")
    worth = dict(worth)
    if given.get("judged_only") and any((grade < 0) != (gain < 0) for grade, gain in worth.items()):
        raise MeasureError("with judged_only, gains may not make a grade negative or a negative grade positive")
    return {**rest, "gains": {grade: max(gain, 0.0) for grade, gain in worth.items()}}


_MEANT: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "ERR": lambda given: {**given, "max_rel": 4},  # gdeval, whose scale ends at 4 whatever the qrels hold
    "IPrec": _iprec,
    "nDCG": _ndcg,
    "NERR10": lambda given: {"p": 0.9, **given},
    "RBP": _rbp,
    **dict.fromkeys(("BPM", "INSQ", "INST", "NERR11"), lambda given: {"T": 1, **given}),
}
