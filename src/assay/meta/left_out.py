"""Reusability of judgments for systems that did not contribute to the pool: leave out one group of runs at a time.

For each group, the judgments that only its runs contributed to the pool are left out, as if the group had not taken
part. All runs are evaluated with the remaining judgments. If the values and ranks of the runs of the group hardly
change, the judgments can be reused for later systems. Entire groups are left out instead of single runs, because the
runs of a group are similar to each other.

References
----------
Zobel, *How reliable are the results of large-scale information retrieval experiments?*, SIGIR 1998; Voorhees & Harman,
*Overview of the eighth Text REtrieval Conference* (1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress
from assay.measures import Measure
from assay.measures._threshold import lowest_relevant_grade
from assay.meta._correlate import direction_signs, mean_scores
from assay.meta.kendall import taus
from assay.model.arrays import Bools, Floats, Ints
from assay.model.notes import pluralize
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.sentences import find_extremes, list_names
from assay.results.tables import Table

_CHANGE = (
    "mean change: mean change of the values of the runs of a group when the judgments that only this group contributed "
    "are left out"
)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Values and ranks of the runs of each group without the judgments that only this group contributed.

    Attributes
    ----------
    groups, group
        The names of the groups, and the index of the group of each run.
    depth
        Depth of the pool: a group contributes a judgment if one of its runs ranks the document at this depth or above.
    unique
        Groups x 2: the number of judgments that only this group contributed, and the number of them with a relevant
        grade.
    values, ranks
        Measures x runs x 2: value over topics and rank among all runs. The first is computed with all judgments, the
        second without the judgments that only the group of the run contributed. Runs with equal values have the same
        rank.
    tau, tau_ap
        Groups x measures: correlation between two orders of all runs, without the judgments of the group and with all
        judgments.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    groups: tuple[str, ...]
    group: Ints
    depth: int
    unique: Ints
    values: Floats
    ranks: Ints
    tau: Floats
    tau_ap: Floats

    def frame(self) -> pl.DataFrame:
        """Return a row for each run and measure.

        The columns are group, run, measure, value, without, change, rank, rank_without, moved. *moved* is the number of
        ranks by which the run falls.
        """
        shape = (len(self.runs), len(self.measures))
        run, measure = np.indices(shape).reshape(2, -1)
        (value, value_without), (rank, rank_without) = (
            np.moveaxis(x, (2, 1), (0, 1)).reshape(2, -1) for x in (self.values, self.ranks)
        )
        return pl.DataFrame(
            {
                "group": pl.Series(self.groups, dtype=pl.String).gather(self.group[run]),
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([str(one) for one in self.measures], dtype=pl.String).gather(measure),
                "value": pl.Series(value).fill_nan(None),
                "without": pl.Series(value_without).fill_nan(None),
                "change": pl.Series(value_without - value).fill_nan(None),
                "rank": pl.Series(rank, dtype=pl.Int64),
                "rank_without": pl.Series(rank_without, dtype=pl.Int64),
                "moved": pl.Series(rank_without - rank, dtype=pl.Int64),
            }
        )

    def by_group(self) -> pl.DataFrame:
        """Return a row for each group and measure.

        The columns are group, runs, unique, relevant, measure, change, moved, tau, tau_ap. *unique* is the number of
        judgments that only this group contributed, and *relevant* is the number of them with a relevant grade. *change*
        is the mean over the runs of the group. *moved* is the largest change of rank, positive if the run falls.
        """
        rows = []
        for number, name in enumerate(self.groups):
            members = np.flatnonzero(self.group == number)
            change = (self.values[:, members, 1] - self.values[:, members, 0]).mean(axis=1)
            moved = self.ranks[:, members, 1] - self.ranks[:, members, 0]
            # The largest change of rank in magnitude, with its sign.
            largest = np.take_along_axis(moved, np.abs(moved).argmax(axis=1)[:, None], axis=1)[:, 0]
            group = (name, len(members), *self.unique[number].tolist())
            statistics = (change, largest, self.tau[number], self.tau_ap[number])
            rows += [
                (*group, str(measure), *numbers)
                for measure, *numbers in zip(self.measures, *(x.tolist() for x in statistics), strict=True)
            ]
        schema: dict[str, Any] = {"group": pl.String, "runs": pl.Int64, "unique": pl.Int64, "relevant": pl.Int64}
        schema |= {"measure": pl.String, "change": pl.Float64, "moved": pl.Int64, "tau": pl.Float64}
        frame = pl.DataFrame(rows, schema={**schema, "tau_ap": pl.Float64}, orient="row")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def by_measure(self) -> pl.DataFrame:
        """Return a row for each measure: measure, groups, change, largest, moved, tau, tau_ap.

        *change* is the mean change of values, and *largest* is the largest change in magnitude. *moved* is the largest
        number of ranks by which a run falls or rises. *tau* and *tau_ap* are the lowest over the groups.
        """
        change = self.values[:, :, 1] - self.values[:, :, 0]
        moved = np.abs(self.ranks[:, :, 1] - self.ranks[:, :, 0])
        largest = np.take_along_axis(change, np.abs(np.nan_to_num(change)).argmax(axis=1)[:, None], axis=1)[:, 0]
        return pl.DataFrame(
            {
                "measure": pl.Series([str(one) for one in self.measures], dtype=pl.String),
                "groups": pl.Series([len(self.groups)] * len(self.measures), dtype=pl.Int64),
                "change": pl.Series(change.mean(axis=1)).fill_nan(None),
                "largest": pl.Series(largest).fill_nan(None),
                "moved": pl.Series(moved.max(axis=1), dtype=pl.Int64),
                "tau": pl.Series(self.tau.min(axis=0)).fill_nan(None),
                "tau_ap": pl.Series(self.tau_ap.min(axis=0)).fill_nan(None),
            }
        )

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the largest change of rank when a group is left out, and the lowest tau."""
        unique, relevant = self.unique.sum(axis=0).tolist()
        frame = self.by_measure()
        action = (
            f"Leaving out the judgments that only one of {pluralize(len(self.groups), 'group')} contributed to the "
            f"pool of depth {self.depth} ({unique} in total, {relevant} relevant)"
        )
        moved = find_extremes(dict(zip(frame["measure"], frame["moved"], strict=True)))
        taus = find_extremes(dict(zip(frame["measure"], frame["tau"], strict=True)))
        if moved is None or moved.high == 0:
            return f"{action} does not change the rank of any run of the group."
        effect = (
            f"moves a run of the group by at most {pluralize(int(moved.high), 'rank')} ({list_names(moved.highest)})"
        )
        tau = "" if taus is None else f"; tau with the order by all judgments is at least {taus.low:.3f}"
        return f"{action} {effect}{tau}."

    def show_measures(self) -> Table:
        """Return the table of reuse: a row for each measure."""
        frame = self.by_measure()
        caption = (
            f"{_CHANGE}. ranks moved: largest number of ranks by which a run falls or rises. lowest tau: tau between "
            "the orders of all runs without the judgments of a group and by all judgments; the lowest over the groups."
        )
        return Table(frame, arrange_reuse(frame), caption=caption)

    def show_groups(self) -> Table:
        """Return the table of groups, with a heading for each measure."""
        frame = self.by_group()
        compact = frame.rename({"change": "mean change", "moved": "ranks lost", "tau_ap": "tau-AP"})
        caption = (
            "unique: number of judgments that only this group contributed. relevant: number of relevant documents "
            f"among them. {_CHANGE}. ranks lost: largest number of ranks by which a run of the group falls (negative: "
            "rises)."
        )
        return Table(frame, compact, heading="measure", caption=caption)

    def show_runs(self) -> Table:
        """Return the table of runs, with a heading for each measure."""
        frame = self.frame()
        compact = frame.select("measure", "run", "group", "value", "without", "change", "rank", "rank_without", "moved")
        compact = compact.rename({"rank_without": "rank without", "moved": "ranks lost"})
        caption = (
            "value, rank: with all judgments. without, rank without: without the judgments that only the group of the "
            "run contributed. ranks lost: number of ranks by which the run falls."
        )
        return Table(frame, compact, heading="measure", caption=caption)


def arrange_reuse(frame: pl.DataFrame) -> pl.DataFrame:
    """Arrange the frame of measures for reading: mean and largest change, ranks moved, lowest tau and tau-AP."""
    names = {"change": "mean change", "largest": "largest change", "moved": "ranks moved"}
    return frame.drop("groups").rename({**names, "tau": "lowest tau", "tau_ap": "lowest tau-AP"})


def leave_out(
    campaign: Campaign,
    full: Results,
    members: tuple[tuple[str, ...], Ints],
    pooled: tuple[int, Ints],
    progress: Progress | None = None,
) -> LeftOut:
    """For each group, evaluate all runs without the judgments that only this group contributed to a pool.

    Parameters
    ----------
    campaign, full
        Judgments and runs, and the values with all judgments.
    members
        The names of the groups, and the index of the group of each run.
    pooled
        The depth of the pool, and the indices of the runs that contribute to it.
    """
    (groups, group), (depth, contributors) = members, pooled
    unique_masks = _find_unique_judgments(campaign, len(groups), group, depth, contributors)
    full_means, sign = mean_scores(full), direction_signs(full.measures)[:, None]
    values = np.empty((len(groups), *full_means.shape))
    for number, unique in enumerate(unique_masks):
        values[number] = mean_scores(evaluate(campaign.with_judgments(~unique), full.measures))
        if progress is not None:
            progress(number + 1, len(groups))
    # This index selects, for each run, the values without the judgments of its own group.
    own = group, slice(None), np.arange(len(group))
    ranks = np.stack([_rank_runs(one * sign) for one in values])
    correlations = [taus(values[:, i] * sign[i], full_means[i] * sign[i]) for i in range(len(full.measures))]
    rel = lowest_relevant_grade(full.measures)
    return LeftOut(
        runs=campaign.runs,
        measures=full.measures,
        groups=groups,
        group=group,
        depth=depth,
        unique=np.array([count_judgments(campaign, unique, rel) for unique in unique_masks]),
        values=np.stack([full_means, values[own].T], axis=2),
        ranks=np.stack([_rank_runs(full_means * sign), ranks[own].T], axis=2),
        tau=np.stack([one.tau[:, 0] for one in correlations], axis=1),
        tau_ap=np.stack([one.estimated[:, 0] for one in correlations], axis=1),
    )


def _find_unique_judgments(campaign: Campaign, group_count: int, group: Ints, depth: int, contributors: Ints) -> Bools:
    """Return a mask of groups x judgments: True if only this group contributed the judgment."""
    contributed = np.zeros((group_count, len(campaign.judgments)), dtype=bool)
    for number in range(group_count):
        members = contributors[group[contributors] == number]
        if len(members):
            contributed[number] = campaign.best_rank(members) <= depth
    return np.asarray(contributed & (contributed.sum(axis=0) == 1))


def _rank_runs(orders: Floats) -> Ints:
    """Return the rank of each run, 1 + the number of better runs, measures x runs; runs without a value are last."""
    values = np.where(np.isnan(orders), -np.inf, orders)
    return np.asarray(1 + (values[:, None, :] > values[:, :, None]).sum(axis=2))


def count_judgments(campaign: Campaign, mask: Bools, rel: float = 1) -> tuple[int, int]:
    """Return the number of judgments in a mask, and the number of them with a grade of at least *rel*."""
    counts = campaign.judgments.code_table(mask)[1]
    return int(counts.sum()), int(counts[:, campaign.judgments.levels >= rel].sum())
