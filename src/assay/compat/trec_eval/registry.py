"""The measures of trec_eval: their order, names, parameters and sets, and the measures of assay behind them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from assay.compat.trec_eval import parameters as read
from assay.compat.trec_eval import worth
from assay.compat.trec_eval.entry import JUDGES, PREFERENCES, QRELS, Column, Entry, Rankings, Settings, scored
from assay.compat.trec_eval.gained import graded, rbp, rbp_resid, relevant_only
from assay.compat.trec_eval.parameters import EVALUATION, RefusedError, decimals
from assay.compat.trec_eval.preferences import PREFERENCE_COUNTS, PREFERENCE_MEASURES
from assay.compat.trec_eval.recall_levels import iprec, mean_iprec
from assay.measures import Measure
from assay.measures._trec_eval import CUTOFFS, MULTIPLES, PARAMETERS, RECALL_LEVELS
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

__all__ = [
    "JUDGES",
    "PREFERENCES",
    "QRELS",
    "SETS",
    "Column",
    "Entry",
    "Rankings",
    "Settings",
    "entries",
    "known",
    "selected",
]


@cache
def entries() -> dict[str, Entry]:
    """Every measure, in the order in which trec_eval prints them."""
    listed = [*_first(), *_ranked(), *_gained(), *_sets(), *_preferences(), *_judges(), *_last()]
    return {entry.name: entry for entry in listed}


SETS: dict[str, str] = {
    **TREC_SETS,
    "all_prefs": " ".join(["runid", "num_q", *PREFERENCE_MEASURES]),
    "prefs": " ".join(["runid", "num_q", *PREFERENCE_MEASURES[:6]]),
    "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
}


def known(profile: str) -> list[str]:
    """The names of all measures that a version has."""
    return [entry.name for entry in entries().values() if entry.only in (None, profile)]


def selected(name: str, family: str, profile: str) -> list[str] | None:
    """The measures that a name or the name of a set stands for; None if there is none of that name.

    ``all`` is every measure that the judgments allow; trec_eval has no such set.
    """
    have = known(profile)
    if name == "all":
        return [each for each in have if entries()[each].family in (None, family)]
    if name in SETS:
        return [each for each in SETS[name].split() if each in have]
    return [name] if name in have else None


# The measures -------------------------------------------------------------------------------------------------------


def _plain(name: str, kind: type[Measure], *, rel: bool = True, **more: Any) -> Entry:
    """A measure without parameters."""

    def columns(label: str, _given: Any, settings: Settings) -> list[Column]:
        return [Column(label, scored(kind(**({"rel": settings.rel} if rel else {})), rel))]

    return Entry(name, columns, **more)


def _at(name: str, kind: type[Measure], *, rel: bool = True, only: str | None = None, **fixed: Any) -> Entry:
    """A measure with cutoffs: one value for each."""

    def columns(label: str, given: Any, settings: Settings) -> list[Column]:
        more = {**fixed, **({"rel": settings.rel} if rel else {})}
        return [Column(f"{label}_{cut}", scored(kind(cutoff=cut, **more), rel)) for cut in given]

    return Entry(name, columns, read.cutoffs, PARAMETERS[name], only=only)


def _first() -> list[Entry]:
    return [
        Entry("runid", lambda *_: [], total="run", per_topic=False, family=None),
        Entry("num_q", _named, total="topics", per_topic=False, whole=True, family=None),
        _plain("num_ret", NumRet, rel=False, total="sum", whole=True),
        _plain("num_rel", NumRel, total="sum", whole=True),
        _plain("num_rel_ret", NumRelRet, total="sum", whole=True),
    ]


def _named(label: str, _given: Any, _settings: Settings) -> list[Column]:
    return [Column(label)]


def _ranked() -> list[Entry]:
    return [
        _plain("map", AP),
        _geometric("gm_map", AP),
        _plain("Rprec", Rprec),
        _plain("bpref", Bpref),
        _plain("recip_rank", RR),
        Entry("iprec_at_recall", iprec, read.levels, PARAMETERS["iprec_at_recall"]),
        _at("P", P),
        Entry("relstring", lambda *_: [], read.numbers, (10.0,), total=None),
        _at("recall", R),
        _plain("infAP", infAP),
        _geometric("gm_bpref", Bpref),
        Entry("Rprec_mult", _rprec_mult, read.levels, PARAMETERS["Rprec_mult"]),
        Entry("utility", _utility, read.numbers, (1.0, -1.0, 0.0, 0.0)),
        Entry("11pt_avg", mean_iprec, read.numbers, RECALL_LEVELS),
        _plain("binG", BinG),
    ]


def _gained() -> list[Entry]:
    return [
        graded("G", G, worth.lagging),
        graded("dcg", DCG, worth.dcg, only="10.0"),
        graded("ideal_dcg", IdealDCG, worth.ideal_dcg, only="10.0"),
        graded("ndcg", nDCG, worth.ndcg),
        graded("ndcg_rel", nDCGrel, worth.ndcg_rel),
        relevant_only(graded("Rndcg", RnDCG, worth.rndcg)),
        _at("ndcg_cut", nDCG, rel=False),
        _at("map_cut", AP),
        _at("relative_P", R, capped=True),
        _at("success", Success),
    ]


def _sets() -> list[Entry]:
    return [
        _plain("set_P", SetP),
        _plain("set_relative_P", SetRelP),
        _plain("set_recall", R),
        _plain("set_map", SetAP),
        Entry("set_F", _set_f, read.numbers, (1.0,)),
        _plain("num_nonrel_judged_ret", NumNonrelJudgedRet, total="sum", whole=True),
    ]


def _preferences() -> list[Entry]:
    counts = [Entry(name, _named, total="sum", whole=True, family=PREFERENCES) for name in PREFERENCE_COUNTS]
    shares = [name for name in PREFERENCE_MEASURES if name not in PREFERENCE_COUNTS]
    return [*counts, *(Entry(name, _named, family=PREFERENCES) for name in shares)]


def _judges() -> list[Entry]:
    def at_cutoffs(label: str, given: Any, _settings: Settings) -> list[Column]:
        return [Column(f"{label}_{cut}") for cut in given]

    def at_multiples(label: str, given: Any, _settings: Settings) -> list[Column]:
        return [Column(decimals(label, multiple)) for multiple in given]

    return [
        Entry("map_avgjg", _named, family=JUDGES),
        Entry("P_avgjg", at_cutoffs, read.cutoffs, CUTOFFS, family=JUDGES),
        Entry("Rprec_mult_avgjg", at_multiples, read.levels, MULTIPLES, family=JUDGES),
    ]


def _last() -> list[Entry]:
    return [
        _plain("yaap", YAAP),
        Entry("rbp", rbp, read.gains, (), only="10.0"),
        Entry("rbp_resid", rbp_resid, read.gains, (), only="10.0"),
        _at("unj", Unjudged, rel=False, only="10.0"),
    ]


def _geometric(name: str, kind: type[Measure]) -> Entry:
    """A geometric mean over topics: its values are logarithms, and none is printed for a topic."""

    def columns(label: str, _given: Any, settings: Settings) -> list[Column]:
        base = scored(kind(rel=settings.rel))
        return [Column(label, lambda rankings: np.log(np.maximum(base(rankings), 1e-5)))]

    return Entry(name, columns, total="geometric", per_topic=False)


def _rprec_mult(label: str, given: Sequence[float], settings: Settings) -> list[Column]:
    def column(multiple: float) -> Column:
        if multiple <= 0:
            return Column(decimals(label, multiple), lambda rankings: np.zeros(len(rankings.judged)))
        return Column(decimals(label, multiple), scored(RprecMult(multiple=multiple, rel=settings.rel)))

    return [column(multiple) for multiple in given]


def _utility(label: str, given: Sequence[float], settings: Settings) -> list[Column]:
    if len(given) != 4:
        raise RefusedError(f"-m utility: expected 4 parameters (utility.1,-1,0,0), found {len(given)}", EVALUATION)
    names = ("rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed")
    measure = Utility(**dict(zip(names, given, strict=True)), docs=settings.docs, rel=settings.rel)
    return [Column(label, scored(measure))]


def _set_f(label: str, given: Sequence[float], settings: Settings) -> list[Column]:
    x, precision, recall = given[0], SetP(rel=settings.rel), R(rel=settings.rel)

    def values(rankings: Rankings) -> Floats:
        found, share = precision.score(rankings.relevant), recall.score(rankings.relevant)
        below = x * found + share
        return np.divide((x + 1) * found * share, below, out=np.zeros(len(below)), where=below != 0)

    return [Column(label, values)]
