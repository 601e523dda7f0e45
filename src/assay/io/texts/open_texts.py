"""Open the texts that users name: files of several formats, directories, dicts, frames and datasets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.io import ir_datasets, parquet
from assay.io import source as sources
from assay.io.paths import IRDS, path_text
from assay.io.problems import format_value
from assay.io.source import Source
from assay.io.spill import Directory, SpillFile, check_directory
from assay.io.stream import ByteStream
from assay.io.text import refuse_cr, strip_bom
from assay.io.texts import small_texts, topics
from assay.io.texts.fields import PLURAL, Document, RecordError, TextKind, find_fields
from assay.io.texts.frame_texts import FrameTexts, to_lazy_frame
from assay.io.texts.irds_documents import IrdsDocuments
from assay.io.texts.layouts import JsonLines, RecordLayout, Separated, TrecDocuments, parse_object
from assay.io.texts.text_file import SPILL_LIMIT, ByteStore, PlainFile, Progress, TextFile, UnpackedFile
from assay.io.texts.texts import Texts, TextSource

_MAX_LINE = 64 << 20
_BEIR: dict[TextKind, str] = {"queries": "queries.jsonl", "docs": "corpus.jsonl"}
_SAMPLE = 1 << 16  # characters
_FORMATS: dict[TextKind, str] = {
    "queries": "id TAB text, a table with a header, JSON Lines, or TREC topics",
    "docs": "id TAB text, id TAB title TAB text, a table with a header, JSON Lines, or TREC documents",
}


def open_queries(
    queries: Any = None, *, lenient: bool = False, temporary: Directory = None, progress: Progress | None = None
) -> Texts[str]:
    """Return the texts of queries by topic; see :func:`assay.read`."""
    opener = _Opener("queries", lenient, temporary, progress)
    return Texts("queries", opener.open(queries), lambda document: document.text)


def open_docs(
    docs: Any = None, *, lenient: bool = False, temporary: Directory = None, progress: Progress | None = None
) -> Texts[Document]:
    """Return the titles and texts of documents; see :func:`assay.read`."""
    return Texts("docs", _Opener("docs", lenient, temporary, progress).open(docs), lambda document: document)


@dataclass(frozen=True)
class _Opener:
    """Opens sources of queries or documents. Files are checked, but only their beginnings are read."""

    kind: TextKind
    lenient: bool = False
    temporary: Directory = None
    progress: Progress | None = None

    @cached_property
    def _copy(self) -> SpillFile:
        """Temporary file for the texts of all compressed files."""
        check_directory(self.temporary)
        return SpillFile(SPILL_LIMIT, self.temporary)

    def open(self, texts: Any) -> list[TextSource]:
        """Return the sources of an argument."""
        if texts is None:
            return []
        if not isinstance(texts, list | tuple):
            return self._open_item(texts)
        if texts and all(isinstance(item, Mapping) for item in texts) and _has_fields(list(texts[0]), self.kind):
            return [self._load(self.kind, lambda problems: small_texts.read_records(texts, self.kind, problems))]
        return [source for item in texts for source in self._open_item(item)]

    def _open_item(self, item: Any) -> list[TextSource]:
        if isinstance(item, Texts):
            return list(item.sources)
        if isinstance(item, Mapping):
            return [self._load(self.kind, lambda _: item)]
        if isinstance(item, str) and item.startswith(IRDS):
            is_docs = self.kind == "docs"
            return [IrdsDocuments(item) if is_docs else self._load(item, lambda _: ir_datasets.read_queries(item))]
        if isinstance(item, str | Path):
            return [self._open_file(path) for path in _list_files(item, self.kind)]
        return [FrameTexts(self.kind, to_lazy_frame(item, self.kind), self.kind)]

    def _load(self, name: str, load: small_texts.Load) -> TextSource:
        """Return texts that are loaded into memory when the first is requested."""
        return small_texts.LoadedTexts(name, self.kind, load, self.lenient)

    def _open_file(self, path: str) -> TextSource:
        """Return the source of one file, by its format."""
        if parquet.is_parquet(path):
            return FrameTexts(path, pl.scan_parquet(path, glob=False), self.kind)
        # A pipe can be read only once; reading a missing file raises an error with a suggestion.
        stream = ByteStream(path, lenient=self.lenient) if os.path.isfile(path) else sources.read(path, self.lenient)
        name, text = stream.path, _read_head(stream).decode(errors="replace").lstrip()
        if text[:5].upper() != "<DOC>" and text.startswith("<") and topics.matches(text):
            _require_kind(name, self.kind, "queries", "TREC topics")
            return self._load(name, lambda problems: topics.read_topics(_read_text(stream), problems))
        if text.startswith("[") or (text.startswith("{") and not _is_json_lines(text, self.kind, name)):
            return self._load(name, lambda problems: small_texts.read_json(_read_text(stream), self.kind, problems))
        layout = _find_layout(text, self.kind, name)
        is_plain = isinstance(stream, ByteStream) and stream.compression is None
        store: ByteStore = (
            PlainFile(path, self.progress)
            if is_plain
            else UnpackedFile(stream, self._copy, self.temporary, self.progress)
        )
        return TextFile(name, store, layout, self.lenient)


def _list_files(path: str | Path, kind: TextKind) -> list[str]:
    """Return the files that a path names; a BEIR directory names its file of queries or documents."""
    text = path_text(path)
    for suffix in ("", ".gz"):
        file = os.path.join(text, _BEIR[kind] + suffix)
        if os.path.isfile(file):
            return [file]
    return sources.expand(text)


def _require_kind(path: str, kind: TextKind, required: TextKind, description: str) -> None:
    if kind != required:
        raise InputError(f"{path}: contains {description}; give it as {required}, not as {kind}")


def _read_head(stream: ByteStream | Source) -> bytes:
    """Return the beginning of a file, at least its first line."""
    head = b""
    for block in stream.blocks():
        head += block
        if b"\n" in head.strip() or len(head) > _MAX_LINE:
            break
    if not head.strip():
        raise InputError(f"{stream.path}: the file is empty")
    head = strip_bom(head, stream.path)
    refuse_cr(head, stream.path)
    return head


def _read_text(stream: ByteStream | Source) -> str:
    """Return the text of a small file."""
    data = stream.data if isinstance(stream, Source) else sources.read(stream.path, True).data
    return strip_bom(data, stream.path).decode(errors="replace")


def _is_json_lines(text: str, kind: TextKind, path: str) -> bool:
    """Return True if the first line is a record; a JSON document is an object from ids to texts."""
    first, _, rest = text.partition("\n")
    try:
        record = parse_object(first)
    except RecordError:
        return False
    try:
        find_fields(list(record), kind)
    except RecordError as error:
        if rest.strip():
            raise InputError(f"{path}:1: {error}") from None
        return False
    return True


def _find_layout(text: str, kind: TextKind, path: str) -> RecordLayout:
    """Return the layout of a file with the given beginning."""
    first = text.partition("\n")[0].removesuffix("\r")
    if text.startswith("{"):
        return JsonLines.of(first, kind)
    if text[:5].upper() == "<DOC>":
        _require_kind(path, kind, "docs", "TREC documents")
        return TrecDocuments()
    for separator in ("\t", ","):
        names = [name.strip().strip('"') for name in first.split(separator)]
        if len(names) > 1 and _has_fields(names, kind):
            return Separated(names, find_fields(names, kind), separator, has_header=True)
    columns = _find_columns(text)
    if columns is None:
        raise InputError(
            f"{path}:1: not a known format of {PLURAL[kind]}, found {format_value(first)}; write {_FORMATS[kind]}"
        )
    text_column = "title" if kind == "queries" and "title" in columns else "text"
    return Separated(columns, find_fields(columns, kind)._replace(text=text_column))


def _find_columns(text: str) -> tuple[str, ...] | None:
    """Return the columns of tab-separated text without a header; None if there is no tab.

    The last column may contain tabs, so the smallest number of tabs in the first lines counts. Four columns are those
    of the documents of MS MARCO.
    """
    lines = [line.split("\t", 3) for line in text[:_SAMPLE].splitlines() if "\t" in line]
    if not lines:
        return None
    number = min(map(len, lines))
    if number == 4 and all(line[1].startswith(("http:", "https:")) for line in lines):
        return "id", "url", "title", "text"
    return ("id", "text") if number == 2 else ("id", "title", "text")


def _has_fields(names: list[str], kind: TextKind) -> bool:
    """Return True if the names contain one for the id and one for the text."""
    try:
        return find_fields(names, kind).text is not None
    except RecordError:
        return False
