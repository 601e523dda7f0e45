"""Numbers of the papers: every test vector of spec section 14 for sections 2 to 7."""

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

# Test files with the vectors of section 5.3 (depth of judgments) and of sections 9 to 11 (order on runs, balancing
# index, MED). The vectors of one op may be distributed over several files by measure.
OTHER_FILES = {
    "theory/test_order.py": ("compare_rank", "compare_set"),
    "theory/test_chain.py": ("chain_paper_ok", "chain_fixed_ok", "swap_closest_min"),
    "theory/test_balancing.py": ("balancing", "balancing_series", "balancing_closed_agrees"),
    "theory/test_axioms.py": ("tau",),
    "uncertainty/test_depth.py": ("rbp_depth", "rbp_depth_approx", "rbp_max_p"),
    "distance/med/test_additive.py": ("med", "med_static", "med_is_strict"),
    "distance/med/test_first_relevant.py": ("med", "med_rr"),
    "distance/med/test_normalised.py": ("med", "med_alg1", "med_graded", "med_is_strict"),
    "distance/med/test_trace.py": ("med_alg1_trace",),
    "distance/med/test_average_precision.py": ("med", "med_is_strict"),
    "distance/med/test_search.py": ("med_greedy_ap",),
}
# Measures of the MED vectors in each file.
MED = {
    "distance/med/test_additive.py": {"P", "SDCG", "RBP"},
    "distance/med/test_first_relevant.py": {"RR"},
    "distance/med/test_normalised.py": {"NDCG"},
    "distance/med/test_average_precision.py": {"AP8", "AP9", "SSP"},
}
# Section 12: the number of pairs of runs, and sums of printed numbers. No measure computes these.
NOT_COMPUTED = {"pairs", "sum", "product", "percentages", "ratio"}


def grades(ranking: str) -> list[int | None]:
    """Parse a ranking: ``$`` is relevant, ``-`` non-relevant, ``?`` unjudged."""
    return [{"$": 1, "-": 0, "?": None}[sign] for sign in ranking]


def counts(ranking: list[int | None], relevant: int | None = None, nonrelevant: int | None = None) -> dict[float, int]:
    """Return the number of judged documents by grade; by default those of the ranking."""
    return {
        1: ranking.count(1) if relevant is None else relevant,
        0: ranking.count(0) if nonrelevant is None else nonrelevant,
    }


def only(ranking: list[int | None], index: int) -> list[int]:
    """Return a ranking of the same length whose only relevant document is at *index*."""
    return [int(i == index) for i in range(len(ranking))]


def best_completions(ranking: list[int | None]) -> list[int | None]:
    """Return the ranking with all unjudged documents relevant, followed by a long relevant tail."""
    return [1 if grade is None else grade for grade in ranking] + [1] * 3000


# Computation of the ops by the measures ----------------------------------------------------------------------


def ap_contributions(ranking: str, R: int) -> dict[str, list[float]]:
    """Return the contribution of each relevant document to the precisions at its rank and below."""
    run = grades(ranking)
    positions = [i for i, grade in enumerate(run) if grade == 1]
    not_recomputable = [
        [0 if i in positions[:j] else grade for i, grade in enumerate(run)] for j in range(len(positions) + 1)
    ]
    total = -np.diff([SP().of(rest) for rest in not_recomputable])
    scaled = -np.diff([AP().of(rest, counts(rest, R)) for rest in not_recomputable])
    whole = AP().of(run, counts(run, R))
    return {"total": total.tolist(), "scaled": scaled.tolist(), "percent": (100 * scaled / whole).tolist()}


def rbp_contributions(ranking: str, p: float) -> dict[str, Any]:
    """Return the contribution of each relevant document without the factor 1 - p, and the total."""
    run = grades(ranking)
    terms = [RBP(p=p).of(only(run, i)) / (1 - p) for i, grade in enumerate(run) if grade == 1]
    return {"terms": terms, "total": RBP(p=p).of(run) / (1 - p), "rbp": RBP(p=p).of(run)}


def rbp_ties(groups: list[list[int]], p: float) -> float:
    """Return the value with expected ties, in which tied documents share their weight."""
    ranking = [grade for group in groups for grade in group]
    tied = [i > 0 for group in groups for i in range(len(group))]
    plain = Judged.from_grades([ranking], policies=Policies(ties="expected"))
    judged = replace(plain, tied=np.array(tied))
    return float(compute_values(RBP(p=p), judged).value[0])


def score_range(metric: str, X: list[str], J: dict[str, Any], k: int) -> list[float]:
    """Return the smallest and the largest value over all labelings of the documents marked ``?``."""
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
    """Return the absolute differences between two rankings under one labeling, by measure."""
    known = J | labels
    judged = dict(Counter(known.values()))
    runs = [[known[doc] for doc in run] for run in (Y, Z)]
    measures = {"SDCG": SDCG(cutoff=k), "NDCG": nDCG(cutoff=k), "SSP": SSP(cutoff=k), "AP8": AP(cutoff=k)}
    differences = {
        name: abs(measure.of(runs[0], judged) - measure.of(runs[1], judged)) for name, measure in measures.items()
    }
    return {"R": judged[1], **differences}


# Effort: runs and ideal vectors of N ranks, as in the papers -------------------------------------------------------


def curves(ideal: list[int], *runs: list[int]) -> Curves:
    """Return the curves of runs of the length of the ideal vector."""
    return Curves.from_judged(topic(ideal, *runs), EffortSettings(len(ideal)))


def topic(ideal: list[int], *runs: list[int]) -> Judged:
    return Judged.from_grades(runs, {**Counter(ideal), 0: len(ideal)})


def ideal_of(counts: dict[str, int], N: int) -> list[int]:
    relevant = [int(grade) for grade in sorted(counts, reverse=True) for _ in range(counts[grade])]
    return relevant + [0] * (N - len(relevant))


def every_run(ideal: list[int]) -> list[list[int]]:
    """Return all runs with any subset of the relevant documents."""
    relevant = [grade for grade in ideal if grade]
    subsets = {some for k in range(len(relevant) + 1) for some in combinations(relevant, k)}
    filled = [some + (0,) * (len(ideal) - len(some)) for some in subsets]
    return [list(run) for run in {run for some in filled for run in permutations(some)}]


def intervals(ideal: list[int]) -> dict[str, list[int]]:
    """Return the interval of ranks of each grade; non-relevant documents have the remaining ranks."""
    scale, levels = curves(ideal, ideal).scale, topic(ideal, ideal).levels
    R, N = int(scale.recall_base[0]), int(scale.length[0])
    of_grade = {f"{grade:g}": [int(scale.low[0, i]), int(scale.high[0, i])] for i, grade in enumerate(levels, 1)}
    return {**of_grade, "0": [R + 1, N]}


def number(value: float) -> Any:
    """Encode infinity as the vectors do: None for an infinite rank, "-inf" for minus infinity."""
    return None if value == math.inf else "-inf" if value == -math.inf else value


def twist(ideal: list[int], run: list[int], **settings: str) -> dict[str, Any]:
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
    return {key: effort(name, ideal, run, **settings) for key, name in names.items()}


def effort(name: str, ideal: list[int], run: list[int], **settings: str) -> Any:
    kind = type(measure(name))
    known = {key: value for key, value in settings.items() if hasattr(kind(), key)}
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
    """Return the extremes, which are those of the full-scale run."""
    position, height = curves(ideal_of(counts, N), ideal_of(counts, N)[::-1]).vectors(0)
    return {"rp_min": position.min(), "rp_max": position.max(), "crp_min": height.min(), "crp_max": height[-1]}


def prop_bounds_hold(counts: dict[str, int], N: int) -> dict[str, float]:
    ideal = ideal_of(counts, N)
    every = curves(ideal, *every_run(ideal))
    highest = max(every.vectors(i)[1].max() for i in range(len(every)))
    return {"formula": prop_bounds(counts, N)["crp_max"], "true_max": highest}


def relevance_support(run: list[int], grade: int) -> list[int]:
    curve = curves(sorted(run, reverse=True), run)
    return curve.rank[curve.code == 1 + sorted(set(run)).index(grade)].tolist()


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
    """Return the name of the op of a vector."""
    return vector["inputs"].get("op")


def agree(computed: Any, expected: Any, tolerance: float) -> bool:
    """Compare element by element; of dictionaries, only the keys of *expected*."""
    if isinstance(expected, dict):
        return all(agree(computed[key], expected[key], tolerance) for key in expected)
    if isinstance(expected, list):
        return len(computed) == len(expected) and all(
            agree(g, w, tolerance) for g, w in zip(computed, expected, strict=True)
        )
    if expected is None or isinstance(expected, bool | str):
        return type(computed) is type(expected) and computed == expected
    return abs(computed - expected) <= tolerance


@pytest.mark.parametrize("vector", [pytest.param(v, id=v["id"]) for v in VECTORS if op(v) in OPS])
def test_vector_agrees_with_the_measure(vector):
    computed = OPS[op(vector)](**{name: value for name, value in vector["inputs"].items() if name != "op"})
    # For an erratum, the correct value differs from the printed one.
    assert agree(computed, vector["computed"], 1e-9)
    if not vector.get("erratum"):
        assert agree(computed, vector["expected"], vector["tolerance"])


def test_every_vector_is_accounted_for():
    ops = {op(vector) for vector in VECTORS if op(vector) is not None}
    elsewhere = {name for names in OTHER_FILES.values() for name in names}
    assert not (set(OPS) | elsewhere) & NOT_COMPUTED
    assert not set(OPS) & elsewhere
    assert ops == set(OPS) | elsewhere | NOT_COMPUTED
    not_recomputable = [vector for vector in VECTORS if op(vector) is None]
    assert {vector["kind"] for vector in not_recomputable} == {"not-recomputable"}
    assert all(op(vector) is None for vector in VECTORS if vector["kind"] == "not-recomputable")
    assert (len(VECTORS), len(not_recomputable)) == (249, 27)


@pytest.mark.parametrize(("path", "names"), OTHER_FILES.items())
def test_other_files_contain_their_vectors(path, names):
    text = (Path(__file__).parents[1] / path).read_text(encoding="utf-8")
    exact_names = [name for name in names if not name.startswith("balancing")]  # These are matched by their prefix.
    assert all(f'"{name}"' in text for name in exact_names or ["balancing"])
    assert all(f'"{name}"' in text for name in MED.get(path, ()))


def test_every_vector_of_med_has_a_file():
    shared = [vector["inputs"]["metric"] for vector in VECTORS if op(vector) in ("med", "med_static", "med_is_strict")]
    assert set(shared) == set().union(*MED.values())
