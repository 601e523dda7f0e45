"""Lazy mappings from ids to texts, over one or several sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from threading import RLock
from typing import Generic, Protocol, TypeVar

from assay.io.problems import shorten
from assay.io.texts.fields import PLURAL, Document, TextKind

Text = TypeVar("Text")
_EXAMPLES = 3


class TextSource(Protocol):
    """Texts of one source."""

    name: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on data that was skipped or repeated."""

    def count(self) -> int:
        """Return the number of texts."""

    def ids(self) -> Iterator[str]:
        """Yield the ids."""

    def fetch(self, ids: Sequence[str]) -> dict[str, Document]:
        """Return the texts with these ids; missing ids are omitted."""


class Texts(Mapping[str, Text], Generic[Text]):
    """Texts of queries or documents by id, read from their sources when they are requested.

    It is a :class:`~collections.abc.Mapping`: ``texts[id]`` and ``texts.get(id)`` return one text. Use :meth:`fetch`
    for many. The mapping is true if any source was given, even if the source was not read yet. An id that occurs
    several times in a source is counted each time by ``len`` and by iteration; its first text is returned.
    """

    def __init__(self, kind: TextKind, sources: Iterable[TextSource], convert: Callable[[Document], Text]) -> None:
        self.kind = kind
        self.sources = tuple(sources)
        self._convert = convert
        self._lock = RLock()  # the explorer uses the texts from several threads
        self._found: set[str] = set()
        self._missing: set[str] = set()

    def __repr__(self) -> str:
        return f"Texts({', '.join((self.kind, *(source.name for source in self.sources)))})"

    def __bool__(self) -> bool:
        return bool(self.sources)

    def __getitem__(self, key: str) -> Text:
        text = self.fetch([key])[key]
        if text is None:
            raise KeyError(key)
        return text

    def __iter__(self) -> Iterator[str]:
        for source in self.sources:
            with self._lock:
                source.count()  # reads a file once, so that iteration needs no lock
            yield from source.ids()

    def __len__(self) -> int:
        with self._lock:
            return sum(source.count() for source in self.sources)

    def fetch(self, ids: Iterable[str]) -> dict[str, Text | None]:
        """Return the text of each id, in the given order; None if no source has it.

        One call for many ids is much faster than a call for each.
        """
        documents: dict[str, Document] = {}
        requested = list(dict.fromkeys(ids))
        if not self.sources:
            return dict.fromkeys(requested)
        with self._lock:
            for source in self.sources:
                rest = [name for name in requested if name not in documents]
                if rest:
                    documents.update(source.fetch(rest))
            self._found.update(documents)
            self._missing.update(name for name in requested if name not in documents)
        return {name: self._convert(documents[name]) if name in documents else None for name in requested}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the sources read so far, and on requested ids that no source has."""
        with self._lock:
            notes = [note for source in self.sources for note in source.notes]
            if self._missing:
                notes.append(self._describe_missing())
            return tuple(notes)

    def _describe_missing(self) -> str:
        missing = _list_examples(sorted(self._missing))
        names, plural = _list_examples([source.name for source in self.sources]), PLURAL[self.kind]
        requested = len(self._missing) + len(self._found)
        if self._found:
            return f"{names}: contains no text for {len(self._missing)} of {requested} {plural} ({missing})"
        present = _list_examples(list(islice(self, _EXAMPLES + 1)))
        return f"{names}: contains none of the {requested} {plural} ({missing}), but {present}; check the ids"


def no_queries() -> Texts[str]:
    """Return the texts of queries if none were given."""
    return Texts("queries", [], lambda document: document.text)


def no_docs() -> Texts[Document]:
    """Return the documents if none were given."""
    return Texts("docs", [], lambda document: document)


def _list_examples(names: Sequence[str]) -> str:
    return ", ".join([*(shorten(name, 40) for name in names[:_EXAMPLES]), *["…"] * (len(names) > _EXAMPLES)])
