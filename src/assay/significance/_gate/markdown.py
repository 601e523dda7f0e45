"""Gates as Markdown, for comments on pull requests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.errors import escape_control_characters
from assay.io.problems import shorten
from assay.results.markup import escape_markdown
from assay.significance._gate.report import sort_rows
from assay.significance._gate.rows import GateRow
from assay.significance._gate.wording import format_number, name_level, name_margin

if TYPE_CHECKING:
    from assay.significance._gate.report import Gate

MARK = "<!-- assay-gate -->"
"""First line of the text, by which a bot finds its own comment."""
MAX_ROWS = 20
MAX_LENGTH = 65_536
"""Maximum length of a comment on GitHub, in characters."""
_RESERVED = 200  # for the last line, which counts the candidates that do not fit
_TOPICS = 5


def render_markdown(gate: Gate) -> str:
    """Return the verdict, a table of at most 20 rows for each candidate, and the topics with the largest losses."""
    text = f"{MARK}\n### assay gate: {gate.verdict}\n"
    for number, candidate in enumerate(gate.candidates):
        section = "\n" + _render_candidate(gate, candidate)
        if len(text) + len(section) > MAX_LENGTH - _RESERVED:
            return f"{text}\nand {len(gate.candidates) - number} more candidates\n"
        text += section
    return text


def _render_candidate(gate: Gate, candidate: str) -> str:
    """Return the section of one candidate."""
    verdict = f"{gate.verdicts[candidate]}: " if len(gate.candidates) > 1 else ""
    names = f"{_format_code(candidate)} against {_format_code(gate.baseline_title)}"
    rows = sort_rows(gate.by_candidate()[candidate])
    head = ["verdict", "measure", "baseline", "candidate", "difference", f"{name_level(gate.settings)} interval"]
    lines = [[*head, "tolerated loss", "finding"], ["---", "---", *["--:"] * 3, "---", "--:", "---"]]
    lines += [_list_cells(row) for row in rows[:MAX_ROWS]]
    more = f"\nand {len(rows) - MAX_ROWS} more\n" if len(rows) > MAX_ROWS else ""
    sentences = [_escape(sentence) for sentence in gate.describe_rows(candidate)]
    parts = [
        f"{verdict}{names}, {gate.coverage.describe()}\n",
        "".join(f"| {' | '.join(cells)} |\n" for cells in lines) + more,
        "".join(f"{sentence}\n\n" for sentence in sentences).rstrip("\n") + "\n",
        _render_losses(gate, rows),
    ]
    return "\n".join(part for part in parts if part)


def _list_cells(row: GateRow) -> list[str]:
    values = [format_number(row.numbers[name]) for name in ("baseline", "candidate_value", "difference")]
    low, high = (format_number(row.numbers[name]) for name in ("low", "high"))
    watched = " (watched)" * (row.role == "watch")
    finding = f"{row.finding}, worse" if row.verdict == "pass" and row.direction == "worse" else row.finding
    return [row.verdict, _escape(row.title) + watched, *values, f"{low} to {high}", name_margin(row), finding]


def _render_losses(gate: Gate, rows: Sequence[GateRow]) -> str:
    """Return the topics that lost most by the first measure in the table that lost on any topic."""
    for row in rows:
        if row.slice is not None:
            continue
        baseline, candidate = gate.topic_values(row)
        loss = (candidate - baseline) * (1 if row.measure.lower_is_better else -1)
        order = [index for index in np.argsort(-loss, kind="stable")[:_TOPICS] if loss[index] > 0]
        if order:
            topics = gate.aligned.results.topics
            items = "".join(
                f"* {_format_code(topics[i])}: {format_number(baseline[i])} to {format_number(candidate[i])}\n"
                for i in order
            )
            title = f"Topics with the largest losses by {_escape(str(row.measure))}"
            return f"<details><summary>{title}</summary>\n\n{items}\n</details>\n"
    return ""


def _escape(text: str) -> str:
    return escape_markdown(escape_control_characters(shorten(text, 400)))


def _format_code(text: str) -> str:
    """Return a name as code, so that Markdown does not interpret it, for example as the mention of a user."""
    name = escape_control_characters(shorten(text, 100))
    fence = "`" * (max(map(len, re.findall("`+", name)), default=0) + 1)
    return f"{fence} {name} {fence}" if "`" in name else f"`{name}`"
