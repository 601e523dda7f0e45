"""Verdicts of a gate: the finding of each row, Holm's correction of failures, and the verdict over all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.errors import check_choice
from assay.model.arrays import Bools, Floats
from assay.significance.corrections import adjust_p_values

PASS, FAIL, UNDECIDED = VERDICTS = ("pass", "fail", "undecided")
REQUIRED, WATCH = "required", "watch"
STALE = "stale baseline"
FINDINGS = {
    STALE: "too few topics of the baseline still apply",
    "too few topics": "fewer topics than the minimum",
    "identical": "no topic changed",
    "inferior": "the loss is larger than tolerated",
    "sparse": "too few changed topics to rule out rare, large losses",
    "superior": "better than the baseline",
    "equivalent": "neither a loss nor a gain as large as the margin",
    "non-inferior": "no loss as large as the margin",
    "worse": "a loss is shown, but not whether it is larger than tolerated",
    "undecided": "neither a tolerable nor an intolerable loss is shown",
}
"""Findings and their explanations, in the order in which they are checked."""
EXIT_CODES = {PASS: 0, FAIL: 1, UNDECIDED: 3}


def decide_rows(
    p_pass: Floats, p_fail: Floats, blocked: Bools, identical: Bools, alpha: float
) -> tuple[Floats, list[str]]:
    """Return the adjusted p of failing, and the verdict of each row of one candidate.

    A pass claims that no required row loses its margin or more (intersection-union test), so its p is not adjusted. A
    fail claims that some row loses more, so its p is adjusted by Holm's method over all rows with a p. *blocked* rows
    cannot pass; *identical* rows pass if they have a p.
    """
    adjusted = adjust_p_values(p_fail, "holm")
    tested = ~np.isnan(p_pass)
    fails = adjusted < alpha
    passes = tested & ((p_pass < alpha) | identical) & ~blocked & ~fails
    verdicts = np.select([fails & ~identical, passes], [FAIL, PASS], UNDECIDED)
    return adjusted, verdicts.tolist()


def decide(verdicts: Sequence[str], roles: Sequence[str]) -> str:
    """Return the verdict of a candidate.

    It fails if any row fails, and passes if all required rows pass.

    >>> decide(["pass", "undecided"], ["required", "watch"]), decide(["pass", "fail"], ["required", "watch"])
    ('pass', 'fail')
    """
    required = [verdict for verdict, role in zip(verdicts, roles, strict=True) if role == REQUIRED]
    return FAIL if FAIL in verdicts else PASS if all(verdict == PASS for verdict in required) else UNDECIDED


def find_direction(columns: Mapping[str, Floats], row: int, lower_is_better: bool) -> str:
    """Return ``better`` or ``worse`` if a bound shows that the candidate is, otherwise an empty text."""
    low, high = float(columns["low"][row]), float(columns["high"][row])
    if low > 0 or high < 0:
        return "worse" if (low > 0) == lower_is_better else "better"
    return ""


def name_finding(columns: Mapping[str, Floats], row: int, verdict: str, direction: str, alpha: float) -> str:
    """Return the reason of a verdict, the first that applies in the order of ``FINDINGS``."""
    if np.isnan(columns["p_pass"][row]):
        return "too few topics"
    if columns["changed"][row] == 0:
        return "identical"
    if verdict == FAIL:
        return "inferior"
    if verdict == PASS:
        equivalent = columns["p_mirror"][row] < alpha
        return "superior" if direction == "better" else "equivalent" if equivalent else "non-inferior"
    if columns["p_pass"][row] < alpha:
        return "sparse"
    return "worse" if direction == "worse" else "undecided"


def get_exit_code(verdict: str, on_undecided: str = UNDECIDED) -> int:
    """Return the exit code of a verdict: 0 pass, 1 fail, 3 undecided; *on_undecided* replaces undecided.

    >>> get_exit_code("undecided"), get_exit_code("undecided", "fail")
    (3, 1)
    """
    check_choice(f"on_undecided {on_undecided!r}", on_undecided, VERDICTS)
    return EXIT_CODES[on_undecided if verdict == UNDECIDED else verdict]
