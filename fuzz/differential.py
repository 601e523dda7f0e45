"""Differential checks: two implementations must agree on a random collection. Each check takes a random generator."""

from __future__ import annotations

import math
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import assay

sys.path.append(str(Path(__file__).parent.parent / "tests"))

FOLDER = Path(tempfile.mkdtemp(prefix="assay-differential-"))
Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]
SPACES = (" ", "\t", "  ", " \t ")


def draw_collection(generator: random.Random) -> tuple[Grades, Scores]:
    """Draw judgments and a run, with ties, unjudged documents, unknown topics and topics without relevant documents."""
    documents = [f"d{number}" for number in range(generator.randint(1, 30))]
    grades = generator.choice([[0, 1], [0, 1, 2, 3], [-1, 0, 1], [0]])
    share = generator.random()
    qrels = {
        f"q{topic}": {doc: generator.choice(grades) for doc in documents if generator.random() < share} or {"other": 0}
        for topic in range(generator.randint(1, 6))
    }
    scores = generator.choice([[0.0, 0.5, 1.0], [float(number) for number in range(99)], [-1e-3, 1e300, 2.5]])
    run = {
        f"q{topic}": {
            doc: generator.choice(scores) for doc in generator.sample(documents, generator.randint(1, len(documents)))
        }
        for topic in range(generator.randint(1, 8))
    }
    return qrels, run


def to_run(run: Scores, generator: random.Random) -> str:
    """Format a run as TREC text with varying white space and line ends, in any order of lines."""
    rows = [(topic, doc, score) for topic, scores in run.items() for doc, score in scores.items()]
    if generator.random() < 0.5:
        generator.shuffle(rows)
    end = generator.choice(["\n", "\r\n"])
    space = generator.choice(SPACES)
    return "".join(space.join((topic, "Q0", doc, "0", repr(score), "tag")) + end for topic, doc, score in rows)


def to_qrels(qrels: Grades, generator: random.Random) -> str:
    rows = [(topic, "0", doc, str(grade)) for topic, grades in qrels.items() for doc, grade in grades.items()]
    if generator.random() < 0.5:
        generator.shuffle(rows)
    return "".join(generator.choice(SPACES).join(row) + "\n" for row in rows)


def read_values(results: assay.Results) -> dict[tuple[str, str], float]:
    rows = results.frame().select("topic", "measure", "value").rows()
    return {(topic, measure): value for topic, measure, value in rows}


def assert_equal(first: dict[tuple[str, str], float], second: dict[tuple[str, str], float], tolerance: float) -> None:
    assert first.keys() == second.keys()
    different = {
        key: (value, second[key])
        for key, value in first.items()
        if not math.isclose(value, second[key], rel_tol=tolerance, abs_tol=tolerance)
    }
    assert not different, different


def check_oracles(generator: random.Random) -> None:
    """Compare values with slow definitions of AP, nDCG, RR and P."""
    from oracles.ap import ap
    from oracles.dcg import ndcg

    qrels, run = draw_collection(generator)
    cutoff = generator.randint(1, 12)
    measures = ["AP", f"nDCG@{cutoff}", "RR", f"P@{cutoff}"]
    values = read_values(assay.evaluate(assay.read(qrels, {"x": run}), measures))
    expected = {}
    for topic, grades in qrels.items():
        scores = run.get(topic, {})
        order = sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])
        ranking = [grades.get(doc) for doc in order]
        relevant = [grade is not None and grade >= 1 for grade in ranking]
        judged = Counter(grades.values())
        expected[topic, "AP"] = ap(ranking, judged)
        expected[topic, f"nDCG@{cutoff}"] = ndcg(ranking, judged, cutoff)
        expected[topic, "RR"] = 1 / (1 + relevant.index(True)) if any(relevant) else 0.0
        expected[topic, f"P@{cutoff}"] = sum(relevant[:cutoff]) / cutoff
    assert_equal(values, {key: float(value or 0) for key, value in expected.items()}, 1e-12)


def check_sources(generator: random.Random) -> None:
    """Compare dicts, TREC text, CSV and evaluation with limited memory."""
    qrels, run = draw_collection(generator)
    measures = ["AP", "nDCG@5", "RBP(p=0.8)", "Bpref"]
    expected = read_values(assay.evaluate(assay.read(qrels, {"x": run}), measures))
    (FOLDER / "qrels.txt").write_text(to_qrels(qrels, generator), encoding="utf-8", newline="")
    (FOLDER / "x.run").write_text(to_run(run, generator), encoding="utf-8", newline="")
    rows = [f"{topic},{doc},{score!r}\n" for topic, scores in run.items() for doc, score in scores.items()]
    (FOLDER / "x.csv").write_text("topic,doc,score\n" + "".join(rows), encoding="utf-8")
    for name, options in (("x.run", {}), ("x.run", {"memory": "400M", "temporary": FOLDER}), ("x.csv", {})):
        campaign = assay.read(FOLDER / "qrels.txt", [FOLDER / name], **options)  # type: ignore[arg-type]
        assert_equal(read_values(assay.evaluate(campaign, measures)), expected, 0.0)


def check_notation(generator: random.Random) -> None:
    """A measure with random parameters is printed and parsed back."""
    cls = generator.choice(list(assay.catalogue()))
    name = cls if isinstance(cls, str) else getattr(cls, "name", str(cls))
    text = f"{name}@{generator.randint(1, 10 ** generator.randint(1, 6))}"
    try:
        measure = assay.measure(text)
    except assay.AssayError:
        return
    assert assay.measure(str(measure)) == measure


CHECKS: dict[str, Callable[[random.Random], None]] = {
    "oracles": check_oracles,
    "sources": check_sources,
    "notations": check_notation,
}
