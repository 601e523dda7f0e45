"""Small campaigns for the tests of reports."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from assay import read, simulate
from assay.engine.campaign import Campaign
from assay.views.report import section
from assay.views.report.context import ReportContext
from assay.views.report.figures import Chart, Figures
from assay.views.report.settings import ReportSettings

HOSTILE = "<script>alert(1)</script>"
POLICIES = ("ties", "missing", "undefined", "unjudged")


def campaign_and_settings(qrels: Any, runs: Any, options: dict[str, Any]) -> tuple[Campaign, ReportSettings]:
    """Read a campaign with the policies among *options*; the others are settings of its report."""
    policies = {name: value for name, value in options.items() if name in POLICIES}
    settings = {name: value for name, value in options.items() if name not in POLICIES}
    return read(qrels, runs, keep="judgments", **policies), ReportSettings(**settings)


def context_of(qrels: Any, runs: Any, *measures: str, **options: Any) -> ReportContext:
    """Return the context of a report, by default for AP only; *options* are policies and settings."""
    return ReportContext.of(*campaign_and_settings(qrels, runs, {"measures": measures or ("AP",), **options}))


def simulated_context(
    systems: int = 5, topics: int = 12, seed: int = 3, *measures: str, **options: Any
) -> ReportContext:
    collection = simulate(systems=systems, topics=topics, seed=seed)
    return context_of(collection.qrels, list(collection.runs), *measures, **options)


def campaign_with_ranks(ranks_by_run: dict[str, list[int]]) -> tuple[Any, Any]:
    """Return qrels and runs: each run ranks the only relevant document of each topic at the given rank.

    A rank of 0 means that the document is not retrieved. RR is therefore 1 / rank, or 0.
    """
    topics = len(next(iter(ranks_by_run.values())))
    qrels = {f"q{t}": {"rel": 1, "non": 0} for t in range(topics)}
    runs = {run: {f"q{t}": _ranking(rank) for t, rank in enumerate(ranks)} for run, ranks in ranks_by_run.items()}
    return qrels, runs


def context_with_ranks(ranks_by_run: dict[str, list[int]], *measures: str, **settings: Any) -> ReportContext:
    """Return the context of a report on :func:`campaign_with_ranks`, by default for RR only."""
    return context_of(*campaign_with_ranks(ranks_by_run), *(measures or ("RR",)), **settings)


def _ranking(rank: int) -> dict[str, float]:
    others = {f"d{i}": 100.0 - i for i in range(1, rank or 4)}
    return {**others, **({"rel": 100.0 - rank} if rank else {})}


class Undrawn(Figures):
    """Figures that are not drawn."""

    def add_frame(self, name: str, *_: Any, **__: Any) -> Chart:
        return Chart(name, "", "", "", "svg")


def compute_section(module: Any, context: ReportContext) -> section.Section:
    """Return a section without its figures."""
    return section.compute_section(module.__name__.rpartition(".")[2], context, Undrawn())


def headline(module: Any, context: ReportContext) -> list[str]:
    """Return the sentences of a section that are also main findings, or the reason why it has none."""
    computed = compute_section(module, context)
    is_absent = isinstance(computed.content, str)
    return re.split(r"(?<=\.) ", strip_markup(computed.absence if is_absent else computed.headline()))


def visible_text(module: Any, context: ReportContext) -> str:
    """Return the visible text of a section."""
    return strip_markup(compute_section(module, context).html())


def strip_markup(html: str) -> str:
    """Return the visible text of markup, in one line."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", html))).strip()
