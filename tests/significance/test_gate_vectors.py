"""Examples of gates with known results (tests/vectors-judging.json)."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError
from assay.significance._gate.baseline import digest_judgments
from assay.significance._gate.coverage import compare_topics
from assay.significance._gate.github import format_annotation
from assay.significance._gate.statistics import (
    GateSettings,
    PairedValues,
    compute_change,
    compute_columns,
    share_unseen,
)
from assay.significance._gate.verdicts import decide, decide_rows, find_direction, get_exit_code, name_finding
from assay.significance.differences import scale_differences
from assay.significance.tests.bootstrap import Bootstrap
from assay.significance.tests.randomization import Randomization
from assay.significance.tests.t import T
from assay.significance.topic_set_size import compute_detectable_difference, plan_one_sided_topics

VECTORS = json.loads((Path(__file__).parents[1] / "vectors-judging.json").read_text(encoding="utf-8"))
GATE = [vector for vector in VECTORS if vector["op"].startswith("gate.")]


class DrawnBootstrap(Bootstrap):
    """A bootstrap test with given draws of topics."""

    draws: list[list[int]]

    def _draw_counts(self, topic_count):
        counts = [np.bincount(draw, minlength=topic_count) for draw in self.draws]
        yield slice(0, len(counts)), np.array(counts, dtype=np.float64)


def compute_row(i):
    """The row of a gate: statistics, verdict, finding and direction."""
    values = [np.array([i[name]]) for name in ("baseline", "candidate")]
    sign = np.array([-1 if i["lower_is_better"] else 1])
    rows = PairedValues(*values, sign, np.array([i["margin"]]), np.array([i["relative"]]))
    assert i["method"] == "t"
    columns = compute_columns(rows, GateSettings(T(), i["alpha"], i["power"], i["min_topics"]))
    blocked, identical = columns["limit"] >= columns["margin"], columns["changed"] == 0
    _, [verdict] = decide_rows(columns["p_pass"], columns["p_fail"], blocked, identical, i["alpha"])
    direction = find_direction(columns, 0, i["lower_is_better"])
    finding = name_finding(columns, 0, verdict, direction, i["alpha"])
    numbers = {name: float(column[0]) for name, column in columns.items()}
    numbers["candidate"] = numbers["candidate_value"]
    return {**numbers, "verdict": verdict, "finding": finding, "direction": direction}


def decide_overall(i):
    rows = i["rows"]
    p_pass, p_fail = (np.array([row[name] for row in rows], dtype=np.float64) for name in ("p_pass", "p_fail"))
    blocked = np.array([row["sparse"] for row in rows])
    adjusted, verdicts = decide_rows(p_pass, p_fail, blocked, np.zeros(len(rows), dtype=bool), i["alpha"])
    overall = decide(verdicts, [row["role"] for row in rows])
    return {"p_fail_adjusted": adjusted, "rows": verdicts, "verdict": overall}


def shift(i):
    return scale_differences(np.array([i["differences"]]) + i["margin"])


def randomize(i):
    tails = Randomization().compute_tails(shift(i))
    return {"p_pass": tails.greater[0], "p_fail": tails.less[0]}


def compare_monotone(i):
    differences = scale_differences(np.array([i["differences"], i["larger_win"]]) + i["margin"])
    return {
        name: test.compute_tails(differences).greater for name, test in (("t", T()), ("randomization", Randomization()))
    }


def bootstrap(i):
    test = DrawnBootstrap(resamples=len(i["draws"]))
    object.__setattr__(test, "draws", i["draws"])
    tails, differences = test.compute_tails(shift(i)), shift(i)
    statistic = differences.mean[0] / differences.error[0]
    return {"statistic": statistic, "p_pass": tails.greater[0], "p_fail": tails.less[0]}


def list_exit_codes(i):
    codes = []
    for verdict, on_undecided in i["cases"]:
        codes.append(AssayError.exit_code if verdict == "error" else get_exit_code(verdict, on_undecided))
    return {"code": codes}


def digest(i):
    lines = [
        f"{document}\t{grade:g}\n" for document, grade in sorted(i["judgments"].items(), key=lambda x: x[0].encode())
    ]
    return {"text": "".join(lines), "digest": digest_judgments(i["judgments"])}


def compare_coverage(i):
    coverage = compare_topics(i["baseline"], i["current"])
    return {**{name: list(topics) for name, topics in coverage._asdict().items()}, "coverage": coverage.share}


OPERATIONS = {
    "row": compute_row,
    "overall": decide_overall,
    "randomization": randomize,
    "monotone": compare_monotone,
    "bootstrap": bootstrap,
    "topics_needed": lambda i: {"topics": plan_one_sided_topics(i["margin_over_sd"], i["alpha"], i["power"])},
    "mdd": lambda i: {"mdd": compute_detectable_difference(i["topics"], i["sd"] ** 2, i["alpha"], i["power"], sides=1)},
    "relative_change": lambda i: dict(
        zip(
            ("change", "low", "high"),
            (x[0] for x in compute_change(np.array([i["baseline"]]), np.array([i["candidate"]]), i["alpha"]).values()),
            strict=True,
        )
    ),
    "topics": compare_coverage,
    "digest": digest,
    "unseen": lambda i: {"share": [share_unseen(n, i["alpha"]) for n in i["topics"]]},
    "exit_code": list_exit_codes,
    "annotation": lambda i: {"line": format_annotation(i["level"], i["title"], i["message"])},
}


def equals(value, expected, tolerance):
    if expected is None:
        return bool(np.isnan(value))
    if isinstance(expected, list):
        return len(value) == len(expected) and all(map(equals, value, expected, [tolerance] * len(expected)))
    if isinstance(expected, str):
        return value == expected
    return math.isclose(value, expected, rel_tol=0, abs_tol=tolerance)


@pytest.mark.parametrize("vector", GATE, ids=lambda vector: vector["id"])
def test_vector(vector):
    computed = OPERATIONS[vector["op"].removeprefix("gate.")](vector["inputs"])
    for name, expected in vector["expected"].items():
        assert equals(computed[name], expected, vector["tolerance"]), (name, computed[name], expected)
