"""Facets of judgments: further columns, such as the subtopic or the judge of a grade.

Plain judgments have one grade for each topic and document. With facets, a document may have several grades, one for
each subtopic. ``Qrels`` then keeps the grades of all subtopics beside one collapsed grade for each document, which
measures without subtopics evaluate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError, check_choice
from assay.io.columns import FACETS
from assay.model.arrays import Bools, Ints
from assay.model.notes import join_names, pluralize
from assay.model.subtopics import SubtopicGrades

if TYPE_CHECKING:
    from assay.io.table import RowTable

COLLAPSE = ("max", "first", "mean")
"""Ways to collapse the grades of a document for several subtopics to one grade."""
MERGE = ("mean", "median", "majority")
"""Ways to merge the grades of several judges; alternatively, names of judges in the order of preference."""
_PHRASES = {
    "max": "their highest grade over the subtopics",
    "first": "their grade for the first subtopic of the topic",
    "mean": "their mean grade over the subtopics",
}


@dataclass(frozen=True)
class FacetOptions:
    """Options of judgments with facets.

    Attributes
    ----------
    collapse
        One of ``COLLAPSE``.
    merge
        One of ``MERGE``, names of judges in the order of preference, or None: do not merge.
    """

    collapse: str = "max"
    merge: str | tuple[str, ...] | None = None

    @classmethod
    def of(cls, collapse: str, merge: str | Sequence[str] | None) -> FacetOptions:
        """Return checked options; *merge* may be one of ``MERGE``, or names of judges, also separated by commas."""
        check_choice(f"collapse {collapse!r}", collapse, COLLAPSE)
        names = [merge] if isinstance(merge, str) else list(merge or ())
        judges = tuple(name.strip() for text in names for name in text.split(",") if name.strip())
        if len(judges) == 1 and judges[0] in MERGE:
            return cls(collapse, judges[0])
        return cls(collapse, judges or None)


@dataclass(frozen=True, eq=False)
class JudgmentFacets:
    """The facets of the judgments of a ``Qrels``.

    Attributes
    ----------
    frame
        A row for each judgment, sorted by ``judgment``: the columns ``judgment`` (the row of its topic and document in
        ``Qrels.frame()``), ``grade``, one column for each facet, and with subtopics ``number``, the number of the
        subtopic within its topic, from 0, in the order of the source.
    collapse
        How grades are collapsed.
    weights
        For each topic, the weights of its subtopics; None if all weigh the same.
    """

    frame: pl.DataFrame
    collapse: str = "max"
    weights: Mapping[str, Mapping[str, float]] | None = field(default=None)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the facets."""
        return tuple(name for name in FACETS if name in self.frame.columns)

    def keep(self, judgments: Bools) -> JudgmentFacets:
        """Return the facets of some judgments, given by a mask over the rows of ``Qrels.frame()``."""
        number = np.cumsum(judgments) - 1
        rows = self.frame["judgment"].to_numpy()
        selected = judgments[rows]
        frame = self.frame.filter(pl.Series(selected)).with_columns(pl.Series("judgment", number[rows[selected]]))
        return replace(self, frame=frame)

    def with_grades(self, grades: Mapping[float, float]) -> JudgmentFacets:
        """Return the facets with some grades replaced by others."""
        return replace(self, frame=self.frame.with_columns(pl.col("grade").replace(dict(grades))))

    def collapsed_grades(self) -> pl.Series:
        """Return one grade for each judgment.

        A document with only negative grades keeps its highest grade under every way to collapse. With ``first``, a
        document that was not judged for the first subtopic of its topic has grade 0.
        """
        grade = pl.col("grade")
        first = grade.filter(pl.col("number") == 0).first().fill_null(0.0) if "number" in self.frame.columns else grade
        chosen = {"max": grade.max(), "mean": grade.mean(), "first": first}[self.collapse]
        collapsed = pl.when(grade.max() < 0).then(grade.max()).otherwise(chosen)
        return self.frame.group_by("judgment", maintain_order=True).agg(grade=collapsed)["grade"]

    def subtopics(self, topic: Ints, topics: Sequence[str], docs: pl.Series) -> SubtopicGrades | None:
        """Return the grades by subtopic for measures.

        *topic* and *docs* have the index of the topic and the document of each judgment.
        """
        if "subtopic" not in self.frame.columns:
            return None
        judgment, number = self.frame["judgment"].to_numpy(), self.frame["number"].to_numpy()
        grade = self.frame["grade"].to_numpy()
        levels, level = np.unique(grade, return_inverse=True)
        weights = None
        if self.weights is not None:
            weights = np.zeros((len(topics), int(number.max(initial=-1)) + 1))
            names = self.frame["subtopic"].to_list()
            for row, (index, name) in enumerate(zip(number.tolist(), names, strict=True)):
                topic_number = int(topic[judgment[row]])
                weights[topic_number, index] = self.weights.get(topics[topic_number], {}).get(name, 0.0)
        return SubtopicGrades(
            first=np.searchsorted(judgment, np.arange(len(topic) + 1)),
            topic=topic[judgment].astype(np.int64),
            subtopic=number.astype(np.int64),
            level=level.astype(np.int64) + 1,
            levels=levels,
            topic_first=np.searchsorted(topic[judgment], np.arange(len(topics) + 1)),
            docs=docs,
            weights=weights,
        )


def separate_facets(table: RowTable, options: FacetOptions) -> tuple[RowTable, JudgmentFacets | None]:
    """Return a table with one row for each topic and document, sorted by topic, and the facets of its judgments."""
    names = [name for name in FACETS if name in table.frame.columns]
    if not names:
        if options.merge is not None:
            raise InputError(f"{table.source}: --merge needs several judges; read them with --qrels-format judges")
        return table, None
    frame, notes = table.frame.with_row_index("row"), list(table.notes)
    if "judge" in names:
        frame, merge_notes = _merge_judges(frame, table, options.merge)
        notes += merge_notes
    elif options.merge is not None:
        raise InputError(f"{table.source}: --merge needs several judges, but the judgments name no judge")
    names = [name for name in FACETS if name in frame.columns]
    frame = frame.sort("topic", maintain_order=True).with_row_index("position")
    first = frame.select(pl.col("position").min().over("topic", "doc")).to_series()
    columns = [
        first.rank("dense").cast(pl.Int64).alias("judgment") - 1,
        frame["value"].alias("grade"),
        *(frame[name] for name in names),
    ]
    if "subtopic" in names:
        in_file = pl.col("row").min().over("topic", "subtopic").rank("dense").over("topic").cast(pl.Int64) - 1
        columns.append(frame.select(number=in_file).to_series())
    facets = JudgmentFacets(pl.DataFrame(columns).sort("judgment", maintain_order=True), options.collapse)
    single = frame[first.unique().sort()]
    rows = single["row"].to_numpy()
    collapsed = single.select("topic", "doc").with_columns(value=facets.collapsed_grades())
    varies = facets.frame.group_by("judgment").agg(pl.col("grade").n_unique() > 1)["grade"].sum()
    if "subtopic" in names and varies:
        documents = pluralize(int(varies), "document")
        notes.append(
            f"{table.source}: measures without subtopics count {documents} with several grades by "
            f"{_PHRASES[options.collapse]} (--collapse {options.collapse})"
        )
    single_table = replace(
        table, frame=collapsed, key=table.key[rows], notes=tuple(notes), locate=lambda row: table.locate(int(rows[row]))
    )
    return single_table, facets


def _merge_judges(
    frame: pl.DataFrame, table: RowTable, merge: str | tuple[str, ...] | None
) -> tuple[pl.DataFrame, list[str]]:
    """Merge the grades of several judges; without *merge*, refuse documents that several judges judged."""
    key = ["topic", "doc", *(["subtopic"] if "subtopic" in frame.columns else [])]
    judges = frame["judge"].unique(maintain_order=True).to_list()
    if merge is None:
        repeated = frame.filter(pl.len().over(key) > 1)
        if len(repeated):
            row = repeated.row(1, named=True)
            first = repeated.filter(*(pl.col(name) == row[name] for name in key))
            row = first.row(1, named=True)
            raise InputError(
                f"{table.locate(row['row'])}: document {row['doc']} of topic {row['topic']} was judged by several "
                f"judges ({join_names(first['judge'].to_list())}); merge their grades with --merge mean, median, "
                f"majority or {','.join(judges[:2])}, or compare the judges with assay judges"
            )
        return frame, []
    if isinstance(merge, tuple):
        return _prefer_judges(frame, table.source, merge, judges, key)
    grade = pl.col("value")
    merged = {"mean": grade.mean(), "median": grade.median(), "majority": grade.mode().min()}[merge]
    others = [pl.col(name).first() for name in frame.columns if name not in (*key, "value", "judge")]
    note = f"{table.source}: merged the grades of {len(judges)} judges ({join_names(judges)}) by their {merge}"
    return frame.group_by(key, maintain_order=True).agg(*others, value=merged), [note]


def _prefer_judges(
    frame: pl.DataFrame, source: str, preferred: tuple[str, ...], judges: list[str], key: list[str]
) -> tuple[pl.DataFrame, list[str]]:
    """Keep for each document the grade of the first judge of *preferred* that judged it."""
    for name in preferred:
        if name not in judges:
            raise InputError(
                f"{source}: no judge is named {name!r}; --merge takes mean, median, majority or names of judges: "
                f"{join_names(judges)}"
            )
    order = pl.col("judge").replace_strict(list(preferred), list(range(len(preferred))), default=None)
    chosen = frame.with_columns(order=order).filter(pl.col("order").is_not_null())
    merged = chosen.filter(pl.col("order") == pl.col("order").min().over(key)).drop("judge", "order")
    dropped = len(frame.select(key).unique()) - len(merged)
    note = f"{source}: merged the grades of {len(judges)} judges by preference ({' before '.join(preferred)})"
    lost = [f"{source}: ignored {pluralize(dropped, 'judgment')} by other judges only"] if dropped else []
    return merged, [note, *lost]
