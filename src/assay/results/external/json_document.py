"""JSON documents as Python objects; a repeated key is an error."""

from __future__ import annotations

import json
from typing import Any

from assay.errors import InputError
from assay.io.problems import format_value
from assay.io.source import Source, read
from assay.io.text import strip_bom
from assay.results.external.text import decode


def load_json(path: str) -> tuple[Source, Any]:
    """Read a file and return its source and its content."""
    source = read(path)
    return source, parse_json(source)


def parse_json(source: Source) -> Any:
    """Return the content of a JSON document."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return a dict; ``dict`` alone would silently keep the last of two equal keys."""
        result = dict(pairs)
        if len(result) < len(pairs):
            keys = [key for key, _ in pairs]
            key = next(key for key in keys if keys.count(key) > 1)
            raise InputError(f"{source.path}: the key {format_value(key)} occurs twice in one object; keep one")
        return result

    try:
        return json.loads(decode(strip_bom(source.data, source.path), source.path), object_pairs_hook=build)
    except json.JSONDecodeError as error:
        raise InputError(f"{source.path}:{error.lineno}: not JSON ({error.msg}, column {error.colno})") from None
    except RecursionError:
        raise InputError(f"{source.path}: nested too deeply") from None
