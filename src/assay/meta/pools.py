"""Runs joined judgment by judgment, so that they can be evaluated with any part of the judgments, many times over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.engine.joining import join_all
from assay.engine.workers import Progress
from assay.model.arrays import Bools, Floats, Ints
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.provenance import Provenance
from assay.model.qrels import Qrels
from assay.results._evaluate import Prepared, described


@dataclass(frozen=True, eq=False)
class Pools:
    """Runs and judgments, of which any part can be used.

    Attributes
    ----------
    qrels
        All judgments; a part of them is told by a truth value for each row of ``qrels.frame()``.
    runs
        The names of the runs.
    numbers
        The rankings, run by run and topic by topic; the code of a document is 1 + the row of its judgment, or 0.
    policies
        The policies of evaluation.
    provenance, notes
        The inputs behind it, and what was ignored or assumed.
    """

    qrels: Qrels
    runs: tuple[str, ...]
    numbers: Judged
    policies: Policies
    provenance: Provenance
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, qrels: Any, runs: Any, policies: Policies, *, lenient: bool = False, progress: Progress | None = None
    ) -> Pools:
        """Read everything and join it."""
        ready, joined = join_all(qrels, runs, policies, lenient, progress, numbered=True)
        names, provenance, notes = described(ready, runs, joined, policies)
        whole = replace(policies, unjudged="nonrelevant")  # what is unjudged is known when the part is chosen
        return cls(
            qrels=ready,
            runs=names,
            numbers=Judged.assemble(ready, [run.part for run in joined], whole),
            policies=policies,
            provenance=provenance,
            notes=notes,
        )

    def part(self, kept: Bools | None = None) -> Prepared:
        """The runs joined with the judgments that are *kept* (default: all): what ``evaluated`` takes."""
        chosen = np.ones(len(self.qrels), dtype=bool) if kept is None else kept
        code, counts = self.qrels.some(chosen)
        small = np.uint8 if len(self.qrels.levels) < 255 else np.int32
        codes = np.concatenate([[0], code]).astype(small)[self.numbers.code]
        judged = replace(self.numbers, code=codes, counts=counts, policies=self.policies)
        judged = judged.condensed() if self.policies.unjudged == "condensed" else judged
        return Prepared(self.qrels, self.runs, judged, self.provenance, self.notes)

    @cached_property
    def _first(self) -> Ints:
        """Runs x judgments would be large: for each judged place, its run, rank and judgment."""
        place = np.flatnonzero(self.numbers.code)
        ranking = np.searchsorted(self.numbers.start, place, side="right") - 1
        rank = place - self.numbers.start[ranking] + 1
        return np.stack([ranking // len(self.qrels.topics), rank, self.numbers.code[place] - 1])

    def best_rank(self, runs: Sequence[int] | Ints | None = None) -> Floats:
        """For each judgment the best rank of its document in any of some runs (default: all); infinite if in none."""
        run, rank, judgment = self._first
        chosen = slice(None) if runs is None else np.isin(run, np.asarray(runs))
        best = np.full(len(self.qrels), np.inf)
        np.minimum.at(best, judgment[chosen], rank[chosen])
        return best

    def pool(self, depth: float, runs: Sequence[int] | Ints | None = None) -> Bools:
        """Which judgments a pool of some runs (default: all) to a depth would have."""
        return np.asarray(self.best_rank(runs) <= depth)
