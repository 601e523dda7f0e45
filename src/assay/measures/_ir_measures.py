"""Translation of the notation of ir_measures.

Where it does not contradict ours, it is accepted wherever measures are parsed (``translate_name``,
``translate_parameters``). Where the same text means something else there, only ``from_ir_measures`` follows it
(``apply_ir_defaults``).
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


def is_ir_measure(thing: object) -> bool:
    """Return whether *thing* is a measure of ir_measures, without importing that package."""
    modules = (base.__module__.partition(".")[0] for base in type(thing).__mro__)
    return "ir_measures" in modules and hasattr(thing, "params")


def split_ir_measure(thing: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a measure of ir_measures."""
    if hasattr(thing, "runtime_impl"):
        raise MeasureError("it was defined in Python, so that only ir_measures can compute it")
    return str(thing.NAME), dict(thing.params)


def refuse_subtopics(name: str) -> None:
    """Refuse measures of diversity, which need judgments of subtopics."""
    if name.lower() in _OF_SUBTOPICS:
        raise MeasureError(f"{name} needs judgments of subtopics, which assay does not read")


# Other notation for the same measure -------------------------------------------------------------------------


def translate_name(name: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Translate measures that ir_measures distinguishes by a parameter and assay by their names."""
    known, parameters = name.lower(), dict(parameters)
    if known == "numret" and "rel" in parameters:
        return "NumRelRet", parameters
    if known in ("setp", "setrelp") and "relative" in parameters:
        return ("SetRelP" if _flag("relative", parameters.pop("relative")) else "SetP"), parameters
    beta = parameters.get("beta")
    if known == "setf" and isinstance(beta, int | float) and not isinstance(beta, bool) and beta > 0:
        # Its beta says how many times recall counts as much as precision: the square of the beta of F.
        parameters["beta"] = math.sqrt(beta)
    return name, parameters


def translate_parameters(cls: type[Measure], parameters: dict[str, Any]) -> dict[str, Any]:
    """Translate parameters that have another name or form in assay."""
    fields = {field.name: field for field in parameters_of(cls)}
    parameters = dict(parameters)
    gains: dict[str, Any] = {}
    if "dcg" in parameters and "dcg" not in fields and hasattr(cls, "base"):
        gains |= _dcg(parameters.pop("dcg"))
    if "min_rel" in parameters and "gains" in fields and str(fields["gains"].default) == "unit":
        gains |= _gains_from_lowest(parameters.pop("min_rel"), parameters.get("max_rel"))
    if gains and "gains" in parameters:
        raise MeasureError("gains is given twice")
    return parameters | gains


def pop_judged_only(parameters: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Return whether the ranking is condensed, and the other parameters."""
    rest = dict(parameters)
    return _flag("judged_only", rest.pop("judged_only", False)), rest


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise MeasureError(f"{name} must be true or false, got {value}")
    return value


def _dcg(value: object) -> dict[str, Any]:
    """Translate its discount ``exp-log2``, which means exponential gains."""
    if value not in ("log2", "exp-log2"):
        raise MeasureError(f"dcg must be log2 or exp-log2, got {value}")
    return {"gains": "exp"} if value == "exp-log2" else {}


def _gains_from_lowest(low: Any, top: Any) -> dict[str, Any]:
    """Return gains that rise linearly from 0 at the grade *low* to 1 at the grade *top*, for whole grades."""
    if type(low) is int and low == 0:
        return {}
    if type(low) is not int or type(top) is not int or not 0 < low < top <= _MOST_GRADES:
        limit = f"max_rel, which must be given and at most {_MOST_GRADES}"
        raise MeasureError(f"min_rel must be a whole number from 0 to below {limit}, got {low}")
    return {"gains": {grade: max(grade - low, 0) / (top - low) for grade in range(1, top + 1)}}


# The same notation for another measure -----------------------------------------------------------------------


def check_ir_name(name: str) -> str:
    """Return the canonical name of a measure of ir_measures; refuse names it does not have."""
    refuse_subtopics(name)
    name = _ALIASES.get(name, name)
    if name not in _PARAMETERS:
        raise MeasureError(f"ir_measures has no measure {name}{suggestion(name, [*_PARAMETERS, *_ALIASES])}")
    return name


def apply_ir_defaults(name: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a measure as ir_measures means it: with its defaults and the behaviour of its providers."""
    name = check_ir_name(name)
    known = _PARAMETERS[name]
    for parameter in parameters:
        if parameter not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise MeasureError(f"{name} of ir_measures has no parameter {parameter}; {has}")
    return name, _IR_DEFAULTS.get(name, dict)(parameters)


def _rbp(parameters: dict[str, Any]) -> dict[str, Any]:
    if "rel" not in parameters:
        raise MeasureError(
            "without rel ir_measures means RBP of graded gains, which none of its usual providers computes; "
            "write rel=1 for binary gains"
        )
    return {"p": 0.8, **parameters}


def _iprec(parameters: dict[str, Any]) -> dict[str, Any]:
    """Follow pytrec_eval, which is trec_eval 9 and gets a recall level of two digits."""
    level = parameters.get("recall")
    two_digits = {"recall": float(f"{level:.2f}")} if isinstance(level, int | float) else {}
    return {**parameters, **two_digits, "rounding": "trec_eval-9"}


def _ndcg(parameters: dict[str, Any]) -> dict[str, Any]:
    """Follow its gains, which replace the grades: to trec_eval, negative ones are worth nothing and unjudged."""
    rest = {parameter: value for parameter, value in parameters.items() if parameter != "gains"}
    if not parameters.get("gains"):
        return rest
    worth = Gains(parameters["gains"]).spec
    if isinstance(worth, str):
        raise MeasureError(f"gains of ir_measures are numbers by grade, such as {{1:3,2:9}}, got {worth}")
    worth = dict(worth)
    if parameters.get("judged_only") and any((grade < 0) != (gain < 0) for grade, gain in worth.items()):
        raise MeasureError("with judged_only, gains may not make a grade negative or a negative grade positive")
    return {**rest, "gains": {grade: max(gain, 0.0) for grade, gain in worth.items()}}


_IR_DEFAULTS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "ERR": lambda parameters: {**parameters, "max_rel": 4},  # gdeval, whose scale ends at 4 whatever the qrels hold
    "IPrec": _iprec,
    "nDCG": _ndcg,
    "NERR10": lambda parameters: {"p": 0.9, **parameters},
    "RBP": _rbp,
    **dict.fromkeys(("BPM", "INSQ", "INST", "NERR11"), lambda parameters: {"T": 1, **parameters}),
}
