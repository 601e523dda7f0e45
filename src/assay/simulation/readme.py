"""What was drawn, told in Markdown beside the files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from assay._version import VERSION
from assay.simulation.parameters import Parameters
from assay.simulation.scoring import SCALES
from assay.simulation.systems import System
from assay.simulation.world import FIRST_TOPIC

if TYPE_CHECKING:
    from assay.simulation.gathering import Gathered, Judgments

TITLE = "# A simulated test collection"
MOST_TOPICS = 200

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


def readme(parameters: Parameters, systems: Sequence[System], gathered: Gathered) -> str:
    """Write the README of a collection."""
    sections = (
        [TITLE, _about(parameters)],
        ["## What was asked for", _table(("parameter", "value"), asdict(parameters).items())],
        ["## Topics", _topics(parameters, gathered)],
        ["## Systems", _peculiarities(systems), _systems(systems, gathered), _scales(systems)],
        ["## How it was drawn", _model(parameters)],
    )
    return "\n\n".join(part for section in sections for part in section) + "\n"


def _about(parameters: Parameters) -> str:
    options = " ".join(f"--{name} {value}" for name, value in asdict(parameters).items())
    return f"""\
Everything here was drawn from random numbers: no document has a text, no system was run and nobody judged. It is made
to behave like what a TREC campaign leaves behind. The same command gives the same files (assay {VERSION}):

    assay simulate DIR {options}

| file | what it is |
| --- | --- |
| `qrels.txt` | judgments in TREC format: `topic 0 document grade` |
| `runs/NAME.run` | one run for each system in TREC format: `topic Q0 document rank score name` |"""


def _topics(parameters: Parameters, gathered: Gathered) -> str:
    relevant, judged = ([len(one.doc) for one in judgments] for judgments in (gathered.truth, gathered.judged))
    found = [_relevant(one) for one in gathered.judged]
    counts = {"relevant": relevant, "judged": judged, "judged and relevant": found}
    numbers = range(FIRST_TOPIC, FIRST_TOPIC + parameters.topics)
    results, seen, barren = int(gathered.length.sum()), int(gathered.seen.sum()), found.count(0)
    parts = [
        f"""\
Topics {numbers[0]} to {numbers[-1]}. The pools hold {sum(judged)} documents, {sum(found)} of them relevant: that is
{sum(found) / sum(relevant):.0%} of the {sum(relevant)} relevant documents that there are.""",
        f"""\
Of the {results} results in the runs {seen} are judged ({seen / results:.0%}); the others are unjudged.""",
        _table(("by topic", "least", "median", "most"), ((name, *_range(values)) for name, values in counts.items())),
        _table(("grade", "judged", "true"), _grades(parameters, gathered)),
    ]
    if barren:
        parts.append(f"For {barren} of the topics no relevant document is in the pool.")
    if parameters.topics <= MOST_TOPICS:
        ease = (f"{one:.2f}" for one in gathered.ease)
        parts.append(_table(("topic", "ease", *counts), zip(numbers, ease, *counts.values(), strict=True)))
    return "\n\n".join(parts)


def _relevant(judgments: Judgments) -> int:
    return int((judgments.grade > 0).sum())


def _range(counts: Sequence[int]) -> tuple[int, str, int]:
    return min(counts), f"{np.median(counts):g}", max(counts)


def _grades(parameters: Parameters, gathered: Gathered) -> Iterable[tuple[object, ...]]:
    judged, true = (
        np.bincount(np.concatenate([one.grade for one in judgments]), minlength=parameters.grades)
        for judgments in (gathered.judged, gathered.truth)
    )
    yield 0, judged[0], "the rest"
    yield from ((grade, judged[grade], true[grade]) for grade in range(1, parameters.grades))


def _peculiarities(systems: Sequence[System]) -> str:
    """Name the runs that need care, one line for each reason."""
    skipped = [f"{system.name} (topic {FIRST_TOPIC + system.skips})" for system in systems if system.skips is not None]
    lines = {
        "Not pooled, so that it can be studied how a new system fares": _named(systems, "pooled", False),
        "Without an answer to one topic": skipped,
        "With fewer documents than the depth for some topics": _named(systems, "short", True),
        "With tied scores": [system.name for system in systems if system.ties != "none"],
        "With a rank column that contradicts the scores (lines are in its order)": _named(
            systems, "ranks", "before rescoring"
        ),
        "With a rank column that starts at 0": _named(systems, "ranks", "from 0"),
    }
    told = [f"* {what}: {', '.join(names) or 'none'}." for what, names in lines.items()]
    return "\n".join(["Systems of one family share part of what they see and retrieve the same documents.", "", *told])


def _named(systems: Sequence[System], attribute: str, value: object) -> list[str]:
    return [system.name for system in systems if getattr(system, attribute) == value]


def _systems(systems: Sequence[System], gathered: Gathered) -> str:
    results, tied, seen = (counts.sum(axis=1) for counts in (gathered.length, gathered.tied, gathered.seen))
    rows = (
        (
            system.name,
            f"{system.quality:.2f}",
            results[i],
            f"{seen[i] / results[i]:.0%}",
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
        ("scores", "what they look like"), ((name, one.about) for name, one in SCALES.items() if name in used)
    )


def _model(parameters: Parameters) -> str:
    return f"""\
* The collection has {parameters.documents} documents. For each topic {parameters.candidates} of them are candidates;
  the same document may be a candidate of several topics.
* The number of relevant documents of a topic is log-normal; each higher grade is rarer than the one below.
* To a system a candidate looks as good as the sum of what every system sees in it, what its family sees, what it sees
  alone, and, if the candidate is relevant, the *quality* of the system times the *ease* of the topic times how well
  this document shows its relevance (more for higher grades). A system does better on some topics than on others.
* A run is the {parameters.depth} candidates that look best, scored on the scale of the family.
* For each topic the first {parameters.pool} documents of every pooled run were judged, with their true grade. First
  means by score, and tied documents by document id in descending order, as trec_eval reads a run. No other document was
  judged."""


def _table(header: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
