"""The numbers of the papers: every vector of spec section 14 that concerns sections 2 to 7."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.effort import archetypes
from assay.measures import measure
from assay.measures._values import compute_values
from assay.measures.average_precision import AP, SP, SSP, APStar
from assay.measures.dcg import DCG, SDCG, nDCG
from assay.measures.precision import P
from assay.measures.preferences import Bpref
from assay.measures.q_measure import Q
from assay.measures.rank_biased import RBP
from assay.measures.sets import R
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.relative_position import Curves, EffortSettings

VECTORS = json.loads((Path(__file__).parent.parent / "vectors.json").read_text(encoding="utf-8"))["vectors"]

# Which files of tests/analyses have the vectors of section 5.3 (depth of judgments) and of sections 9 to 11 (order on
# runs, balancing index, MED). Those of one op may be shared out by measure.
ELSEWHERE = {
    "theory/test_order.py": ("compare_rank", "compare_set"),
    "theory/test_chain.py": ("chain_paper_ok", "chain_fixed_ok", "swap_closest_min"),
    "theory/test_balancing.py": ("balancing", "balancing_series", "balancing_closed_agrees"),
    "theory/test_axioms.py": ("tau",),
    "uncertainty/test_depth.py": ("rbp_depth", "rbp_depth_approx", "rbp_max_p"),
    "distance/med/test_additive.py": ("med", "med_static", "med_is_strict"),
    "distance/med/test_first_relevant.py": ("med", "med_rr"),
    "distance/med/test_normalised.py": ("med", "med_alg1", "med_alg1_trace", "med_graded", "med_is_strict"),
    "distance/med/test_average_precision.py": ("med", "med_is_strict"),
    "distance/med/test_search.py": ("med_greedy_ap",),
}
# Of MED, which measures each of these files has.
MED = {
    "distance/med/test_additive.py": {"P", "SDCG", "RBP"},
    "distance/med/test_first_relevant.py": {"RR"},
    "distance/med/test_normalised.py": {"NDCG"},
    "distance/med/test_average_precision.py": {"AP8", "AP9", "SSP"},
}
# Section 12: how many pairs of runs there are; and sums of printed numbers, which nothing here computes.
LATER = {"pairs", "sum", "product", "percentages", "ratio"}


def grades(ranking: str) -> list[int | None]:
    """``$`` is relevant, ``-`` not, ``?`` unjudged."""
    return [{"$": 1, "-": 0, "?": None}[sign] for sign in ranking]


def counts(ranking: list[int | None], relevant: int | None = None, nonrelevant: int | None = None) -> dict[float, int]:
    """How many documents were judged, at least those of the ranking."""
    return {
        1: ranking.count(1) if relevant is None else relevant,
        0: ranking.count(0) if nonrelevant is None else nonrelevant,
    }


def only(ranking: list[int | None], place: int) -> list[int]:
    """The ranking with no other relevant document than the one at *place*."""
    return [int(i == place) for i in range(len(ranking))]


def best_completions(ranking: list[int | None]) -> list[int | None]:
    """All that is not known turns out relevant: unjudged documents and what follows the last one."""
    return [1 if grade is None else grade for grade in ranking] + [1] * 3000


# What the ops compute, by the measures ----------------------------------------------------------------------


def ap_contributions(ranking: str, R: int) -> dict[str, list[float]]:
    """What each relevant document adds to the precisions at itself and at those below it."""
    run = grades(ranking)
    places = [i for i, grade in enumerate(run) if grade == 1]
    without = [[0 if i in places[:j] else grade for i, grade in enumerate(run)] for j in range(len(places) + 1)]
    total = -np.diff([SP().of(rest) for rest in without])
    scaled = -np.diff([AP().of(rest, counts(rest, R)) for rest in without])
    whole = AP().of(run, counts(run, R))
    return {"total": total.tolist(), "scaled": scaled.tolist(), "percent": (100 * scaled / whole).tolist()}


def rbp_contributions(ranking: str, p: float) -> dict[str, Any]:
    """What each relevant document adds, before the factor 1 - p, and the whole."""
    run = grades(ranking)
    terms = [RBP(p=p).of(only(run, i)) / (1 - p) for i, grade in enumerate(run) if grade == 1]
    return {"terms": terms, "total": RBP(p=p).of(run) / (1 - p), "rbp": RBP(p=p).of(run)}


def rbp_ties(groups: list[list[int]], p: float) -> float:
    """The tie share of spec 5.5: the value under expected ties."""
    ranking = [grade for group in groups for grade in group]
    tied = [i > 0 for group in groups for i in range(len(group))]
    plain = Judged.from_grades([ranking], policies=Policies(ties="expected"))
    judged = replace(plain, tied=np.array(tied))
    return float(compute_values(RBP(p=p), judged).value[0])


def score_range(metric: str, X: list[str], J: dict[str, Any], k: int) -> list[float]:
    """The least and the largest value over all labellings of the documents marked ?."""
    assert metric == "P"
    free = [doc for doc in X if J[doc] == "?"]
    scores = []
    for labels in product((0, 1), repeat=len(free)):
        known = J | dict(zip(free, labels, strict=True))
        scores.append(P(cutoff=k).of([known[doc] for doc in X]))
    return [min(scores), max(scores)]


def labeled_differences(
    Y: list[str], Z: list[str], J: dict[str, Any], k: int, labels: dict[str, int]
) -> dict[str, Any]:
    """How far the measures of two rankings lie apart under one labelling."""
    known = J | labels
    judged = dict(Counter(known.values()))
    runs = [[known[doc] for doc in run] for run in (Y, Z)]
    measures = {"SDCG": SDCG(cutoff=k), "NDCG": nDCG(cutoff=k), "SSP": SSP(cutoff=k), "AP8": AP(cutoff=k)}
    apart = {name: abs(measure.of(runs[0], judged) - measure.of(runs[1], judged)) for name, measure in measures.items()}
    return {"R": judged[1], **apart}


# Effort: runs and ideal vectors as the papers write them, N ranks long --------------------------------------------


def curves(ideal: list[int], *runs: list[int]) -> Curves:
    """The curves of runs that have the length of the ideal one."""
    return Curves.from_judged(topic(ideal, *runs), EffortSettings(len(ideal)))


def topic(ideal: list[int], *runs: list[int]) -> Judged:
    return Judged.from_grades(runs, {**Counter(ideal), 0: len(ideal)})


def ideal_of(counts: dict[str, int], N: int) -> list[int]:
    relevant = [int(grade) for grade in sorted(counts, reverse=True) for _ in range(counts[grade])]
    return relevant + [0] * (N - len(relevant))


def every_run(ideal: list[int]) -> list[list[int]]:
    """All runs with some of the relevant documents, or all."""
    relevant = [grade for grade in ideal if grade]
    found = {some for k in range(len(relevant) + 1) for some in combinations(relevant, k)}
    filled = [some + (0,) * (len(ideal) - len(some)) for some in found]
    return [list(run) for run in {run for some in filled for run in permutations(some)}]


def intervals(ideal: list[int]) -> dict[str, list[int]]:
    """The ranks of each grade; what is not relevant has the rest."""
    about, levels = curves(ideal, ideal).scale, topic(ideal, ideal).levels
    R, N = int(about.recall_base[0]), int(about.length[0])
    of_grade = {f"{grade:g}": [int(about.low[0, i]), int(about.high[0, i])] for i, grade in enumerate(levels, 1)}
    return {**of_grade, "0": [R + 1, N]}


def number(value: float) -> Any:
    """As the vectors write infinity: of a rank as nothing."""
    return None if value == math.inf else "-inf" if value == -math.inf else value


def twist(ideal: list[int], run: list[int], **given: str) -> dict[str, Any]:
    names = {
        "rho": "RecoveryRatio",
        "beta": "BalancePoint",
        "s_plus": "ForwardSpace",
        "s_minus": "BackwardSpace",
        "sigma_plus": "ForwardSpaceRatio",
        "sigma_minus": "BackwardSpaceRatio",
        "sigma": "SpaceRatio",
        "tau": "Twist",
    }
    return {key: effort(name, ideal, run, **given) for key, name in names.items()}


def effort(name: str, ideal: list[int], run: list[int], **given: str) -> Any:
    kind = type(measure(name))
    known = {key: value for key, value in given.items() if hasattr(kind(), key)}
    return number(float(kind(cutoff=len(ideal), **known).score(topic(ideal, run))[0]))


def crp_indicators(ideal: list[int], run: list[int]) -> dict[str, Any]:
    heights, full = curves(ideal, run).vectors(0)[1], curves(ideal, ideal[::-1]).vectors(0)[1]
    turn = int(effort("TurnAround", ideal, run))
    return {
        "b_r": effort("BalancePoint", ideal, run),
        "b_w": effort("BalancePoint", ideal, ideal[::-1]),
        "rho": effort("RecoveryRatio", ideal, run),
        "rho_w": effort("RhoW", ideal, run),
        "b_ratio": effort("BalanceRatio", ideal, run),
        "min_rank": turn,
        "crp_at_min": heights[turn - 1],
        "crp_w_at_min": full[turn - 1],
        "crp_min": effort("CRPmin", ideal, run),
        "crp_N_run": heights[-1],
        "crp_N_worst": full[-1],
        "crp_n": effort("CRPN", ideal, run),
        "loss_at_R": effort("LossAtR", ideal, run),
        "loss_w_at_R": effort("LossAtR", ideal, ideal[::-1]),
    }


def prop_bounds(counts: dict[str, int], N: int) -> dict[str, float]:
    """The extremes are those of the full-scale run."""
    position, height = curves(ideal_of(counts, N), ideal_of(counts, N)[::-1]).vectors(0)
    return {"rp_min": position.min(), "rp_max": position.max(), "crp_min": height.min(), "crp_max": height[-1]}


def prop_bounds_hold(counts: dict[str, int], N: int) -> dict[str, float]:
    ideal = ideal_of(counts, N)
    every = curves(ideal, *every_run(ideal))
    highest = max(every.vectors(i)[1].max() for i in range(len(every)))
    return {"formula": prop_bounds(counts, N)["crp_max"], "true_max": highest}


def relevance_support(run: list[int], grade: int) -> list[int]:
    found = curves(sorted(run, reverse=True), run)
    return found.rank[found.code == 1 + sorted(set(run)).index(grade)].tolist()


def archetype(ideal: list[int], run: list[int]) -> str:
    return archetypes.NAMES[archetypes.classify_curves(curves(ideal, run))[0]]


OPS: dict[str, Any] = {
    # Section 2
    "gain12": lambda rmax: Gains("exp12").table(np.arange(rmax + 1), None, rmax)[1:].tolist(),
    "scaled_grades": lambda degrees=4: Gains("unit").table(np.arange(degrees), None, None)[1:].tolist(),
    "weights_base5": lambda degrees: Gains("base5").table(np.arange(degrees), None, None)[1:].tolist(),
    # Section 3
    "precision": lambda run, d: P(cutoff=d).of(run),
    "recall": lambda ideal, run: R().of(run, Counter(ideal) | Counter(run)),
    "sp": lambda run: SP().of(run),
    "sp_greater": lambda r, s: SP().of(r) > SP().of(s),
    "ap": lambda ranking, R: AP().of(grades(ranking), counts(grades(ranking), R)),
    "ap_star": lambda ranking: APStar().of(grades(ranking)),
    "ap_star_run": lambda run: APStar().of(run),
    "ap_contributions": ap_contributions,
    "bpref": lambda ranking, R, N: Bpref().of(grades(ranking), {1: R, 0: N}),
    "bpref_run": lambda run, R, N: Bpref().of(run, {1: R, 0: N}),
    "q_measure": lambda ranking, R: Q(gains="binary").of(grades(ranking), counts(grades(ranking), R)),
    "q_graded": lambda run, gains, counts: Q(gains={int(grade): gain for grade, gain in gains.items()}).of(
        run, {int(grade): number for grade, number in counts.items()} | {0: run.count(0)}
    ),
    "score_range": score_range,
    # Section 4
    "dcg_all_ones": lambda d, b: DCG(base=b).of([1] * d),
    "S": lambda k: DCG().of([1] * k),
    "sdcg_table": lambda k: {"S": DCG().of([1] * k), "W": [SDCG(cutoff=k).of(only([0] * k, i)) for i in range(k)]},
    "scaled_ideal": lambda gains: DCG().of(gains),
    "labeled_differences": labeled_differences,
    # Section 5
    "rbp_contributions": rbp_contributions,
    "rbp_bounds": lambda ranking, p: [RBP(p=p).of(grades(ranking)), RBP(p=p).of(best_completions(grades(ranking)))],
    "rbp_ties": rbp_ties,
    "rbp_cond": lambda run, p1, p2: RBP(p1=p1, p2=p2).of(run),
    "power": lambda p, e: RBP(p=p).of([0] * e + [1]) / (1 - p),
    "one_minus_power": lambda p, e: RBP(p=p).of([1] * e),
    "mean_inspected": lambda p: 1 / RBP(p=p).of([1]),
    # Section 7
    "intervals": intervals,
    "rp": lambda ideal, run: curves(ideal, run).vectors(0)[0].tolist(),
    "rp_at": lambda ideal, run, rank: curves(ideal, run).vectors(0)[0][rank - 1],
    "crp": lambda ideal, run: curves(ideal, run).vectors(0)[1].tolist(),
    "crp_at": lambda ideal, run, rank: curves(ideal, run).height_at(np.array([rank]))[0],
    "crp_indicators": crp_indicators,
    "prop_bounds": prop_bounds,
    "prop_bounds_hold": prop_bounds_hold,
    "recovery_fs": lambda counts, N, endpoint="left": effort("RhoW", ideal_of(counts, N), [], endpoint=endpoint),
    "twist": twist,
    "archetype": archetype,
    "relevance_support": relevance_support,
}


def op(vector: dict[str, Any]) -> str | None:
    """The name of what a vector computes."""
    return vector["inputs"].get("op")


def agree(got: Any, want: Any, tolerance: float) -> bool:
    """Element by element; of dictionaries, only the keys of *want*."""
    if isinstance(want, dict):
        return all(agree(got[key], want[key], tolerance) for key in want)
    if isinstance(want, list):
        return len(got) == len(want) and all(agree(g, w, tolerance) for g, w in zip(got, want, strict=True))
    if want is None or isinstance(want, bool | str):
        return type(got) is type(want) and got == want
    return abs(got - want) <= tolerance


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["id"]) for v in VECTORS if op(v) in OPS])
def test_vector(vector):
    got = OPS[op(vector)](**{name: value for name, value in vector["inputs"].items() if name != "op"})
    # The right value, which for an erratum is not the printed one.
    assert agree(got, vector["computed"], 1e-9)
    if not vector.get("erratum"):
        assert agree(got, vector["expected"], vector["tolerance"])


def test_every_vector_is_accounted_for():
    ops = {op(vector) for vector in VECTORS if op(vector) is not None}
    elsewhere = {name for names in ELSEWHERE.values() for name in names}
    assert not (set(OPS) | elsewhere) & LATER
    assert not set(OPS) & elsewhere
    assert ops == set(OPS) | elsewhere | LATER
    without = [vector for vector in VECTORS if op(vector) is None]
    assert {vector["kind"] for vector in without} == {"not-recomputable"}
    assert all(op(vector) is None for vector in VECTORS if vector["kind"] == "not-recomputable")
    assert (len(VECTORS), len(without)) == (249, 27)


@pytest.mark.parametrize(("path", "names"), ELSEWHERE.items())
def test_vectors_of_other_files_are_there(path, names):
    text = (Path(__file__).parents[1] / path).read_text(encoding="utf-8")
    told = [name for name in names if not name.startswith("balancing")]  # told apart by their beginning
    assert all(f'"{name}"' in text for name in told or ["balancing"])
    assert all(f'"{name}"' in text for name in MED.get(path, ()))


def test_every_vector_of_med_has_a_file():
    shared = [vector["inputs"]["metric"] for vector in VECTORS if op(vector) in ("med", "med_static", "med_is_strict")]
    assert set(shared) == set().union(*MED.values())
