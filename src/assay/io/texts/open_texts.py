"""Open the texts that users name: files of several formats, directories, dicts, frames and datasets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from assay.errors import InputError
from assay.io import ir_datasets, parquet
from assay.io import source as sources
from assay.io.paths import IRDS, path_text
from assay.io.problems import Problems, format_value
from assay.io.source import Source
from assay.io.spill import Directory, SpillFile, check_directory
from assay.io.stream import ByteStream
from assay.io.text import refuse_cr, strip_bom
from assay.io.texts import small_texts, topics
from assay.io.texts.fields import PLURAL, Document, RecordError, TextKind, find_fields
from assay.io.texts.frame_texts import FrameTexts, to_lazy_frame
from assay.io.texts.irds_documents import IrdsDocuments
from assay.io.texts.layouts import JsonLines, RecordLayout, Separated, TrecDocuments, parse_object
from assay.io.texts.text_file import SPILL_LIMIT, PlainFile, TextFile, UnpackedFile
from assay.io.texts.texts import Texts, TextSource

_MAX_LINE = 64 << 20
_BEIR: dict[TextKind, str] = {"queries": "queries.jsonl", "docs": "corpus.jsonl"}
_SAMPLE = 1 << 16  # characters
_FORMATS: dict[TextKind, str] = {
    "queries": "id TAB text, a table with a header, JSON Lines, or TREC topics",
    "docs": "id TAB text, id TAB title TAB text, a table with a header, JSON Lines, or TREC documents",
}


def open_queries(queries: Any = None, *, lenient: bool = False, temporary: Directory = None) -> Texts[str]:
    """Return the texts of queries by topic; see :func:`assay.read`."""
    return Texts("queries", _open(queries, "queries", lenient, temporary), lambda document: document.text)


def open_docs(docs: Any = None, *, lenient: bool = False, temporary: Directory = None) -> Texts[Document]:
    """Return the titles and texts of documents; see :func:`assay.read`."""
    return Texts("docs", _open(docs, "docs", lenient, temporary), lambda document: document)


def _open(texts: Any, kind: TextKind, lenient: bool, temporary: Directory) -> list[TextSource]:
    """Return the sources of an argument; files are checked, but only their beginnings are read."""
    if texts is None:
        return []
    check_directory(temporary)
    copy = SpillFile(SPILL_LIMIT, temporary)
    items = texts if isinstance(texts, list | tuple) else [texts]
    found: list[TextSource] = []
    for item in items:
        if isinstance(item, Texts):
            found += item.sources
        elif isinstance(item, Mapping):
            found.append(small_texts.LoadedTexts(kind, kind, partial(_ignore_problems, item), lenient))
        elif isinstance(item, str) and item.startswith(IRDS):
            found.append(_open_dataset(item, kind, lenient))
        elif isinstance(item, str | Path):
            found += [_open_file(path, kind, lenient, copy, temporary) for path in _list_files(item, kind)]
        else:
            found.append(FrameTexts(kind, to_lazy_frame(item, kind), kind))
    return found


def _ignore_problems(items: Mapping[Any, Any], _: Problems) -> Mapping[Any, Any]:
    """Return a dict as it is; its values are checked when they are requested."""
    return items


def _list_files(path: str | Path, kind: TextKind) -> list[str]:
    """Return the files that a path names; a BEIR directory names its file of queries or documents."""
    text = path_text(path)
    for suffix in ("", ".gz"):
        file = os.path.join(text, _BEIR[kind] + suffix)
        if os.path.isfile(file):
            return [file]
    return sources.expand(text)


def _open_dataset(name: str, kind: TextKind, lenient: bool) -> TextSource:
    if kind == "docs":
        return IrdsDocuments(name)
    return small_texts.LoadedTexts(name, kind, lambda _: ir_datasets.read_queries(name), lenient)


def _open_file(path: str, kind: TextKind, lenient: bool, copy: SpillFile, temporary: Directory) -> TextSource:
    """Return the source of one file, by its format."""
    if parquet.is_parquet(path):
        return FrameTexts(path, pl.scan_parquet(path, glob=False), kind)
    # A pipe can be read only once; reading a missing file raises an error with a suggestion.
    stream = ByteStream(path, lenient=lenient) if os.path.isfile(path) else sources.read(path, lenient)
    head = _read_head(stream)
    text = head.decode(errors="replace").lstrip()
    load = partial(small_texts.LoadedTexts, stream.path, kind, lenient=lenient)
    if text.startswith("<") and topics.matches(text):
        _require_kind(path, kind, "queries", "TREC topics")
        return load(load=lambda problems: topics.read_topics(_read_text(stream), problems))
    if text.startswith("[") or (text.startswith("{") and not _is_json_lines(text, kind, stream.path)):
        return load(load=lambda problems: small_texts.read_json(_read_text(stream), kind, problems))
    layout = _find_layout(text, kind, stream.path)
    is_plain = isinstance(stream, ByteStream) and stream.compression is None
    store = PlainFile(path) if is_plain else UnpackedFile(stream, copy, temporary)
    return TextFile(stream.path, store, layout, lenient)


def _require_kind(path: str, kind: TextKind, required: TextKind, description: str) -> None:
    if kind != required:
        raise InputError(f"{path}: contains {description}; name it with {required} rather than {kind}")


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
        return JsonLines.of(first, find_fields(list(parse_object(first)), kind))
    if text[:5].upper() == "<DOC>":
        _require_kind(path, kind, "docs", "TREC documents")
        return TrecDocuments()
    for separator in ("\t", ","):
        names = [name.strip().strip('"') for name in first.split(separator)]
        if len(names) > 1 and _is_header(names, kind):
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


def _is_header(names: list[str], kind: TextKind) -> bool:
    try:
        fields = find_fields(names, kind)
    except RecordError:
        return False
    return fields.text is not None
