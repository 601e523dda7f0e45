"""Report of the topics on which a run wins and loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from assay.errors import InputError, MeasureError
from assay.measures import Measure
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.results import Results
from assay.results.snippets import make_snippet
from assay.results.tables import Table, floats_to_integers
from assay.significance.topic_changes import find_failures
from assay.significance.topic_sentences import list_first

_TEXTS = ("query", "title")
_TEXT_WIDTH = 40  # characters of queries and titles in compact tables
_TOPICS_SHOWN = 25  # topics at each end of the compact table of topics
_DOCUMENTS_SHOWN, _MOVERS_SHOWN, _RUNS_SHOWN = 5, 10, 6  # rows for each topic, and runs, in compact tables
_RUN_COLUMNS = ("topics", "mean", "failing", "difference", "better", "same", "worse", "fixed", "broken")


@dataclass(frozen=True, eq=False)
class Topics(Report):
    """Topics on which a run wins and loses; the report of :func:`topics`.

    Attributes
    ----------
    results
        The values of all runs by the measure.
    a, b
        The runs before and after; *a* is None if the campaign has only one run.
    rows, document_rows, mover_rows, run_rows, slice_rows, sentence_rows
        The frames of ``frame``, ``documents``, ``movers``, ``by_run``, ``by_slice`` and ``text``. *document_rows* is
        None if documents cannot explain values of the measure.
    refusal
        The reason why documents cannot explain values of the measure; otherwise empty.
    top, most, failure
        The number of ranks in which documents are compared, the number of topics to explain, and the value at which a
        topic fails (None: 0 if higher values are better).
    provenance, notes
        The inputs and settings of the analysis, and notes on what was ignored or assumed.
    """

    results: Results
    a: str | None
    b: str
    rows: pl.DataFrame
    document_rows: pl.DataFrame | None
    mover_rows: pl.DataFrame
    run_rows: pl.DataFrame
    slice_rows: pl.DataFrame
    sentence_rows: pl.DataFrame
    refusal: str
    top: int
    most: int
    failure: float | None
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "topics"
    tables: ClassVar[Mapping[str, str]] = {
        "topics": "each topic with its values and their difference",
        "documents": "the documents that explain the largest differences",
        "movers": "documents that entered, left, rose or fell on these topics",
        "text": "the result in sentences",
        "wide": "each topic with the values of all runs",
        "runs": "each run against the first: topics better, worse, fixed and broken",
        "slices": "the two runs in each slice of topics, with --by",
    }
    slice_tables: ClassVar[Mapping[str, str]] = tables

    def __repr__(self) -> str:
        pair = self.b if self.a is None else f"{self.a} to {self.b}"
        return f"Topics({pair}: {pluralize(len(self.rows), 'topic')} by {self.measure})"

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.results.measures[0]

    def frame(self) -> pl.DataFrame:
        """Return a row for each topic, the largest gain first; with one run, the worst value first.

        The columns are topic, query, slice, relevant, value_a, value_b, difference, share, rank_of_change, status,
        unjudged_a and unjudged_b. *slice* has the names of the slices of the topic. *difference* is value_b - value_a.
        *share* is the difference as a fraction of all differences with the same sign. *rank_of_change* is 1 for the
        largest absolute difference. *status* is ``fixed``, ``better``, ``same``, ``worse`` or ``broken``; with one run,
        ``fails`` or null. *unjudged_a* and *unjudged_b* are the numbers of unjudged documents among the first *top*
        documents.
        """
        return self.rows

    def documents(self) -> pl.DataFrame:
        """Return the relevant documents that explain the largest differences, topic by topic.

        The columns are topic, document, title, grade, rank_a, rank_b, contribution and error. The contributions on a
        topic sum to its difference (with one run, to its value). *error* is the standard error of a contribution; it is
        0 if the contribution is exact. Documents that neither run retrieved contribute 0 and are omitted.
        """
        if self.document_rows is None:
            raise MeasureError(self.refusal)
        return self.document_rows

    def movers(self) -> pl.DataFrame:
        """Return the documents that a run ranks among the first *top*, for the topics with the largest differences.

        The columns are topic, document, title, grade, rank_a, rank_b, change and contribution. *change* is ``entered``
        or ``left`` (the first *top* documents), ``rose``, ``fell`` or ``same``. *grade* is null for an unjudged
        document. Non-relevant and unjudged documents contribute 0: they only move others. With one run, *change* is
        null.
        """
        return self.mover_rows

    def by_run(self) -> pl.DataFrame:
        """Return a row for each run, compared with run a: first a, then the others, the best mean first.

        The columns are run, topics, mean, failing, difference, better, same, worse, fixed, broken, gains, losses, half
        and without_largest. *failing* is the number of topics that fail. *gains* and *losses* are the sums of the
        differences for the better and for the worse, divided by the number of topics. *half* is the fewest topics that
        hold half of the gains, or of the losses if these are larger. *without_largest* is the difference without the
        topic that has the largest one.
        """
        return self.run_rows

    def by_slice(self) -> pl.DataFrame:
        """Return a row for all topics, and one for each slice.

        The columns are attribute, slice, topics, mean_a, mean_b, difference, better, same, worse, fixed and broken.
        """
        return self.slice_rows

    def wide(self) -> pl.DataFrame:
        """Return the topics with the values of all runs: topic, query, slice, relevant, then a column for each run."""
        keys = self.rows.select("topic", "query", "slice", "relevant")
        names = [f"{run} (run)" if run in keys.columns else run for run in self.results.runs]
        values = self.results.select(topics=keys["topic"].to_list()).values[0]
        runs = [pl.Series(name, row).fill_nan(None) for name, row in zip(names, values, strict=True)]
        return keys.with_columns(runs)

    def text(self) -> list[str]:
        """Return the result in sentences: the difference, its significance, and the topics with the largest ones."""
        return self.sentence_rows["text"].to_list()

    def summary(self) -> str:
        """Return the overall difference, the topics fixed and broken, and a hint at unjudged documents."""
        kinds = ("overall", "ends", "failing", "status", "unjudged")
        return " ".join(self.sentence_rows.filter(pl.col("kind").is_in(kinds))["text"])

    # Tables -----------------------------------------------------------------------------------------------------

    @property
    def _legend(self) -> str:
        return f"run: {self.b}" if self.a is None else f"a: {self.a}; b: {self.b}"

    def _select_ends(self) -> tuple[pl.DataFrame, str]:
        """Return the topics at both ends of the order, and a sentence if topics are not shown."""
        count = max(self.most, _TOPICS_SHOWN)
        if len(self.rows) <= 2 * count:
            return self.rows, ""
        shown = f"the first {count} and the last {count} of {len(self.rows):,} topics"
        ends = pl.concat([self.rows.head(count), self.rows.tail(count)])
        return ends, f"\nThe table shows {shown}; --most N shows more, --format csv all."

    def _show_topics(self) -> Table:
        shown, hidden = self._select_ends()
        names = [*_select_texts(shown, "topic", "query", "slice"), shown["relevant"].alias("R")]
        legend = f"{self._legend}; R: relevant documents; unjudged: unjudged documents in the top {self.top}"
        if self.a is None:
            value, unjudged = pl.col("value_b").alias(str(self.measure)), pl.col("unjudged_b").alias("unjudged")
            return Table(
                self.rows, shown.select(*names, value, unjudged, "status"), caption=legend + hidden, text_columns=_TEXTS
            )
        compact = shown.select(
            *names,
            pl.col("value_a").alias("a"),
            pl.col("value_b").alias("b"),
            "difference",
            "status",
            pl.format("{}/{}", "unjudged_a", "unjudged_b").alias("unjudged"),
        )
        more = (shown["unjudged_b"] > shown["unjudged_a"]).to_list()
        legend = f"{legend} of a/b (* more in b); values: {self.measure}; difference: b - a"
        marks = {"unjudged": ["*" if is_more else "" for is_more in more]}
        return Table(self.rows, compact, marks=marks, caption=legend + hidden, text_columns=_TEXTS)

    def _show_documents(self) -> Table:
        frame = self.documents()
        # With one run, documents that contribute 0 are near misses, such as those just below the cutoff.
        listed = frame if self.a is None else frame.filter(pl.col("contribution") != 0)
        shown = pl.concat([frame.clear(), *map(_shorten_documents, listed.partition_by("topic", maintain_order=True))])
        compact = floats_to_integers(shown, "grade").select(
            *_select_texts(shown, "topic", "document", "title"), "grade", *self._rank_columns(), "contribution"
        )
        total = "value" if self.a is None else "difference b - a"
        caption = (
            f"{self._legend}; contribution: the part of the {total} of {self.measure} that is due to the document; the "
            f"contributions on a topic sum to the {total}"
        )
        caption += "" if len(listed) == len(frame) else "; documents that contribute 0 are not shown"
        return Table(frame, compact, caption=caption, summary=self._describe_documents(), text_columns=_TEXTS)

    def _describe_documents(self) -> str:
        """State how many topics the documents explain, and the error of estimated contributions."""
        frame = self.documents()
        count = frame["topic"].n_unique()
        if not count:
            return "No relevant document was retrieved on these topics."
        which = "the worst values" if self.a is None else "the largest differences"
        text = f"The documents explain {pluralize(count, 'topic')} with {which}."
        error = frame["error"].to_numpy().max()
        return f"{text} Contributions were estimated; largest standard error {error:.1e}." if error else text

    def _rank_columns(self) -> list[pl.Expr]:
        if self.a is None:
            return [pl.col("rank_b").alias("rank")]
        return [pl.col("rank_a").alias("rank a"), pl.col("rank_b").alias("rank b")]

    def _show_movers(self) -> Table:
        if self.a is None:
            raise InputError("movers: need two runs; name the run to compare with")
        frame = self.mover_rows
        moved = frame.filter(pl.col("change") != "same")
        shown = moved.group_by("topic", maintain_order=True).head(_MOVERS_SHOWN)
        compact = floats_to_integers(shown, "grade").select(
            *_select_texts(shown, "topic", "document", "title"),
            "grade",
            *self._rank_columns(),
            "change",
            "contribution",
        )
        counts = dict(moved["change"].value_counts().iter_rows())
        parts = [f"{counts[change]} {change}" for change in ("entered", "left", "rose", "fell") if change in counts]
        topics = pluralize(frame["topic"].n_unique(), "topic")
        summary = f"In the top {self.top} of {topics}: {', '.join(parts) or 'no document moved'}."
        caption = f"{self._legend}; entered, left: the top {self.top}; rank -: not retrieved; grade -: unjudged"
        hidden = len(moved) - len(shown)
        caption += f"\nThe table omits {hidden} other movers; --format csv shows all." if hidden else ""
        return Table(frame, compact, caption=caption, summary=summary, text_columns=_TEXTS)

    def _show_text(self) -> Table:
        return Table(self.sentence_rows, pl.DataFrame(), summary="\n".join(self.text()))

    def _show_wide(self) -> Table:
        frame, (ends, hidden) = self.wide(), self._select_ends()
        pair = [self.b] if self.a is None else [self.a, self.b]
        others = [run for run in self.results.best(self.measure) if run not in pair]
        names = dict(zip(self.results.runs, frame.columns[4:], strict=True))
        runs = [names[run] for run in [*pair, *others][:_RUNS_SHOWN]]
        shown = frame.join(ends.select("topic"), on="topic", how="semi", maintain_order="left")
        compact = shown.select(*_select_texts(shown, "topic", "query", "slice"), "relevant", *runs)
        caption = f"values: {self.measure}; relevant: number of relevant documents"
        if len(runs) < len(names):
            caption += f"\nThe table shows {len(runs)} of {len(names)} runs; --format csv shows all."
        summary = self._describe_shared_failures(frame)
        return Table(frame, compact, caption=caption + hidden, summary=summary, text_columns=_TEXTS)

    def _describe_shared_failures(self, frame: pl.DataFrame) -> str:
        """Name the topics on which all runs fail."""
        answerable = frame.filter(pl.col("relevant") > 0)
        values = answerable.select(frame.columns[4:]).to_numpy()
        fails = find_failures(values, self.failure, self.measure.lower_is_better).all(axis=1)
        topics = answerable["topic"].filter(pl.Series(fails)).to_list()
        if not topics:
            return "No topic fails in all runs."
        runs = "All runs fail" if len(self.results.runs) > 1 else "The run fails"
        return f"{runs} on {pluralize(len(topics), 'topic')}: {list_first(topics)}."

    def _show_runs(self) -> Table:
        columns = ("topics", "mean", "failing") if self.a is None else _RUN_COLUMNS
        caption = f"failing: topics {self._describe_failure()}"
        if self.a is not None:
            caption = (
                f"difference and the columns to its right: against {self.a}; {caption}; fixed: failing in {self.a}, "
                "better and not failing in the run; broken: the opposite"
            )
        return Table(
            self.run_rows, self.run_rows.select("run", *columns), caption=caption, summary=self._count_better()
        )

    def _count_better(self) -> str:
        """State how many runs have a better mean than run a; with one run, the number of failing topics."""
        differences = self.run_rows["difference"].drop_nulls().to_numpy()
        if self.a is None or not len(differences):
            return f"{self.b} fails on {pluralize(self.run_rows['failing'][0], 'topic')}."
        better = int((differences < 0).sum() if self.measure.lower_is_better else (differences > 0).sum())
        verb = "has" if better == 1 else "have"
        return f"{better} of {pluralize(len(differences), 'run')} {verb} a better mean {self.measure} than {self.a}."

    def _show_slices(self) -> Table:
        frame = self.slice_rows
        shown = frame.with_columns(pl.concat_str("attribute", "slice", separator=": ").str.strip_prefix(": "))
        shown = (frame if frame["attribute"].n_unique() <= 2 else shown.with_columns(slice="attribute")).select(
            "slice", *frame.columns[2:]
        )
        if self.a is None:
            return Table(frame, shown.select("slice", "topics", pl.col("mean_b").alias("mean")), caption=self._legend)
        means = [pl.col(f"mean_{run}").alias(run) for run in "ab"]
        columns = ("difference", "better", "worse", "fixed", "broken")
        caption = f"{self._legend}; values: {self.measure}; difference: b - a"
        if len(frame) > 1:
            caption += "\nassay compare --by tests the differences in slices."
        return Table(frame, shown.select("slice", "topics", *means, *columns), caption=caption)

    def _describe_failure(self) -> str:
        """Describe the values of topics that fail."""
        if self.measure.lower_is_better:
            return (
                f"with {self.measure} >= {self.failure:g}" if self.failure is not None else "(none without --failure)"
            )
        return f"with {self.measure} <= {self.failure:g}" if self.failure else f"with {self.measure} = 0"


def _select_texts(frame: pl.DataFrame, *names: str) -> list[pl.Series]:
    """Return the first column, and those of the others that are not empty; long queries and titles are cut."""
    columns = [frame[name] for name in names if name == names[0] or frame[name].null_count() < len(frame)]
    return [_cut_texts(column) if column.name in _TEXTS else column for column in columns]


def _cut_texts(texts: pl.Series) -> pl.Series:
    """Return the beginnings of queries or titles, on one line."""
    cut = [None if text is None else make_snippet(text, _TEXT_WIDTH) for text in texts.to_list()]
    return pl.Series(texts.name, cut, dtype=pl.String)


def _shorten_documents(rows: pl.DataFrame) -> pl.DataFrame:
    """Combine the documents of one topic with small contributions in one row."""
    rest = rows[_DOCUMENTS_SHOWN:]
    if len(rest) < 2:
        return rows
    others = pl.DataFrame(
        {
            "topic": rows["topic"][0],
            "document": f"{len(rest)} other documents",
            "contribution": rest["contribution"].sum(),
        }
    )
    return pl.concat([rows[:_DOCUMENTS_SHOWN], others], how="diagonal")
