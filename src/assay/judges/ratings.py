"""Judgments of several judges side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import polars as pl

from assay.engine.judges import read_judges
from assay.errors import InputError, check_choice
from assay.model.arrays import Floats, Ints
from assay.model.notes import join_names
from assay.model.provenance import Input, Provenance
from assay.model.qrels import Qrels

__all__ = ["NEGATIVE", "Ratings", "collect_ratings", "list_pairs", "read_judges"]

NEGATIVE = {
    "zero": "a negative grade counts as 0",
    "keep": "negative grades are grades of their own",
    "drop": "documents with a negative grade count as unjudged",
}


@dataclass(frozen=True, eq=False)
class Ratings:
    """The grades that judges gave to documents.

    Attributes
    ----------
    judges, topics
        Names of the judges and of the topics that any judge judged.
    topic
        The index of the topic of each document.
    doc
        The id of each document.
    grade
        Documents x judges; NaN for no judgment.
    provenance
        The files of the judgments.
    """

    judges: tuple[str, ...]
    topics: tuple[str, ...]
    topic: Ints
    doc: pl.Series
    grade: Floats
    provenance: Provenance

    @property
    def levels(self) -> Floats:
        """The distinct grades, ascending."""
        return np.unique(self.grade[~np.isnan(self.grade)])

    @property
    def codes(self) -> Ints:
        """Documents x judges: the index of the grade in ``levels``; -1 for no judgment."""
        known = ~np.isnan(self.grade)
        return np.where(known, np.searchsorted(self.levels, np.where(known, self.grade, self.levels[0])), -1)

    def pair(self, a: int, b: int) -> Ratings:
        """Return the ratings of two judges for the documents that both judged, without topics that have none."""
        both = ~np.isnan(self.grade[:, [a, b]]).any(axis=1)
        topics, topic = np.unique(self.topic[both], return_inverse=True)
        return Ratings(
            judges=(self.judges[a], self.judges[b]),
            topics=tuple(self.topics[i] for i in topics),
            topic=topic.astype(np.int64),
            doc=self.doc.filter(pl.Series(both)),
            grade=self.grade[both][:, [a, b]],
            provenance=self.provenance,
        )


def collect_ratings(
    judges: Mapping[str, Any],
    *,
    negative: str = "zero",
    grades: Mapping[str, Mapping[float, float]] | None = None,
) -> tuple[Ratings, tuple[str, ...]]:
    """Collect the judgments of several judges, and notes on them.

    Parameters
    ----------
    judges
        Judgments by name of the judge.
    negative
        ``zero`` (a negative grade counts as 0), ``keep`` or ``drop``.
    grades
        Grades of a judge to replace by others, such as ``{"llm": {2: 1}}``.
    """
    check_choice(f"negative {negative!r}", negative, NEGATIVE)
    for name in grades or {}:
        if name not in judges:
            raise InputError(f"grades: there is no judge {name}; the judges are {join_names(list(judges))}")
    if len(judges) < 2:
        raise InputError(f"judges: need at least two judges, got {len(judges)}; name the judgments of each")
    mapped = {name: one.with_grades((grades or {}).get(name, {})) for name, one in read_judges(judges).items()}
    names = list(mapped)
    parts = [
        qrels.frame().select("topic", "doc", _clean_grade(negative).alias(f"grade {number}")).drop_nulls()
        for number, qrels in enumerate(mapped.values())
    ]
    table = reduce(lambda left, right: left.join(right, on=["topic", "doc"], how="full", coalesce=True), parts)
    table = table.sort("topic", "doc")
    topics = table["topic"].unique(maintain_order=True)
    topic = table["topic"].to_physical() if table["topic"].dtype == pl.Categorical else table["topic"].rle_id()
    provenance = Provenance(
        tuple(Input("qrels", name, qrels.source, qrels.digest) for name, qrels in mapped.items())
    ).with_settings(negative=negative, grades={name: dict(pairs) for name, pairs in (grades or {}).items()})
    ratings = Ratings(
        judges=tuple(names),
        topics=tuple(topics.to_list()),
        topic=topic.to_numpy().astype(np.int64),
        doc=table["doc"].cast(pl.String),
        grade=table.select(pl.col(f"grade {number}").fill_null(np.nan) for number in range(len(names))).to_numpy(),
        provenance=provenance,
    )
    return ratings, (*_note_qrels(mapped), *_note_scales(ratings))


def _clean_grade(negative: str) -> pl.Expr:
    grade = pl.col("grade")
    if negative == "keep":
        return grade
    return pl.when(grade < 0).then(0.0 if negative == "zero" else None).otherwise(grade)


def _note_qrels(judges: Mapping[str, Qrels]) -> list[str]:
    return [f"{name}: {note}" for name, qrels in judges.items() for note in qrels.notes]


def _note_scales(ratings: Ratings) -> list[str]:
    """Note that judges use scales of different range; they are not rescaled."""
    with np.errstate(all="ignore"):
        highest = np.nanmax(ratings.grade, axis=0)
    if len(set(highest.tolist())) == 1:
        return []
    text = ", ".join(f"{name} {top:g}" for name, top in zip(ratings.judges, highest, strict=True))
    return [f"the highest grades of the judges differ ({text}); map grades if the scales differ"]


def list_pairs(judges: Sequence[str], reference: str | None) -> list[tuple[int, int]]:
    """Return pairs of judges: each with the reference, or all; the reference is the first of a pair."""
    if reference is None:
        return [(a, b) for a in range(len(judges)) for b in range(a + 1, len(judges))]
    if reference not in judges:
        raise InputError(f"reference {reference!r}: is not a judge; the judges are {join_names(list(judges))}")
    index = list(judges).index(reference)
    return [(index, b) for b in range(len(judges)) if b != index]
