"""Names of columns: accepted names for each role, and names that the user chooses.

Case, ``-``, ``_`` and blanks in names are ignored. Every role has a list of accepted names. If a table contains several
names of one list, the first name in the list is used. A table of PyTerrier, for example, contains ``docno`` (the id)
and ``docid`` (an internal number), and also ``qid`` (the id) and ``query`` (the text). ``--columns doc=product_id``
names a column that has none of the accepted names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from assay.errors import InputError, suggestion
from assay.io.checks import VALUE
from assay.io.lookalikes import SWAPPED, describe_columns
from assay.io.problems import format_value

if TYPE_CHECKING:
    from assay.io.checks import Kind

_IDS = {
    "topic": ("topic", "query-id", "qid", "topic-id", "query"),
    "doc": ("doc", "docno", "doc-id", "document", "document-id", "corpus-id", "pid"),
}
_SCORE = ("score", "sim", "similarity")
FACET_NAMES: dict[str, tuple[str, ...]] = {
    "subtopic": ("subtopic", "subtopic-id", "intent", "aspect", "nugget"),
    "judge": ("judge", "assessor", "annotator", "rater", "judge-id", "assessor-id", "annotator-id"),
    "stratum": ("stratum", "stratum-id"),
    "probability": ("probability", "inclusion-probability", "sampling-probability"),
    "groups": ("groups",),
}
"""Accepted names of the columns with facets of judgments; the first two belong to the key of a judgment."""
FACETS = tuple(FACET_NAMES)
NAMES: dict[Kind, dict[str, tuple[str, ...]]] = {
    "run": {**_IDS, "value": _SCORE, "rank": ("rank",), "run": ("run", "tag", "system", "run-id", "name")},
    "qrels": {**_IDS, "value": ("grade", "relevance", "rel", "label", "score"), **FACET_NAMES},
}
REQUIRED = ("topic", "doc", "value")
ID_WORD = {"topic": "topic", "doc": "document"}
_VALUE_ROLES = {"run": ("score", "value"), "qrels": ("grade", "value")}
ROLES = ("topic", "doc", "score", "grade", "value", "rank", "run", "retrieved", "relevant", *FACETS)
"""The roles of columns that a user can name; *value* is the score of a run and the grade of qrels."""

ColumnMap = Mapping[str, tuple[str, ...]]
"""The names that the user chose for some roles; the first name that a table contains is used."""


def parse_columns(columns: Mapping[str, str | Sequence[str]] | None) -> ColumnMap:
    """Return the argument *columns* of ``assay.read`` with a tuple of names for each role.

    >>> parse_columns({"doc": "product_id", "topic": ["qid", "query"]})
    {'doc': ('product_id',), 'topic': ('qid', 'query')}
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise InputError(f"columns: expected a dict of names by role, got {type(columns).__name__}")
    chosen = {}
    for role, names in (columns or {}).items():
        if role not in ROLES:
            raise InputError(
                f"columns: unknown role {role!r}; choose one of {', '.join(ROLES)}{suggestion(role, ROLES)}"
            )
        chosen[role] = (names,) if isinstance(names, str) else tuple(names)
        if not chosen[role] or not all(isinstance(name, str) and name for name in chosen[role]):
            raise InputError(f"columns: expected the name of a column for {role}, got {format_value(names)}")
    return chosen


def normalize_name(name: str) -> str:
    """Return a name without case, ``-``, ``_`` and blanks."""
    return name.lower().translate(str.maketrans("", "", "-_ "))


def find_roles(names: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the index of the column of each role that *names* contains.

    *aliases* lists the accepted names of each role, the preferred name first.

    >>> find_roles(["Query-ID", "text", "qid"], {"topic": ("qid", "query_id"), "doc": ("docno",)})
    {'topic': 2}
    """
    normalized = [normalize_name(name) for name in names]
    roles = {}
    for role, accepted in aliases.items():
        match = next((name for name in map(normalize_name, accepted) if name in normalized), None)
        if match is not None:
            roles[role] = normalized.index(match)
    return roles


def find_all_roles(names: Sequence[str], aliases: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """Return the indices of all columns of each role, in the order of the accepted names.

    >>> find_all_roles(["query", "qid", "text"], {"topic": ("qid", "query")})
    {'topic': [1, 0]}
    """
    normalized = [normalize_name(name) for name in names]
    return {
        role: [normalized.index(name) for name in map(normalize_name, accepted) if name in normalized]
        for role, accepted in aliases.items()
    }


def list_names(names: Sequence[str]) -> str:
    """Return the names of the columns of a table for a message."""
    shortened = [format_value(name, 30) for name in names[:12]] + ["…"] * (len(names) > 12)
    return ", ".join(shortened) if names else "none"


def _is_run(names: Sequence[str]) -> bool:
    """Return True for columns of a run: judgments may have a column ``score``, but no ``rank`` besides."""
    roles = find_roles(names, {**NAMES["run"], "grade": NAMES["qrels"]["value"][:-1]})
    return {*REQUIRED, "rank"} <= roles.keys() and "grade" not in roles


@dataclass(frozen=True)
class ColumnNames:
    """The names by which a reader finds the columns of judgments or of a run.

    Attributes
    ----------
    kind
        ``run`` or ``qrels``.
    rank
        Whether the rank column is read.
    chosen
        Names that the user chose for some roles.
    facet
        The facet of the format of judgments that the user named. Columns with a subtopic or a judge are always read,
        because a document may have a judgment for each; other facets are read only on request.
    """

    kind: Kind
    rank: bool = True
    chosen: ColumnMap = field(default_factory=dict)
    facet: str | None = None

    @cached_property
    def requested(self) -> dict[str, tuple[str, ...]]:
        """The names that the user chose, by the roles of this kind of table."""
        requested = {role: self.chosen[role] for role in NAMES[self.kind] if role in self.chosen}
        value = next((role for role in _VALUE_ROLES[self.kind] if role in self.chosen), None)
        return requested if value is None else {**requested, "value": self.chosen[value]}

    def find_roles(self, names: Sequence[str]) -> dict[str, int]:
        """Return the index of the column of each role that *names* contains.

        The roles are topic, doc, value, rank and run, and the facets of judgments.
        """
        roles = find_roles(names, {**NAMES[self.kind], **self.requested})
        # A name that the user wrote exactly as in the table takes precedence over names that differ in case.
        exact = {
            role: list(names).index(name)
            for role, chosen in self.requested.items()
            for name in reversed(chosen)
            if name in names
        }
        return {role: column for role, column in {**roles, **exact}.items() if self._is_read(role)}

    def _is_read(self, role: str) -> bool:
        if role == "rank":
            return self.rank
        return role not in FACETS[2:] or role == self.facet or role in self.requested

    def describe_missing(self, names: Sequence[str]) -> str:
        """Return a message on the first column that is missing or ambiguous; an empty string if there is none."""
        roles = self.find_roles(names)
        for role, chosen in self.requested.items():
            if role not in roles and (self.rank or role != "rank"):
                return (
                    f"no column {' or '.join(map(format_value, chosen))} for the {self.word(role)} among "
                    f"{list_names(names)}{suggestion(chosen[0], names) or '; name one of them'}"
                )
        if self.kind == "qrels" and "value" not in self.requested and _is_run(names):
            return f"a table with {list_names(names)} looks like a run, not like judgments; {SWAPPED}"
        for role in REQUIRED:
            if role not in roles:
                accepted = ", ".join(NAMES[self.kind][role])
                problem = f"no column for the {self.word(role)} among {list_names(names)}; name it one of {accepted}"
                key = VALUE[self.kind] if role == "value" else role
                return f"{problem}, or write columns '{key}=NAME'{describe_columns(names)}"
            column = names[roles[role]]
            if column in self.requested.get(role, ()) and list(names).count(column) == 1:
                continue
            matching = [name for name in names if normalize_name(name) == normalize_name(column)]
            if len(matching) > 1:
                return f"columns {matching[0]!r} and {matching[1]!r} both name the {self.word(role)}; keep one"
        return ""

    def word(self, role: str) -> str:
        """Return the name of a role in messages."""
        return VALUE[self.kind] if role == "value" else ID_WORD.get(role, role)

    def find(self, names: Sequence[str], label: str) -> dict[str, int]:
        """Return the index of the column of each role; raise an error if a required or a chosen column is missing.

        *label* names the source in the message.
        """
        problem = self.describe_missing(names)
        if problem:
            raise InputError(f"{label}: {problem}")
        return self.find_roles(names)
