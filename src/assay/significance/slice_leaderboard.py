"""Leaderboard of runs in slices of topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

import polars as pl

from assay.measures import Measure
from assay.model.provenance import Provenance
from assay.results.results import ALL
from assay.results.tables import Table
from assay.significance._leaderboard import WORSE, Leaderboard
from assay.significance.separation import separate
from assay.significance.slice_comparison import SliceComparison, add_slice
from assay.significance.wording import describe_test, p_label


@dataclass(frozen=True, eq=False, kw_only=True)
class SliceLeaderboard(Leaderboard):
    """The report of :func:`leaderboard` for results in slices: the leaderboard over all topics, and one in each slice.

    Attributes
    ----------
    sliced
        The comparison of the runs over all topics and in each slice.
    boards
        The leaderboard in each slice, with the runs in the order of the leaderboard over all topics.
    """

    sliced: SliceComparison
    boards: tuple[Leaderboard, ...]

    name = "slice_leaderboard"
    tables: ClassVar[Mapping[str, str]] = Leaderboard.slice_tables

    def __repr__(self) -> str:
        measures = ", ".join(map(str, self.sliced.results.measures))
        return f"SliceLeaderboard({len(self.runs)} runs in {len(self.boards)} slices: {measures})"

    @property
    def provenance(self) -> Provenance:
        """Inputs, settings of the comparison, the topics table, and the attributes."""
        return self.sliced.provenance

    def frame(self) -> pl.DataFrame:
        """Return a row for each slice, measure and run: attribute, slice, then the columns of a leaderboard.

        The first rows are the leaderboard over all topics: their *attribute* is null and their *slice* is ``all``.
        """
        slices = self.sliced.slices.slices
        parts = [
            add_slice(board.frame(), one.attribute, one.name) for one, board in zip(slices, self.boards, strict=True)
        ]
        return pl.concat([add_slice(super().frame(), None, ALL), *parts])

    def summary(self) -> str:
        """State which runs differ significantly over all topics, and whether differences depend on the slice."""
        return self.sliced.summary()

    def _show_slices(self) -> Table:
        results = self.sliced.results
        titles = [f"{ALL} ({len(results.topics)})", *self.sliced.slices.titles()]
        columns: dict[str, list[float | None]] = {title: [] for title in titles}
        marks: dict[str, list[str]] = {title: [] for title in titles}
        places, names = [], []
        for measure in results.measures:
            index = [results.runs.index(run) for run in self.runs]
            places += results.places(measure)[index].tolist()
            names += [str(measure)] * len(self.runs)
            # The leaderboard over all topics is a SliceLeaderboard, whose frame has more rows, so it is copied.
            boards = (Leaderboard(self.comparison, self.runs, self.signs, ()), *self.boards)
            for title, board in zip(titles, boards, strict=True):
                frame = board.frame().filter(pl.col("measure") == str(measure))
                columns[title] += frame["value"].to_list()
                marks[title] += board.mark_runs(measure) if self.signs else _mark_worse(board, measure)
        compact = pl.DataFrame(
            {"measure": names, "place": places, "run": list(self.runs) * len(results.measures), **columns},
            schema_overrides=dict.fromkeys(titles, pl.Float64),
        )
        directions = {measure.lower_is_better for measure in results.measures if measure.aggregate != "sum"}
        has_several = len(results.measures) > 1
        return Table(
            self.frame(),
            compact if has_several else compact.drop("measure"),
            heading="measure" if has_several else None,
            marks=marks,
            highest_is_best=tuple(titles) if directions == {False} else (),
            lowest_is_best=tuple(titles) if directions == {True} else (),
            caption=self._slice_caption(),
        )

    def _slice_caption(self) -> str:
        comparison = next((board.comparison for board in self.boards), self.comparison)
        level = f"{p_label(comparison)} < {comparison.alpha:g}"
        marks = [
            f"{sign} significantly better than {name}, {sign}{WORSE} significantly worse ({level})"
            for sign, name in zip(self.signs, self.comparison.baselines, strict=True)
        ]
        return "\n".join(
            [
                f"columns: slices by {', '.join(self.sliced.slices.attributes)} (number of topics)",
                *(marks or [f"{WORSE} significantly worse than the best run of the slice ({level})"]),
                f"{describe_test(comparison)}; the comparison over all topics is not of this family",
            ]
        )


def _mark_worse(board: Leaderboard, measure: Measure) -> list[str]:
    """Mark the runs that are significantly worse than the best run."""
    worse = separate(board.comparison, measure).worse
    return [WORSE * (run in worse) for run in board.runs]


def slice_leaderboard(board: Leaderboard, comparison: SliceComparison) -> SliceLeaderboard:
    """Return the leaderboard of a comparison in slices, given the leaderboard over all topics."""
    return SliceLeaderboard(
        **{field.name: getattr(board, field.name) for field in fields(Leaderboard)},
        sliced=comparison,
        boards=tuple(Leaderboard(part, board.runs, board.signs, ()) for part in comparison.parts),
    )
