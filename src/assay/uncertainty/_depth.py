"""Judging depth for RBP: the depth, the accuracy or the persistence from the other two.

The user looks beyond rank d with probability :math:`p^d`, so documents there can add at most that to the value.
Judging d documents of each ranking determines the value to a given accuracy once :math:`p^d` is below it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import InputError
from assay.io.problems import shown
from assay.model.arguments import check_arguments
from assay.model.notes import count
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, align_texts
from assay.uncertainty._numbers import several

if TYPE_CHECKING:
    import polars as pl

PERSISTENCES = (0.5, 0.8, 0.95)
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
class DepthPlans(Report):
    """Several plans; *sought* is the quantity that was computed: ``depth``, ``p`` or ``accuracy``."""

    rows: tuple[DepthPlan, ...]
    sought: str
    provenance: Provenance = Provenance()

    name = "depth"
    tables: ClassVar[Mapping[str, str]] = {"plans": "persistence, accuracy and judging depth"}

    def __repr__(self) -> str:
        return f"DepthPlans({count(len(self.rows), 'plan')}, sought: {self.sought})"

    def frame(self) -> pl.DataFrame:
        """Return p, accuracy, depth, documents."""
        import polars as pl

        rows = [(row.p, row.accuracy, row.depth, row.documents) for row in self.rows]
        kinds = {"p": pl.Float64, "accuracy": pl.Float64, "depth": pl.Int64, "documents": pl.Float64}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    @property
    def notes(self) -> tuple[str, ...]:
        """A note that a largest persistence is not reached."""
        return ("p: the persistence must stay below it",) if self.sought == "p" else ()

    def summary(self) -> str:
        """Return the plan, or those with the least and the most of the quantity that was computed."""
        if not self.rows:
            return ""
        by = sorted(self.rows, key=lambda row: float(getattr(row, self.sought)))
        texts = dict.fromkeys(_SENTENCES[self.sought](row) for row in (by[0], by[-1]))
        return " ".join(texts)

    def _show_plans(self) -> Table:
        import polars as pl

        frame = self.frame()
        # With four digits behind the point an accuracy may read 0, and a persistence 1.
        texts = {name: _write_numbers(frame[name]) for name in ("p", "accuracy")}
        seen = frame.select(pl.col("documents").map_elements("{:.1f}".format, pl.String).alias("documents seen"))
        return Table(
            frame,
            frame.select(texts["p"], align_texts(texts["accuracy"]), "depth", align_texts(seen.to_series())),
            caption="depth: documents of each ranking to judge; accuracy: the most that all later documents can add to "
            "RBP; documents seen: mean of a user with persistence p",
        )


_SENTENCES = {
    "depth": lambda row: (
        f"Judging the first {count(row.depth, 'document')} of each ranking determines RBP(p={row.p:g}) "
        f"to within {row.accuracy:g}."
    ),
    "accuracy": lambda row: (
        f"Judging the first {count(row.depth, 'document')} of each ranking leaves RBP(p={row.p:g}) uncertain by at "
        f"most {row.accuracy:.4g}."
    ),
    "p": lambda row: (
        f"Judging the first {count(row.depth, 'document')} of each ranking determines RBP to within {row.accuracy:g} "
        f"for persistences below {row.p:.4g}."
    ),
}


def _write_numbers(values: pl.Series) -> pl.Series:
    """Return numbers as texts: whole if they have few digits, else four digits of them."""
    import polars as pl

    texts = [f"{value:g}" if float(f"{value:g}") == value else f"{value:.4g}" for value in values.to_list()]
    return pl.Series(values.name, texts, dtype=pl.String)


@check_arguments
def depth(
    p: float | Iterable[float] | None = None,
    accuracy: float | Iterable[float] | None = None,
    depth: int | Iterable[int] | None = None,
) -> DepthPlans:
    """Compute the third of persistence, accuracy and depth for every combination of the other two.

    The user of RBP looks beyond rank d with probability :math:`p^d`: judging d documents of each ranking determines
    values to that accuracy.

    Parameters
    ----------
    p
        Persistences; by default 0.5, 0.8 and 0.95, unless *depth* is given.
    accuracy
        What later documents may still add, such as 0.01; by default 0.0001, unless *p* and *depth* are given.
    depth
        Numbers of documents of each ranking that are judged.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4. The
    rule is the exact one; 9.21 / (1 - p), printed there beside it, asks for up to a third more.

    Examples
    --------
    >>> depth(p=[0.8], accuracy=[1e-2, 1e-4]).frame()["depth"].to_list()
    [21, 42]
    >>> depth().frame()["depth"].to_list()
    [14, 42, 180]
    """
    if p is not None and accuracy is not None and depth is not None:
        raise InputError("p, accuracy and depth: give two of the three; the third follows")
    many = several(PERSISTENCES if p is None else p)
    small = several(ACCURACY if accuracy is None else accuracy)
    if depth is None:
        rows = [DepthPlan(float(one), float(least), rbp_depth(one, least)) for one in many for least in small]
        sought = "depth"
    elif p is None:
        rows = [DepthPlan(rbp_persistence(d, least), float(least), int(d)) for d in several(depth) for least in small]
        sought = "p"
    else:
        rows = [DepthPlan(float(one), rbp_accuracy(one, d), int(d)) for one in many for d in several(depth)]
        sought = "accuracy"
    columns = {name: [*dict.fromkeys(getattr(row, name) for row in rows)] for name in ("p", "accuracy", "depth")}
    settings = {name: values for name, values in columns.items() if name != sought}
    return DepthPlans(tuple(rows), sought, Provenance().with_settings(sought=sought, **settings))
