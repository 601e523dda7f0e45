"""The report of a gate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.sentences import list_names
from assay.results.tables import Table
from assay.significance._gate.baseline import Baseline, GateValues
from assay.significance._gate.coverage import Coverage
from assay.significance._gate.rows import AlignedValues, GateRow
from assay.significance._gate.statistics import GateSettings
from assay.significance._gate.verdicts import (
    FAIL,
    PASS,
    STALE,
    UNDECIDED,
    VERDICTS,
    WATCH,
    decide,
    get_exit_code,
)
from assay.significance._gate.wording import describe_row, name_level
from assay.significance.wording import get_test_title

NUMBERS = (
    *("topics", "changed", "baseline", "candidate_value", "difference", "low", "high", "margin", "p_pass", "p_fail"),
    *("p_fail_adjusted", "topics_needed", "mdd", "change", "change_low", "change_high"),
)
COUNTS = ("topics", "changed", "topics_needed")
COLUMNS = (
    *("candidate", "measure", "attribute", "slice", "role", *NUMBERS[:11]),
    *("verdict", "finding", "direction", *NUMBERS[11:]),
)
"""Columns of :meth:`Gate.frame`."""
WATCHED = "*"
"""Mark of watched rows in tables."""
_ORDER = {FAIL: 0, UNDECIDED: 1, PASS: 2}
_DESCRIBED = 3
"""Number of rows that the summary describes."""


@dataclass(frozen=True, eq=False)
class Gate(Report):
    """The report of :func:`assay.gate`.

    Attributes
    ----------
    rows
        A row for each candidate and measure, and for each slice.
    candidates
        The names of the candidates; each is a gate of its own.
    baseline
        The baseline.
    values, aligned
        The values of the candidates, and the values on the topics that were used.
    settings
        The test, its level, the power, and the smallest number of topics.
    on_undecided
        The verdict that the exit code reports if the gate is undecided.
    """

    rows: tuple[GateRow, ...]
    candidates: tuple[str, ...]
    baseline: Baseline
    values: GateValues
    aligned: AlignedValues
    settings: GateSettings
    on_undecided: str
    provenance: Provenance
    notes: tuple[str, ...]

    name = "gate"
    tables: ClassVar[Mapping[str, str]] = {
        "rows": "the verdict of each measure and slice",
        "topics": "the values of each topic by measure, largest losses first",
    }

    def __repr__(self) -> str:
        candidates = self.candidates[0] if len(self.candidates) == 1 else f"{len(self.candidates)} candidates"
        return f"Gate({candidates} against {self.baseline.run}: {self.verdict})"

    @property
    def baseline_title(self) -> str:
        """The name of the baseline, with its file if a candidate has the same name."""
        has_name = self.baseline.source is not None and self.baseline.run in self.candidates
        return f"{self.baseline.run} ({self.baseline.source})" if has_name else self.baseline.run

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each candidate: ``pass``, ``fail`` or ``undecided``."""
        return {
            candidate: decide([row.verdict for row in rows], [row.role for row in rows])
            for candidate, rows in self.by_candidate().items()
        }

    @property
    def verdict(self) -> str:
        """``fail`` if any candidate fails, ``pass`` if all pass, otherwise ``undecided``."""
        return min(self.verdicts.values(), key=lambda verdict: _ORDER[verdict])

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 undecided; *on_undecided* replaces undecided."""
        return get_exit_code(self.verdict, self.on_undecided)

    @property
    def coverage(self) -> Coverage:
        """The topics that were used, and those that changed since the baseline was written."""
        return self.aligned.coverage

    def by_candidate(self) -> dict[str, list[GateRow]]:
        """Return the rows of each candidate."""
        return {name: [row for row in self.rows if row.candidate == name] for name in self.candidates}

    def frame(self) -> pl.DataFrame:
        """Return a row for each candidate, measure and slice.

        *low* and *high* are one-sided bounds of *difference*, candidate - baseline, each with confidence 1 - alpha.
        *margin* is the tolerated loss. *changed* is the number of topics whose value changed. *p_pass* is small if the
        loss is below the margin, *p_fail* if it is above; *p_fail_adjusted* is compared with alpha. *topics_needed* is
        the number of topics with which an equally good candidate passes with the given power, and *mdd* the smallest
        margin with which it does with these topics. *change* is the relative change of the mean with its one-sided
        bounds by Fieller's theorem. For geometric means, *difference*, its bounds, *margin* and *mdd* are differences
        of logarithms. *attribute* and *slice* are null in rows of all topics.
        """
        texts = {
            "candidate": [row.candidate for row in self.rows],
            "measure": [str(row.measure) for row in self.rows],
            **{name: [getattr(row, name) for row in self.rows] for name in ("attribute", "slice", "role")},
            **{name: [getattr(row, name) for row in self.rows] for name in ("verdict", "finding", "direction")},
        }
        columns = [pl.Series(name, values, dtype=pl.String) for name, values in texts.items()]
        columns += [pl.Series(name, [row.numbers[name] for row in self.rows], dtype=pl.Float64) for name in NUMBERS]
        frame = pl.DataFrame(columns).with_columns(pl.col(pl.Float64).fill_nan(None))
        return frame.with_columns(pl.col(COUNTS).cast(pl.Int64)).select(COLUMNS)

    def summary(self) -> str:
        """State the verdict of each candidate, and describe the rows that decide it."""
        if len(self.candidates) == 1:
            verdict = f"{self.verdict}: {self.candidates[0]} against {self.baseline_title}, {self.coverage.describe()}."
            return "\n".join([verdict, *self.describe_rows(self.candidates[0])])
        groups = [
            f"{verdict}: {list_names([name for name, one in self.verdicts.items() if one == verdict])}"
            for verdict in VERDICTS
            if verdict in self.verdicts.values()
        ]
        return f"{'; '.join(groups)} (against {self.baseline_title}, {self.coverage.describe()})."

    def describe_rows(self, candidate: str, limit: int = _DESCRIBED) -> list[str]:
        """Return a sentence for each row that decides the verdict: the failing rows first, then the undecided ones.

        Watched rows are described only if they fail. If all rows pass, every row of all topics is described.
        """
        rows = sort_rows(self.by_candidate()[candidate])
        decisive = [row for row in rows if row.verdict == FAIL or (row.verdict == UNDECIDED and row.role != WATCH)]
        described = decisive or [row for row in rows if row.slice is None]
        sentences = [f"{describe_row(row, self.settings)}." for row in described[:limit]]
        more = len(described) - limit
        return [*sentences, f"And {pluralize(more, 'more row')}."] if more > 0 else sentences

    def save(self, path: str | Path) -> None:
        """Write the values of the candidate as a baseline for later gates; there must be exactly one candidate."""
        if len(self.candidates) != 1:
            raise InputError(f"save: needs exactly one candidate, got {len(self.candidates)}")
        self.values.to_baseline(self.candidates[0]).write(path)

    # Output formats ---------------------------------------------------------------------------------------------

    def markdown(self) -> str:
        """Return Markdown for a comment on a pull request: at most 20 rows for each candidate, failing rows first."""
        from assay.significance._gate.markdown import render_markdown

        return render_markdown(self)

    def junit(self) -> str:
        """Return JUnit XML: a suite for each candidate, with a test case for each row."""
        from assay.significance._gate.junit import render_junit

        return render_junit(self)

    def annotations(self) -> list[str]:
        """Return workflow commands for GitHub Actions: errors for failures, warnings for undecided rows."""
        from assay.significance._gate.github import list_annotations

        return list_annotations(self)

    # Tables -----------------------------------------------------------------------------------------------------

    def _show_rows(self) -> Table:
        frame = self.frame()
        rows = self.rows
        has_slices = any(row.slice is not None for row in rows)
        has_watched = any(row.role == WATCH for row in rows)
        compact = pl.DataFrame(
            {
                "candidate": [row.candidate for row in rows],
                "measure": [_indent_title(row) for row in rows],
                "topics": frame["topics"],
                "mean": frame["candidate_value"],
                "difference": frame["difference"],
                "margin": frame["margin"],
                "verdict": [name_result(row) for row in rows],
            },
            schema_overrides={"mean": pl.Float64, "difference": pl.Float64, "margin": pl.Float64},
        )
        shows_topics = has_slices or frame["topics"].n_unique() > 1
        # Several candidates form a table for each measure. Slices of topics form a table for each candidate.
        several, several_measures = len(self.candidates) > 1, len({row.measure for row in rows}) > 1
        heading = None if not several else "candidate" if has_slices else "measure" if several_measures else None
        hidden = ["mean" if shows_topics else "topics"]
        hidden += [] if several else ["candidate"]
        hidden += ["measure"] if several and not several_measures and not has_slices else []
        first = "candidate" if heading == "measure" or "measure" in hidden else "measure"
        return Table(
            frame,
            compact.drop(hidden),
            heading=heading,
            marks={first: [WATCHED * (row.role == WATCH) for row in rows]} if has_watched else {},
            intervals={"difference": (frame["low"].to_list(), frame["high"].to_list())},
            interval_name=f"{name_level(self.settings)} CI",
            caption=self._caption() + f"\n{WATCHED} watched: can fail the gate, but need not pass" * has_watched,
        )

    def _caption(self) -> str:
        alpha, test = self.settings.alpha, get_test_title(self.settings.test)
        results = {name_result(row).rpartition(" ")[2] for row in self.rows}
        directions = [word for word in ("better", "worse") if word in results]
        significant = f"; {', '.join(directions)}: significantly, whatever the size" if directions else ""
        return (
            f"difference: candidate minus {self.baseline.run}; margin: tolerated loss; {test}\n"
            f"pass: loss below the margin (p < {alpha:g}); fail: loss above it (p by Holm's correction < {alpha:g})"
            f"{significant}"
        )

    def topic_values(self, row: GateRow) -> tuple[np.ndarray, np.ndarray]:
        """Return the values of the baseline and of the candidate on the topics that were used."""
        matrix = self.aligned.results.matrix(row.measure)
        return matrix[-1], matrix[self.candidates.index(row.candidate)]

    def _show_topics(self) -> Table:
        topics = pl.Series("topic", self.aligned.results.topics, dtype=pl.String)
        frames = []
        for row in self.rows:
            if row.slice is not None:
                continue
            baseline, candidate = self.topic_values(row)
            sign = -1 if row.measure.lower_is_better else 1
            order = np.argsort(sign * (candidate - baseline), kind="stable")
            numbers = {"baseline": baseline, "candidate_value": candidate, "difference": candidate - baseline}
            keys = {"candidate": [row.candidate] * len(order), "measure": [str(row.measure)] * len(order)}
            columns = [pl.Series(name, values[order]).fill_nan(None) for name, values in numbers.items()]
            frames.append(pl.DataFrame({**keys, "topic": topics.gather(order)}).with_columns(columns))
        frame = pl.concat(frames)
        compact = frame.rename({"candidate_value": "value"})
        several = len(self.candidates) > 1
        return Table(
            frame,
            compact if several else compact.drop("candidate"),
            heading="measure" if len({row.measure for row in self.rows}) > 1 and not several else None,
            caption=f"difference: candidate minus {self.baseline.run}; largest losses first",
        )


def sort_rows(rows: Iterable[GateRow]) -> list[GateRow]:
    """Return the rows in the order of their verdicts: fail, undecided, pass; required rows before watched rows."""
    return sorted(rows, key=lambda row: (_ORDER[row.verdict], row.role == WATCH))


def _indent_title(row: GateRow) -> str:
    """Return the measure of a row, or its slice, indented below the measure."""
    return f"{row.measure}" if row.slice is None else f"  {row.attribute}={row.slice}"


def name_result(row: GateRow) -> str:
    """Return the verdict in words: with ``better`` or ``worse`` if that is significant, or with another reason.

    A significant loss is stated even if it is tolerated.
    """
    if row.finding in ("too few topics", STALE):
        return row.finding
    reason = row.finding if row.finding in ("identical", "sparse") else row.direction
    return f"{row.verdict}, {reason}" if reason and row.verdict != FAIL else row.verdict
