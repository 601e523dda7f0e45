"""How far measures agree on systems: rank correlation of the orders of runs that measures give.

Each measure orders the runs by their means over topics, the best first (for measures of cost, the lowest). Two orders
are compared by Kendall's tau-b, by tau-AP, to which the best runs matter more, and by the p-value of tau; see
``kendall``. Measures with a tau above 0.9 are commonly called equivalent, and a tau below 0.8 a noticeable difference.

The orders of the rows may come from other judgments than those of the columns: from a shallower pool, which tells what
deeper judging buys, or from other assessors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import polars as pl

from assay.engine.workers import Progress
from assay.errors import InputError
from assay.measures import Measure
from assay.measures import measures as parse_measures
from assay.meta.kendall import Taus, taus
from assay.meta.pools import Pools
from assay.meta.selection import BY, best_runs
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats
from assay.model.policies import Policies, PolicyOptions
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluated
from assay.results.table import Results

EQUIVALENT, DIFFERENT = 0.9, 0.8
FULL = "full"
"""The pool of all judgments."""


class Order(NamedTuple):
    """An order of runs: by a measure, with the judgments of a pool."""

    measure: Measure
    pool: str = FULL


@dataclass(frozen=True, eq=False)
class Correlation:
    """What :func:`correlate` returns.

    Attributes
    ----------
    runs
        The runs that were ordered.
    rows, columns
        The orders that were compared; the same if each measure was compared with each.
    taus
        Rows x columns: tau-b, its p-value and tau-AP; NaN where an order tells no two runs apart.
    scores
        Rows x runs, then columns x runs: the means by which the runs were ordered.
    provenance, notes
        What the numbers depend on, and what was ignored or assumed.
    """

    runs: tuple[str, ...]
    rows: tuple[Order, ...]
    columns: tuple[Order, ...]
    taus: Taus
    scores: tuple[Floats, Floats]
    provenance: dict[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def symmetric(self) -> bool:
        """Whether each measure was compared with each."""
        return self.rows == self.columns

    def frame(self) -> pl.DataFrame:
        """A polars frame, a row for each two orders: measure, pool, other, tau, tau_ap, p, runs.

        *pool* is that of the first order. If each measure was compared with each, pairs are listed once.
        """
        shape = self.taus.tau.shape
        row, column = np.triu_indices(len(self.rows), 1) if self.symmetric else np.indices(shape).reshape(2, -1)
        values = {name: getattr(self.taus, name)[row, column] for name in ("tau", "tau_ap", "p")}
        return pl.DataFrame(
            {
                "measure": pl.Series([str(self.rows[i].measure) for i in row], dtype=pl.String),
                "pool": pl.Series([self.rows[i].pool for i in row], dtype=pl.String),
                "other": pl.Series([str(self.columns[j].measure) for j in column], dtype=pl.String),
                **{name: pl.Series(value, dtype=pl.Float64).fill_nan(None) for name, value in values.items()},
                "runs": pl.Series([len(self.runs)] * len(row), dtype=pl.Int64),
            }
        )

    def matrix(self, of: str = "tau") -> pl.DataFrame:
        """Rows x columns of ``tau``, ``tau_ap`` or ``p`` as a polars frame: measure, pool, and the columns."""
        if of not in ("tau", "tau_ap", "p"):
            raise InputError(f"matrix {of!r}: choose one of tau, tau_ap, p")
        values = getattr(self.taus, of)
        return pl.DataFrame(
            {
                "measure": pl.Series([str(order.measure) for order in self.rows], dtype=pl.String),
                "pool": pl.Series([order.pool for order in self.rows], dtype=pl.String),
                **{
                    str(order.measure): pl.Series(values[:, j], dtype=pl.Float64).fill_nan(None)
                    for j, order in enumerate(self.columns)
                },
            }
        )

    def nearest(self) -> tuple[str | None, ...]:
        """For each row the measure among the columns with the largest tau, itself left aside; None if there is none."""
        return tuple(map(self._nearest, range(len(self.rows))))

    def _nearest(self, row: int) -> str | None:
        values = self.taus.tau[row].copy()
        values[[order.measure == self.rows[row].measure for order in self.columns]] = np.nan
        return None if np.isnan(values).all() else str(self.columns[int(np.nanargmax(values))].measure)


@check_arguments
def correlate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    rows: str | Measure | Iterable[str | Measure] | None = None,
    depths: Iterable[int] | None = None,
    row_qrels: Any = None,
    row_unjudged: str | None = None,
    best: float | None = None,
    decimals: int | None = None,
    seed: int = 0,
    lenient: bool = False,
    progress: Progress | None = None,
    **policies: Unpack[PolicyOptions],
) -> Correlation:
    r"""Correlate the orders of runs that measures give: each with each, or rows with columns.

    .. math:: \tau_b = \frac{C - D}{\sqrt{U V}}, \qquad
              \tau_{AP} = \frac{2}{m} \sum_{i: B_i > 0} \frac{C_i}{B_i} - 1

    of orders of n runs by their means over topics. C pairs of runs are in the same order in both and D are not; U and V
    are not tied in one and in the other. :math:`B_i` runs are better than run i in one order, :math:`C_i` of them in
    the other, too; m runs have a better one. As it depends on which order is read, the mean of both ways is taken.

    Parameters
    ----------
    qrels, runs, measures
        As in ``evaluate``; the measures of the columns, which use all judgments.
    rows
        The measures of the rows (default: those of the columns).
    depths
        The rows use pools rebuilt from the runs to these depths, one row for each measure and depth (default: all
        judgments). A judgment is kept if its document stands so high in some run.
    row_qrels
        Other judgments for the rows, such as those of other assessors.
    row_unjudged
        How the rows treat unjudged documents, if not as the columns do.
    best
        Only this share of the runs, the best by MAP with all judgments; 0.75 is common.
    decimals
        Round means to so many decimals first: runs that a published table shows as equal are tied.
    seed, lenient, policies
        As in ``evaluate``.
    progress
        Called with the number of runs read and their total.

    References
    ----------
    Kendall, *Rank correlation methods* (1948). Yilmaz, Aslam & Robertson, *A new rank correlation coefficient for
    information retrieval*, SIGIR 2008. Urbano & Marrero, *The treatment of ties in AP correlation*, ICTIR 2017.
    Voorhees, *Evaluation by highly relevant documents*, SIGIR 2001 (tau above 0.9 is the same, below 0.8 is not).
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), Table III (rows
    of a pool of depth 10, columns of depth 100). Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure
    for IR evaluation: Taking user's effort into account*, JASIST 67 (2016), Tables 3 and 4.

    Examples
    --------
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}, "z": {"q": {"a": 2.0, "c": 1.0}}}
    >>> correlate(qrels, runs, ["AP", "P@2"]).taus.tau.round(4).tolist()
    [[1.0, 0.8165], [0.8165, 1.0]]
    """
    columns = parse_measures(measures)
    of_rows = columns if rows is None else parse_measures(rows)
    chosen_policies = Policies(seed=seed, **policies)
    others = chosen_policies if row_unjudged is None else replace(chosen_policies, unjudged=row_unjudged)
    read = list(runs) if isinstance(runs, Iterator) else runs
    pools = Pools.of(qrels, read, chosen_policies, lenient=lenient, progress=progress)
    second = pools if row_qrels is None else Pools.of(row_qrels, read, others, lenient=lenient, progress=progress)
    same = rows is None and depths is None and row_qrels is None and others == chosen_policies
    names = pools.runs if best is None else best_runs(pools.part(), best)
    if len(names) < 2:
        chosen = "" if best is None else f" ({len(pools.runs)} before the best were chosen)"
        raise InputError(f"correlate: an order needs at least two runs, got {len(names)}{chosen}")
    found = [(FULL, evaluated(pools.part(), columns).only(names))]
    of_pools = found if same else list(_rows(replace(second, policies=others), of_rows, depths, row_qrels, names))
    settings = {"runs": len(names), "best": best, "decimals": decimals, "row_unjudged": others.unjudged}
    provenance = {**_both(pools, second).as_dict(), "correlate": settings}
    return _correlated(of_pools, found, decimals, provenance, _notes(pools, found + ([] if same else of_pools)))


def correlated(rows: Results, columns: Results | None = None, *, decimals: int | None = None) -> Correlation:
    """Correlate orders of runs from results at hand; the runs are aligned by their names.

    *columns* are other results of the same runs, by default the same results.
    """
    right = rows if columns is None else columns
    if set(rows.runs) != set(right.runs):
        missing = sorted(set(rows.runs) ^ set(right.runs))[0]
        raise InputError(f"correlated: the rows and the columns must have the same runs; {missing} is in one of them")
    if len(rows.runs) < 2:
        raise InputError(f"correlated: an order needs at least two runs, got {len(rows.runs)}")
    notes = dict.fromkeys((*rows.notes, *right.notes))
    provenance = {**right.provenance.as_dict(), "correlate": {"runs": len(rows.runs), "decimals": decimals}}
    return _correlated([(FULL, rows)], [(FULL, right.only(rows.runs))], decimals, provenance, tuple(notes))


def _rows(
    pools: Pools, measures: tuple[Measure, ...], depths: Iterable[int] | None, row_qrels: Any, names: tuple[str, ...]
) -> Iterator[tuple[str, Results]]:
    """The results of each pool of the rows, with its name."""
    if depths is None:
        pool = FULL if row_qrels is None else Path(pools.qrels.source).name
        yield pool, evaluated(pools.part(), measures).only(names)
        return
    best = pools.best_rank()
    for depth in checked_depths(depths):
        yield str(depth), evaluated(pools.part(best <= depth), measures).only(names)


def checked_depths(depths: Iterable[int]) -> tuple[int, ...]:
    """Depths of pools, ascending and each once."""
    found = list(depths)
    for depth in found:
        if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1:
            raise InputError(f"depths must be whole numbers of at least 1, such as 10 and 100, got {depth!r}")
    if not found:
        raise InputError("depths: name at least one, such as 10")
    return tuple(sorted({int(depth) for depth in found}))


def _correlated(
    rows: list[tuple[str, Results]],
    columns: list[tuple[str, Results]],
    decimals: int | None,
    provenance: dict[str, Any],
    notes: tuple[str, ...],
) -> Correlation:
    left, right = (np.concatenate([scores(one, decimals) for _, one in several]) for several in (rows, columns))
    directions = [_directions(several) for several in (rows, columns)]
    return Correlation(
        runs=rows[0][1].runs,
        rows=_orders(rows),
        columns=_orders(columns),
        taus=taus(left * directions[0], right * directions[1]),
        scores=(left, right),
        provenance=provenance,
        notes=notes,
    )


def _orders(several: list[tuple[str, Results]]) -> tuple[Order, ...]:
    return tuple(Order(measure, pool) for pool, results in several for measure in results.measures)


def _directions(several: list[tuple[str, Results]]) -> Floats:
    return np.concatenate([direction(results.measures) for _, results in several])[:, None]


def direction(measures: Iterable[Measure]) -> Floats:
    """1 for measures of which more is better, -1 for those of cost."""
    return np.array([-1.0 if measure.lower_is_better else 1.0 for measure in measures])


def scores(results: Results, decimals: int | None = None) -> Floats:
    """Measures x runs: the values over topics, perhaps rounded as they are printed."""
    values = results.overall().T
    if decimals is None:
        return values
    # Python rounds as printf does; numpy multiplies first, and may end up on the other side of a half.
    return np.array([[round(value, decimals) for value in row] for row in values.tolist()]).reshape(values.shape)


def _both(pools: Pools, second: Pools) -> Provenance:
    """The inputs of the columns, and the other qrels of the rows."""
    more = () if second is pools else tuple(one for one in second.provenance.inputs if one.role == "qrels")
    return replace(pools.provenance, inputs=(*pools.provenance.inputs, *more))


def _notes(pools: Pools, found: list[tuple[str, Results]]) -> tuple[str, ...]:
    """What was said when reading, once, and what is said of each pool."""
    notes = list(pools.notes)
    if len(found[0][1].runs) < len(pools.runs):
        notes.append(f"{len(found[0][1].runs)} of {len(pools.runs)} runs: the best by {BY}")
    for pool, results in found:
        notes += [note if pool == FULL else f"pool {pool}: {note}" for note in results.notes if note not in pools.notes]
    return tuple(dict.fromkeys(notes))
