"""Small campaigns for the tests of reports."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from assay import simulate
from assay.views.report.figures import Chart, Figures
from assay.views.report.material import Material, ReportSettings
from assay.views.report.section import Section

HOSTILE = "<script>alert(1)</script>"


def material(qrels: Any, runs: Any, *measures: str, **settings: Any) -> Material:
    """What a report is made of; by default of one measure."""
    return Material.of(qrels, runs, ReportSettings(measures=measures or ("AP",), **settings))


def simulated(systems: int = 5, topics: int = 12, seed: int = 3, *measures: str, **settings: Any) -> Material:
    made = simulate(systems=systems, topics=topics, seed=seed)
    return material(made.qrels, list(made.runs), *measures, **settings)


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


def section(module: Any, of: Material) -> Section:
    """A section, without its figures."""
    found: Section = module.compute(of, Undrawn())
    return found


def headline(module: Any, of: Material) -> list[str]:
    """The sentences of a section that are also among the main findings, or why there is none."""
    found = section(module, of)
    return re.split(r"(?<=\.) ", text(found.headline() if found.content else found.absence))


def shown(module: Any, of: Material) -> str:
    """What a reader sees of a section."""
    return text(section(module, of).html())


def text(html: str) -> str:
    """What a reader sees of markup, in one line."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", "", html))).strip()
