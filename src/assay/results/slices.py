"""Slices: groups of topics with the same value of an attribute, such as a category or a range of query lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from assay.errors import InputError
from assay.io.numbers import parse_integer, parse_number
from assay.io.problems import format_value
from assay.model.arrays import Floats, Ints
from assay.model.notes import join_names, pluralize
from assay.model.provenance import Provenance
from assay.results.topic_attributes import (
    TopicAttributes,
    Value,
    format_number,
    list_entries,
    read_topic_attributes,
    to_numbers,
)

NONE = "(none)"
"""Name of the slice of the topics without a value."""
MAX_NUMBERS = 10
"""A numeric attribute with more values than this must be cut."""


class Slice(NamedTuple):
    """A group of topics: the attribute, the name of the slice and its topics."""

    attribute: str
    name: str
    topics: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.attribute}: {self.name}"


@dataclass(frozen=True, eq=False)
class Slices:
    """The slices of topics by one or several attributes, and the weights of topics.

    Attributes
    ----------
    source, digest
        The topics table and the SHA-256 of its file.
    by
        The requested attributes, with the edges or the number of quantile groups.
    slices
        The slices, attribute by attribute.
    overlapping
        The attributes that put a topic into several slices.
    numbers
        For each numeric attribute: the number of each topic that has one.
    weighted_by, weights
        The attribute with the weights of topics, and the weight of each topic; None if topics have equal weights.
    notes
        Notes on topics without attributes, and on topics that the results do not contain.
    """

    source: str
    digest: str | None
    by: tuple[str, ...]
    slices: tuple[Slice, ...]
    overlapping: frozenset[str]
    numbers: Mapping[str, Mapping[str, float]]
    weighted_by: str | None
    weights: Mapping[str, float] | None
    notes: tuple[str, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(dict.fromkeys(one.attribute for one in self.slices))

    def of(self, attribute: str) -> tuple[Slice, ...]:
        """Return the slices by one attribute."""
        return tuple(one for one in self.slices if one.attribute == attribute)

    def titles(self) -> list[str]:
        """Return a title for each slice: its name and number of topics; with several attributes, also the attribute."""
        has_several = len(self.attributes) > 1
        return [f"{one if has_several else one.name} ({len(one.topics)})" for one in self.slices]

    def add_settings(self, provenance: Provenance) -> Provenance:
        """Return the provenance with the topics table and the attributes."""
        table = {"source": self.source, "sha256": self.digest}
        weights = {} if self.weighted_by is None else {"weights": self.weighted_by}
        return provenance.with_settings(topics_table=table, by=list(self.by), **weights)


def slice_topics(topics: Sequence[str], table: Any, by: str | Iterable[str] = (), weights: str | None = None) -> Slices:
    """Divide topics into slices by attributes of a topics table.

    Parameters
    ----------
    topics
        The topics of the results.
    table
        The topics table: a file, a frame, or a dict of dicts by topic (see :func:`read_topic_attributes`).
    by
        Attributes. A numeric attribute is cut at edges (``length:5,10``) or into quantile groups (``length:4``).
    weights
        The numeric attribute with the weight of each topic, such as the frequency of the query.
    """
    attributes = read_topic_attributes(table)
    requested = [by] if isinstance(by, str) else list(by)
    if not requested and weights is None:
        raise InputError(
            f"by: name an attribute; the columns of {attributes.source} are {join_names(attributes.columns, 12)}"
        )
    rows = attributes.rows()
    if not rows:
        raise InputError(f"{attributes.source}: has no topics; write a row for each topic")
    known = [topic for topic in topics if topic in rows]
    if not known:
        ids = f"it has {join_names(attributes.topics)}; the results have {join_names(topics)}"
        raise InputError(f"{attributes.source}: shares no topic with the results ({ids})")
    notes = _note_topics(attributes, topics, len(known))
    slices: list[Slice] = []
    overlapping, numbers = set(), {}
    for text in requested:
        attribute, cut = _parse_by(text, attributes)
        if attribute in {one.attribute for one in slices}:
            raise InputError(f"by {text!r}: {attribute} is already given; name each attribute once")
        entries = {topic: list_entries(attributes.columns[attribute][rows[topic]]) for topic in known}
        entries = {topic: entries.get(topic, []) for topic in topics}
        if any(len(values) > 1 for values in entries.values()):
            overlapping.add(attribute)
        attribute_numbers = to_numbers([values[0] for values in entries.values() if values])
        if attribute_numbers is not None and attribute not in overlapping:
            with_value = (topic for topic, values in entries.items() if values)
            numbers[attribute] = dict(zip(with_value, attribute_numbers, strict=True))
        groups = _group_topics(attribute, cut, entries, attributes.source)
        slices += [Slice(attribute, name, tuple(group)) for name, group in groups.items()]
        notes += _note_attribute(attribute, groups, attribute in overlapping)
    return Slices(
        source=attributes.source,
        digest=attributes.digest,
        by=tuple(requested),
        slices=tuple(slices),
        overlapping=frozenset(overlapping),
        numbers=numbers,
        weighted_by=weights,
        weights=None if weights is None else _read_weights(attributes, weights, topics),
        notes=tuple(notes),
    )


def _note_topics(attributes: TopicAttributes, topics: Sequence[str], known_count: int) -> list[str]:
    """Return notes on the topics that only the results or only the table contain."""
    lacking, unused = len(topics) - known_count, len(attributes.topics) - known_count
    notes = []
    if lacking:
        notes.append(f"{attributes.source}: lacks {lacking} of the {pluralize(len(topics), 'topic')} of the results")
    if unused:
        notes.append(f"{attributes.source}: ignored {pluralize(unused, 'topic')} that the results do not contain")
    return notes


def _note_attribute(attribute: str, groups: Mapping[str, list[str]], is_overlapping: bool) -> list[str]:
    notes = []
    if NONE in groups:
        notes.append(f"{attribute}: {pluralize(len(groups[NONE]), 'topic')} without a value: slice {NONE}")
    if is_overlapping:
        notes.append(f"{attribute}: topics can be in several slices, so differences between slices are not tested")
    return notes


# Cuts -----------------------------------------------------------------------------------------------------------


class Cut(NamedTuple):
    """Ranges of a numeric attribute: *edges*, or a number of *quantiles*; neither for an attribute that is not cut."""

    edges: tuple[float, ...] = ()
    quantiles: int | None = None


def _parse_by(text: str, attributes: TopicAttributes) -> tuple[str, Cut]:
    """Return the attribute and the cut that a text such as ``length:5,10`` names."""
    if text in attributes.columns or ":" not in text:
        attributes.find_column(text)
        return text, Cut()
    attribute, _, ranges = text.rpartition(":")
    attributes.find_column(attribute)
    count = parse_integer(ranges)
    if count is not None:
        if not 2 <= count <= 100:
            raise InputError(
                f"by {text!r}: write 2 to 100 quantile groups, or edges such as {attribute}:5,10 "
                f"(one edge: {attribute}:5,)"
            )
        return attribute, Cut(quantiles=count)
    numbers = [parse_number(word.strip()) for word in ranges.split(",") if word.strip()]
    edges = [number for number in numbers if number is not None]
    if len(edges) < len(numbers) or not edges or any(a >= b for a, b in pairwise(edges)):
        raise InputError(
            f"by {text!r}: write ascending edges such as {attribute}:5,10, or a number of quantile groups such as "
            f"{attribute}:4"
        )
    return attribute, Cut(edges=tuple(edges))


def _group_topics(attribute: str, cut: Cut, entries: Mapping[str, list[Value]], source: str) -> dict[str, list[str]]:
    """Return the topics of each slice by name; the slice of topics without a value is last."""
    distinct = list(dict.fromkeys(value for values in entries.values() for value in values))
    numbers = to_numbers(distinct)
    is_cut = bool(cut.edges) or cut.quantiles is not None
    if not distinct:
        raise InputError(f"{source}: {attribute} is empty for all topics of the results; choose another attribute")
    if numbers is None and is_cut:
        example = next(value for value in distinct if to_numbers([value]) is None)
        raise InputError(
            f"{source}: {attribute} cannot be cut: {format_value(example)} is not a number; omit the edges"
        )
    if not is_cut:
        _check_distinct(attribute, len(distinct), len(entries), numbers is not None, source)
    if numbers is None:
        label = {value: _name_text(value) for value in distinct}
        names = sorted(dict.fromkeys(label.values()), key=lambda name: name.encode())
    else:
        number_of = dict(zip(distinct, numbers, strict=True))
        if is_cut:
            values = np.array([number_of[value] for one in entries.values() for value in one])
            edges = find_edges(values, cut.quantiles) if cut.quantiles else np.array(cut.edges)
            names = name_ranges(edges)
            label = {value: names[int(cut_numbers(np.array([number_of[value]]), edges)[0])] for value in distinct}
        else:
            label = {value: format_number(number) for value, number in number_of.items()}
            names = list(dict.fromkeys(format_number(number) for number in sorted(numbers)))
    groups: dict[str, list[str]] = {name: [] for name in (*names, NONE)}
    groups[NONE] = groups.pop(NONE)  # last, even if an entry has this name
    for topic, one in entries.items():
        for name in dict.fromkeys(label[value] for value in one) or [NONE]:
            groups[name].append(topic)
    return {name: group for name, group in groups.items() if group}


def _name_text(value: Value) -> str:
    return value if isinstance(value, str) else format_number(value)


def _check_distinct(attribute: str, distinct: int, topic_count: int, is_numeric: bool, source: str) -> None:
    """Refuse an attribute with too many values."""
    if is_numeric and distinct > MAX_NUMBERS:
        raise InputError(
            f"{source}: {attribute} has {distinct} different numbers; cut it into quantile groups ({attribute}:4) or "
            f"at edges ({attribute}:5,10)"
        )
    if distinct >= topic_count > 1:
        raise InputError(
            f"{source}: {attribute} has as many values as topics ({distinct}), so slices would be single topics; "
            "choose an attribute that topics share"
        )


def find_edges(values: Floats, quantiles: int) -> Floats:
    """Return the edges of quantile groups: linear interpolation; equal edges merge, and no group is empty.

    >>> find_edges(np.array([1.0, 1, 1, 1, 2, 7, 8, 9]), 3).round(4).tolist()
    [1.0, 5.3333]
    """
    edges = np.unique(np.quantile(values, np.arange(1, quantiles) / quantiles))
    return np.asarray(edges[edges < values.max()])


def cut_numbers(values: Floats, edges: Floats) -> Ints:
    """Return the index of the range of each number; ranges are closed on the right.

    >>> cut_numbers(np.array([3.0, 5, 6, 10, 12]), np.array([5.0, 10])).tolist()
    [0, 0, 1, 1, 2]
    """
    return np.searchsorted(edges, values, side="left")


def name_ranges(edges: Floats) -> list[str]:
    """Return the names of the ranges between edges.

    >>> name_ranges(np.array([5.0, 10]))
    ['<=5', '5-10', '>10']
    """
    texts = [format_number(edge) for edge in edges.tolist()]
    if len(set(texts)) < len(texts):
        texts = [repr(edge) for edge in edges.tolist()]
    if not texts:
        return ["all values"]
    middle = [f"{low}-{high}" for low, high in pairwise(texts)]
    return [f"<={texts[0]}", *middle, f">{texts[-1]}"]


# Weights --------------------------------------------------------------------------------------------------------


def _read_weights(attributes: TopicAttributes, name: str, topics: Sequence[str]) -> dict[str, float]:
    """Return the weight of each topic; a missing or negative weight is an error."""
    column, rows = attributes.find_column(name), attributes.rows()
    weights = {}
    for topic in topics:
        if topic not in rows:
            raise InputError(f"{attributes.source}: has no weight for topic {topic}; add a row for it")
        entries = list_entries(column[rows[topic]])
        numbers = to_numbers(entries) or [math.nan]
        if len(numbers) > 1 or not 0 <= numbers[0] < math.inf:
            entry = format_value(entries[0]) if len(entries) == 1 else "no value" if not entries else "several values"
            raise InputError(
                f"{attributes.locate(rows[topic])}: the weight {name} of topic {topic} must be a number of at least 0, "
                f"found {entry}"
            )
        weights[topic] = numbers[0]
    if not any(weights.values()):
        raise InputError(f"{attributes.source}: all weights {name} are 0; write a weight above 0")
    return weights
