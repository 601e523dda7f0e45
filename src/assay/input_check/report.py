"""The report of a check of input files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import polars as pl

from assay.input_check.answers import Answer
from assay.input_check.findings import SEVERITIES, InputFinding
from assay.io.problems import shorten
from assay.model.notes import pluralize
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table, floats_to_integers, format_percentage, percentage_column

_PLACE_WIDTH, _NAME_WIDTH = 30, 20  # characters; with the other columns, a row has at most 80
_MAX_GRADES = 8
_MAX_ROWS = 18  # kinds of findings on one screen


@dataclass(frozen=True, eq=False)
class InputCheck(Report):
    """All problems of judgments and runs, and answers to standard questions; the report of :func:`assay.check`.

    Attributes
    ----------
    findings
        The problems, errors first. A finding has a severity, a kind, a source, a count and a message.
    answers
        Answers to questions on unjudged documents, ties, comparisons and power; empty if no run or no judgment could be
        read.
    runs, topics, grades
        Frames with a row for each run, topic and grade.
    provenance, notes
        Inputs and settings; notes are always empty, because findings contain them.
    """

    findings: tuple[InputFinding, ...]
    answers: tuple[Answer, ...]
    runs: pl.DataFrame
    topics: pl.DataFrame
    grades: pl.DataFrame
    provenance: Provenance
    notes: tuple[str, ...] = ()

    name = "check"
    tables: ClassVar[Mapping[str, str]] = {
        "problems": "the problems of all files, and answers to standard questions",
        "runs": "documents, topics, ties and unjudged documents of each run",
        "topics": "judged and relevant documents of each topic",
        "questions": "the numbers behind the answers",
        "grades": "the distribution of grades",
    }

    def __repr__(self) -> str:
        return f"InputCheck({len(self.runs)} runs x {len(self.topics)} topics: {self._count_kinds()})"

    @property
    def exit_code(self) -> int:
        """2 if there are errors, 1 if there are only warnings and notes, 0 if there are no findings."""
        if any(finding.severity == "error" for finding in self.findings):
            return 2
        return 1 if self.findings else 0

    def frame(self) -> pl.DataFrame:
        """Return a row for each finding: severity, kind, source, count, total, message, examples."""
        rows = [{**asdict(finding), "examples": "; ".join(finding.examples)} for finding in self.findings]
        text = dict.fromkeys(("severity", "kind", "source", "message", "examples"), pl.String)
        names = ("severity", "kind", "source", "count", "total", "message", "examples")
        return pl.DataFrame(rows, schema={name: text.get(name, pl.Int64) for name in names})

    def _count_kinds(self) -> str:
        """Return the number of kinds of findings by severity, such as ``2 errors, 1 note``."""
        kinds = {severity: {f.kind for f in self.findings if f.severity == severity} for severity in SEVERITIES}
        counts = [pluralize(len(names), severity) for severity, names in kinds.items() if names]
        return ", ".join(counts) or "no problems"

    def summary(self) -> str:
        """State the verdict: whether commands stop, and the number of errors, warnings and notes."""
        read = f"{pluralize(len(self.runs), 'run')} and {pluralize(len(self.topics), 'topic')} were read"
        if not self.findings:
            return f"Verdict: no problems; {read}."
        counts = self._count_kinds()
        if self.exit_code == 2:
            return f"Verdict: {counts}. Commands stop at the errors; {read}."
        return f"Verdict: {counts}, no errors. Commands accept these files; {read}."

    # Tables -----------------------------------------------------------------------------------------------------

    def _show_problems(self) -> Table:
        """Return a row for each kind of finding; the frame has a row for each finding."""
        groups: dict[tuple[str, str], list[InputFinding]] = {}
        for finding in self.findings:
            groups.setdefault((finding.severity, finding.kind), []).append(finding)
        rows = [
            {
                "severity": f"{severity}s",
                "problem": kind,
                "count": sum(finding.count for finding in findings),
                "where": _describe_examples(findings),
            }
            for (severity, kind), findings in groups.items()
        ]
        hidden = len(rows) - _MAX_ROWS
        schema = {"severity": pl.String, "problem": pl.String, "count": pl.Int64, "where": pl.String}
        caption = "count: lines, documents, topics or runs; where: the first places, or the runs concerned most"
        if hidden > 0:
            caption += f"; the table omits {pluralize(hidden, 'kind')} of problems, --wide lists all"
        compact = pl.DataFrame(rows[:_MAX_ROWS], schema=schema)
        summary = "\n\n".join(text for text in (self.summary(), self._describe_inputs()) if text)
        return Table(self.frame(), compact, heading="severity", caption=caption, summary=summary)

    def _describe_inputs(self) -> str:
        """Return the distribution of grades and the answers, one line each."""
        return "\n".join(text for text in (self._describe_grades(), self._join_answers()) if text)

    def _describe_grades(self) -> str:
        """Return the share of each grade, or the range of many grades."""
        grades, total = self.grades, self.grades["judgments"].sum()
        if grades.is_empty():
            return ""
        if len(grades) > _MAX_GRADES:
            low, *_, high = grades["grade"].to_list()  # ascending
            return f"Grades: {total} judgments with {len(grades)} different grades from {low:g} to {high:g}."
        shares = (f"{grade:g} ({format_percentage(share)})" for grade, share in grades.select("grade", "share").rows())
        return f"Grades: {total} judgments with the grades {', '.join(shares)}."

    def _join_answers(self) -> str:
        """Return the answers, one line each."""
        return "\n".join(f"{answer.question.capitalize()}: {answer.text}" for answer in self.answers)

    def _show_runs(self) -> Table:
        shares = [name for name in self.runs.columns if name.startswith("unjudged_")]
        names = {"missing_topics": "missing", "unknown_topics": "unknown", "longest": "depth"}
        compact = self.runs.select("run", *names).rename(names)
        if "tied" in self.runs.columns:
            tied = (self.runs["tied"] / self.runs["documents"]).fill_nan(0)
            compact = compact.with_columns(percentage_column("tied", tied))
        percentages = [percentage_column(name.replace("unjudged_", "unj@"), self.runs[name]) for name in shares]
        caption = (
            "missing: judged topics that the run lacks; unknown: topics without judgments; depth: documents of the "
            "longest ranking; tied: documents with the score of another document of the topic; unj@k: share of "
            "unjudged documents among the first k"
        )
        return Table(self.runs, compact.with_columns(percentages), caption=caption)

    def _show_topics(self) -> Table:
        shares = [name for name in self.topics.columns if name.startswith("unjudged_")]
        percentages = [percentage_column(name.replace("unjudged_", "unj@"), self.topics[name]) for name in shares]
        caption = (
            "runs: runs with documents; tied: documents with the score of another; unj@k: share of unjudged documents "
            "among the first k of all runs"
        )
        return Table(self.topics, self.topics.drop(shares).with_columns(percentages), caption=caption)

    def _show_questions(self) -> Table:
        rows = [quantity for answer in self.answers for quantity in answer.quantities]
        schema = {"question": pl.String, "quantity": pl.String, "measure": pl.String, "run": pl.String}
        frame = pl.DataFrame(rows, schema={**schema, "value": pl.Float64}, orient="row")
        return Table(frame, frame, heading="question", summary=self._join_answers() or self.summary())

    def _show_grades(self) -> Table:
        compact = floats_to_integers(self.grades, "grade").with_columns(
            percentage_column("share", self.grades["share"])
        )
        return Table(self.grades, compact, caption="topics: topics with at least one document of the grade")


def _describe_examples(findings: Sequence[InputFinding]) -> str:
    """Return the first examples of findings of one kind, or the sources with the highest counts, in few characters."""
    examples = [
        example.removeprefix(f"{os.path.dirname(finding.source)}/")
        for finding in findings
        for example in finding.examples
    ]
    total = sum(finding.count for finding in findings)
    if not examples or (len(findings) > 1 and all(len(finding.examples) < 2 for finding in findings)):
        total = len(findings)
    if not examples:
        examples = [_describe_source(finding) for finding in sorted(findings, key=lambda finding: -finding.count)]
    text, shown = "", 0
    for example in examples:
        longer = f"{text}, {example}" if shown else shorten(example, _NAME_WIDTH if total > 1 else _PLACE_WIDTH)
        if shown and len(longer + _count_others(total - shown - 1)) > _PLACE_WIDTH:
            break
        text, shown = longer, shown + 1
    return text + _count_others(total - shown)


def _count_others(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


def _describe_source(finding: InputFinding) -> str:
    """Return a source with its count, if the count is not simply one."""
    if finding.total is None or finding.count == 1:
        return shorten(finding.source, _NAME_WIDTH)
    return f"{shorten(finding.source, _NAME_WIDTH - len(f' ({finding.count})'))} ({finding.count})"
