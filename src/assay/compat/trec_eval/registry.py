"""The measures of trec_eval: their order, names, parameters and sets, and the assay measures that compute them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from assay.compat.trec_eval import gain_quirks
from assay.compat.trec_eval.measure_spec import (
    JUDGES,
    PREFERENCES,
    FlaggedRankings,
    MeasureSettings,
    MeasureSpec,
    OutputColumn,
    score_with,
)
from assay.compat.trec_eval.parameters import (
    EVALUATION,
    Gain,
    RefusedError,
    decimal_label,
    parse_cutoffs,
    parse_gains,
    parse_levels,
    parse_numbers,
)
from assay.compat.trec_eval.recall_levels import interpolated_columns, mean_interpolated_column
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


SETS: dict[str, str] = {
    **TREC_SETS,
    "all_prefs": " ".join(["runid", "num_q", *PREFERENCE_MEASURES]),
    "prefs": " ".join(["runid", "num_q", *PREFERENCE_MEASURES[:6]]),
    "qrels_jg": "runid num_q map_avgjg P_avgjg Rprec_mult_avgjg",
}


def known_names(profile: str) -> list[str]:
    """Return the names of all measures of a version."""
    return [spec.name for spec in specs().values() if spec.version in (None, profile)]


def expand_name(name: str, family: str, profile: str) -> list[str] | None:
    """Return the measures that the name of a measure or of a set denotes; None if the name is unknown.

    ``all`` is every measure that the judgments allow; trec_eval has no such set.
    """
    known = known_names(profile)
    if name == "all":
        return [measure for measure in known if specs()[measure].family in (None, family)]
    if name in SETS:
        return [measure for measure in SETS[name].split() if measure in known]
    return [name] if name in known else None


def _plain_measure(name: str, kind: type[Measure], *, rel: bool = True, **options: Any) -> MeasureSpec:
    """Return a measure without parameters; *rel* is True if it uses binary relevance."""

    def columns(label: str, _parameters: Any, settings: MeasureSettings) -> list[OutputColumn]:
        return [OutputColumn(label, score_with(kind(**({"rel": settings.rel} if rel else {})), rel))]

    return MeasureSpec(name, columns, **options)


def _cutoff_measure(
    name: str, kind: type[Measure], *, rel: bool = True, version: str | None = None, **fixed: Any
) -> MeasureSpec:
    """Return a measure with one value for each cutoff."""

    def columns(label: str, cutoffs: Any, settings: MeasureSettings) -> list[OutputColumn]:
        options = {**fixed, **({"rel": settings.rel} if rel else {})}
        return [OutputColumn(f"{label}_{k}", score_with(kind(cutoff=k, **options), rel)) for k in cutoffs]

    return MeasureSpec(name, columns, parse_cutoffs, PARAMETERS[name], version=version)


def _label_column(label: str, _parameters: Any, _settings: MeasureSettings) -> list[OutputColumn]:
    """Return a column whose values are computed elsewhere."""
    return [OutputColumn(label)]


def _gain_measure(
    name: str, kind: type[Measure], scorer: Callable[[Floats, Floats], float], **options: Any
) -> MeasureSpec:
    """Build a measure whose gains are the grades, or the gains that the user assigns to them.

    Without user-defined gains, values are those of the measure *kind*. With user-defined gains, *scorer* computes the
    values and reproduces the quirks of trec_eval; it takes the gains of a ranking and those of the ideal ranking.
    """

    def columns(label: str, gains: Sequence[Gain], settings: MeasureSettings) -> list[OutputColumn]:
        if not gains:
            return [OutputColumn(label, score_with(kind(), rel=False))]
        pairs = [gain.as_version_9() for gain in gains] if settings.profile == "9.0.8" else gains
        return [OutputColumn(label, lambda rankings: gain_quirks.score_rankings(scorer, pairs, rankings.judged))]

    return MeasureSpec(name, columns, parse_gains, (), **options)


def _zero_without_relevant(spec: MeasureSpec) -> MeasureSpec:
    """Modify Rndcg as in trec_eval: its value is 0 for a topic whose grades are all below that of ``-l``.

    With ``-l 0`` every judged document is relevant. If then no document has a gain, trec_eval divides 0 by 0.
    """

    def columns(label: str, gains: Any, settings: MeasureSettings) -> list[OutputColumn]:
        [column] = spec.columns(label, gains, settings)

        def values(rankings: FlaggedRankings) -> Floats:
            relevant = rankings.relevant.recall_base(settings.rel) > 0
            value = column.values(rankings)
            if not gains:
                value = np.where(rankings.judged.recall_base(1) > 0, value, np.nan)
            return np.where(relevant, value, 0.0)

        return [OutputColumn(label, values)]

    return replace(spec, columns=columns)


def _rbp(label: str, pairs: Sequence[Gain], _settings: MeasureSettings) -> list[OutputColumn]:
    """Return the column of RBP; *pairs* are gains by grade, and optionally the persistence p."""
    return [OutputColumn(label, lambda rankings: gain_quirks.rbp(rankings.judged, _persistence(pairs), pairs))]


def _rbp_resid(label: str, pairs: Sequence[Gain], _settings: MeasureSettings) -> list[OutputColumn]:
    """Return the column of the residual of RBP; only the persistence p among *pairs* has an effect."""
    return [OutputColumn(label, lambda rankings: gain_quirks.rbp_resid(rankings.judged, _persistence(pairs)))]


def _persistence(pairs: Sequence[Gain]) -> float:
    return next((gain.value for gain in pairs if gain.name == "p"), 0.9)


def _geometric_mean(name: str, kind: type[Measure]) -> MeasureSpec:
    """Return a geometric mean over topics: its values are logarithms, which are not printed for single topics."""

    def columns(label: str, _parameters: Any, settings: MeasureSettings) -> list[OutputColumn]:
        score = score_with(kind(rel=settings.rel))
        return [OutputColumn(label, lambda rankings: np.log(np.maximum(score(rankings), 1e-5)))]

    return MeasureSpec(name, columns, summary="geometric", per_topic=False)


def _rprec_mult(label: str, multiples: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    def column(multiple: float) -> OutputColumn:
        if multiple <= 0:
            return OutputColumn(decimal_label(label, multiple), lambda rankings: np.zeros(len(rankings.judged)))
        return OutputColumn(decimal_label(label, multiple), score_with(RprecMult(multiple=multiple, rel=settings.rel)))

    return [column(multiple) for multiple in multiples]


def _utility(label: str, weights: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    if len(weights) != 4:
        raise RefusedError(f"-m utility: expected 4 parameters (utility.1,-1,0,0), found {len(weights)}", EVALUATION)
    names = ("rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed")
    measure = Utility(**dict(zip(names, weights, strict=True)), docs=settings.docs, rel=settings.rel)
    return [OutputColumn(label, score_with(measure))]


def _set_f(label: str, numbers: Sequence[float], settings: MeasureSettings) -> list[OutputColumn]:
    x, set_precision, set_recall = numbers[0], SetP(rel=settings.rel), R(rel=settings.rel)

    def values(rankings: FlaggedRankings) -> Floats:
        p, r = set_precision.score(rankings.relevant), set_recall.score(rankings.relevant)
        divisor = x * p + r
        return np.divide((x + 1) * p * r, divisor, out=np.zeros(len(divisor)), where=divisor != 0)

    return [OutputColumn(label, values)]


@cache
def specs() -> dict[str, MeasureSpec]:
    """Return every measure by name, in the order in which trec_eval prints them."""
    count: dict[str, Any] = {"summary": "sum", "is_integer": True}
    multiples, preference_ratios = PARAMETERS["Rprec_mult"], PREFERENCE_MEASURES[len(PREFERENCE_COUNTS) :]
    in_order = [
        MeasureSpec("runid", lambda *_: [], summary="run", per_topic=False, family=None),
        MeasureSpec("num_q", _label_column, summary="topics", per_topic=False, is_integer=True, family=None),
        _plain_measure("num_ret", NumRet, rel=False, **count),
        _plain_measure("num_rel", NumRel, **count),
        _plain_measure("num_rel_ret", NumRelRet, **count),
        _plain_measure("map", AP),
        _geometric_mean("gm_map", AP),
        _plain_measure("Rprec", Rprec),
        _plain_measure("bpref", Bpref),
        _plain_measure("recip_rank", RR),
        MeasureSpec("iprec_at_recall", interpolated_columns, parse_levels, PARAMETERS["iprec_at_recall"]),
        _cutoff_measure("P", P),
        MeasureSpec("relstring", lambda *_: [], parse_numbers, (10.0,), summary=None),
        _cutoff_measure("recall", R),
        _plain_measure("infAP", infAP),
        _geometric_mean("gm_bpref", Bpref),
        MeasureSpec("Rprec_mult", _rprec_mult, parse_levels, multiples),
        MeasureSpec("utility", _utility, parse_numbers, (1.0, -1.0, 0.0, 0.0)),
        MeasureSpec("11pt_avg", mean_interpolated_column, parse_numbers, RECALL_LEVELS),
        _plain_measure("binG", BinG),
        _gain_measure("G", G, gain_quirks.g),
        _gain_measure("dcg", DCG, gain_quirks.dcg, version="10.0"),
        _gain_measure("ideal_dcg", IdealDCG, gain_quirks.ideal_dcg, version="10.0"),
        _gain_measure("ndcg", nDCG, gain_quirks.ndcg),
        _gain_measure("ndcg_rel", nDCGrel, gain_quirks.ndcg_rel),
        _zero_without_relevant(_gain_measure("Rndcg", RnDCG, gain_quirks.rndcg)),
        _cutoff_measure("ndcg_cut", nDCG, rel=False),
        _cutoff_measure("map_cut", AP),
        _cutoff_measure("relative_P", R, capped=True),
        _cutoff_measure("success", Success),
        _plain_measure("set_P", SetP),
        _plain_measure("set_relative_P", SetRelP),
        _plain_measure("set_recall", R),
        _plain_measure("set_map", SetAP),
        MeasureSpec("set_F", _set_f, parse_numbers, (1.0,)),
        _plain_measure("num_nonrel_judged_ret", NumNonrelJudgedRet, **count),
        *(MeasureSpec(name, _label_column, family=PREFERENCES, **count) for name in PREFERENCE_COUNTS),
        *(MeasureSpec(name, _label_column, family=PREFERENCES) for name in preference_ratios),
        # The measures for one judge; ``judgment_groups`` averages them over the judges of a topic.
        _plain_measure("map_avgjg", AP, family=JUDGES),
        replace(_cutoff_measure("P", P), name="P_avgjg", family=JUDGES),
        MeasureSpec("Rprec_mult_avgjg", _rprec_mult, parse_levels, multiples, family=JUDGES),
        _plain_measure("yaap", YAAP),
        MeasureSpec("rbp", _rbp, parse_gains, (), version="10.0"),
        MeasureSpec("rbp_resid", _rbp_resid, parse_gains, (), version="10.0"),
        _cutoff_measure("unj", Unjudged, rel=False, version="10.0"),
    ]
    return {spec.name: spec for spec in in_order}
