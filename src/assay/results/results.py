"""The values of measures per run and topic, and what follows from them over topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from assay.errors import InputError, MeasureError
from assay.io.fork import refuse_fork
from assay.measures import Measure, measure
from assay.measures import measures as parse_measures
from assay.model.arrays import Ints, competition_ranks
from assay.model.checks import find_positions
from assay.model.notes import count, some
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.summary import aggregated, summary
from assay.results.tables import Table

if TYPE_CHECKING:
    import polars as pl

ALL = "all"
"""Stands for the value over topics in the place of a topic."""


@dataclass(frozen=True, eq=False)
class Results(Report):
    """Values of measures, one for each run, topic and measure; the report of :func:`assay.evaluate`.

    ``results["AP"]`` is a frame of topics and runs, ``results["AP", "bm25"]`` one of topics and values, and
    ``results.select(topics=["401", "402"])`` the results of some topics.

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

    name = "evaluate"
    tables: ClassVar[Mapping[str, str]] = {
        "means": "the value of each run over topics",
        "topics": "the value of each topic, then over all",
    }

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

    def select(
        self,
        runs: str | Iterable[str] | None = None,
        topics: str | Iterable[str] | None = None,
        measures: str | Measure | Iterable[str | Measure] | None = None,
    ) -> Results:
        """Return the results of some runs, topics and measures, in the order given; by default all of each."""
        run, topic = find_positions(self.runs, runs, "run"), find_positions(self.topics, topics, "topic")
        chosen = self.measures if measures is None else parse_measures(measures)
        place = [self._place(one) for one in chosen]
        others = tuple(f"{one}: " for one in self.measures if one not in chosen)
        return replace(
            self,
            runs=tuple(self.runs[i] for i in run),
            topics=tuple(self.topics[i] for i in topic),
            measures=tuple(self.measures[i] for i in place),
            values=self.values[np.ix_(np.array(place), run, topic)],
            errors=self.errors[np.ix_(np.array(place), run, topic)],
            notes=tuple(note for note in self.notes if not note.startswith(others)),
        )

    def __getitem__(self, key: str | Measure | tuple[str | Measure, str]) -> pl.DataFrame:
        """Return the values of a measure: topic and a column for each run; of a measure and a run: topic and value."""
        import polars as pl

        if isinstance(key, tuple) and len(key) != 2:
            raise InputError("results[measure] is a frame of topics and runs, results[measure, run] one of values")
        of, run = key if isinstance(key, tuple) else (key, None)
        values, topics = self.matrix(of), pl.Series("topic", self.topics, dtype=pl.String)
        if run is None:
            columns = [pl.Series(name, row).fill_nan(None) for name, row in zip(self.runs, values, strict=True)]
            return pl.DataFrame([topics, *columns])
        [row] = find_positions(self.runs, run, "run")
        return pl.DataFrame([topics, pl.Series("value", values[row]).fill_nan(None)])

    __iter__ = None  # Python would otherwise try whole numbers as measures

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return who has the best mean by each measure, and that it takes a comparison to call it better."""
        if len(self.runs) == 1:
            return f"Values over {count(len(self.topics), 'topic')}."
        leaders: dict[str, list[str]] = {}
        for one in self.measures:
            first = self._first(one)
            if one.aggregate != "sum" and first:
                verb = f"{some(first, 3)} are tied for" if len(first) > 1 else f"{first[0]} has"
                best = "lowest" if one.lower_is_better else "highest"
                leaders.setdefault(f"{verb} the {best} mean", []).append(str(one))
        counted = np.isfinite(self.values).sum(axis=2)
        fewest, most = int(counted.min()), int(counted.max())
        over = f"over {count(most, 'topic')}"
        if fewest < most:
            over = f"over {fewest} to {most} topics, not the same for all"
        if not leaders:
            return f"Values {over}."
        sentences = "; ".join(f"{leader} {', '.join(names)}" for leader, names in leaders.items())
        return f"{sentences} ({over}). assay compare tests whether runs differ significantly."

    def _first(self, measure: Measure) -> list[str]:
        """Return the runs with the best mean; none if no run has one."""
        if np.isnan(self.matrix(measure)).all():
            return []
        places = self.places(measure).tolist()
        return [run for run, place in zip(self.runs, places, strict=True) if place == 1]

    def _show_means(self) -> Table:
        frame = self._tidy_means()
        names = [str(measure) for measure in self.measures]
        compact = pl_frame(self.overall(), names).insert_column(0, _texts("run", self.runs))
        ranked = [measure for measure in self.measures if measure.aggregate != "sum"]
        return Table(
            frame,
            self._whole_counts(compact),
            best=tuple(str(measure) for measure in ranked if not measure.lower_is_better),
            least=tuple(str(measure) for measure in ranked if measure.lower_is_better),
        )

    def _show_topics(self) -> Table:
        import polars as pl

        names = [str(measure) for measure in self.measures]
        overall = self._tidy_means()
        rows = pl.concat(
            [
                self.frame().select("run", "measure", "topic", "value").with_columns(last=pl.lit(0)),
                overall.with_columns(last=pl.lit(1)),
            ]
        )
        by_run = {name: i for i, name in enumerate(self.runs)}
        by_measure = {name: i for i, name in enumerate(names)}
        keys = (pl.col("run").replace_strict(by_run), pl.col("measure").replace_strict(by_measure), "last")
        means = self.overall()
        each = [
            pl_frame(np.vstack([self.values[:, j].T, means[j]]), names)
            .insert_column(0, _texts("run", [run] * (len(self.topics) + 1)))
            .insert_column(1, _texts("topic", [*self.topics, ALL]))
            for j, run in enumerate(self.runs)
        ]
        return Table(rows.sort(*keys, maintain_order=True).drop("last"), self._whole_counts(pl.concat(each)))

    def _tidy_means(self) -> pl.DataFrame:
        """Return run, measure, topic and value, where the topic is ``all``."""
        import polars as pl

        run, measure = np.indices((len(self.runs), len(self.measures))).reshape(2, -1)
        return pl.DataFrame(
            [
                _texts("run", self.runs).gather(run),
                _texts("measure", [str(one) for one in self.measures]).gather(measure),
                _texts("topic", [ALL] * len(run)),
                pl.Series("value", self.overall().ravel()).fill_nan(None),
            ]
        )

    def _whole_counts(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the frame with numbers of documents and topics as integers."""
        import polars as pl

        counts = [str(measure) for measure in self.measures if measure.aggregate == "sum"]
        return frame.with_columns(pl.col(counts).fill_nan(None).cast(pl.Int64)) if counts else frame


def pl_frame(values: np.ndarray, names: Iterable[str]) -> pl.DataFrame:
    """Return an array as a frame with named columns."""
    import polars as pl

    return pl.DataFrame(np.ascontiguousarray(values), schema=dict.fromkeys(names, pl.Float64), orient="row")


def _texts(name: str, texts: Iterable[str]) -> pl.Series:
    import polars as pl

    return pl.Series(name, list(texts), dtype=pl.String)
