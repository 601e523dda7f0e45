"""The measures of trec_eval: their order, names, parameters and sets, and the measures of assay behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from assay.compat.trec_eval import gain_quirks
from assay.compat.trec_eval import parameters as read
from assay.compat.trec_eval.gain_measures import graded, rbp, rbp_resid, relevant_only
from assay.compat.trec_eval.measure_spec import (
    JUDGES,
    PREFERENCES,
    FlaggedRankings,
    MeasureSettings,
    MeasureSpec,
    OutputColumn,
    score_with,
)
from assay.compat.trec_eval.parameters import EVALUATION, RefusedError, decimals
from assay.compat.trec_eval.recall_levels import iprec, mean_iprec
from assay.measures import Measure
from assay.measures._trec_eval import PARAMETERS, RECALL_LEVELS
from assay.measures._trec_eval import SETS as TREC_SETS
from assay.measures.average_precision import AP, YAAP, infAP
from assay.measures.counts import NumNonrelJudgedRet, NumRel, NumRelRet, NumRet, Unjudged
from assay.measures.dcg import DCG, IdealDCG, nDCG
from assay.measures.ideal_ranking import BinG, G, RnDCG, nDCGrel
from assay.measures.precision import P, Rprec, RprecMult
from assay.measures.preferences import Bpref
from assay.measures.reciprocal_rank import RR, Success
from assay.measures.sets import R, SetAP, SetP, SetRelP, Utility
from assay.model.arrays import Floats

PREFERENCE_COUNTS = ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")
PREFERENCE_MEASURES = (
    *PREFERENCE_COUNTS,
    *("prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel"),
    *("prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret"),
    *("prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
)


@cache
def specs() -> dict[str, MeasureSpec]:
    """Return every measure by name, in the order in which trec_eval prints them."""
    listed = [*_first(), *_ranked(), *_gained(), *_sets(), *_preferences(), *_judges(), *_last()]
    return {spec.name: spec for spec in listed}


SETS: dict[str, str] = {
    **TREC_SETS,
    "all_prefs": " ".join(["runid", "num_q", *PREFERENCE_MEASURES]),
    "prefs": " ".join(["runid", "num_q", *PREFERENCE_MEASURES[:6]]),
    "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
}


def known_names(profile: str) -> list[str]:
    """Return the names of all measures of a version."""
    return [spec.name for spec in specs().values() if spec.only in (None, profile)]


def expand_name(name: str, family: str, profile: str) -> list[str] | None:
    """Return the measures that a name or the name of a set stands for; None if the name is unknown.

    ``all`` is every measure that the judgments allow; trec_eval has no such set.
    """
    have = known_names(profile)
    if name == "all":
        return [each for each in have if specs()[each].family in (None, family)]
    if name in SETS:
        return [each for each in SETS[name].split() if each in have]
    return [name] if name in have else None


# The measures -------------------------------------------------------------------------------------------------------


def _plain(name: str, kind: type[Measure], *, rel: bool = True, **more: Any) -> MeasureSpec:
    """Return a measure without parameters."""

    def columns(label: str, _given: Any, settings: MeasureSettings) -> list[OutputColumn]:
        return [OutputColumn(label, score_with(kind(**({"rel": settings.rel} if rel else {})), rel))]

    return MeasureSpec(name, columns, **more)


def _at(name: str, kind: type[Measure], *, rel: bool = True, only: str | None = None, **fixed: Any) -> MeasureSpec:
    """Return a measure with one value for each cutoff."""

    def columns(label: str, given: Any, settings: MeasureSettings) -> list[OutputColumn]:
        more = {**fixed, **({"rel": settings.rel} if rel else {})}
        return [OutputColumn(f"{label}_{cut}", score_with(kind(cutoff=cut, **more), rel)) for cut in given]

    return MeasureSpec(name, columns, read.cutoffs, PARAMETERS[name], only=only)


def _first() -> list[MeasureSpec]:
    return [
        MeasureSpec("runid", lambda *_: [], total="run", per_topic=False, family=None),
        MeasureSpec("num_q", _named, total="topics", per_topic=False, whole=True, family=None),
        _plain("num_ret", NumRet, rel=False, total="sum", whole=True),
        _plain("num_rel", NumRel, total="sum", whole=True),
        _plain("num_rel_ret", NumRelRet, total="sum", whole=True),
    ]


def _named(label: str, _given: Any, _settings: MeasureSettings) -> list[OutputColumn]:
    return [OutputColumn(label)]


def _ranked() -> list[MeasureSpec]:
    return [
        _plain("map", AP),
        _geometric("gm_map", AP),
        _plain("Rprec", Rprec),
        _plain("bpref", Bpref),
        _plain("recip_rank", RR),
        MeasureSpec("iprec_at_recall", iprec, read.levels, PARAMETERS["iprec_at_recall"]),
        _at("P", P),
        MeasureSpec("relstring", lambda *_: [], read.numbers, (10.0,), total=None),
        _at("recall", R),
        _plain("infAP", infAP),
        _geometric("gm_bpref", Bpref),
        MeasureSpec("Rprec_mult", _rprec_mult, read.levels, PARAMETERS["Rprec_mult"]),
        MeasureSpec("utility", _utility, read.numbers, (1.0, -1.0, 0.0, 0.0)),
        MeasureSpec("11pt_avg", mean_iprec, read.numbers, RECALL_LEVELS),
        _plain("binG", BinG),
    ]


def _gained() -> list[MeasureSpec]:
    return [
        graded("G", G, gain_quirks.g),
        graded("dcg", DCG, gain_quirks.dcg, only="10.0"),
        graded("ideal_dcg", IdealDCG, gain_quirks.ideal_dcg, only="10.0"),
        graded("ndcg", nDCG, gain_quirks.ndcg),
        graded("ndcg_rel", nDCGrel, gain_quirks.ndcg_rel),
        relevant_only(graded("Rndcg", RnDCG, gain_quirks.rndcg)),
        _at("ndcg_cut", nDCG, rel=False),
        _at("map_cut", AP),
        _at("relative_P", R, capped=True),
        _at("success", Success),
    ]


def _sets() -> list[MeasureSpec]:
    return [
        _plain("set_P", SetP),
        _plain("set_relative_P", SetRelP),
        _plain("set_recall", R),
        _plain("set_map", SetAP),
        MeasureSpec("set_F", _set_f, read.numbers, (1.0,)),
        _plain("num_nonrel_judged_ret", NumNonrelJudgedRet, total="sum", whole=True),
    ]


def _preferences() -> list[MeasureSpec]:
    counts = [MeasureSpec(name, _named, total="sum", whole=True, family=PREFERENCES) for name in PREFERENCE_COUNTS]
    shares = [MeasureSpec(name, _named, family=PREFERENCES) for name in PREFERENCE_MEASURES[len(counts) :]]
    return [*counts, *shares]


def _judges() -> list[MeasureSpec]:
    """Return the measures of one judge, which judgment_groups averages over the judges of a topic."""
    return [
        _plain("map_avgjg", AP, family=JUDGES),
        replace(_at("P", P), name="P_avgjg", family=JUDGES),
        MeasureSpec("Rprec_mult_avgjg", _rprec_mult, read.levels, PARAMETERS["Rprec_mult"], family=JUDGES),
    ]


def _last() -> list[MeasureSpec]:
    return [
        _plain("yaap", YAAP),
        MeasureSpec("rbp", rbp, read.gains, (), only="10.0"),
        MeasureSpec("rbp_resid", rbp_resid, read.gains, (), only="10.0"),
        _at("unj", Unjudged, rel=False, only="10.0"),
    ]


def _geometric(name: str, kind: type[Measure]) -> MeasureSpec:
    """Return a geometric mean over topics: its values are logarithms, and none is printed for a topic."""

    def columns(label: str, _given: Any, settings: MeasureSettings) -> list[OutputColumn]:
        base = score_with(kind(rel=settings.rel))
        return [OutputColumn(label, lambda rankings: np.log(np.maximum(base(rankings), 1e-5)))]

    return MeasureSpec(name, columns, total="geometric", per_topic=False)


def _rprec_mult(label: str, given: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    def column(multiple: float) -> OutputColumn:
        if multiple <= 0:
            return OutputColumn(decimals(label, multiple), lambda rankings: np.zeros(len(rankings.judged)))
        return OutputColumn(decimals(label, multiple), score_with(RprecMult(multiple=multiple, rel=settings.rel)))

    return [column(multiple) for multiple in given]


def _utility(label: str, given: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    if len(given) != 4:
        raise RefusedError(f"-m utility: expected 4 parameters (utility.1,-1,0,0), found {len(given)}", EVALUATION)
    names = ("rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed")
    measure = Utility(**dict(zip(names, given, strict=True)), docs=settings.docs, rel=settings.rel)
    return [OutputColumn(label, score_with(measure))]


def _set_f(label: str, given: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    x, precision, recall = given[0], SetP(rel=settings.rel), R(rel=settings.rel)

    def values(rankings: FlaggedRankings) -> Floats:
        found, share = precision.score(rankings.relevant), recall.score(rankings.relevant)
        below = x * found + share
        return np.divide((x + 1) * found * share, below, out=np.zeros(len(below)), where=below != 0)

    return [OutputColumn(label, values)]
