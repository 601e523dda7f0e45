"""Values of measures by run and topic, and their means over topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from assay.errors import InputError, MeasureError
from assay.io.fork import refuse_fork
from assay.measures import Measure, measure
from assay.measures import measures as parse_measures
from assay.model.arrays import Ints, competition_ranks
from assay.model.checks import find_positions
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.aggregation import aggregate_values, aggregate_with_interval
from assay.results.report import Report
from assay.results.sentences import list_names
from assay.results.standardization import standardize_results
from assay.results.tables import Table
from assay.results.tidy_frame import tidy_frame

if TYPE_CHECKING:
    from assay.results.sliced_results import SlicedResults

ALL = "all"
"""Topic name of the value over all topics."""


@dataclass(frozen=True, eq=False)
class Results(Report):
    """Values of measures by run, topic and measure; the report of :func:`assay.evaluate`.

    ``results["AP"]`` returns a frame with one row for each topic and one column for each run.
    ``results["AP", "bm25"]`` returns a frame of topics and values. ``results.select(topics=["401", "402"])`` returns
    the results of two topics.

    Attributes
    ----------
    runs, topics, measures
        The axes of the values. Topics are sorted by the bytes of their ids, as in the output of trec_eval.
    values
        Measures x runs x topics; NaN where the policies exclude a topic.
    errors
        Measures x runs x topics: the standard error of each value that was estimated from sampled orders of tied
        documents; 0 for exact values.
    provenance
        The version, inputs and policies of the evaluation.
    notes
        Notes on what was ignored, skipped or assumed, one line each.
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
        "topics": "the value of each topic, then the value over all topics",
    }
    slice_tables: ClassVar[Mapping[str, str]] = {
        "slices": "the mean of each run in each slice of topics",
        "intervals": "the mean of each run in each slice with its confidence interval",
    }

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.measures))
        sizes = [f"{n} {word}{'s' * (n != 1)}" for n, word in ((len(self.runs), "run"), (len(self.topics), "topic"))]
        notes = f"; {len(self.notes)} note{'s' * (len(self.notes) != 1)}" if self.notes else ""
        return f"Results({' x '.join(sizes)}: {shown}{notes})"

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        format: str | None = None,  # noqa: A002
        run: str | None = None,
        measures: str | Measure | Iterable[str | Measure] | None = None,
        lower: str | Iterable[str] = (),
        higher: str | Iterable[str] = (),
        missing: str = "error",
        split: str | None = None,
        unit: str = "topic",
        mix: bool = False,
        keep_all: bool = False,
        lenient: bool = False,
    ) -> Results:
        """Read values that another tool computed, so that they can be compared, ranked and plotted.

        The results have no policies, and no rankings or judgments: bounds, ties and effort need runs and qrels.

        Parameters
        ----------
        source
            A file, several files, a directory, a table (polars, pandas, pyarrow) or a dict; ``{"name": "file"}`` names
            the runs. The content decides on the format:

            * the output of ``trec_eval -q``, ``ir_measures -q`` (or the tuples of its ``iter_calc``) and ``assay eval
              --per-topic``;
            * tables in CSV, TSV, JSON Lines or Parquet with the columns run, topic, measure and value (or common other
              names, such as system, qid, metric and score), or with a column for each measure;
            * dicts of pytrec_eval, ``{topic: {measure: value}}``, and of ranx, ``{measure: {topic: value}}``, or JSON
              files of them; an outer level may name the runs;
            * result files of MTEB (with *unit* ``task``).
        format
            ``trec_eval``, ``ir_measures``, ``tidy`` (tables), ``pytrec_eval``, ``ranx`` or ``mteb``, if the content
            does not show it.
        run
            Name of a single run; by default, the name in the file, or the file name.
        measures
            Measures to read; by default all, and ``main_score`` of MTEB.
        lower, higher
            Names of measures that assay does not know, for which lower or higher values are better. Without a stated
            direction, higher values count as better, and a note says so.
        missing
            Treatment of missing values (an empty cell, or no value of a topic for which another run has one):
            ``error``; ``zero`` counts 0; ``common`` uses the topics of all runs, measure by measure; ``pairwise`` uses
            all values that exist.
        split, unit
            Split of MTEB results, by default ``test`` or the only one. *unit* ``task`` makes each MTEB task a topic.
        mix
            Allow values of one measure from several formats, whose definitions may differ.
        keep_all
            Keep ``all`` as a topic of a table. Otherwise it is an error, because it usually is a mean.
        lenient
            Keep the first of several values of one run, topic and measure, and skip lines that cannot be parsed.

        Examples
        --------
        >>> import assay
        >>> values = {"bm25": {"q1": {"map": 0.5}, "q2": {"map": 0.3}}, "rm3": {"q1": {"map": 0.6}, "q2": {"map": 0.1}}}
        >>> results = assay.Results.read(values)
        >>> results
        Results(2 runs x 2 topics: AP)
        >>> results.best("AP")
        ['bm25', 'rm3']
        """
        from assay.results.external.reading import read_results

        return read_results(
            source,
            format=format,
            run=run,
            measures=measures,
            lower=lower,
            higher=higher,
            missing=missing,
            split=split,
            unit=unit,
            mix=mix,
            keep_all=keep_all,
            lenient=lenient,
        )

    def frame(self) -> pl.DataFrame:
        """Return every value as a polars frame: run, topic, measure, value (null where a topic is excluded)."""
        refuse_fork()
        axes = {"run": self.runs, "topic": self.topics, "measure": self.measures}
        return tidy_frame(axes, {"value": self.values.transpose(1, 2, 0)})

    def means(self, confidence: float = 0.95) -> pl.DataFrame:
        """Return the means over topics: run, measure, value, low, high, topics.

        *low* and *high* are the ends of the confidence interval by Student's t over the topics. The interval of a
        geometric mean is computed on logarithms. *low* and *high* are null for counts, which are summed, and for fewer
        than two topics. *topics* is the number of topics in the mean.
        """
        refuse_fork()
        if not 0 < confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, such as 0.95, got {confidence:g}")
        rows = [
            (run, str(m), *aggregate_with_interval(self.values[i, j], m.aggregate, confidence))
            for j, run in enumerate(self.runs)
            for i, m in enumerate(self.measures)
        ]
        schema = {"run": pl.String, "measure": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        return pl.DataFrame(rows, schema={**schema, "topics": pl.Int64}, orient="row").with_columns(
            pl.col("value", "low", "high").fill_nan(None)
        )

    def matrix(self, of: str | Measure) -> np.ndarray:
        """Return the values of one measure, runs x topics; NaN where a topic is excluded."""
        return np.asarray(self.values[self._measure_index(of)])

    def find_measure(self, of: str | Measure) -> Measure:
        """Return the measure of these results with this name; an unknown name is an error."""
        # Standardised measures, such as z(AP), exist only in results, so their names cannot be parsed.
        by_name = {str(one): one for one in self.measures}
        requested = by_name[of] if isinstance(of, str) and of in by_name else measure(of)
        if requested not in self.measures:
            raise MeasureError(f"measure '{of}' is not among these results; available measures: {', '.join(by_name)}")
        return requested

    def _measure_index(self, of: str | Measure) -> int:
        return self.measures.index(self.find_measure(of))

    def places(self, of: str | Measure) -> Ints:
        """Return the place of each run by its mean, from 1; equal means share a place, runs without a mean are last."""
        measure = self.find_measure(of)
        means = np.array([aggregate_values(row, measure.aggregate) for row in self.matrix(measure)])
        return competition_ranks(means, measure.lower_is_better)

    def best(self, of: str | Measure) -> list[str]:
        """Return the names of the runs, best mean first; runs with equal means keep their order."""
        return [self.runs[i] for i in np.argsort(self.places(of), kind="stable")]

    def overall(self) -> np.ndarray:
        """Return the value over topics of each run (rows) and measure (columns), without intervals."""
        return np.array(
            [
                [aggregate_values(self.values[i, j], m.aggregate) for i, m in enumerate(self.measures)]
                for j in range(len(self.runs))
            ]
        ).reshape(len(self.runs), len(self.measures))

    def select(
        self,
        runs: str | Iterable[str] | None = None,
        topics: str | Iterable[str] | None = None,
        measures: str | Measure | Iterable[str | Measure] | None = None,
    ) -> Results:
        """Return the results of the given runs, topics and measures, in the given order; by default all."""
        run, topic = find_positions(self.runs, runs, "run"), find_positions(self.topics, topics, "topic")
        selected = self.measures if measures is None else self._parse_measures(measures)
        index = [self._measure_index(one) for one in selected]
        # Notes on a measure begin with its name. Notes on measures that are not selected are dropped.
        dropped_prefixes = tuple(f"{one}: " for one in self.measures if one not in selected)
        return replace(
            self,
            runs=tuple(self.runs[i] for i in run),
            topics=tuple(self.topics[i] for i in topic),
            measures=tuple(self.measures[i] for i in index),
            values=self.values[np.ix_(np.array(index), run, topic)],
            errors=self.errors[np.ix_(np.array(index), run, topic)],
            notes=tuple(note for note in self.notes if not note.startswith(dropped_prefixes)),
        )

    def _parse_measures(self, names: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
        """Parse names of measures; they include names that exist only in these results."""
        by_name = {str(one): one for one in self.measures}
        requested = [names] if isinstance(names, str | Measure) or not isinstance(names, Iterable) else names
        return parse_measures([by_name.get(one, one) if isinstance(one, str) else one for one in requested])

    def standardize(self, how: str = "z", reference: Results | str | Iterable[str] | None = None) -> Results:
        r"""Return standardised results: each value relative to the values of reference runs on the same topic.

        Raw values mix the quality of a run with the difficulty of the topic, and topics with large differences
        dominate the mean. After standardisation, each topic has the same influence. For the value x of a run on topic
        t, and the mean and standard deviation (n - 1) of the reference runs on t, the methods are

        .. math:: z = \frac{x - \mu_t}{\sigma_t}, \quad \Phi(z), \quad
            AB = \min(1, \max(0, 0.15 z + 0.5)), \quad U = \frac{|\{r : x_r \le x\}|}{n}

        z is 0 on topics where all reference runs have the same value. A topic for which fewer than two reference runs
        have a value is excluded. For a geometric mean, such as ``GM(AP)``, logarithms are standardised. The
        standardised measures are called ``z(AP)``, ``Phi(AP)``, ``AB(AP)`` and ``U(AP)``. If lower values of a measure
        are better, lower standardised values are better.

        Parameters
        ----------
        how
            ``z``, ``Phi``, ``AB`` or ``U``.
        reference
            The reference runs: names of runs of these results, or other results with the same measures and topics. By
            default, all runs of these results. At least two runs are needed. Standardised values are comparable only if
            they have the same reference.

        References
        ----------
        Webber, Moffat & Zobel, *Score standardization for inter-collection comparison of retrieval systems*, SIGIR 2008
        (z, Phi). Sakai, *A simple and effective approach to score standardisation*, ICTIR 2016 (AB). Urbano, Lima &
        Hanjalic, *A new perspective on score standardization*, SIGIR 2019 (U).

        Examples
        --------
        >>> import assay
        >>> qrels = {"q1": {"a": 1}}
        >>> runs = {"good": {"q1": {"a": 1.0}}, "poor": {"q1": {"b": 2.0, "a": 1.0}}, "bad": {"q1": {"b": 1.0}}}
        >>> assay.evaluate(qrels, runs, "RR").standardize("z").frame()["value"].to_list()
        [1.0, 0.0, -1.0]
        """
        return standardize_results(self, how, reference)

    def by(self, table: Any, by: str | Iterable[str] = (), *, weights: str | None = None) -> SlicedResults:
        """Divide the topics into slices by their attributes, such as a category or the length of the query.

        The report contains the value of each run in each slice. :func:`assay.compare` and :func:`assay.leaderboard`
        accept it in place of results, and compare the runs in each slice.

        Parameters
        ----------
        table
            Attributes of topics: a CSV, TSV, JSON Lines or Parquet file, a frame of polars or pandas, or a dict of
            dicts such as ``{"301": {"category": "law", "length": 4}}``. A table has a column for the topic.
        by
            One or several attributes. Topics without a value form the slice ``(none)``. A numeric attribute with more
            than 10 values is cut at edges (``"length:5,10"``: at most 5, above 5 to 10, above 10), or into groups of
            about equal size (``"length:4"``).
        weights
            An attribute with the weight of each topic, such as the number of users who asked the query. Means are then
            weighted.

        Examples
        --------
        >>> import assay
        >>> results = assay.evaluate({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"x": {"1": {"a": 2.0}}}, "RR")
        >>> slices = results.by({"1": {"type": "short"}, "2": {"type": "short"}, "3": {"type": "long"}}, "type")
        >>> slices.frame().select("slice", "value", "topics").rows()
        [('all', 0.3333333333333333, 3), ('long', 0.0, 1), ('short', 0.5, 2)]
        """
        from assay.results.sliced_results import SlicedResults
        from assay.results.slices import slice_topics

        return SlicedResults(self, slice_topics(self.topics, table, by, weights))

    def __getitem__(self, key: str | Measure | tuple[str | Measure, str]) -> pl.DataFrame:
        """Return a frame of values.

        ``results[measure]`` has the column topic and one column for each run. ``results[measure, run]`` has the columns
        topic and value.
        """
        if isinstance(key, tuple) and len(key) != 2:
            raise InputError(f"results: got {len(key)} keys; use results[measure] or results[measure, run]")
        of, run = key if isinstance(key, tuple) else (key, None)
        values, topics = self.matrix(of), pl.Series("topic", self.topics, dtype=pl.String)
        if run is None:
            columns = [pl.Series(name, row).fill_nan(None) for name, row in zip(self.runs, values, strict=True)]
            return pl.DataFrame([topics, *columns])
        [row] = find_positions(self.runs, run, "run")
        return pl.DataFrame([topics, pl.Series("value", values[row]).fill_nan(None)])

    __iter__ = None  # Otherwise, Python would iterate by calling __getitem__ with 0, 1, 2, …

    # Tables -----------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Return the runs with the best mean of each measure, and a pointer to the command that tests differences."""
        if len(self.runs) == 1:
            return f"Values over {pluralize(len(self.topics), 'topic')}."
        # Measures with the same leaders share a clause.
        leaders: dict[str, list[str]] = {}
        for one in self.measures:
            runs = self._find_leaders(one)
            if one.aggregate != "sum" and runs:
                verb = f"{list_names(runs)} are tied for" if len(runs) > 1 else f"{runs[0]} has"
                best = "lowest" if one.lower_is_better else "highest"
                leaders.setdefault(f"{verb} the {best} mean", []).append(str(one))
        counted = np.isfinite(self.values).sum(axis=2)
        fewest, most = int(counted.min()), int(counted.max())
        over = f"over {pluralize(most, 'topic')}"
        if fewest < most:
            over = f"over {fewest} to {most} topics, depending on run and measure"
        if not leaders:
            return f"Values {over}."
        sentences = "; ".join(f"{leader} {list_names(names, limit=None)}" for leader, names in leaders.items())
        return f"{sentences} ({over}). assay compare tests whether runs differ significantly."

    def _find_leaders(self, measure: Measure) -> list[str]:
        """Return the names of the runs with the best mean; an empty list if no run has a mean."""
        if np.isnan(self.matrix(measure)).all():
            return []
        places = self.places(measure).tolist()
        return [run for run, place in zip(self.runs, places, strict=True) if place == 1]

    def _show_means(self) -> Table:
        overall = self.overall()
        ranked = [measure for measure in self.measures if measure.aggregate != "sum"]
        return Table(
            self._tidy((ALL,), overall[:, :, None]),
            self._widen({"run": self.runs}, overall),
            highest_is_best=tuple(str(measure) for measure in ranked if not measure.lower_is_better),
            lowest_is_best=tuple(str(measure) for measure in ranked if measure.lower_is_better),
        )

    def _show_topics(self) -> Table:
        topics = (*self.topics, ALL)
        values = np.concatenate([self.values.transpose(1, 0, 2), self.overall()[:, :, None]], axis=2)
        texts = {"run": [run for run in self.runs for _ in topics], "topic": topics * len(self.runs)}
        rows = values.transpose(0, 2, 1).reshape(-1, len(self.measures))
        return Table(self._tidy(topics, values), self._widen(texts, rows))

    def _tidy(self, topics: Sequence[str], values: np.ndarray) -> pl.DataFrame:
        """Return values (runs x measures x topics) as a frame with one value per row: run, measure, topic, value."""
        return tidy_frame({"run": self.runs, "measure": self.measures, "topic": topics}, {"value": values})

    def _widen(self, texts: Mapping[str, Iterable[str]], values: np.ndarray) -> pl.DataFrame:
        """Return a frame with columns of texts and one column for each measure; *values* is rows x measures.

        Measures that count documents or topics have integers.
        """
        columns = [pl.Series(name, list(column), dtype=pl.String) for name, column in texts.items()]
        for one, column in zip(self.measures, values.T, strict=True):
            series = pl.Series(str(one), np.ascontiguousarray(column))
            columns.append(series.fill_nan(None).cast(pl.Int64) if one.aggregate == "sum" else series)
        return pl.DataFrame(columns)
