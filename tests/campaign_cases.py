"""Small campaigns with known properties: runs of graded quality over topics with graded judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np

Judgments = dict[str, dict[str, float]]
Runs = dict[str, dict[str, dict[str, float]]]


def campaign(
    seed: int = 0, runs: int = 6, topics: int = 4, grades: tuple[float, ...] = (0, 0, 0, 1, 2), documents: int = 40
) -> tuple[Judgments, Runs]:
    """Three of four documents are judged; runs see the grades through noise, and lack some documents and ties."""
    rng = np.random.default_rng(seed)
    qrels: Judgments = {}
    found: Runs = {f"run{number}": {} for number in range(runs)}
    for topic in (f"t{number}" for number in range(topics)):
        grade = rng.choice(grades, size=documents)
        judged = rng.random(documents) < 0.75
        judged[0], grade[0] = True, max(grades)
        qrels[topic] = {f"d{i}": float(grade[i]) for i in np.flatnonzero(judged)}
        for number, name in enumerate(found):
            score = np.round(grade + rng.normal(0, 0.5 + number, documents), 1)
            kept = np.flatnonzero(rng.random(documents) < 0.6)
            found[name][topic] = {f"d{i}": float(score[i]) for i in kept}
    return qrels, found


def written(qrels: Judgments, runs: Runs) -> None:
    """The same as files: ``qrels.txt`` and a directory ``runs``."""
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
