"""The values of measures per run and topic, and what follows from them over topics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import InputError, MeasureError
from assay.io.fork import refuse_fork
from assay.measures import Measure, measure
from assay.measures import measures as parse_measures
from assay.model.arrays import Ints, competition_ranks
from assay.model.provenance import Provenance
from assay.results.summary import aggregated, summary

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Results:
    """What :func:`assay.evaluate` returns: one value for each run, topic and measure.

    Attributes
    ----------
    runs, topics, measures
        What the values belong to. Topics stand in the byte order of their ids, as trec_eval prints them.
    values
        Measures x runs x topics; NaN where the policies leave a topic out.
    errors
        The standard error of each value that was sampled over the orders of tied documents; else 0.
    provenance
        The version, inputs and policies behind the values.
    notes
        What was ignored, skipped or assumed, one line each.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: np.ndarray
    errors: np.ndarray
    provenance: Provenance
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        sizes = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((len(self.runs), "run"), (len(self.topics), "topic"))]
        notes = f"; {len(self.notes)} note{'s' * (len(self.notes) != 1)}" if self.notes else ""
        return f"Results({' x '.join(sizes)}: {shown}{notes})"

    def frame(self) -> pl.DataFrame:
        """Every value as a polars frame: run, topic, measure, value (null where a topic is left out)."""
        import polars as pl

        refuse_fork()
        order = (1, 2, 0)
        runs, topics, measures = len(self.runs), len(self.topics), len(self.measures)
        grid = np.indices((runs, topics, measures)).reshape(3, -1)
        return pl.DataFrame(
            {
                "run": pl.Series(self.runs, dtype=pl.String).gather(grid[0]),
                "topic": pl.Series(self.topics, dtype=pl.String).gather(grid[1]),
                "measure": pl.Series([str(m) for m in self.measures], dtype=pl.String).gather(grid[2]),
                "value": pl.Series(self.values.transpose(order).ravel()).fill_nan(None),
            }
        )

    def means(self, confidence: float = 0.95) -> pl.DataFrame:
        """The mean over topics: run, measure, value, low, high, topics.

        *low* and *high* bound the mean with the given confidence, by Student's t over the topics (on the
        logarithms for geometric means; null for counts, which are summed, and for fewer than two topics).
        *topics* is the number of topics that count.
        """
        import polars as pl

        refuse_fork()
        if not 0 < confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, such as 0.95, got {confidence:g}")
        rows = [
            (run, str(m), *summary(self.values[i, j], m.aggregate, confidence))
            for j, run in enumerate(self.runs)
            for i, m in enumerate(self.measures)
        ]
        schema = {"run": pl.String, "measure": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(rows, schema={**schema, "topics": pl.Int64}, orient="row").with_columns(
            pl.col("value", "low", "high").fill_nan(None)
        )

    def matrix(self, of: str | Measure) -> np.ndarray:
        """The values of one measure, runs x topics; NaN where a topic is left out."""
        return np.asarray(self.values[self._place(of)])

    def _place(self, of: str | Measure) -> int:
        wanted = measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(str, self.measures))
            raise MeasureError(f"measure '{of}' is not among these results; they have {known}")
        return self.measures.index(wanted)

    def places(self, of: str | Measure) -> Ints:
        """Return the place of each run by its mean, from 1; equal means share a place, runs without one are last."""
        wanted = measure(of)
        means = np.array([aggregated(row, wanted.aggregate) for row in self.matrix(wanted)])
        return competition_ranks(means, wanted.lower_is_better)

    def best(self, of: str | Measure) -> list[str]:
        """Return the runs, best mean first; runs with equal means keep their order."""
        return [self.runs[i] for i in np.argsort(self.places(of), kind="stable")]

    def overall(self) -> np.ndarray:
        """The value of each run (rows) and measure (columns) over topics, without intervals."""
        return np.array(
            [
                [aggregated(self.values[i, j], m.aggregate) for i, m in enumerate(self.measures)]
                for j in range(len(self.runs))
            ]
        ).reshape(len(self.runs), len(self.measures))

    def only(self, runs: Iterable[str]) -> Results:
        """The results of some of the runs, in the order given."""
        chosen = [runs] if isinstance(runs, str) else list(runs)
        missing = [run for run in chosen if run not in self.runs]
        if missing:
            raise MeasureError(f"there is no run {missing[0]} among these results; they have {', '.join(self.runs)}")
        place = [self.runs.index(run) for run in chosen]
        return replace(self, runs=tuple(chosen), values=self.values[:, place], errors=self.errors[:, place])

    def of_measures(self, measures: str | Measure | Iterable[str | Measure]) -> Results:
        """The results of some of the measures, in the order given, and what is to be said about them."""
        place = [self._place(one) for one in parse_measures(measures)]
        chosen = tuple(self.measures[i] for i in place)
        others = tuple(f"{one}: " for one in self.measures if one not in chosen)
        notes = tuple(note for note in self.notes if not note.startswith(others))
        return replace(self, measures=chosen, values=self.values[place], errors=self.errors[place], notes=notes)
