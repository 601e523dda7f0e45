"""Head of a report: title, facts about the evaluation, inputs, and main findings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from assay._version import VERSION
from assay.significance.wording import describe_test
from assay.views.report.context import ReportContext
from assay.views.report.display_table import Cell
from assay.views.report.names import to_name
from assay.views.report.phrasing import NO_VALUE, count, count_those
from assay.views.report.section import Section

MAIN_SECTIONS = ("leaderboard", "effort", "agreement", "significance", "robustness", "uncertainty", "topics")
"""Sections whose headlines are the main findings."""
POLICIES = ("ties", "missing", "undefined", "unjudged")


def describe(context: ReportContext, sections: Sequence[Section]) -> dict[str, Any]:
    """Return the variables of the template ``head.html``."""
    return {
        "title": make_title(context),
        "facts": list_facts(context),
        "inputs": list_inputs(context),
        "findings": [section for section in sections if section.name in MAIN_SECTIONS and not section.absence],
    }


def make_title(context: ReportContext) -> str:
    """Return the title of the settings, or a default title with the number of runs and the number of topics."""
    title = (context.settings.title or "").strip()
    return title or f"Evaluation of {count(len(context.runs), 'run')} on {count(len(context.topics), 'topic')}"


def list_facts(context: ReportContext) -> dict[str, Cell]:
    """Return the facts about the evaluation: runs, topics, judgments, measures, test and policies."""
    qrels, settings = context.campaign.judgments, context.settings
    relevant = count_those(int(qrels.counts[:, qrels.levels >= context.rel].sum()), "is relevant", "are relevant")
    policies = [f"{policy} {getattr(context.campaign.policies, policy)}" for policy in POLICIES]
    at_least = "" if context.rel == 1 else f" (a grade of at least {context.rel:g})"
    test = (
        "none: there is only one run"
        if context.comparison is None
        else f"{describe_test(context.comparison)}, alpha {settings.alpha:g}"
    )
    return {
        "Runs": f"{len(context.runs):,}",
        "Topics": f"{len(context.topics):,}",
        "Judgments": f"{len(qrels):,}, of which {relevant}{at_least}; grades {_grades(qrels.levels.tolist())}",
        "Measures": [to_name(measure) for measure in context.measures],
        "Test": test,
        "Policies": ", ".join([*policies, f"seed {settings.seed}"]),
        "Software": f"assay {VERSION}",
    }


def _grades(levels: list[float], limit: int = 8) -> str:
    texts = [f"{level:g}" for level in levels]
    return ", ".join(texts) if len(texts) <= limit else f"{texts[0]} to {texts[-1]} ({len(texts)} grades)"


def list_inputs(context: ReportContext) -> list[tuple[str, str, str, str | None]]:
    """Return name, role, file name and SHA-256 of every input; directories are omitted, because they are private."""
    return [
        (
            "qrels" if entry.role == "qrels" else entry.name,
            entry.role,
            PurePath(entry.source).name or entry.source if entry.sha256 else NO_VALUE,
            entry.sha256,
        )
        for entry in context.campaign.provenance.inputs
    ]
