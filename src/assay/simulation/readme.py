"""README of a simulated collection, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from assay._version import VERSION
from assay.simulation.parameters import Parameters
from assay.simulation.scoring import SCALES
from assay.simulation.systems import System
from assay.simulation.topics import FIRST_TOPIC

if TYPE_CHECKING:
    from assay.simulation.campaign_arrays import CampaignArrays

TITLE = "# A simulated test collection"
MAX_TOPICS = 200  # topics that are listed one by one

_TIES = {
    "none": "none",
    "rounded": "rounded scores",
    "tail": "lower half tied",
    "levels": "a few levels only",
}
_RANKS = {
    "by score": "from 1, by score",
    "from 0": "from 0, by score",
    "before rescoring": "contradicts the scores",
}


def render_readme(parameters: Parameters, systems: Sequence[System], arrays: CampaignArrays) -> str:
    """Return the README of a collection."""
    sections = (
        [TITLE, _introduction(parameters)],
        ["## Parameters", _table(("parameter", "value"), asdict(parameters).items())],
        ["## Topics", _topics(parameters, arrays)],
        ["## Systems", _peculiarities(systems), _systems(systems, arrays), _scales(systems)],
        ["## Model", _model(parameters)],
    )
    return "\n\n".join(paragraph for section in sections for paragraph in section) + "\n"


def _introduction(parameters: Parameters) -> str:
    """Describe the collection, the command that writes it, and its files."""
    options = " ".join(f"--{name} {value}" for name, value in asdict(parameters).items())
    return f"""\
This collection is simulated: documents have no text, and systems, runs and judgments are drawn from random numbers. It
resembles the runs and qrels of a TREC campaign. The following command writes the same files again (assay {VERSION}):

    assay simulate DIR {options}

| file | content |
| --- | --- |
| `qrels.txt` | judgments in TREC format: `topic 0 document grade` |
| `runs/NAME.run` | one run for each system in TREC format: `topic Q0 document rank score name` |"""


def _topics(parameters: Parameters, arrays: CampaignArrays) -> str:
    """Describe the pools, the results and the judgments of the topics."""
    relevant, judged = ([len(topic.doc) for topic in judgments] for judgments in (arrays.truth, arrays.judged))
    judged_relevant = [int((topic.grade > 0).sum()) for topic in arrays.judged]
    counts = {"relevant": relevant, "judged": judged, "judged and relevant": judged_relevant}
    numbers = range(FIRST_TOPIC, FIRST_TOPIC + parameters.topics)
    results, judged_results = int(arrays.length.sum()), int(arrays.judged_retrieved.sum())
    without_relevant = judged_relevant.count(0)
    paragraphs = [
        f"""\
Topics {numbers[0]} to {numbers[-1]}. The pools contain {sum(judged)} documents, {sum(judged_relevant)} of which are
relevant: {sum(judged_relevant) / sum(relevant):.0%} of all {sum(relevant)} relevant documents.""",
        f"""\
The runs contain {results} results, {judged_results} of which are judged ({judged_results / results:.0%}).""",
        _table(
            ("by topic", "lowest", "median", "highest"),
            ((name, min(values), f"{np.median(values):g}", max(values)) for name, values in counts.items()),
        ),
        _table(("grade", "judged", "true"), _grade_rows(parameters, arrays)),
    ]
    if without_relevant:
        paragraphs.append(f"Topics without a relevant document in the pool: {without_relevant}.")
    if parameters.topics <= MAX_TOPICS:
        ease = (f"{value:.2f}" for value in arrays.ease)
        paragraphs.append(_table(("topic", "ease", *counts), zip(numbers, ease, *counts.values(), strict=True)))
    return "\n\n".join(paragraphs)


def _grade_rows(parameters: Parameters, arrays: CampaignArrays) -> Iterable[tuple[object, ...]]:
    """Return the number of judged and of all documents of each grade."""
    judged, true = (
        np.bincount(np.concatenate([topic.grade for topic in judgments]), minlength=parameters.grades)
        for judgments in (arrays.judged, arrays.truth)
    )
    yield 0, judged[0], "all others"
    yield from ((grade, judged[grade], true[grade]) for grade in range(1, parameters.grades))


def _peculiarities(systems: Sequence[System]) -> str:
    """List the runs with unusual properties, one line for each property."""
    skipped = [f"{system.name} (topic {FIRST_TOPIC + system.skips})" for system in systems if system.skips is not None]
    lines = {
        "Not pooled, like a new system that reuses the collection": _find_names(systems, "pooled", False),
        "Without results for one topic": skipped,
        "With fewer documents than the depth for some topics": _find_names(systems, "short", True),
        "With tied scores": [system.name for system in systems if system.ties != "none"],
        "With a rank column that contradicts the scores (lines are in its order)": _find_names(
            systems, "ranks", "before rescoring"
        ),
        "With a rank column that starts at 0": _find_names(systems, "ranks", "from 0"),
    }
    items = [f"* {label}: {', '.join(names) or 'none'}." for label, names in lines.items()]
    return "\n".join(["Systems of a family have correlated scores and retrieve similar documents.", "", *items])


def _find_names(systems: Sequence[System], attribute: str, value: object) -> list[str]:
    """Return the names of the systems whose attribute has this value."""
    return [system.name for system in systems if getattr(system, attribute) == value]


def _systems(systems: Sequence[System], arrays: CampaignArrays) -> str:
    """Return the table of the systems and their runs."""
    by_topic = (arrays.length, arrays.tied, arrays.judged_retrieved)
    results, tied, judged = (counts.sum(axis=1) for counts in by_topic)
    rows = (
        (
            system.name,
            f"{system.quality:.2f}",
            results[i],
            f"{judged[i] / results[i]:.0%}",
            system.scale,
            _TIES[system.ties],
            f"{tied[i] / results[i]:.1%}",
            _RANKS[system.ranks],
            "yes" if system.pooled else "no",
        )
        for i, system in enumerate(systems)
    )
    header = ("run", "quality", "results", "judged", "scores", "ties", "tied", "rank column", "pooled")
    return _table(header, rows)


def _scales(systems: Sequence[System]) -> str:
    used = {system.scale for system in systems}
    return _table(
        ("scores", "description"), ((name, scale.description) for name, scale in SCALES.items() if name in used)
    )


def _model(parameters: Parameters) -> str:
    """Describe how documents, scores and judgments are drawn."""
    return f"""\
* The collection has {parameters.documents} documents. For each topic {parameters.candidates} of them are candidates;
  the same document may be a candidate of several topics.
* The number of relevant documents of a topic is log-normal; each grade is rarer than the one below.
* The score of a candidate is a sum of random components: one shared by all systems, one of the family, one of the
  system, and, if the candidate is relevant, the *quality* of the system times the *ease* of the topic times the
  relevance signal of the document, which is higher for higher grades. The quality of a system varies between topics.
* A run consists of the {parameters.depth} candidates with the highest scores, on the scale of its family.
* For each topic, the top {parameters.pool} documents of every pooled run are judged with their true grades. Documents
  are sorted as in trec_eval: by descending score, and tied documents by descending id. No other document is judged."""


def _table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
