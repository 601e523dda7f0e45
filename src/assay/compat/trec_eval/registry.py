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
    Values,
    score_with,
)
from assay.compat.trec_eval.parameters import (
    EVALUATION,
    Gain,
    RefusedError,
    decimal_suffix,
    parse_cutoffs,
    parse_gains,
    parse_levels,
    parse_numbers,
)
from assay.compat.trec_eval.recall_levels import interpolated_columns, mean_interpolated_column
from assay.measures import measure as parse_measure
from assay.measures import ratio
from assay.measures._trec_eval import PARAMETERS, RECALL_LEVELS
from assay.measures._trec_eval import SETS as TREC_SETS
from assay.measures.precision import RprecMult
from assay.measures.sets import Utility
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


def _score(name: str, settings: MeasureSettings, rel: bool = True) -> Values:
    """Return a function that scores rankings with the assay measure of this name in trec_eval.

    *rel* is True if the measure uses binary relevance, so that it depends on the lowest relevant grade.
    """
    measure = parse_measure(name)
    return score_with(measure.replace(rel=settings.rel) if rel else measure, rel)


def _plain_measure(name: str, *, rel: bool = True, **options: Any) -> MeasureSpec:
    """Return a measure without parameters; *rel* is True if it uses binary relevance."""
    return MeasureSpec(name, lambda _, settings: [("", _score(name, settings, rel))], **options)


def _cutoff_measure(name: str, *, rel: bool = True, **options: Any) -> MeasureSpec:
    """Return a measure with one value for each cutoff."""

    def columns(cutoffs: Sequence[int], settings: MeasureSettings) -> list[tuple[str, Values]]:
        return [(f"_{k}", _score(f"{name}_{k}", settings, rel)) for k in cutoffs]

    return MeasureSpec(name, columns, parse_cutoffs, PARAMETERS[name], **options)


def _preference_measure(name: str, **options: Any) -> MeasureSpec:
    """Return a preference measure; ``judgment_groups`` computes its values."""
    return MeasureSpec(name, _ones, family=PREFERENCES, **options)


def _ones(_parameters: Any, _settings: MeasureSettings) -> list[tuple[str, Values]]:
    return [("", lambda rankings: np.ones(len(rankings.judged)))]


def _gain_measure(name: str, scorer: Callable[[Floats, Floats], float], **options: Any) -> MeasureSpec:
    """Return a measure whose gains are the grades, or the gains that the user assigns to them.

    Without user-defined gains, values are those of the assay measure. With user-defined gains, *scorer* computes the
    values and reproduces the quirks of trec_eval; it takes the gains of a ranking and those of the ideal ranking.
    """

    def columns(gains: Sequence[Gain], settings: MeasureSettings) -> list[tuple[str, Values]]:
        if not gains:
            return [("", _score(name, settings, rel=False))]
        pairs = [gain.as_version_9() for gain in gains] if settings.profile == "9.0.8" else gains
        return [("", lambda rankings: gain_quirks.score_rankings(scorer, pairs, rankings.judged))]

    return MeasureSpec(name, columns, parse_gains, (), **options)


def _zero_without_relevant(spec: MeasureSpec) -> MeasureSpec:
    """Modify Rndcg as in trec_eval: its value is 0 for a topic whose grades are all below the level of ``-l``.

    With ``-l 0`` every judged document is relevant. If then no document has a gain, trec_eval divides 0 by 0.
    """

    def columns(gains: Sequence[Gain], settings: MeasureSettings) -> list[tuple[str, Values]]:
        [(_, score)] = spec.columns(gains, settings)

        def values(rankings: FlaggedRankings) -> Floats:
            value = score(rankings)
            if not gains:  # nan where no document of the topic has a gain
                value = np.where(rankings.judged.recall_base(1) > 0, value, np.nan)
            return np.where(rankings.relevant.recall_base(settings.rel) > 0, value, 0.0)

        return [("", values)]

    return replace(spec, columns=columns)


def _rbp(pairs: Sequence[Gain], _settings: MeasureSettings) -> list[tuple[str, Values]]:
    """Return the column of RBP; *pairs* are gains by grade, and optionally the persistence p."""
    return [("", lambda rankings: gain_quirks.rbp(rankings.judged, _persistence(pairs), pairs))]


def _rbp_resid(pairs: Sequence[Gain], _settings: MeasureSettings) -> list[tuple[str, Values]]:
    """Return the column of the residual of RBP; only the persistence p among *pairs* has an effect."""
    return [("", lambda rankings: gain_quirks.rbp_resid(rankings.judged, _persistence(pairs)))]


def _persistence(pairs: Sequence[Gain]) -> float:
    return next((gain.value for gain in pairs if gain.name == "p"), 0.9)


def _geometric_mean(name: str, inner: str) -> MeasureSpec:
    """Return the geometric mean of the measure *inner* over topics.

    Its values are logarithms, which are not printed for single topics.
    """

    def columns(_parameters: Any, settings: MeasureSettings) -> list[tuple[str, Values]]:
        score = _score(inner, settings)
        return [("", lambda rankings: np.log(np.maximum(score(rankings), 1e-5)))]

    return MeasureSpec(name, columns, summary="geometric", per_topic=False)


def _rprec_mult(multiples: Sequence[float], settings: MeasureSettings) -> list[tuple[str, Values]]:
    def score(multiple: float) -> Values:
        if multiple <= 0:
            return lambda rankings: np.zeros(len(rankings.judged))
        return score_with(RprecMult(multiple=multiple, rel=settings.rel))

    return [(decimal_suffix(multiple), score(multiple)) for multiple in multiples]


def _utility(weights: Sequence[float], settings: MeasureSettings) -> list[tuple[str, Values]]:
    if len(weights) != 4:
        raise RefusedError(f"-m utility: expected 4 parameters (utility.1,-1,0,0), found {len(weights)}", EVALUATION)
    names = ("rel_ret", "nonrel_ret", "rel_missed", "nonrel_missed")
    measure = Utility(**dict(zip(names, weights, strict=True)), docs=settings.docs, rel=settings.rel)
    return [("", score_with(measure))]


def _set_f(numbers: Sequence[float], settings: MeasureSettings) -> list[tuple[str, Values]]:
    """Return the column of set_F; its parameter x is the square of the usual beta."""
    x, precision, recall = numbers[0], _score("set_P", settings), _score("set_recall", settings)

    def values(rankings: FlaggedRankings) -> Floats:
        p, r = precision(rankings), recall(rankings)
        return ratio((x + 1) * p * r, x * p + r)

    return [("", values)]


@cache
def specs() -> dict[str, MeasureSpec]:
    """Return every measure by name, in the order in which trec_eval prints them."""
    count: dict[str, Any] = {"summary": "sum", "is_integer": True}
    multiples = PARAMETERS["Rprec_mult"]
    in_order = [
        MeasureSpec("runid", lambda *_: [], summary="run", per_topic=False, family=None),
        MeasureSpec("num_q", _ones, summary="topics", per_topic=False, is_integer=True, family=None),
        _plain_measure("num_ret", rel=False, **count),
        _plain_measure("num_rel", **count),
        _plain_measure("num_rel_ret", **count),
        _plain_measure("map"),
        _geometric_mean("gm_map", "map"),
        _plain_measure("Rprec"),
        _plain_measure("bpref"),
        _plain_measure("recip_rank"),
        MeasureSpec("iprec_at_recall", interpolated_columns, parse_levels, PARAMETERS["iprec_at_recall"]),
        _cutoff_measure("P"),
        MeasureSpec("relstring", lambda *_: [], parse_numbers, (10.0,), summary=None),
        _cutoff_measure("recall"),
        _plain_measure("infAP"),
        _geometric_mean("gm_bpref", "bpref"),
        MeasureSpec("Rprec_mult", _rprec_mult, parse_levels, multiples),
        MeasureSpec("utility", _utility, parse_numbers, (1.0, -1.0, 0.0, 0.0)),
        MeasureSpec("11pt_avg", mean_interpolated_column, parse_numbers, RECALL_LEVELS),
        _plain_measure("binG"),
        _gain_measure("G", gain_quirks.g),
        _gain_measure("dcg", gain_quirks.dcg, version="10.0"),
        _gain_measure("ideal_dcg", gain_quirks.ideal_dcg, version="10.0"),
        _gain_measure("ndcg", gain_quirks.ndcg),
        _gain_measure("ndcg_rel", gain_quirks.ndcg_rel),
        _zero_without_relevant(_gain_measure("Rndcg", gain_quirks.rndcg)),
        _cutoff_measure("ndcg_cut", rel=False),
        _cutoff_measure("map_cut"),
        _cutoff_measure("relative_P"),
        _cutoff_measure("success"),
        _plain_measure("set_P"),
        _plain_measure("set_relative_P"),
        _plain_measure("set_recall"),
        _plain_measure("set_map"),
        MeasureSpec("set_F", _set_f, parse_numbers, (1.0,)),
        _plain_measure("num_nonrel_judged_ret", **count),
        *(_preference_measure(name, **count) for name in PREFERENCE_COUNTS),
        *(_preference_measure(name) for name in PREFERENCE_MEASURES[len(PREFERENCE_COUNTS) :]),
        # The measures for one judge; ``judgment_groups`` averages them over the judges of a topic.
        replace(_plain_measure("map"), name="map_avgjg", family=JUDGES),
        replace(_cutoff_measure("P"), name="P_avgjg", family=JUDGES),
        MeasureSpec("Rprec_mult_avgjg", _rprec_mult, parse_levels, multiples, family=JUDGES),
        _plain_measure("yaap"),
        MeasureSpec("rbp", _rbp, parse_gains, (), version="10.0"),
        MeasureSpec("rbp_resid", _rbp_resid, parse_gains, (), version="10.0"),
        _cutoff_measure("unj", rel=False, version="10.0"),
    ]
    return {spec.name: spec for spec in in_order}
