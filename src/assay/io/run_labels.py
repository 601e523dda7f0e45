"""Files of two columns that assign each run to a system or group: lines ``run system`` or ``run group``."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError
from assay.io import source as sources
from assay.io.text import strip_bom


def read(path: str | Path, word: str) -> dict[str, str]:
    """Return the label of each run.

    *word* names the kind of label in messages, such as ``system``. Blank lines and lines that begin with ``#`` are
    skipped.
    """
    source = sources.read(str(path))
    labels: dict[str, str] = {}
    for number, line in enumerate(_decode(source).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise InputError(f"{source.path}:{number}: expected 2 columns (run {word}), found {len(words)}")
        run, label = words
        if labels.setdefault(run, label) != label:
            message = f"run {run} belongs to {word} {labels[run]} on an earlier line, but to {label} here"
            raise InputError(f"{source.path}:{number}: {message}; remove one of the lines")
    if not labels:
        raise InputError(f"{source.path}: the file lists no runs; write one line for each run: run {word}")
    return labels


def _decode(source: sources.Source) -> str:
    data = strip_bom(source.data, source.path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"{source.path}: invalid UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        raise InputError(message) from None


def read_names(path: str | Path) -> list[str]:
    """Return the names of runs in a file, one on each line; blank lines and lines that begin with ``#`` are skipped."""
    lines = [line.strip() for line in _decode(sources.read(str(path))).splitlines()]
    names = [line for line in lines if line and not line.startswith("#")]
    if not names:
        raise InputError(f"{path}: the file lists no runs; write the name of a run on each line")
    return names
