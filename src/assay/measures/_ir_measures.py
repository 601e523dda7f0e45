"""Translation of the notation of ir_measures.

Notation that does not conflict with the notation of assay is accepted wherever measures are parsed (``translate_name``,
``translate_parameters``). If the same text means another measure in ir_measures, only ``from_ir_measures`` follows
ir_measures (``apply_ir_defaults``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from assay.errors import MeasureError, suggestion
from assay.measures._base import Measure
from assay.measures._parameters import parameters_of
from assay.model.gains import Gains

# The measures of ir_measures that need only qrels and runs, with their parameters.
_BINARY = ("cutoff", "rel", "judged_only")
_SCALED = ("min_rel", "max_rel")
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "Accuracy": ("cutoff", "rel"),
    "alpha_DCG": (*_BINARY, "alpha"),
    "alpha_nDCG": (*_BINARY, "alpha"),
    "AP": _BINARY,
    "BPM": ("cutoff", "T", *_SCALED),
    "Bpref": ("rel",),
    "Compat": ("p", "normalize"),
    "ERR": ("cutoff",),
    "ERR_IA": _BINARY,
    "infAP": ("rel",),
    "INSQ": ("T", *_SCALED),
    "INST": ("T", *_SCALED),
    "IPrec": ("recall", "rel", "judged_only"),
    "Judged": ("cutoff",),
    "nERR_IA": _BINARY,
    "nNRBP": ("alpha", "beta", "rel"),
    "NRBP": ("alpha", "beta", "rel"),
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
    "StRecall": ("cutoff", "rel"),
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
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
}
_INTENT_AWARE = {"ap_ia": "IA(AP)", "map_ia": "IA(AP)", "p_ia": "IA(P@10)"}
_MAX_GRADES = 1000


def is_ir_measure(value: object) -> bool:
    """Return True if *value* is a measure object of ir_measures, without importing ir_measures."""
    modules = (base.__module__.partition(".")[0] for base in type(value).__mro__)
    return "ir_measures" in modules and hasattr(value, "params")


def split_ir_measure(measure: Any) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a measure object of ir_measures."""
    if hasattr(measure, "runtime_impl"):
        raise MeasureError("defined by a Python function, so only ir_measures can compute it")
    return str(measure.NAME), dict(measure.params)


def refuse_intent_aware(name: str) -> None:
    """Raise ``MeasureError`` for intent-aware measures of ir_measures, which assay names after the inner measure."""
    if name.lower() in _INTENT_AWARE:
        raise MeasureError(f"{name} is written IA(M) with any measure M, such as {_INTENT_AWARE[name.lower()]}")


# Different notation, same measure ----------------------------------------------------------------------------


def translate_name(name: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Translate measures that differ by a parameter in ir_measures but by name in assay."""
    lower, parameters = name.lower(), dict(parameters)
    if lower == "numret" and "rel" in parameters:
        return "NumRelRet", parameters
    if lower in ("setp", "setrelp") and "relative" in parameters:
        return ("SetRelP" if _check_flag("relative", parameters.pop("relative")) else "SetP"), parameters
    beta = parameters.get("beta")
    if lower == "setf" and isinstance(beta, int | float) and not isinstance(beta, bool) and beta > 0:
        # Like trec_eval, ir_measures multiplies by beta where the definition of F has beta squared.
        parameters["beta"] = math.sqrt(beta)
    return name, parameters


def translate_parameters(cls: type[Measure], parameters: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Translate parameters that have a different name or form in assay; return them and the flag ``judged_only``."""
    fields = {field.name: field for field in parameters_of(cls)}
    parameters = dict(parameters)
    judged_only = "judged_only" in parameters and _check_flag("judged_only", parameters.pop("judged_only"))
    gains: dict[str, Any] = {}
    if "dcg" in parameters and "dcg" not in fields and hasattr(cls, "base"):
        gains |= _translate_dcg(parameters.pop("dcg"))
    if "min_rel" in parameters and "gains" in fields and str(fields["gains"].default) == "unit":
        gains |= _linear_gains(parameters.pop("min_rel"), parameters.get("max_rel"))
    if gains and "gains" in parameters:
        raise MeasureError("gains is given twice")
    return parameters | gains, judged_only


def _check_flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise MeasureError(f"{name} must be true or false, got {value}")
    return value


def _translate_dcg(value: object) -> dict[str, Any]:
    """Translate the parameter ``dcg``, whose value ``exp-log2`` stands for exponential gains."""
    if value not in ("log2", "exp-log2"):
        raise MeasureError(f"dcg must be log2 or exp-log2, got {value}")
    return {"gains": "exp"} if value == "exp-log2" else {}


def _linear_gains(low: Any, top: Any) -> dict[str, Any]:
    """Return gains that rise linearly from 0 at grade *low* to 1 at grade *top*, for whole grades."""
    if type(low) is int and low == 0:
        return {}
    if type(low) is not int or type(top) is not int or not 0 < low < top <= _MAX_GRADES:
        raise MeasureError(
            f"min_rel must be a whole number below max_rel, and max_rel a whole number of at most {_MAX_GRADES}, "
            f"got min_rel={low} and max_rel={'none' if top is None else top}"
        )
    return {"gains": {grade: max(grade - low, 0) / (top - low) for grade in range(1, top + 1)}}


# Same notation, different measure ----------------------------------------------------------------------------


def check_ir_name(name: str) -> str:
    """Return the canonical name of a measure of ir_measures; raise ``MeasureError`` if there is none."""
    refuse_intent_aware(name)
    name = _ALIASES.get(name, name)
    if name not in _PARAMETERS:
        raise MeasureError(f"ir_measures has no measure {name}{suggestion(name, [*_PARAMETERS, *_ALIASES])}")
    return name


def apply_ir_defaults(name: str, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a measure with the defaults of ir_measures and the behaviour of the tools (providers) that it calls."""
    name = check_ir_name(name)
    known = _PARAMETERS[name]
    for parameter in parameters:
        if parameter not in known:
            known_text = f"it has {', '.join(known)}" if known else "it has none"
            raise MeasureError(f"{name} of ir_measures has no parameter {parameter}; {known_text}")
    return name, _IR_DEFAULTS.get(name, dict)(parameters)


def _rbp_defaults(parameters: dict[str, Any]) -> dict[str, Any]:
    if "rel" not in parameters:
        raise MeasureError(
            "in ir_measures, RBP without rel has graded gains, and none of the usual providers computes it; "
            "add rel=1 for binary gains"
        )
    return {"p": 0.8, **parameters}


def _iprec_defaults(parameters: dict[str, Any]) -> dict[str, Any]:
    """Follow pytrec_eval, which runs trec_eval 9 with the recall level rounded to two digits."""
    level = parameters.get("recall")
    two_digits = {"recall": float(f"{level:.2f}")} if isinstance(level, int | float) else {}
    return {**parameters, **two_digits, "rounding": "trec_eval-9"}


def _ndcg_defaults(parameters: dict[str, Any]) -> dict[str, Any]:
    """Follow the gains of ir_measures, which replace the grades before trec_eval is called.

    trec_eval gives negative grades gain 0 and, with ``judged_only``, treats them as unjudged.
    """
    rest = {parameter: value for parameter, value in parameters.items() if parameter != "gains"}
    if not parameters.get("gains"):
        return rest
    spec = Gains(parameters["gains"]).spec
    if isinstance(spec, str):
        raise MeasureError(f"gains of ir_measures are numbers by grade, such as {{1:3,2:9}}, got {spec}")
    gains = dict(spec)
    if parameters.get("judged_only") and any((grade < 0) != (gain < 0) for grade, gain in gains.items()):
        raise MeasureError("with judged_only, gains must be negative for negative grades and for no other grades")
    return {**rest, "gains": {grade: max(gain, 0.0) for grade, gain in gains.items()}}


_IR_DEFAULTS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "ERR": lambda parameters: {**parameters, "max_rel": 4},  # the top grade of gdeval is always 4
    "IPrec": _iprec_defaults,
    "nDCG": _ndcg_defaults,
    "NERR10": lambda parameters: {"p": 0.9, **parameters},
    "RBP": _rbp_defaults,
    **dict.fromkeys(("BPM", "INSQ", "INST", "NERR11"), lambda parameters: {"T": 1, **parameters}),
}
