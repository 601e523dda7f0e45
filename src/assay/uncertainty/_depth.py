"""Judging depth for RBP: the depth, the accuracy or the persistence from the other two.

The user looks beyond rank d with probability :math:`p^d`, so documents there can add at most that to the value.
Judging d documents of each ranking determines the value to a given accuracy once :math:`p^d` is below it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import TYPE_CHECKING, Any

from assay._version import VERSION
from assay.errors import InputError
from assay.io.problems import shown
from assay.model.arguments import check_arguments

if TYPE_CHECKING:
    import polars as pl

ACCURACY = 1e-4
"""Four decimal digits, as in the reference."""
_EXACT = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX)
_DEEPEST = 10**9


def rbp_depth(p: float, accuracy: float = ACCURACY) -> int:
    """Return the smallest depth d with p^d < accuracy: the number of documents of each ranking to judge.

    Numbers are taken as they are written, so that 0.7 at accuracy 0.49 needs 3 documents although the nearest binary
    fraction to 0.7 squares to less than that to 0.49.

    >>> [rbp_depth(p, 1e-4) for p in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    >>> rbp_depth(0.5, 0.5**14), rbp_depth(0.7, 0.49)
    (15, 3)
    """
    persistence, least = _persistence(p), _accuracy(accuracy)
    if not persistence:
        return 1
    # No floating point: near p = 1 its logarithm has few digits. One step back, as the quotient is rounded too.
    quotient = _EXACT.divide(least.ln(_EXACT), persistence.ln(_EXACT))
    depth = max(int(quotient) - 1, 1)
    while _EXACT.power(persistence, depth) >= least:
        depth += 1
    return depth


def rbp_persistence(depth: int, accuracy: float = ACCURACY) -> float:
    """Return the persistence below which *depth* judged documents are enough: p < accuracy^(1/depth).

    >>> round(rbp_persistence(100, 1e-4), 4)
    0.912
    """
    return math.pow(_accuracy(accuracy), 1 / _depth(depth))


def rbp_accuracy(p: float, depth: int) -> float:
    """Return the most that the documents after rank *depth* can add: p^depth.

    >>> round(rbp_accuracy(0.8, 20), 4)
    0.0115
    """
    return math.pow(_persistence(p), _depth(depth))


def _persistence(p: float) -> Decimal:
    number = _number(p)
    if number is None or not 0 <= number < 1:
        raise InputError(f"p must be a persistence of at least 0 and below 1, got {shown(p)}")
    return Decimal(repr(number))


def _accuracy(accuracy: float) -> Decimal:
    number = _number(accuracy)
    if number is None or not 0 < number < 1:
        raise InputError(f"the accuracy must be above 0 and below 1, such as 0.0001, got {shown(accuracy)}")
    return Decimal(repr(number))


def _depth(depth: int) -> int:
    number = _number(depth)
    if number is None or not number.is_integer() or not 1 <= number <= _DEEPEST:
        raise InputError(f"the depth must be a whole number from 1 to {_DEEPEST}, got {shown(depth)}")
    return int(number)


def _number(value: Any) -> float | None:
    """Return a finite number; None for anything else."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool | str) else None


@dataclass(frozen=True)
class DepthPlan:
    """One line of a plan: a persistence, an accuracy and a depth, one of which follows from the others.

    *documents* is the mean number of documents that a user looks at, 1 / (1 - p).
    """

    p: float
    accuracy: float
    depth: int

    @property
    def documents(self) -> float:
        """Mean number of documents that a user looks at."""
        return 1 / (1 - self.p) if self.p < 1 else math.inf


@dataclass(frozen=True)
class DepthPlans:
    """Several plans; *sought* is the quantity that was computed: ``depth``, ``p`` or ``accuracy``."""

    rows: tuple[DepthPlan, ...]
    sought: str

    def frame(self) -> pl.DataFrame:
        """Return p, accuracy, depth, documents."""
        import polars as pl

        rows = [(row.p, row.accuracy, row.depth, row.documents) for row in self.rows]
        kinds = {"p": pl.Float64, "accuracy": pl.Float64, "depth": pl.Int64, "documents": pl.Float64}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    @property
    def provenance(self) -> dict[str, Any]:
        """The version, and the quantity that was computed."""
        return {"assay": VERSION, "sought": self.sought}

    @property
    def notes(self) -> tuple[str, ...]:
        """A note that a largest persistence is not reached."""
        return ("p: the persistence must stay below it",) if self.sought == "p" else ()


@check_arguments
def depth_plans(
    p: Iterable[float] | None = None, accuracy: Iterable[float] | None = None, depth: Iterable[int] | None = None
) -> DepthPlans:
    """Compute the third of persistence, accuracy and depth for every combination of the other two.

    The user of RBP looks beyond rank d with probability :math:`p^d`: judging d documents of each ranking determines
    values to that accuracy.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4. The
    rule is the exact one; 9.21 / (1 - p), printed there beside it, asks for up to a third more.

    Examples
    --------
    >>> depth_plans(p=[0.8], accuracy=[1e-2, 1e-4]).frame()["depth"].to_list()
    [21, 42]
    """
    if p is not None and accuracy is not None and depth is None:
        deep = [DepthPlan(float(one), float(small), rbp_depth(one, small)) for one in p for small in accuracy]
        return DepthPlans(tuple(deep), "depth")
    if depth is not None and accuracy is not None and p is None:
        patient = [DepthPlan(rbp_persistence(d, small), float(small), int(d)) for d in depth for small in accuracy]
        return DepthPlans(tuple(patient), "p")
    if p is not None and depth is not None and accuracy is None:
        exact = [DepthPlan(float(one), rbp_accuracy(one, d), int(d)) for one in p for d in depth]
        return DepthPlans(tuple(exact), "accuracy")
    raise InputError("give two of p, accuracy and depth; the third follows")
