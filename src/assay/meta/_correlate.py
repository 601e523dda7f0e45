"""Agreement of measures: rank correlation between the orders of runs by different measures.

Each measure orders the runs by their means over topics, the best first. For measures of cost, the lowest mean is best.
Two orders are compared by Kendall's tau-b with its p-value, by tau-AP, which gives the best runs more weight, and by
Spearman's rho; see ``kendall``. Measures with tau above 0.9 are commonly called equivalent. A tau below 0.8 is commonly
considered a noticeable difference.

The rows can use other judgments than the columns: the judgments of a shallower pool, which shows the effect of judging
more deeply, or those of other assessors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.measures import Measure
from assay.meta.kendall import Taus, taus
from assay.meta.selection import BY, select_results
from assay.model.arguments import check_arguments
from assay.model.arrays import Floats, Ints
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results._evaluate import evaluate
from assay.results.report import Report
from assay.results.results import Results
from assay.results.run_pairs import require_two_runs
from assay.results.sentences import find_extremes, name_or_count
from assay.results.tables import Table

MEASURES = ("AP", "P@10", "Rprec", "RR", "bpref", "nDCG", "RBP(p=0.8)", "ERR")
"""The default measures."""
EQUIVALENT, DIFFERENT = 0.9, 0.8
FULL = "full"
"""Name of the pool of all judgments."""
_COEFFICIENTS = ("tau", "tau_ap", "rho", "p")
_MAX_LISTED = 10  # More pairs than this are shown as a matrix instead of a list.
_MIN_RUNS = 5  # With fewer runs, tau has too few possible values to interpret.
_ADVERBS = {"equivalent": "almost identically", "": "similarly", "different": "noticeably differently"}


class Order(NamedTuple):
    """An order of runs by a measure, computed with the judgments of a pool."""

    measure: Measure
    pool: str = FULL


@dataclass(frozen=True, eq=False)
class Correlation(Report):
    """Rank correlations between measures; the report of :func:`correlate`.

    Attributes
    ----------
    runs
        The runs that were ordered.
    rows, columns
        The orders that were compared. Rows and columns are equal if every pair of measures was compared.
    taus
        Rows x columns: tau-b, its p-value, tau-AP and rho; NaN if all runs are tied in one of the orders.
    scores
        The means by which the runs were ordered: two arrays, rows x runs and columns x runs.
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    runs: tuple[str, ...]
    rows: tuple[Order, ...]
    columns: tuple[Order, ...]
    taus: Taus
    scores: tuple[Floats, Floats]
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "correlate"
    tables: ClassVar[Mapping[str, str]] = {
        "pairs": "each pair of measures: tau, tau-AP, rho, p of tau and the common interpretation of tau",
        "tau": "a matrix of Kendall's tau-b (the default for more than 10 pairs)",
        "tau_ap": "a matrix of tau-AP",
        "rho": "a matrix of Spearman's rho",
        "p": "a matrix of the p-values of tau",
    }

    def __post_init__(self) -> None:
        """Make the matrix of tau the default table if there are many pairs."""
        if len(self._pairs()[0]) > _MAX_LISTED:
            object.__setattr__(self, "tables", {"tau": self.tables["tau"], **self.tables})

    def __repr__(self) -> str:
        rows, columns = len(self.rows), len(self.columns)
        orders = f"{columns} measures" if self.symmetric else f"{rows} x {columns} orders"
        return f"Correlation({orders}, {pluralize(len(self.runs), 'run')})"

    @property
    def symmetric(self) -> bool:
        """True if rows and columns are the same: every pair of measures was compared."""
        return self.rows == self.columns

    def _pairs(self) -> tuple[Ints, Ints]:
        """Return the row and column indices of all pairs; a symmetric matrix gives each pair once."""
        if self.symmetric:
            row, column = np.triu_indices(len(self.rows), 1)
        else:
            row, column = np.indices(self.taus.tau.shape).reshape(2, -1)
        return row, column

    def frame(self) -> pl.DataFrame:
        """Return a row for each pair of orders: measure, pool, other, tau, tau_ap, rho, p, runs.

        *pool* is the pool of the row; the column always uses all judgments. If rows and columns are the same, each pair
        is listed once.
        """
        row, column = self._pairs()
        return pl.DataFrame(
            {
                "measure": [str(self.rows[i].measure) for i in row],
                "pool": [self.rows[i].pool for i in row],
                "other": [str(self.columns[j].measure) for j in column],
                **{name: getattr(self.taus, name)[row, column] for name in _COEFFICIENTS},
                "runs": [len(self.runs)] * len(row),
            },
            schema_overrides={"measure": pl.String, "pool": pl.String, "other": pl.String, "runs": pl.Int64},
            nan_to_null=True,
        )

    def matrix(self, of: str = "tau") -> pl.DataFrame:
        """Return ``tau``, ``tau_ap``, ``rho`` or ``p`` as a matrix: measure, pool, and one column for each measure."""
        if of not in _COEFFICIENTS:
            raise InputError(f"matrix {of!r}: choose one of {', '.join(_COEFFICIENTS)}")
        columns = zip(self.columns, getattr(self.taus, of).T, strict=True)
        return pl.DataFrame(
            {
                "measure": [str(order.measure) for order in self.rows],
                "pool": [order.pool for order in self.rows],
                **{str(order.measure): values for order, values in columns},
            },
            nan_to_null=True,
        )

    def nearest(self) -> tuple[str | None, ...]:
        """Return the measure that agrees most with each row, by tau; None if there is no other measure."""
        names = np.array([str(order.measure) for order in self.columns])
        nearest: list[str | None] = []
        for order, values in zip(self.rows, self.taus.tau, strict=True):
            taus = np.where((names == str(order.measure)) | np.isnan(values), -np.inf, values)
            nearest.append(str(names[taus.argmax()]) if np.isfinite(taus).any() else None)
        return tuple(nearest)

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the measures that agree most and least, and the number of equivalent and different pairs."""
        taus = {
            f"{_describe_order(self.rows[i])} and {self.columns[j].measure}": float(self.taus.tau[i, j])
            for i, j in zip(*self._pairs(), strict=True)
            if self.rows[i] != self.columns[j]
        }
        known = [tau for tau in taus.values() if not np.isnan(tau)]
        extremes = find_extremes(taus)
        runs = pluralize(len(self.runs), "run")
        caveat = f" With only {runs}, tau is hard to interpret." if len(self.runs) < _MIN_RUNS else ""
        if not taus:
            return f"{self.columns[0].measure} is the only measure; name at least two measures to compare."
        if extremes is None:
            return "tau is undefined for every pair: under one of the measures, all runs have the same mean."
        if extremes.all_equal:
            which = extremes.highest[0] if len(known) == 1 else f"All {len(known)} pairs of measures"
            how = "identically" if known[0] == 1 else _ADVERBS[read_tau(known[0])]
            return f"{which} order the {runs} {how} (tau {known[0]:.3f}).{caveat}"
        equivalent, different = sum(tau > EQUIVALENT for tau in known), sum(tau < DIFFERENT for tau in known)
        return (
            f"Most similar: {name_or_count(extremes.highest, 'pair')} (tau {extremes.high:.3f}); "
            f"least similar: {name_or_count(extremes.lowest, 'pair')} (tau {extremes.low:.3f}). "
            f"{equivalent} of {pluralize(len(known), 'pair')} {'is' if equivalent == 1 else 'are'} equivalent (tau > "
            f"{EQUIVALENT}); {different} {'is' if different == 1 else 'are'} noticeably different (tau < {DIFFERENT})."
            f"{caveat}"
        )

    def _show_pairs(self) -> Table:
        frame = self.frame()
        reading = pl.Series("reading", [read_tau(tau) for tau in frame["tau"].to_list()], dtype=pl.String)
        compact = self._drop_pool(frame).drop("runs").with_columns(reading).rename({"tau_ap": "tau-AP"})
        caption = (
            f"tau: Kendall's tau between the orders of {pluralize(len(self.runs), 'run')}. reading: measures with tau "
            f"> {EQUIVALENT} are commonly called equivalent, and measures with tau < {DIFFERENT} different. tau-AP "
            "gives the best runs more weight. rho: Spearman's rank correlation. p: of tau."
        )
        return Table(frame, compact, probability_columns={"p": 0.0}, caption=caption)

    def _show_tau(self) -> Table:
        return self._show_matrix("tau", "Kendall's tau")

    def _show_tau_ap(self) -> Table:
        return self._show_matrix("tau_ap", "tau-AP, which gives the best runs more weight,")

    def _show_rho(self) -> Table:
        return self._show_matrix("rho", "Spearman's rho")

    def _show_p(self) -> Table:
        return self._show_matrix("p", "p-values of Kendall's tau")

    def _show_matrix(self, of: str, title: str) -> Table:
        probability_columns = {str(order.measure): 0.0 for order in self.columns} if of == "p" else {}
        caption = f"{title} between the orders of {pluralize(len(self.runs), 'run')}."
        compact = self._drop_pool(self.matrix(of))
        return Table(self.frame(), compact, probability_columns=probability_columns, caption=caption)

    def _drop_pool(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Drop the column pool if all rows use all judgments."""
        return frame.drop("pool") if all(order.pool == FULL for order in self.rows) else frame


def read_tau(tau: float | None) -> str:
    """Return the common interpretation of a tau; an empty text for values between the two thresholds.

    >>> read_tau(0.95), read_tau(0.85), read_tau(0.5)
    ('equivalent', '', 'different')
    """
    if tau is None or DIFFERENT <= tau <= EQUIVALENT:
        return ""
    return "equivalent" if tau > EQUIVALENT else "different"


def _describe_order(order: Order) -> str:
    return str(order.measure) if order.pool == FULL else f"{order.measure} (pool {order.pool})"


@check_arguments
def correlate(
    source: Campaign | Results,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    rows: str | Measure | Iterable[str | Measure] | Results | None = None,
    depths: Iterable[int] | None = None,
    row_qrels: Any = None,
    row_unjudged: str | None = None,
    best: float | None = None,
    decimals: int | None = None,
) -> Correlation:
    r"""Compute rank correlations between the orders of runs by different measures.

    By default, every pair of measures is compared; with *rows*, each row is compared with each column.

    .. math:: \tau_b = \frac{C - D}{\sqrt{U V}}, \qquad
              \tau_{AP} = \frac{2}{m} \sum_{i: B_i > 0} \frac{C_i}{B_i} - 1, \qquad
              \rho = \frac{\sum_i (a_i - \bar a) (b_i - \bar b)}
                  {\sqrt{\sum_i (a_i - \bar a)^2 \sum_i (b_i - \bar b)^2}}

    for two orders of the runs by their means over topics. C pairs of runs are concordant, and D pairs are discordant. U
    pairs are not tied in the first order, and V pairs are not tied in the second order. :math:`B_i` runs are better
    than run i in the first order; :math:`C_i` of these are also better in the second order. m is the number of runs
    with :math:`B_i > 0`. tau-AP is not symmetric; the mean of both directions is reported. :math:`a_i` and :math:`b_i`
    are the ranks of run i in the two orders; tied runs share the mean of their ranks.

    Parameters
    ----------
    source
        A campaign, or results.
    measures
        The measures of the columns (default: ``MEASURES``, or all measures of the results). Columns use all judgments.
    rows
        The measures of the rows, or other results of the same runs (default: the measures of the columns).
    depths
        Depths of pools that are rebuilt from the runs; each measure and depth gives one row (default: all judgments). A
        judgment is in the pool if some run ranks its document at this depth or above.
    row_qrels
        Other judgments for the rows, such as those of other assessors.
    row_unjudged
        Policy on unjudged documents for the rows (default: the policy of the campaign).
    best
        Use only this fraction of the runs: the best runs by MAP with all judgments. A common value is 0.75.
    decimals
        Round means to this number of decimals first. Runs whose rounded means are equal are tied, as in a published
        table.

    References
    ----------
    Kendall, *Rank correlation methods* (1948). Spearman, *The proof and measurement of association between two things*,
    American Journal of Psychology 15 (1904). Yilmaz, Aslam & Robertson, *A new rank correlation coefficient for
    information retrieval*, SIGIR 2008. Urbano & Marrero, *The treatment of ties in AP correlation*, ICTIR 2017.
    Voorhees, *Evaluation by highly relevant documents*, SIGIR 2001 (the thresholds 0.9 and 0.8).
    Moffat & Zobel, *Rank-biased precision for measurement of retrieval effectiveness*, TOIS 27 (2008), Table III (rows:
    pool of depth 10, columns: depth 100). Ferro, Silvello, Keskustalo, Pirkola & Järvelin, *The Twist measure
    for IR evaluation: Taking user's effort into account*, JASIST 67 (2016), Tables 3 and 4.

    Examples
    --------
    >>> import assay
    >>> qrels = {"q": {"a": 1, "b": 1, "c": 0}}
    >>> runs = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"c": 2.0, "a": 1.0}}, "z": {"q": {"a": 2.0, "c": 1.0}}}
    >>> correlate(assay.read(qrels, runs), ["AP", "P@2"]).taus.tau.round(4).tolist()
    [[1.0, 0.8165], [0.8165, 1.0]]
    """
    columns = select_results(source, measures, best, MEASURES)
    require_two_runs(columns.runs, "" if best is None else f" after selecting the best of {len(source.runs)} runs")
    policies = source.provenance.policies
    row_policies = policies if row_unjudged is None else replace(policies, unjudged=row_unjudged)
    if depths is not None or row_qrels is not None or row_policies != policies:
        row_measures = columns.measures if rows is None else rows
        pools = list(_evaluate_pools(source, row_measures, depths, row_qrels, row_policies.unjudged))
        pools = [(pool, results.select(columns.runs)) for pool, results in pools]
    elif isinstance(rows, Results):
        pools = [(FULL, _select_same_runs(rows, columns.runs))]
    else:
        pools = [(FULL, columns if rows is None else select_results(source, rows).select(columns.runs))]
    inputs = source.provenance if row_qrels is None else _add_qrels(source.provenance, pools[0][1].provenance)
    left = np.concatenate([mean_scores(results, decimals) for _, results in pools])
    right = mean_scores(columns, decimals)
    left_orders = tuple(Order(measure, pool) for pool, results in pools for measure in results.measures)
    return Correlation(
        runs=columns.runs,
        rows=left_orders,
        columns=tuple(map(Order, columns.measures)),
        taus=taus(
            left * direction_signs(order.measure for order in left_orders), right * direction_signs(columns.measures)
        ),
        scores=(left, right),
        provenance=inputs.with_settings(
            runs=len(columns.runs), best=best, decimals=decimals, row_unjudged=row_policies.unjudged
        ),
        notes=_collect_notes(source, [(FULL, columns), *pools]),
    )


def _evaluate_pools(
    source: Campaign | Results, measures: Any, depths: Iterable[int] | None, row_qrels: Any, unjudged: str
) -> Iterator[tuple[str, Results]]:
    """Evaluate the rows with other judgments or policies; yield the name and the results of each pool."""
    if isinstance(source, Results) or isinstance(measures, Results):
        raise InputError(
            "depths, row_qrels and row_unjudged evaluate the runs again; pass a campaign, and pass rows as measures"
        )
    campaign = (source if row_qrels is None else source.with_qrels(row_qrels)).with_policies(unjudged=unjudged)
    if depths is None:
        yield FULL if row_qrels is None else Path(campaign.judgments.source).name, evaluate(campaign, measures)
        return
    best = campaign.best_rank()
    for depth in check_depths(depths):
        yield str(depth), evaluate(campaign.with_judgments(best <= depth), measures)


def _select_same_runs(results: Results, runs: tuple[str, ...]) -> Results:
    """Return the results with their runs in the given order; raise an error if the runs differ."""
    if set(results.runs) != set(runs):
        missing = sorted(set(results.runs) ^ set(runs))[0]
        raise InputError(f"rows: rows and columns must have the same runs; {missing} is only in one of them")
    return results.select(runs)


def check_depths(depths: Iterable[int]) -> tuple[int, ...]:
    """Return the distinct depths of pools, ascending; raise an error unless all are positive integers."""
    values = list(depths)
    for depth in values:
        if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 1:
            raise InputError(f"depths must be whole numbers of at least 1, such as 10 and 100, got {depth!r}")
    if not values:
        raise InputError("depths: name at least one depth, such as 10")
    return tuple(sorted({int(depth) for depth in values}))


def direction_signs(measures: Iterable[Measure]) -> Floats:
    """Return measures x 1: 1 if higher values are better, -1 if lower values are better.

    Values times these signs are larger if they are better, for every measure.
    """
    return np.array([[-1.0 if measure.lower_is_better else 1.0] for measure in measures])


def mean_scores(results: Results, decimals: int | None = None) -> Floats:
    """Return the values over topics, measures x runs, optionally rounded to *decimals*."""
    values = results.overall().T
    if decimals is None:
        return values
    # Python's round is exact, like printf. numpy first multiplies by a power of ten and can therefore round
    # differently.
    return np.array([[round(value, decimals) for value in row] for row in values.tolist()]).reshape(values.shape)


def _add_qrels(columns: Provenance, rows: Provenance) -> Provenance:
    """Add the judgments of the rows to the inputs."""
    return replace(columns, inputs=(*columns.inputs, *(one for one in rows.inputs if one.role == "qrels")))


def _collect_notes(source: Campaign | Results, pools: list[tuple[str, Results]]) -> tuple[str, ...]:
    """Return the notes of the source, then the additional notes of each pool; the first pool is that of the columns."""
    notes = list(source.notes)
    if len(pools[0][1].runs) < len(source.runs):
        notes.append(f"selected the best {len(pools[0][1].runs)} of {len(source.runs)} runs by {BY}")
    for pool, results in pools:
        additional = [note for note in results.notes if note not in source.notes]
        notes += additional if pool == FULL else [f"pool {pool}: {note}" for note in additional]
    return tuple(dict.fromkeys(notes))
