"""The files that can be read in parts: TREC text, perhaps compressed, and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.io import dataset, parquet
from assay.io import files as formats
from assay.io import source as sources
from assay.parts import stream, tables, text
from assay.parts.budget import Budget, text_size
from assay.parts.chunk import Chunk


@dataclass(frozen=True)
class File:
    """A file in parts: *parts* gives them in order, *read* makes rows of one (in any thread).

    *place* words the number of a line, *digest* is known when all parts have been given, *size* is that of the text.
    """

    name: str
    notes: tuple[str, ...]
    size: int
    complete: bool
    parts: Callable[[Callable[[int], None]], Iterator[Any]]
    read: Callable[[Any], Chunk]
    place: Callable[[int], str]
    digest: Callable[[], str | None]


def opened(path: str, budget: Budget, *, lenient: bool, rank: bool, spool: Callable[[str], Path]) -> File | None:
    """The file in parts; None if it is to be read as a whole: another format, or nothing to read."""
    if path != sources.STDIN and (dataset.is_dataset(path) or parquet.is_parquet(path)):
        return _parquet(path, budget, rank)
    found = stream.opened(path, lenient, spool)
    if found is None or not formats.is_trec(path, found.head()):
        return None
    return _text(found, budget, lenient, rank)


def _text(found: stream.Stream, budget: Budget, lenient: bool, rank: bool) -> File:
    def parts(told: Callable[[int], None]) -> Iterator[text.TextPiece]:
        found.told = told
        return text.pieces(found, budget)

    return File(
        name=found.name,
        notes=found.notes,
        size=text_size(found.file),
        complete=True,
        parts=parts,
        read=text.reader(found.name, lenient, rank),
        place=lambda at: f"{found.name}:{at}",
        digest=lambda: found.digest,
    )


def _parquet(path: str, budget: Budget, rank: bool) -> File:
    digests: list[str] = []
    place = parquet.placing(path)

    def parts(told: Callable[[int], None]) -> Iterator[Chunk]:
        yield from tables.chunks(path, budget, rank, place)
        if not digests:
            digests.append(dataset.digest(path, told))

    return File(
        name=path,
        notes=(),
        size=text_size(path),
        complete=False,
        parts=parts,
        read=lambda chunk: chunk,
        place=place,
        digest=lambda: digests[0],
    )
