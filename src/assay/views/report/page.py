"""The HTML page: sections, data and scripts in one file, with a security policy that blocks all other content."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePath

from assay._version import VERSION
from assay.engine.campaign import Campaign
from assay.views.plots._export import embed_json, runtime
from assay.views.plots._theme import config
from assay.views.report.context import ReportContext
from assay.views.report.display_table import Cell
from assay.views.report.figures import Figures
from assay.views.report.phrasing import NO_VALUE, count, count_those, to_name
from assay.views.report.section import Section, templates
from assay.views.report.sections import STORY_SECTIONS

POLICIES = ("ties", "missing", "undefined", "unjudged")


def render_page(context: ReportContext, sections: Sequence[Section], figures: Figures) -> bytes:
    """Render the whole report as one file."""
    style, scripts = read_asset("page.css"), (runtime(), read_asset("page.js"))
    themes = {
        "light": config("light", background=False),
        "dark": config("dark", background=False),
        "paper": config("light"),
    }
    page = templates().get_template("page.html")
    text = page.render(
        title=make_title(context),
        facts=list_facts(context),
        inputs=list_inputs(context),
        story=[section for section in sections if section.name in STORY_SECTIONS],
        appendix=[section for section in sections if section.name not in (*STORY_SECTIONS, "notes")],
        notes=[section for section in sections if section.name == "notes"],
        version=VERSION,
        policy=security_policy(style, scripts),
        style=style,
        data={"themes": embed_json(themes), **{name: json for json, name in figures.store.items()}},
        runtime=scripts[0],
        script=scripts[1],
    )
    return text.encode(errors="backslashreplace")


def make_title(context: ReportContext) -> str:
    """Return the title of the settings, or a default title with the number of runs and the number of topics."""
    title = (context.settings.title or "").strip()
    return title or f"Evaluation of {count(len(context.runs), 'run')} on {count(len(context.topics), 'topic')}"


def list_facts(context: ReportContext) -> dict[str, Cell]:
    """Return the facts about the evaluation: runs, topics, judgments, measures, test and policies."""
    provenance = context.source.provenance
    if provenance.only_values:
        data = {"Values": "computed by other tools"}
        policies = [f"missing {provenance.settings['missing']}"]
    else:
        data = {"Judgments": _describe_judgments(context)} if isinstance(context.source, Campaign) else {}
        policies = [f"{policy} {getattr(provenance.policies, policy)}" for policy in POLICIES]
    return {
        "Runs": f"{len(context.runs):,}",
        "Topics": f"{len(context.topics):,}",
        **data,
        "Measures": [to_name(measure) for measure in context.measures],
        "Test": context.test_title or "none: there is only one run",
        "Policies": ", ".join([*policies, f"seed {context.settings.seed}"]),
        "Software": f"assay {VERSION}",
    }


def _describe_judgments(context: ReportContext) -> str:
    """Return the number of judgments and of relevant documents, and the grades."""
    qrels = context.campaign.judgments
    relevant = count_those(int(qrels.counts[:, qrels.levels >= context.rel].sum()), "is relevant", "are relevant")
    at_least = "" if context.rel == 1 else f" (a grade of at least {context.rel:g})"
    return f"{len(qrels):,}, of which {relevant}{at_least}; grades {_grades(qrels.levels.tolist())}"


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
        for entry in context.source.provenance.inputs
    ]


@cache
def read_asset(name: str) -> str:
    """Read a style sheet or a script of the page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def security_policy(style: str, scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy of the page: it allows only this style and these scripts, and no requests."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    rules = (
        "default-src 'none'",
        f"script-src {hashes}",
        f"style-src 'sha256-{_digest(style)}'",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
