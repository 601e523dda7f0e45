"""Judging depth for RBP: the depth, the accuracy or the persistence, computed from the other two.

The user continues after rank d with probability :math:`p^d`, so documents after rank d can add at most :math:`p^d` to
the value. Judging d documents of each ranking determines the value to a given accuracy if :math:`p^d` is below this
accuracy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import InputError
from assay.io.problems import format_value
from assay.model.arguments import check_arguments
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, align_texts
from assay.uncertainty._numbers import as_tuple

if TYPE_CHECKING:
    import polars as pl

PERSISTENCES = (0.5, 0.8, 0.95)
ACCURACY = 1e-4
"""Four decimal digits, as in the reference."""
_DECIMAL = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX)
_MAX_DEPTH = 10**9


def rbp_depth(p: float, accuracy: float = ACCURACY) -> int:
    """Return the smallest depth d with p^d < accuracy: the number of documents of each ranking to judge.

    Arguments are interpreted as decimal numbers. So p = 0.7 at accuracy 0.49 needs 3 documents, although in binary
    floating point 0.7 * 0.7 is below 0.49.

    >>> [rbp_depth(p, 1e-4) for p in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    >>> rbp_depth(0.5, 0.5**14), rbp_depth(0.7, 0.49)
    (15, 3)
    """
    persistence, target = _check_persistence(p), _check_accuracy(accuracy)
    if not persistence:
        return 1
    # Use decimal arithmetic, because near p = 1 the logarithm of a float has few correct digits. The quotient is
    # rounded, so the search starts one below it.
    quotient = _DECIMAL.divide(target.ln(_DECIMAL), persistence.ln(_DECIMAL))
    depth = max(int(quotient) - 1, 1)
    while _DECIMAL.power(persistence, depth) >= target:
        depth += 1
    return depth


def rbp_persistence(depth: int, accuracy: float = ACCURACY) -> float:
    """Return the persistence below which *depth* judged documents suffice: p < accuracy^(1/depth).

    >>> round(rbp_persistence(100, 1e-4), 4)
    0.912
    """
    return math.pow(_check_accuracy(accuracy), 1 / _check_depth(depth))


def rbp_accuracy(p: float, depth: int) -> float:
    """Return the largest amount that the documents after rank *depth* can add to the value: p^depth.

    >>> round(rbp_accuracy(0.8, 20), 4)
    0.0115
    """
    return math.pow(_check_persistence(p), _check_depth(depth))


def _check_persistence(p: float) -> Decimal:
    number = _to_finite(p)
    if number is None or not 0 <= number < 1:
        raise InputError(f"p must be a persistence of at least 0 and below 1, got {format_value(p)}")
    return Decimal(repr(number))


def _check_accuracy(accuracy: float) -> Decimal:
    number = _to_finite(accuracy)
    if number is None or not 0 < number < 1:
        raise InputError(f"the accuracy must be above 0 and below 1, such as 0.0001, got {format_value(accuracy)}")
    return Decimal(repr(number))


def _check_depth(depth: int) -> int:
    number = _to_finite(depth)
    if number is None or not number.is_integer() or not 1 <= number <= _MAX_DEPTH:
        raise InputError(f"the depth must be a whole number from 1 to {_MAX_DEPTH}, got {format_value(depth)}")
    return int(number)


def _to_finite(value: Any) -> float | None:
    """Return *value* as a float; None if it is not a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and not isinstance(value, bool | str) else None


@dataclass(frozen=True)
class DepthPlan:
    """A persistence, an accuracy and a depth; one of the three was computed from the other two."""

    p: float
    accuracy: float
    depth: int

    @property
    def documents(self) -> float:
        """Expected number of documents that a user views: 1 / (1 - p)."""
        return 1 / (1 - self.p) if self.p < 1 else math.inf


@dataclass(frozen=True)
class DepthPlans(Report):
    """Judging plans; *sought* is the computed quantity: ``depth``, ``p`` or ``accuracy``."""

    rows: tuple[DepthPlan, ...]
    sought: str
    provenance: Provenance = Provenance()

    name = "depth"
    tables: ClassVar[Mapping[str, str]] = {"plans": "persistence, accuracy and judging depth"}

    def __repr__(self) -> str:
        return f"DepthPlans({pluralize(len(self.rows), 'plan')}, sought: {self.sought})"

    def frame(self) -> pl.DataFrame:
        """Return p, accuracy, depth, documents."""
        import polars as pl

        rows = [(row.p, row.accuracy, row.depth, row.documents) for row in self.rows]
        kinds = {"p": pl.Float64, "accuracy": pl.Float64, "depth": pl.Int64, "documents": pl.Float64}
        return pl.DataFrame(rows, schema=kinds, orient="row")

    @property
    def notes(self) -> tuple[str, ...]:
        """A note that a computed persistence is an exclusive upper limit."""
        return ("persistences must be below the computed p",) if self.sought == "p" else ()

    def summary(self) -> str:
        """State the plan, or the plans with the smallest and the largest computed quantity."""
        if not self.rows:
            return ""
        ascending = sorted(self.rows, key=lambda row: float(getattr(row, self.sought)))
        sentences = dict.fromkeys(_SENTENCES[self.sought](row) for row in (ascending[0], ascending[-1]))
        return " ".join(sentences)

    def _show_plans(self) -> Table:
        import polars as pl

        frame = self.frame()
        # With four decimal places, an accuracy might be shown as 0 and a persistence as 1.
        texts = {name: _format_numbers(frame[name]) for name in ("p", "accuracy")}
        seen = frame.select(pl.col("documents").map_elements("{:.1f}".format, pl.String).alias("documents seen"))
        return Table(
            frame,
            frame.select(texts["p"], align_texts(texts["accuracy"]), "depth", align_texts(seen.to_series())),
            caption="depth: number of documents of each ranking to judge; accuracy: largest amount that all later "
            "documents can add to RBP; documents seen: expected number for a user with persistence p",
        )


_SENTENCES = {
    "depth": lambda row: (
        f"Judging the first {pluralize(row.depth, 'document')} of each ranking determines RBP(p={row.p:g}) "
        f"to within {row.accuracy:g}."
    ),
    "accuracy": lambda row: (
        f"Judging the first {pluralize(row.depth, 'document')} of each ranking leaves RBP(p={row.p:g}) uncertain by at "
        f"most {row.accuracy:.4g}."
    ),
    "p": lambda row: (
        f"Judging the first {pluralize(row.depth, 'document')} of each ranking determines RBP to within "
        f"{row.accuracy:g} for persistences below {row.p:.4g}."
    ),
}


def _format_numbers(values: pl.Series) -> pl.Series:
    """Format numbers: in full if they have at most six significant digits, else with four significant digits."""
    import polars as pl

    texts = [f"{value:g}" if float(f"{value:g}") == value else f"{value:.4g}" for value in values.to_list()]
    return pl.Series(values.name, texts, dtype=pl.String)


@check_arguments
def depth(
    p: float | Iterable[float] | None = None,
    accuracy: float | Iterable[float] | None = None,
    depth: int | Iterable[int] | None = None,
) -> DepthPlans:
    """Compute persistence, accuracy or depth for every combination of the other two.

    The user of RBP continues after rank d with probability :math:`p^d`. Judging d documents of each ranking therefore
    determines values to within :math:`p^d`.

    Parameters
    ----------
    p
        Persistences; by default 0.5, 0.8 and 0.95, unless *depth* is given.
    accuracy
        Largest amount that later documents can add, such as 0.01; by default 0.0001, unless *p* and *depth* are given.
    depth
        Number of documents of each ranking to judge, or several such numbers.

    References
    ----------
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), section 4.4. The
    depth follows from the exact rule; the approximation 9.21 / (1 - p) in the paper requires up to a third more
    documents.

    Examples
    --------
    >>> depth(p=[0.8], accuracy=[1e-2, 1e-4]).frame()["depth"].to_list()
    [21, 42]
    >>> depth().frame()["depth"].to_list()
    [14, 42, 180]
    """
    if p is not None and accuracy is not None and depth is not None:
        raise InputError("p, accuracy and depth: give at most two of the three; the third is computed")
    persistences = as_tuple(PERSISTENCES if p is None else p)
    accuracies = as_tuple(ACCURACY if accuracy is None else accuracy)
    if depth is None:
        sought = "depth"
        rows = [
            DepthPlan(float(q), float(target), rbp_depth(q, target)) for q, target in product(persistences, accuracies)
        ]
    elif p is None:
        sought = "p"
        pairs = product(as_tuple(depth), accuracies)
        rows = [DepthPlan(rbp_persistence(d, target), float(target), int(d)) for d, target in pairs]
    else:
        sought = "accuracy"
        rows = [DepthPlan(float(q), rbp_accuracy(q, d), int(d)) for q, d in product(persistences, as_tuple(depth))]
    columns = {name: [*dict.fromkeys(getattr(row, name) for row in rows)] for name in ("p", "accuracy", "depth")}
    settings = {name: values for name, values in columns.items() if name != sought}
    return DepthPlans(tuple(rows), sought, Provenance().with_settings(sought=sought, **settings))
