"""Findings of a check: errors, warnings and notes on the input files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from assay.engine.campaign import Campaign
from assay.engine.inspection import Inspection, Unreadable
from assay.input_check.checked_values import VISIBLE, CheckedValues
from assay.io.problems import ProblemKind
from assay.model.joined import JoinedRun
from assay.model.notes import Note, join_names, no_shared_topic_message, pluralize
from assay.results.tables import format_percentage

ERROR, WARNING, NOTE = SEVERITIES = ("error", "warning", "note")
_MANY_UNJUDGED = 0.2
"""Share of unjudged documents at the first cutoff that is a warning."""
_SAME_NAME = "runs with the name of another run"
_MAX_REASONS = 3  # different reasons for which files cannot be read, as separate kinds
_LARGE_TIE_RANGE = 0.01
"""Range of a mean over the orders of tied documents that is a warning."""


@dataclass(frozen=True)
class InputFinding:
    """One kind of problem in one source.

    Attributes
    ----------
    severity
        ``error``: commands stop, or the values are wrong. ``warning``: values may mislead. ``note``: something to know.
    kind
        The kind of problem; findings of one kind are counted together.
    source
        The file, the run or the judgments.
    count, total
        Number of lines, documents, topics or runs concerned, and the number of those checked (None if unknown).
    message
        The problem and the remedy.
    examples
        Places of the first problems, such as ``bm25.run:12``, or the run with a number.
    """

    severity: str
    kind: str
    source: str
    count: int
    total: int | None
    message: str
    examples: tuple[str, ...] = ()


def find_problems(inspection: Inspection, numbers: CheckedValues | None, lenient: bool) -> list[InputFinding]:
    """Return the findings, errors first; with *lenient*, lines that lenient reading skips are warnings."""
    findings = [
        *_find_unreadable(inspection),
        *_find_bad_lines(inspection, WARNING if lenient else ERROR),
        *_find_topic_differences(inspection),
        *_find_same_runs(inspection),
        *_find_contradicted_ranks(inspection.runs, inspection.campaign.runs),
        *_find_judgment_problems(inspection),
        *([] if numbers is None else _find_uncertain_values(inspection, numbers)),
        *_find_reading_notes(inspection, lenient),
    ]
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def _find_unreadable(inspection: Inspection) -> list[InputFinding]:
    """Return a finding for each file that cannot be read; its kind is the reason, unless there are many reasons."""
    reasons = [_describe_reason(failure) for failure in inspection.unreadable]
    if len(set(reasons)) > _MAX_REASONS:
        reasons = [reason if reason == _SAME_NAME else "files that cannot be read" for reason in reasons]
    return [
        InputFinding(ERROR, reason, failure.source, 1, None, failure.message, (failure.source,))
        for failure, reason in zip(inspection.unreadable, reasons, strict=True)
    ]


def _describe_reason(failure: Unreadable) -> str:
    """Return the first part of the message of a source that cannot be read, without the source and the remedy."""
    if failure.is_named_twice:
        return _SAME_NAME
    reason = failure.message.removeprefix(failure.source).lstrip(": ")
    return f"cannot be read: {re.split(r';| [(]|, and ', reason)[0]}"


def _find_bad_lines(inspection: Inspection, severity: str) -> Iterator[InputFinding]:
    """Find lines and rows that a strict reader refuses."""
    qrels = inspection.campaign.judgments
    sources: list[tuple[str, tuple[ProblemKind, ...]]] = [
        *((failure.source, failure.problems) for failure in inspection.unreadable),
        (qrels.source, qrels.problems),
        *((run.source, run.problems) for run in inspection.runs),
    ]
    # The problems of a file with several runs occur in each of its runs.
    for source, problem in dict.fromkeys((source, problem) for source, problems in sources for problem in problems):
        remedy = (
            "commands skip them with --lenient" if severity == WARNING else "fix them, or pass lenient=True (--lenient)"
        )
        message = f"{problem.first}; {pluralize(problem.occurrences, 'problem')} of this kind; {remedy}"
        yield InputFinding(severity, problem.noun, source, problem.occurrences, None, message, problem.places)


def _find_topic_differences(inspection: Inspection) -> Iterator[InputFinding]:
    """Find topics that only the judgments or only a run have, and rankings of different depth."""
    if not inspection.has_judgments:
        return
    topics = inspection.campaign.topics
    depths = [int(run.length.max(initial=0)) for run in inspection.runs]
    for name, run, depth in zip(inspection.campaign.runs, inspection.runs, depths, strict=True):
        answered, unknown = len(run.topic), len(run.unjudged_topics)
        if not answered:
            message = no_shared_topic_message(run.source, run.unjudged_topics, topics)
            yield InputFinding(ERROR, "runs without a judged topic", name, 1, None, f"{message}; check the topic ids")
            continue
        if answered < len(topics):
            missing = [topics[i] for i in np.flatnonzero(~run.answered).tolist()]
            message = f"{name} lacks {len(missing)} of {pluralize(len(topics), 'judged topic')}: {join_names(missing)}"
            remedy = "they count as empty rankings unless missing=exclude"
            yield InputFinding(
                WARNING, "judged topics that runs lack", name, len(missing), len(topics), f"{message}; {remedy}"
            )
        if unknown:
            ignored = join_names(sorted(run.unjudged_topics))
            message = f"{name}: commands ignore {pluralize(unknown, 'topic')} without judgments: {ignored}"
            yield InputFinding(
                NOTE,
                "topics of runs without judgments",
                name,
                unknown,
                answered + unknown,
                message,
            )
        if depth < max(depths):
            message = f"{name} has at most {depth} documents for a topic, other runs have up to {max(depths)}"
            remedy = "compare runs at the smallest depth, or retrieve as many documents"
            kind = f"runs with fewer than {max(depths)} documents"
            yield InputFinding(WARNING, kind, name, 1, len(depths), f"{message}; {remedy}", (f"{name} ({depth})",))


def _find_same_runs(inspection: Inspection) -> Iterator[InputFinding]:
    """Find runs with the same rankings, and runs with the same tag."""
    groups: dict[int, list[int]] = defaultdict(list)
    for index, run in enumerate(inspection.runs):
        if run.facts is not None:
            groups[run.facts.rankings].append(index)
    names = inspection.campaign.runs
    for indices in groups.values():
        first, *others = indices
        for other in others:
            facts = [inspection.runs[index].facts for index in (first, other)]
            same_scores = len({one.scores for one in facts if one is not None}) == 1
            kind = "runs with identical rankings and scores" if same_scores else "runs with identical rankings"
            message = f"{names[other]} ranks the same documents in the same order as {names[first]}"
            scores = ", with the same scores" if same_scores else ", with other scores"
            yield InputFinding(WARNING, kind, names[other], 1, len(names), f"{message}{scores}; keep one of them")
    tags = Counter(run.name for run in inspection.runs)
    for name, run in zip(names, inspection.runs, strict=True):
        if tags[run.name] > 1:
            message = f"{run.source} has the tag {run.name}, like {tags[run.name] - 1} other runs; it is named {name}"
            yield InputFinding(NOTE, "runs that share a tag", name, 1, len(names), message)


def _find_contradicted_ranks(runs: Sequence[JoinedRun], names: Sequence[str]) -> Iterator[InputFinding]:
    for name, run in zip(names, runs, strict=True):
        facts = run.facts
        if facts is not None and facts.invalid_ranks:
            message = f"{name}: {pluralize(facts.invalid_ranks, 'rank')} are not whole numbers; ranks were not compared"
            yield InputFinding(NOTE, "ranks that are not whole numbers", name, facts.invalid_ranks, facts.rows, message)
        if facts is not None and facts.contradicted_topics:
            topics = facts.contradicted_topics
            total = len(run.topic) + len(run.unjudged_topics)
            message = f"{name}: ranks contradict scores in {pluralize(len(topics), 'topic')}: {join_names(topics)}"
            remedy = "documents are ordered by score; if the ranks are right, use ties=rank or correct the scores"
            kind = "topics whose ranks contradict scores"
            yield InputFinding(WARNING, kind, name, len(topics), total, f"{message}; {remedy}")


def _find_judgment_problems(inspection: Inspection) -> Iterator[InputFinding]:
    """Find topics with few judgments, and negative grades; a document is relevant from grade 1."""
    if not inspection.has_judgments:
        return
    qrels = inspection.campaign.judgments
    judged, relevant = qrels.counts.sum(axis=1), qrels.counts[:, qrels.levels >= 1].sum(axis=1)
    negative = int(qrels.counts[:, qrels.levels < 0].sum())

    def build(kind: str, mask: np.ndarray, remedy: str) -> Iterator[InputFinding]:
        topics = [qrels.topics[i] for i in np.flatnonzero(mask).tolist()]
        if topics:
            message = f"{kind}: {join_names(topics)}; {remedy}"
            yield InputFinding(NOTE, kind, qrels.source, len(topics), len(judged), message, tuple(topics[:5]))

    yield from build("topics without relevant documents", relevant == 0, "counted as 0 unless undefined=exclude")
    yield from build("topics with a single judged document", judged == 1, "values depend on one judgment")
    if negative:
        message = f"judgments below 0: {negative}; non-relevant, and unjudged documents in some measures, such as bpref"
        yield InputFinding(NOTE, "judgments with a negative grade", qrels.source, negative, len(qrels), message)


def _find_uncertain_values(inspection: Inspection, numbers: CheckedValues) -> Iterator[InputFinding]:
    """Find runs whose values depend on unjudged documents or on the order of ties, the worst runs first."""
    if numbers.failure:
        yield InputFinding(
            ERROR, "measures without a value", inspection.campaign.judgments.source, 1, None, numbers.failure
        )
    names = inspection.campaign.runs
    has_judged = _have_judged_documents(inspection.campaign)
    shares, cutoff = numbers.unjudged_share[0], numbers.cutoffs[0]
    for i in np.argsort(-shares, kind="stable").tolist():
        name, documents = names[i], int(numbers.length[i].sum())
        if documents and not has_judged[i]:
            message = f"{name}: none of {pluralize(documents, 'document')} is judged; check the document ids"
            yield InputFinding(WARNING, "runs without a judged document", name, 1, len(names), message)
        elif shares[i] > 0:
            number, total = round(numbers.unjudged[0, i].sum()), int(numbers.considered[0, i].sum())
            share = format_percentage(shares[i])
            message = f"{name}: {number} of {total} documents ({share}) in the top {cutoff} are unjudged"
            message += "; assay uncertainty bounds shows how much they can change values"
            is_large = shares[i] >= _MANY_UNJUDGED
            kind = f"{'many ' if is_large else ''}unjudged documents in the top {cutoff}"
            yield InputFinding(
                WARNING if is_large else NOTE, kind, name, number, total, message, (f"{name} ({share})",)
            )
    yield from _find_tie_effects(numbers, names)


def _have_judged_documents(campaign: Campaign) -> np.ndarray:
    """Return for each run whether it retrieved a judged document."""
    rankings = campaign.whole
    borders = rankings.start[:: len(campaign.topics)].tolist()
    return np.array([rankings.code[begin:end].any() for begin, end in pairwise(borders)], dtype=bool)


def _find_tie_effects(numbers: CheckedValues, names: Sequence[str]) -> Iterator[InputFinding]:
    if numbers.results is None:
        return
    ranges = np.nan_to_num(numbers.tie_range)
    for i in np.argsort(-ranges.max(axis=0, initial=0), kind="stable").tolist():
        largest = float(ranges[:, i].max(initial=0))
        if largest < VISIBLE:
            continue
        measures = zip(numbers.results.measures, ranges[:, i].tolist(), strict=True)
        changes = join_names(f"mean {measure} by {value:.4f}" for measure, value in measures if value >= VISIBLE)
        message = f"{names[i]}: the order of tied documents can change the {changes}; see assay uncertainty ties"
        is_large = largest >= _LARGE_TIE_RANGE
        kind = f"runs whose ties change means by {_LARGE_TIE_RANGE}" if is_large else "runs whose ties change means"
        example = f"{names[i]} ({largest:.4f})"
        yield InputFinding(WARNING if is_large else NOTE, kind, names[i], 1, len(names), message, (example,))


def _find_reading_notes(inspection: Inspection, lenient: bool) -> Iterator[InputFinding]:
    """Find other notes of the readers, such as several tags in a file."""
    qrels = inspection.campaign.judgments
    sources = [(qrels.source, qrels.notes, qrels.problems)]
    sources += [(run.source, run.notes, run.problems) for run in inspection.runs]
    seen = set()
    for source, notes, problems in sources:
        for note in notes:
            is_counted = any(f": {problem.action}: " in note for problem in problems)
            has_kind = isinstance(note, Note) and note.kind
            if is_counted or has_kind or note in seen:
                continue
            seen.add(note)
            if "compressed but not named" in note:
                severity = NOTE if lenient else ERROR
                yield InputFinding(severity, "compressed files without their suffix", source, 1, None, note, (source,))
            elif "different tags" in note:
                yield InputFinding(NOTE, "files with several tags", source, 1, None, note, (source,))
            else:
                yield InputFinding(NOTE, "notes of the readers", source, 1, None, note, (source,))
    for note in inspection.notes:
        source = note.partition(": ")[0]
        yield InputFinding(NOTE, "directories with entries that are not files", source, 1, None, note, (source,))
