"""Attributes of topics, such as a category or the length of the query, read from a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError, strict_reading, suggestion
from assay.io import tabular
from assay.io.columns import NAMES, find_roles
from assay.io.numbers import parse_number
from assay.io.problems import format_value
from assay.model.arrays import ROUNDING
from assay.model.notes import join_names

Value = str | float
"""One entry of an attribute."""
TOPIC_NAMES = NAMES["qrels"]["topic"]
"""Accepted names of the column of topics."""
LABEL = "topics table"
"""Name of a table that is not a file, in messages."""


@dataclass(frozen=True, eq=False)
class TopicAttributes:
    """A table with a row for each topic and a column for each attribute.

    Attributes
    ----------
    source, digest
        The name of the table in messages and in the provenance, and the SHA-256 of its file (None: not a file).
    topics
        The topic of each row.
    columns
        The entries of each attribute, row by row.
    locate
        Function from the number of a row to the location that messages name.
    """

    source: str
    digest: str | None
    topics: tuple[str, ...]
    columns: Mapping[str, Sequence[Any]]
    locate: Callable[[int], str]

    def rows(self) -> dict[str, int]:
        """Return the row of each topic."""
        return {topic: row for row, topic in enumerate(self.topics)}

    def find_column(self, name: str) -> Sequence[Any]:
        """Return the entries of an attribute; an unknown name is an error."""
        if name not in self.columns:
            hint = suggestion(name, self.columns) or f"; the columns are {join_names(self.columns, 12) or 'none'}"
            raise InputError(f"{self.source}: has no column {name!r}{hint}")
        return self.columns[name]


def read_topic_attributes(table: Any) -> TopicAttributes:
    """Return the attributes of topics from a file, a frame of polars or pandas, or a dict of dicts by topic.

    A file is CSV or TSV with a header, JSON Lines, or Parquet. A table has a column for the topic, such as ``topic`` or
    ``qid``; every other column is an attribute. A topic may have only one row.
    """
    if isinstance(table, TopicAttributes):
        return table
    if isinstance(table, Mapping):
        return _from_mapping(table)
    named_index = getattr(getattr(table, "index", None), "name", None)  # of a pandas frame
    with strict_reading():
        file = tabular.read_table(table if named_index is None else table.reset_index(), label=LABEL)
    frame = file.frame
    roles = find_roles(frame.columns, {"topic": TOPIC_NAMES})
    if "topic" not in roles:
        columns, names = join_names(frame.columns, 12), ", ".join(TOPIC_NAMES)
        raise InputError(f"{file.source}: no column for the topic among {columns}; name it one of {names}")
    topic = frame.to_series(roles["topic"])
    topics = _check_topics(topic.to_list(), file.locate)
    columns_by_name = {name: frame[name].to_list() for name in frame.columns if name != topic.name}
    return TopicAttributes(file.source, file.digest, topics, columns_by_name, file.locate)


def _from_mapping(table: Mapping[Any, Any]) -> TopicAttributes:
    """Return the attributes from a dict of dicts: ``{"301": {"category": "law"}}``."""
    for topic, attributes in table.items():
        if not isinstance(attributes, Mapping):
            expected = "{topic: {attribute: value}}"
            raise InputError(
                f"{LABEL}, topic {format_value(topic)}: expected {expected}, got {format_value(attributes)}"
            )
    ids = list(table)

    def locate(row: int) -> str:
        return f"{LABEL}, topic {format_value(ids[row])}"

    names = dict.fromkeys(name for attributes in table.values() for name in attributes)
    columns = {str(name): [attributes.get(name) for attributes in table.values()] for name in names}
    return TopicAttributes(LABEL, None, _check_topics(ids, locate), columns, locate)


def _check_topics(ids: Sequence[Any], locate: Callable[[int], str]) -> tuple[str, ...]:
    """Return the ids of topics as text; raise an error for a missing id, or for a topic with two rows."""
    rows: dict[str, int] = {}
    for row, value in enumerate(ids):
        topic = _to_topic(value, row, locate)
        if topic in rows:
            raise InputError(f"{locate(row)}: topic {topic} is also at {locate(rows[topic])}; keep one row per topic")
        rows[topic] = row
    return tuple(rows)


def _to_topic(value: Any, row: int, locate: Callable[[int], str]) -> str:
    """Return the id of a topic as text; an integer is written in decimal digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        problem = "is missing" if value is None or value == "" else f"must be text, found {format_value(value)}"
        raise InputError(f"{locate(row)}: the topic {problem}; write its id")
    return value


def list_entries(value: Any) -> list[Value]:
    """Return the entries of one cell: none if the cell is empty, several if it contains an array.

    >>> list_entries("law"), list_entries(["law", "health", "law"]), list_entries(None), list_entries(True)
    (['law'], ['law', 'health'], [], ['true'])
    """
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(entry for one in value for entry in list_entries(one)))
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return []
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, int | float):
        return [float(value)]
    return [str(value)]


def to_numbers(entries: Iterable[Value]) -> list[float] | None:
    """Return the entries as numbers; None if one of them is not a number.

    >>> to_numbers(["1", "2.5", 3.0]), to_numbers(["1", "many"])
    ([1.0, 2.5, 3.0], None)
    """
    numbers = []
    for entry in entries:
        number = parse_number(entry) if isinstance(entry, str) else entry
        if number is None:
            return None
        numbers.append(number)
    return numbers


def format_number(number: float) -> str:
    """Return a number without superfluous decimals.

    >>> format_number(5.0), format_number(4.75), format_number(16 / 3)
    ('5', '4.75', '5.33333')
    """
    return str(int(number)) if number == int(number) and abs(number) < 1 / ROUNDING else f"{number:.6g}"
