"""Reusability of judgments for systems that did not contribute to them: leave out one group of runs after the other.

For each group the judgments that only its runs contributed to the pool are left out, as if the group had not taken
part, and all runs are evaluated with what remains. The less the runs of the group lose, in value and in rank, the more
the judgments can be trusted for systems that come later. Leaving out whole groups, not single runs, is needed because
the runs of a group resemble each other.

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
from assay.measures._threshold import lowest_relevant
from assay.meta._correlate import direction, scores
from assay.meta._extremes import find_extremes, list_names
from assay.meta.kendall import taus
from assay.model.arrays import Bools, Floats, Ints
from assay.model.notes import count
from assay.results._evaluate import evaluate
from assay.results.results import Results
from assay.results.tables import Table

_CHANGE = "mean change: of the values of runs without the judgments that only their group contributed"


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Values and ranks of the runs of each group without the judgments that only this group contributed.

    Attributes
    ----------
    groups, group
        The groups, and the number of the group of each run.
    depth
        A group contributed a judgment if one of its runs has the document among so many first ones.
    unique
        Groups x 2: how many judgments only this group contributed, and how many of them are of relevant grades.
    values, ranks
        Measures x runs x 2: value over topics and rank among all runs, with all judgments, then without those that
        only the run's own group contributed. Runs with equal values have the same rank.
    tau, tau_ap
        Groups x measures: correlation of the order of all runs without the judgments with that by all of them.
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

        ``group, run, measure, value, without, change, rank, rank_without, moved``; *moved* is by how many ranks the run
        fell.
        """
        shape = (len(self.runs), len(self.measures))
        run, measure = np.indices(shape).reshape(2, -1)
        (value, without), (rank, later) = (
            np.moveaxis(x, (2, 1), (0, 1)).reshape(2, -1) for x in (self.values, self.ranks)
        )
        return pl.DataFrame(
            {
                "group": pl.Series(self.groups, dtype=pl.String).gather(self.group[run]),
                "run": pl.Series(self.runs, dtype=pl.String).gather(run),
                "measure": pl.Series([str(one) for one in self.measures], dtype=pl.String).gather(measure),
                "value": pl.Series(value).fill_nan(None),
                "without": pl.Series(without).fill_nan(None),
                "change": pl.Series(without - value).fill_nan(None),
                "rank": pl.Series(rank, dtype=pl.Int64),
                "rank_without": pl.Series(later, dtype=pl.Int64),
                "moved": pl.Series(later - rank, dtype=pl.Int64),
            }
        )

    def by_group(self) -> pl.DataFrame:
        """Return a row for each group and measure.

        ``group, runs, unique, relevant, measure, change, moved, tau, tau_ap``; *unique* judgments are those that only
        this group contributed, and *relevant* of them are of relevant grades.

        *change* is the mean over the runs of the group, *moved* the largest fall in ranks, or else the largest rise.
        """
        rows = []
        for number, name in enumerate(self.groups):
            mine = np.flatnonzero(self.group == number)
            change = (self.values[:, mine, 1] - self.values[:, mine, 0]).mean(axis=1)
            moved = self.ranks[:, mine, 1] - self.ranks[:, mine, 0]
            farthest = np.take_along_axis(moved, np.abs(moved).argmax(axis=1)[:, None], axis=1)[:, 0]
            about = (name, len(mine), *self.unique[number].tolist())
            numbers = (change, farthest, self.tau[number], self.tau_ap[number])
            rows += [
                (*about, str(one), *each)
                for one, *each in zip(self.measures, *(x.tolist() for x in numbers), strict=True)
            ]
        schema: dict[str, Any] = {"group": pl.String, "runs": pl.Int64, "unique": pl.Int64, "relevant": pl.Int64}
        schema |= {"measure": pl.String, "change": pl.Float64, "moved": pl.Int64, "tau": pl.Float64}
        frame = pl.DataFrame(rows, schema={**schema, "tau_ap": pl.Float64}, orient="row")
        return frame.with_columns(pl.col(pl.Float64).fill_nan(None))

    def by_measure(self) -> pl.DataFrame:
        """Return a row for each measure: measure, groups, change (mean), largest, moved, tau (least), tau_ap (least).

        *largest* is the largest change of either sign, *moved* the largest number of ranks by which a run fell or rose.
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
        """Return by how many ranks leaving out a group moves a run at most, and the lowest tau."""
        unique, relevant = self.unique.sum(axis=0).tolist()
        frame = self.by_measure()
        left = (
            f"Leaving out the judgments that only one of {count(len(self.groups), 'group')} contributed to the pool of "
            f"depth {self.depth} ({unique} in all, {relevant} relevant)"
        )
        moved = find_extremes(dict(zip(frame["measure"], frame["moved"], strict=True)))
        taus = find_extremes(dict(zip(frame["measure"], frame["tau"], strict=True)))
        if moved is None or moved.high == 0:
            return f"{left} moves no run of the group to another rank."
        farthest = f"moves a run of the group by at most {count(int(moved.high), 'rank')} ({list_names(moved.highest)})"
        tau = "" if taus is None else f"; tau with the order by all judgments is at least {taus.low:.3f}"
        return f"{left} {farthest}{tau}."

    def show_measures(self) -> Table:
        """Return the table of reuse: a line for each measure."""
        frame = self.by_measure()
        caption = (
            f"{_CHANGE}; ranks moved: by which a run fell or rose at most; lowest tau: with the order of all runs by "
            "all judgments, over the groups left out."
        )
        return Table(frame, arrange_reuse(frame), caption=caption)

    def show_groups(self) -> Table:
        """Return the table of groups, under a heading for each measure."""
        frame = self.by_group()
        compact = frame.rename({"change": "mean change", "moved": "ranks lost", "tau_ap": "tau-AP"})
        caption = (
            f"unique: judgments that only this group contributed, and how many of them are relevant; {_CHANGE}; "
            "ranks lost: at most, by a run of the group (negative: gained)."
        )
        return Table(frame, compact, heading="measure", caption=caption)

    def show_runs(self) -> Table:
        """Return the table of runs, under a heading for each measure."""
        frame = self.frame()
        compact = frame.select("measure", "run", "group", "value", "without", "change", "rank", "rank_without", "moved")
        compact = compact.rename({"rank_without": "rank without", "moved": "ranks lost"})
        caption = "value and rank with all judgments, and without those that only the run's own group contributed."
        return Table(frame, compact, heading="measure", caption=caption)


def arrange_reuse(frame: pl.DataFrame) -> pl.DataFrame:
    """Return for people: measure, mean change, largest change, ranks moved, lowest tau, lowest tau-AP."""
    names = {"change": "mean change", "largest": "largest change", "moved": "ranks moved"}
    return frame.drop("groups").rename({**names, "tau": "lowest tau", "tau_ap": "lowest tau-AP"})


def leave_out(
    campaign: Campaign,
    full: Results,
    members: tuple[tuple[str, ...], Ints],
    pooled: tuple[int, Ints],
    progress: Progress | None = None,
) -> LeftOut:
    """Evaluate all runs without the judgments that one group alone contributed to a pool, for each group.

    Parameters
    ----------
    campaign, full
        Judgments and runs, and the values with all judgments.
    members
        The groups, and the number of the group of each run.
    pooled
        How deep the pool is, and the numbers of the runs that contributed to it.
    """
    (groups, group), (depth, contributors) = members, pooled
    alone = _unique_judgments(campaign, len(groups), group, depth, contributors)
    first, sign = scores(full), direction(full.measures)[:, None]
    values = np.empty((len(groups), *first.shape))
    for number, only in enumerate(alone):
        values[number] = scores(evaluate(campaign.with_judgments(~only), full.measures))
        if progress is not None:
            progress(number + 1, len(groups))
    own = group, slice(None), np.arange(len(group))  # for each run, without what its group contributed
    later = np.stack([_ranks(one * sign) for one in values])
    correlations = [taus(values[:, i] * sign[i], first[i] * sign[i]) for i in range(len(full.measures))]
    unique = np.array([pool_size(campaign, only, lowest_relevant(full.measures)) for only in alone])
    return LeftOut(
        runs=campaign.runs,
        measures=full.measures,
        groups=groups,
        group=group,
        depth=depth,
        unique=unique,
        values=np.stack([first, values[own].T], axis=2),
        ranks=np.stack([_ranks(first * sign), later[own].T], axis=2),
        tau=np.stack([one.tau[:, 0] for one in correlations], axis=1),
        tau_ap=np.stack([one.estimated[:, 0] for one in correlations], axis=1),
    )


def _unique_judgments(campaign: Campaign, groups: int, group: Ints, depth: int, contributors: Ints) -> Bools:
    """Return groups x judgments: whether only this group contributed the judgment."""
    has = np.zeros((groups, len(campaign.judgments)), dtype=bool)
    for number in range(groups):
        mine = contributors[group[contributors] == number]
        if len(mine):
            has[number] = campaign.best_rank(mine) <= depth
    return np.asarray(has & (has.sum(axis=0) == 1))


def _ranks(orders: Floats) -> Ints:
    """Return measures x runs: 1 + the number of better runs; runs without a value are worse than all others."""
    values = np.where(np.isnan(orders), -np.inf, orders)
    return np.asarray(1 + (values[:, None, :] > values[:, :, None]).sum(axis=2))


def pool_size(campaign: Campaign, kept: Bools, rel: float = 1) -> tuple[int, int]:
    """Return how many judgments are kept, and how many of them are of relevant grades."""
    counts = campaign.judgments.code_table(kept)[1]
    return int(counts.sum()), int(counts[:, campaign.judgments.levels >= rel].sum())
