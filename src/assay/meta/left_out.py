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

import numpy as np
import polars as pl

from assay.engine.campaign import Campaign
from assay.engine.workers import Progress, track
from assay.measures import Measure
from assay.measures._threshold import lowest_relevant_grade
from assay.meta._correlate import direction_signs, mean_scores
from assay.meta.kendall import taus_with_truth
from assay.model.arrays import Bools, Floats, Ints, Numbers
from assay.model.notes import pluralize
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.sentences import find_extremes, list_names
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame

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
        Groups x measures: correlation of two orders of all runs: by the judgments without those of the group, and by
        all judgments.
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
        value, value_without = self.values.T
        rank, rank_without = self.ranks.T
        groups = [self.groups[i] for i in self.group]
        runs = pl.DataFrame({"group": groups, "run": self.runs}, schema={"group": pl.String, "run": pl.String})
        return tidy_frame(
            {"run": runs, "measure": self.measures},
            {
                "value": value,
                "without": value_without,
                "change": value_without - value,
                "rank": rank,
                "rank_without": rank_without,
                "moved": rank_without - rank,
            },
        )

    def by_group(self) -> pl.DataFrame:
        """Return a row for each group and measure.

        The columns are group, runs, unique, relevant, measure, change, moved, tau, tau_ap. *unique* is the number of
        judgments that only this group contributed, and *relevant* is the number of them with a relevant grade. *change*
        is the mean over the runs of the group. *moved* is the largest change of rank, positive if the run falls.
        """
        members = [self.group == number for number in range(len(self.groups))]
        change = self.values[:, :, 1] - self.values[:, :, 0]
        moved = self.ranks[:, :, 1] - self.ranks[:, :, 0]
        groups = pl.DataFrame(
            {
                "group": self.groups,
                "runs": [int(mask.sum()) for mask in members],
                "unique": self.unique[:, 0],
                "relevant": self.unique[:, 1],
            }
        )
        return tidy_frame(
            {"group": groups, "measure": self.measures},
            {
                "change": np.stack([change[:, mask].mean(axis=1) for mask in members]),
                "moved": np.stack([_take_largest(moved[:, mask]) for mask in members]),
                "tau": self.tau,
                "tau_ap": self.tau_ap,
            },
        )

    def by_measure(self) -> pl.DataFrame:
        """Return a row for each measure: measure, groups, change, largest, moved, tau, tau_ap.

        *change* is the mean change of values, and *largest* is the largest change in magnitude. *moved* is the largest
        number of ranks by which a run falls or rises. *tau* and *tau_ap* are the lowest over the groups.
        """
        change = self.values[:, :, 1] - self.values[:, :, 0]
        return tidy_frame(
            {"measure": self.measures},
            {
                "groups": len(self.groups),
                "change": change.mean(axis=1),
                "largest": _take_largest(change),
                "moved": np.abs(self.ranks[:, :, 1] - self.ranks[:, :, 0]).max(axis=1),
                "tau": self.tau.min(axis=0),
                "tau_ap": self.tau_ap.min(axis=0),
            },
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


def _take_largest(values: Numbers) -> Numbers:
    """Return the value of each row that is largest in magnitude, with its sign."""
    column = np.abs(np.nan_to_num(values)).argmax(axis=1)
    return np.asarray(values[np.arange(len(values)), column])


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
    contributed = find_contributed_judgments(campaign, len(groups), group, depth, contributors)
    unique_masks = contributed & mask_unique(contributed)
    full_means, sign = mean_scores(full), direction_signs(full.measures)
    values = np.empty((len(groups), *full_means.shape))
    for number in track(range(len(groups)), progress):
        values[number] = mean_scores(evaluate(campaign.with_judgments(~unique_masks[number]), full.measures))
    # This index selects, for each run, the values without the judgments of its own group.
    own = group, slice(None), np.arange(len(group))
    ranks = np.stack([_rank_runs(one * sign) for one in values])
    correlations = taus_with_truth(values * sign, full_means * sign)
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
        tau=correlations.tau.T,
        tau_ap=correlations.estimated.T,
    )


def find_contributed_judgments(
    campaign: Campaign, group_count: int, group: Ints, depth: int, contributors: Ints
) -> Bools:
    """Return a mask of groups x judgments: True if a run of the group ranks the document at *depth* or above.

    *contributors* are the indices of the runs that contribute to the pool.
    """
    contributed = np.zeros((group_count, len(campaign.judgments)), dtype=bool)
    for number in range(group_count):
        members = contributors[group[contributors] == number]
        if len(members):
            contributed[number] = campaign.best_rank(members) <= depth
    return contributed


def mask_unique(contributed: Bools) -> Bools:
    """Return for each judgment whether exactly one group contributed it.

    >>> mask_unique(np.array([[True, True, False], [True, False, False]])).tolist()
    [False, True, False]
    """
    return np.asarray(contributed.sum(axis=0) == 1)


def _rank_runs(orders: Floats) -> Ints:
    """Return the rank of each run, 1 + the number of better runs, measures x runs; runs without a value are last."""
    values = np.where(np.isnan(orders), -np.inf, orders)
    return np.asarray(1 + (values[:, None, :] > values[:, :, None]).sum(axis=2))


def count_judgments(campaign: Campaign, mask: Bools, rel: float = 1) -> tuple[int, int]:
    """Return the number of judgments in a mask, and the number of them with a grade of at least *rel*."""
    counts = campaign.judgments.code_table(mask)[1]
    return int(counts.sum()), int(counts[:, campaign.judgments.levels >= rel].sum())
