"""Small campaigns for the tests of reports."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from assay import read, simulate
from assay.engine.campaign import Campaign
from assay.views.report.context import ReportContext
from assay.views.report.figures import Chart, Figures
from assay.views.report.section import Section
from assay.views.report.settings import ReportSettings

HOSTILE = "<script>alert(1)</script>"
POLICIES = ("ties", "missing", "undefined", "unjudged")


def campaign_and_settings(qrels: Any, runs: Any, options: dict[str, Any]) -> tuple[Campaign, ReportSettings]:
    """Read a campaign with the policies among *options*; the others are settings of its report."""
    policies = {name: value for name, value in options.items() if name in POLICIES}
    settings = {name: value for name, value in options.items() if name not in POLICIES}
    return read(qrels, runs, keep="judgments", **policies), ReportSettings(**settings)


def context_of(qrels: Any, runs: Any, *measures: str, **options: Any) -> ReportContext:
    """The context of a report, by default of one measure; *options* are policies and settings."""
    return ReportContext.of(*campaign_and_settings(qrels, runs, {"measures": measures or ("AP",), **options}))


def simulated(systems: int = 5, topics: int = 12, seed: int = 3, *measures: str, **options: Any) -> ReportContext:
    collection = simulate(systems=systems, topics=topics, seed=seed)
    return context_of(collection.qrels, list(collection.runs), *measures, **options)


def graded(values: dict[str, list[int]]) -> tuple[Any, Any]:
    """Qrels and runs: each run has on each topic a ranking whose first relevant document stands at the rank given.

    A rank of 0 stands for a ranking without relevant documents, so that RR is 1 / rank, or 0.
    """
    topics = len(next(iter(values.values())))
    qrels = {f"q{t}": {"rel": 1, "non": 0} for t in range(topics)}
    runs = {run: {f"q{t}": _ranking(rank) for t, rank in enumerate(ranks)} for run, ranks in values.items()}
    return qrels, runs


def _ranking(rank: int) -> dict[str, float]:
    others = {f"d{i}": 100.0 - i for i in range(1, rank or 4)}
    return {**others, **({"rel": 100.0 - rank} if rank else {})}


class Undrawn(Figures):
    """Figures that nobody looks at."""

    def add(self, name: str, *_: Any, **__: Any) -> Chart:
        return Chart(name, "", "", "", "svg")


def section(module: Any, of: ReportContext) -> Section:
    """A section, without its figures."""
    found: Section = module.compute(of, Undrawn())
    return found


def headline(module: Any, of: ReportContext) -> list[str]:
    """The sentences of a section that are also among the main findings, or why there is none."""
    found = section(module, of)
    return re.split(r"(?<=\.) ", text(found.headline() if found.content else found.absence))


def shown(module: Any, of: ReportContext) -> str:
    """Return the visible text of a section."""
    return text(section(module, of).html())


def text(html: str) -> str:
    """Return the visible text of markup, in one line."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", html))).strip()
