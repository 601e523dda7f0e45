"""Gates as JUnit XML, which continuous integration servers show as test results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from assay.errors import escape_control_characters
from assay.significance._gate.rows import GateRow
from assay.significance._gate.verdicts import FAIL, PASS, UNDECIDED
from assay.significance._gate.wording import describe_row

if TYPE_CHECKING:
    from assay.significance._gate.report import Gate

_INVALID = str.maketrans(dict.fromkeys((0xFFFE, 0xFFFF), "\ufffd"))  # not allowed in XML, even escaped


def render_junit(gate: Gate) -> str:
    """Return a suite for each candidate with a test case for each row.

    An undecided row is a skipped case, or a failure if the gate fails when undecided.
    """
    suites = gate.by_candidate()
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_count(gate, gate.rows, 'assay gate')}>"]
    for candidate, rows in suites.items():
        lines.append(f" <testsuite{_count(gate, rows, candidate)}>")
        lines += [_render_case(gate, row) for row in rows]
        lines.append(" </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _fails(gate: Gate, row: GateRow) -> bool:
    return row.verdict == FAIL or (row.verdict == UNDECIDED and row.role == "required" and gate.on_undecided == FAIL)


def _count(gate: Gate, rows: Sequence[GateRow], name: str) -> str:
    """Return the attributes of a suite."""
    failures = sum(_fails(gate, row) for row in rows)
    skipped = sum(row.verdict == UNDECIDED for row in rows) - sum(
        row.verdict == UNDECIDED and _fails(gate, row) for row in rows
    )
    counts = {"tests": len(rows), "failures": failures, "errors": 0, "skipped": skipped, "time": 0}
    return _write_attributes({"name": name, **counts})


def _render_case(gate: Gate, row: GateRow) -> str:
    case = f"  <testcase{_write_attributes({'classname': f'assay.gate.{row.candidate}', 'name': row.title, 'time': 0})}"
    message = describe_row(row, gate.settings)
    if row.verdict == PASS:
        return f"{case}/>"
    if _fails(gate, row):
        kind = row.finding if row.verdict == FAIL else UNDECIDED
        return f"{case}><failure{_write_attributes({'type': kind, 'message': message})}/></testcase>"
    return f"{case}><skipped{_write_attributes({'message': message})}/></testcase>"


def _write_attributes(attributes: Mapping[str, object]) -> str:
    return "".join(
        f" {name}={quoteattr(escape_control_characters(str(value)).translate(_INVALID))}"
        for name, value in attributes.items()
    )
