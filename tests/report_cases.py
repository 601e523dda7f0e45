"""Small campaigns for the tests of reports."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from assay import simulate
from assay.views.report.figures import Figures
from assay.views.report.material import Material, Settings
from assay.views.report.section import Section

HOSTILE = "<script>alert(1)</script>"


def material(qrels: Any, runs: Any, *measures: str, **settings: Any) -> Material:
    """What a report is made of; by default of one measure."""
    return Material.of(qrels, runs, Settings(measures=measures or ("AP",), **settings))


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


def section(module: Any, of: Material) -> Any:
    """A section, with figures that nobody looks at."""
    return module.compute(of, Figures())


def headline(module: Any, of: Material) -> list[str]:
    """The sentences of a section that are also among the main findings."""
    return [text(sentence) for sentence in section(module, of).headline if sentence is not None]


def text(shown: Any) -> str:
    """What a reader sees of a phrase or of a rendered section, in one line; nothing of None."""
    if not isinstance(shown, Section):
        return "" if shown is None else str(shown)
    return re.sub(r"\s+", " ", visible(shown.html())).strip()


def visible(html: str) -> str:
    """The text between the tags."""
    return unescape(re.sub(r"<[^>]*>", "", html))
