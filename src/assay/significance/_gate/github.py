"""Gates as workflow commands of GitHub Actions, which become annotations of a pull request.

Reference: https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import escape_control_characters
from assay.model.notes import pluralize
from assay.significance._gate.verdicts import FAIL, PASS, REQUIRED, UNDECIDED
from assay.significance._gate.wording import describe_row

if TYPE_CHECKING:
    from assay.significance._gate.report import Gate

MAX_ANNOTATIONS = 10
"""GitHub shows this many annotations of each level for a step."""
_ESCAPES = {ord("%"): "%25"}  # control characters, such as line breaks, are escaped in another way
_PROPERTY_ESCAPES = {**_ESCAPES, ord(":"): "%3A", ord(","): "%2C"}


def list_annotations(gate: Gate) -> list[str]:
    """Return an error for each failing row and a warning for each undecided required row, or a notice for a pass.

    Undecided rows are errors if the gate fails when undecided.
    """
    if gate.verdict == PASS:
        return [format_annotation("notice", "assay gate: pass", gate.summary())]
    commands: dict[str, list[str]] = {"error": [], "warning": []}
    for verdict in (FAIL, UNDECIDED):
        for row in gate.rows:
            if row.verdict == verdict and (verdict == FAIL or row.role == REQUIRED):
                level = "error" if FAIL in (verdict, gate.on_undecided) else "warning"
                candidate = f"{row.candidate}, " * (len(gate.candidates) > 1)
                title = f"assay gate: {candidate}{row.title}, {verdict}"
                commands[level].append(format_annotation(level, title, describe_row(row, gate.settings)))
    return [line for level, lines in commands.items() for line in _limit(level, lines)]


def _limit(level: str, lines: list[str]) -> list[str]:
    """Return at most ten annotations; the last one counts the rest."""
    if len(lines) <= MAX_ANNOTATIONS:
        return lines
    shown = lines[: MAX_ANNOTATIONS - 1]
    return [*shown, format_annotation(level, "assay gate", f"and {pluralize(len(lines) - len(shown), 'more row')}")]


def format_annotation(level: str, title: str, message: str) -> str:
    """Return a workflow command.

    >>> format_annotation("error", "assay gate: AP, fail", "AP fell by 5%")
    '::error title=assay gate%3A AP%2C fail::AP fell by 5%25'
    """
    lines = [escape_control_characters(line) for line in message.split("\n")]
    title_text = escape_control_characters(title).translate(_PROPERTY_ESCAPES)
    return f"::{level} title={title_text}::{'%0A'.join(line.translate(_ESCAPES) for line in lines)}"
