"""JSON Schemas of the reports: the object that ``--format json`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import polars as pl

from assay.results.report import Report
from reference_pages._reports import REPORTS, report_of
from reference_pages._sample import sample

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXTS = {"type": "array", "items": {"type": "string"}}
_PROVENANCE = {
    "type": "object",
    "required": ["assay"],
    "properties": {
        "assay": {"type": "string", "description": "version"},
        "inputs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["role", "name", "source", "sha256"],
                "properties": {
                    "role": {"enum": ["qrels", "run"]},
                    "name": {"type": "string"},
                    "source": {"type": "string"},
                    "sha256": {"type": ["string", "null"]},
                },
            },
        },
        "policies": {"type": "object"},
        "derivations": _TEXTS,
        "settings": {"type": "object", "description": "arguments of the analysis"},
    },
}


def names() -> list[str]:
    """Return the file name of every schema."""
    return [f"{name}.json" for name in REPORTS]


def schema(name: str) -> str:
    """Return the schema of a report as text."""
    report = report_of(name.removesuffix(".json"))
    tables = {table: _table(report, table) for table in report.tables}
    content = {
        "$schema": DIALECT,
        "title": f"assay {report.name}",
        "type": "object",
        "required": ["schema", "provenance", "notes", "summary", "rows"],
        "properties": {
            "schema": {
                "type": "object",
                "required": ["report", "table", "version"],
                "properties": {
                    "report": {"const": report.name},
                    "table": {"enum": list(tables)},
                    "version": {"const": report.version},
                },
            },
            "provenance": _PROVENANCE,
            "notes": _TEXTS,
            "summary": {"type": "string"},
            "rows": {"type": "array"},
        },
        "allOf": [
            {
                "if": {"properties": {"schema": {"properties": {"table": {"const": table}}}}},
                "then": {"properties": {"rows": {"items": rows}}},
            }
            for table, rows in tables.items()
        ],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _table(report: Report, table: str) -> dict[str, Any]:
    """Return the schema of a row; columns named after runs or measures become additional properties."""
    frame = report.table(table).frame
    named = _variable_names(report)
    fixed = {name: _kind(dtype) for name, dtype in frame.schema.items() if name not in named}
    free = [_kind(dtype) for name, dtype in frame.schema.items() if name in named]
    return {
        "type": "object",
        "required": list(fixed),
        "properties": fixed,
        "additionalProperties": free[0] if free else True,
    }


def _variable_names(report: Report) -> set[str]:
    """Return the names of runs and measures, which depend on the data."""
    results = getattr(report, "results", report)
    measures: Iterable[Any] = getattr(results, "measures", ())
    return {*(run.name for run in sample().runs), *map(str, measures)}


def _kind(dtype: pl.DataType) -> dict[str, Any]:
    """Return the JSON type of a column; a missing value is null, and infinity is text."""
    if dtype.is_integer():
        return {"type": ["integer", "null"]}
    if dtype.is_float():
        return {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}
    return {"type": ["boolean", "null"]} if dtype == pl.Boolean else {"type": ["string", "null"]}
