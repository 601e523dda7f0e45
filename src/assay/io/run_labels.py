"""Files of two columns that tell what each run belongs to: lines ``run system`` or ``run group``."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError
from assay.io import source as sources
from assay.io.text import without_bom


def read(path: str | Path, word: str) -> dict[str, str]:
    """The label of each run; *word* says what it is. Blank lines and those that begin with ``#`` are passed over."""
    source = sources.read(str(path))
    found: dict[str, str] = {}
    for number, line in enumerate(_text(source).splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) != 2:
            raise InputError(f"{source.path}:{number}: expected 2 columns (run {word}), found {len(words)}")
        run, label = words
        if found.setdefault(run, label) != label:
            said = f"run {run} is of {word} {found[run]} already, here of {label}"
            raise InputError(f"{source.path}:{number}: {said}; remove one")
    if not found:
        raise InputError(f"{source.path}: no lines in it; write one for each run: run {word}")
    return found


def _text(source: sources.Source) -> str:
    data = without_bom(source.data, source.path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"{source.path}: invalid UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        raise InputError(message) from None
