"""The beginning of a report: what was evaluated and how, and the main findings in short."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import polars as pl

from assay._version import VERSION
from assay.views.compare import how
from assay.views.report.markup import Html, fold, joined, table, tag
from assay.views.report.material import Material
from assay.views.report.section import Section
from assay.views.report.words import many, name, those

SHORT = ("leaderboard", "effort", "agreement", "significance", "robustness", "uncertainty", "topics")
"""Sections of which the first sentences stand at the beginning."""
POLICIES = ("ties", "topics", "undefined", "unjudged", "seed")


def title(material: Material) -> str:
    """The heading of the report."""
    given = material.settings.title
    if given is not None and given.strip():
        return given.strip()
    return f"Evaluation of {many(len(material.runs), 'run')} on {many(len(material.topics), 'topic')}"


def head(material: Material, sections: Sequence[Section]) -> Html:
    """Heading, facts, inputs and findings."""
    return joined(
        [tag("h1", title(material)), facts(material), inputs(material), findings(sections)],
        "\n",
    )


def facts(material: Material) -> Html:
    """What was evaluated, and by which decisions."""
    qrels, settings = material.pools.qrels, material.settings
    relevant = those(int(qrels.counts[:, qrels.levels >= material.rel].sum()), "is relevant", "are relevant")
    at_least = "" if material.rel == 1 else f" (a grade of at least {material.rel:g})"
    policies = ", ".join(f"{word} {getattr(settings, word)}" for word in POLICIES)
    test = (
        "none: there is one run only"
        if material.comparison is None
        else f"{how(material.comparison)}, alpha {settings.alpha:g}"
    )
    rows = {
        "Runs": f"{len(material.runs):,}",
        "Topics": f"{len(material.topics):,}",
        "Judgments": f"{len(qrels):,}, of which {relevant}{at_least}; grades {_grades(qrels.levels.tolist())}",
        "Measures": joined([name(str(measure)) for measure in material.measures], ", "),
        "Test": test,
        "Policies": policies,
        "Made by": f"assay {VERSION}",
    }
    return tag("dl", *(joined([tag("dt", word), tag("dd", text)]) for word, text in rows.items()), class_="facts")


def _grades(levels: list[float], most: int = 8) -> str:
    shown = [f"{level:g}" for level in levels]
    return ", ".join(shown) if len(shown) <= most else f"{shown[0]} to {shown[-1]}, {len(shown)} of them"


def inputs(material: Material) -> Html:
    """The names of the inputs and what they held, to the byte; not where they lay."""
    rows = [
        ("qrels" if one.role == "qrels" else one.name, one.role, _file(one.source) if one.sha256 else None, one.sha256)
        for one in material.pools.provenance.inputs
    ]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(("name", "role", "file", "sha256"), pl.String), orient="row")
    show = {"sha256": lambda digest: tag("code", digest) if digest else "not a file"}
    made = table(frame, "What was read; the same SHA-256 means the same bytes.", heads={"sha256": "SHA-256"}, show=show)
    return fold(f"Inputs ({len(rows)})", made)


def _file(source: str) -> str:
    return PurePath(source).name or source


def findings(sections: Sequence[Section]) -> Html:
    """The first sentences of the sections that have something to show."""
    items = [
        tag("li", joined(section.brief[:2], " "), " ", tag("a", section.title, href=f"#{section.name}", class_="more"))
        for section in sections
        if section.name in SHORT and section.content
    ]
    return tag("div", tag("h2", "In short"), tag("ul", *items), class_="short") if items else Html("")
