"""JSON Schemas of the reports: the object that ``--format json`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import polars as pl

from assay.results.report import Report
from reference_pages._reports import REPORTS, build_report
from reference_pages._sample import simulate_sample

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TEXT_LIST = {"type": "array", "items": {"type": "string"}}
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
                    "role": {"enum": ["qrels", "run", "queries", "docs", "values"]},
                    "name": {"type": "string"},
                    "source": {"type": "string"},
                    "sha256": {"type": ["string", "null"]},
                    "format": {"type": "string", "description": "of values of another tool"},
                    "resolution": {"type": "number", "description": "unit of the last decimal of these values"},
                },
            },
        },
        "policies": {"type": "object"},
        "derivations": _TEXT_LIST,
        "settings": {"type": "object", "description": "arguments of the analysis"},
    },
}


def list_schemas() -> list[str]:
    """Return the file names of all schemas."""
    return [f"{name}.json" for name in REPORTS]


def render_schema(name: str) -> str:
    """Return the JSON Schema of a report as text."""
    report = build_report(name.removesuffix(".json"))
    tables = {table: _build_row_schema(report, table) for table in report.tables}
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
            "notes": _TEXT_LIST,
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


def _build_row_schema(report: Report, table: str) -> dict[str, Any]:
    """Return the schema of a row. Columns named after runs or measures are additional properties."""
    frame = report.table(table).frame
    variable_names = _find_variable_names(report)
    fixed_columns = {name: _json_type(dtype) for name, dtype in frame.schema.items() if name not in variable_names}
    variable_columns = [_json_type(dtype) for name, dtype in frame.schema.items() if name in variable_names]
    return {
        "type": "object",
        "required": list(fixed_columns),
        "properties": fixed_columns,
        "additionalProperties": variable_columns[0] if variable_columns else True,
    }


def _find_variable_names(report: Report) -> set[str]:
    """Return the names of runs and measures, which depend on the data."""
    results = getattr(report, "results", report)
    measures: Iterable[Any] = getattr(results, "measures", ())
    return {*(run.name for run in simulate_sample().runs), *map(str, measures)}


def _json_type(dtype: pl.DataType) -> dict[str, Any]:
    """Return the JSON type of a column. Missing values are null, and infinity is text."""
    if dtype.is_integer():
        return {"type": ["integer", "null"]}
    if dtype.is_float():
        return {"anyOf": [{"type": ["number", "null"]}, {"enum": ["inf", "-inf"]}]}
    return {"type": ["boolean", "null"]} if dtype == pl.Boolean else {"type": ["string", "null"]}
