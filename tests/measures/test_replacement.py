"""Replacement axiom of NERR, INST and infAP: all short rankings, random ones, and the steps of the proof for INST."""

from __future__ import annotations

import numpy as np
import pytest

from assay.measures import catalogue, measure
from assay.model.judged import Judged
from assay.theory._axioms import axioms

NERR_FAMILY = (
    *("NERR8@3", "NERR8@30", "NERR8(gains=exp12)@5", "NERR9@3", "NERR9@30", "NERR9(gains=exp12)@5"),
    *("NERR10(p=0.9)", "NERR10(p=0)", "NERR10(p=0.3, gains=exp12)", "NERR11(T=1)", "NERR11(T=0.1)", "NERR11(T=9)"),
)
INST = ("INST(T=0.5)", "INST(T=0.5, gains=exp12)", "INST(T=0.51)", "INST(T=1)", "INST(T=1, gains=binary)", "INST(T=20)")
INFAP = ("infAP", "infAP(rel=2)")


def test_measures_declare_the_replacement_axiom() -> None:
    for name in ("NERR8", "NERR9", "NERR10", "NERR11", "INST", "infAP"):
        assert catalogue()[name].replacement is True
    assert catalogue()["infAP"].swap is True
    assert catalogue()["INST"].swap is None


def test_the_axiom_holds_for_all_short_rankings() -> None:
    for finding in axioms((*NERR_FAMILY, *INST, *INFAP), grades=(0, 1, 2), length=5, relevant=5).findings:
        assert finding.verdict == "holds" or (finding.axiom == "swap" and finding.measure.swap is None), finding


@pytest.mark.parametrize("length", [12, 60])
def test_no_violation_in_samples_of_longer_rankings(length: int) -> None:
    texts = (*NERR_FAMILY, *INST, *INFAP)
    report = axioms(texts, grades=(0, 1, 2, 3, 4), length=length, samples=1500, limit=1, seed=length)
    for finding in report.findings:
        assert finding.verdict == "no violation found" or (finding.axiom == "swap" and finding.measure.swap is None), (
            finding
        )


@pytest.mark.parametrize(
    "text", ["INST(T=0.5, gains={gains})", "INST(T=1.7, gains={gains})", "NERR11(T=0.4, gains={gains})"]
)
def test_the_axiom_holds_for_random_gains(text: str) -> None:
    """Replace one document at a time by a better one, with random gains."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        grade_gains = np.sort(rng.random(6) ** rng.choice([0.2, 1, 4]))
        tested = measure(
            text.format(gains="{" + ",".join(f"{i + 1}:{gain}" for i, gain in enumerate(grade_gains)) + "}")
        )
        code = rng.integers(1, 8, (200, int(rng.integers(1, 15))))
        position = rng.integers(0, code.shape[1], 200)
        improved = code.copy()
        improved[np.arange(200), position] = np.minimum(improved[np.arange(200), position] + rng.integers(1, 7, 200), 7)
        before, after = (tested.score(judge_codes(rows)) for rows in (code, improved))
        assert (after >= before - 1e-12).all()
        assert (after > before + 1e-6).any()


def judge_codes(code: np.ndarray) -> Judged:
    rows, length = code.shape
    return Judged(
        levels=np.arange(7.0),
        counts=np.full((1, 7), rows * length),
        topic=np.zeros(rows, dtype=np.int64),
        start=np.arange(rows + 1) * length,
        code=code.ravel(),
        answered=np.ones(rows, dtype=bool),
    )


# The proof for INST --------------------------------------------------------------------------------------------


def viewing_probabilities(gains: np.ndarray, T: float, depth: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the viewing probability V_l of each rank l, and s_l = l + 2T - (gain up to rank l)."""
    gain = np.concatenate([gains, np.zeros(depth - len(gains))])
    s = np.arange(1, depth + 1) + 2 * T - np.cumsum(gain)
    return np.concatenate([[1.0], np.cumprod(((s - 1) / s) ** 2)[:-1]]), s


@pytest.mark.parametrize("T", [0.75, 1, 3])
def test_derivative_of_inst(T: float) -> None:
    """Compare the derivative with a difference quotient.

    Up to a positive factor it is V_i + sum over j > i of V_j phi_j (INST - g_j).
    """
    rng, depth = np.random.default_rng(1), 50_000

    def value(gains: np.ndarray) -> float:
        V, _ = viewing_probabilities(gains, T, depth)
        return float((gains * V[: len(gains)]).sum() / (V.sum() + V[-1] * (depth + 2 * T)))

    for _ in range(4):
        gains = rng.random(6)
        for i in range(6):
            V, s = viewing_probabilities(gains, T, depth)
            phi = np.concatenate([np.zeros(i + 1), np.cumsum(2 / (s[i:-1] * (s[i:-1] - 1)))])
            g = np.concatenate([gains, np.zeros(depth - 6)])
            tail = V[-1] * (depth + 2 * T) * (phi[-1]) * value(gains)
            derivative = (V[i] + (V * phi * (value(gains) - g))[i + 1 :].sum() + tail) / (
                V.sum() + V[-1] * (depth + 2 * T)
            )
            step = 1e-6 * np.eye(6)[i]
            assert (value(gains + step) - value(gains - step)) / 2e-6 == pytest.approx(derivative, rel=1e-3)


@pytest.mark.parametrize("T", [0.5, 0.6, 1, 5])
def test_loss_below_an_improved_document_is_at_most_half_of_the_gain(T: float) -> None:
    """The proof uses: sum over j > i of g_j V_j phi_j <= V_i / 2. The bound is not far from the observed maximum."""
    rng, largest = np.random.default_rng(2), 0.0
    for trial in range(600):
        depth = int(rng.integers(2, 40))
        gains = np.clip(rng.random(depth) ** rng.choice([0.1, 1, 5]), 0, 1)
        if trial % 2:
            gains = (gains > rng.random()).astype(float)
        V, s = viewing_probabilities(gains, T, depth)
        for i in range(depth - 1):
            inside = V[i + 1 :] > 0  # With T = 1/2 the user always stops at s = 1.
            with np.errstate(divide="ignore", invalid="ignore"):
                phi = np.cumsum(2 / (s[i:-1] * (s[i:-1] - 1)))
                terms = np.where(inside, gains[i + 1 :] * V[i + 1 :] * phi, 0.0)
            largest = max(largest, float(terms.sum() / V[i])) if V[i] > 0 else largest
    assert largest <= 0.5 + 1e-12
    assert largest > 0.2
