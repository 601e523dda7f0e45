"""Small campaigns with known properties: runs of graded quality over topics with graded judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

Judgments = dict[str, dict[str, float]]
Runs = dict[str, dict[str, dict[str, float]]]


def random_campaign(
    seed: int = 0, runs: int = 6, topics: int = 4, grades: tuple[float, ...] = (0, 0, 0, 1, 2), documents: int = 40
) -> tuple[Judgments, Runs]:
    """Return judgments and runs: three of four documents are judged, and scores are grades plus noise, rounded to tie.

    Each run retrieves about 60 % of the documents; the noise grows with the number of the run.
    """
    rng = np.random.default_rng(seed)
    qrels: Judgments = {}
    rankings_by_run: Runs = {f"run{number}": {} for number in range(runs)}
    for topic in (f"t{number}" for number in range(topics)):
        grade = rng.choice(grades, size=documents)
        judged = rng.random(documents) < 0.75
        judged[0], grade[0] = True, max(grades)
        qrels[topic] = {f"d{i}": float(grade[i]) for i in np.flatnonzero(judged)}
        for number, name in enumerate(rankings_by_run):
            score = np.round(grade + rng.normal(0, 0.5 + number, documents), 1)
            retrieved = np.flatnonzero(rng.random(documents) < 0.6)
            rankings_by_run[name][topic] = {f"d{i}": float(score[i]) for i in retrieved}
    return qrels, rankings_by_run


def write_files(qrels: Judgments, runs: Runs) -> None:
    """Write the campaign to ``qrels.txt`` and a directory ``runs``."""
    lines = [f"{topic} 0 {doc} {grade:g}\n" for topic, documents in qrels.items() for doc, grade in documents.items()]
    Path("qrels.txt").write_text("".join(lines))
    Path("runs").mkdir()
    for name, topics in runs.items():
        ranked = [
            f"{topic} Q0 {doc} {rank} {score} {name}\n"
            for topic, documents in topics.items()
            for rank, (doc, score) in enumerate(documents.items(), 1)
        ]
        Path("runs", name).write_text("".join(ranked))
