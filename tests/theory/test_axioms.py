"""The axioms: against a double loop over the definition, the published table, and what the catalogue says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from assay.errors import InputError, MeasureError
from assay.measures import Measure, catalogue, measure
from assay.measures._base import CATALOGUE
from assay.model.arrays import Floats
from assay.model.judged import Judged
from assay.results.formats import FORMATS, TableLayout, render
from assay.theory import _steps
from assay.theory._axioms import AXIOMS, AxiomReport, Counterexample, Finding, axioms, list_representatives
from oracles import axioms as oracle
from oracles.order import is_step

GRADES = (0, 1, 2)
VECTORS = {
    vector["id"]: vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]
    if vector["id"].startswith("001-derived-")
}


def only(report: AxiomReport, axiom: str) -> Finding:
    """The finding about an axiom of the only measure."""
    return report.finding(*report.measures, axiom)


def verdicts(report: AxiomReport) -> tuple[str, str]:
    """The verdicts on swap and replacement of the only measure."""
    return only(report, "swap").verdict, only(report, "replacement").verdict


# The definition ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axiom", AXIOMS)
@pytest.mark.parametrize(
    ("text", "length", "relevant"),
    [
        *[(text, 4, 2) for text in ("AP", "AP*", "Q", "Q(gains=exp)", "nDCGrel(gains=exp)", "BPM(T=1)@10", "ERR")],
        *[("Accuracy", 3, 3), ("Accuracy@3", 4, 2), ("G(gains={1:3,2:9})", 3, 2), ("P(rel=2)@2", 4, 2), ("Q", 5, 2)],
        *[("nDCGrel", 5, 3), ("BPM(T=1)@10", 4, 3), ("Twist(length=asis)", 4, 2), ("RR2", 4, 3), ("bpref", 4, 2)],
    ],
)
def test_it_finds_what_the_definition_finds_first(text: str, length: int, relevant: int, axiom: str) -> None:
    found = only(axioms(text, length=length, relevant=relevant), axiom)
    first = next(oracle.violations(measure(text), axiom, GRADES, length, relevant), None)
    if first is None:
        assert (found.verdict, found.counterexample) == ("holds", None)
        return
    counts, before, after, ranks, *values = first
    shown = {grade: count for grade, count in counts.items() if count}
    assert found.verdict == "fails"
    assert found.counterexample == Counterexample(shown, before, after, ranks, pytest.approx(values, abs=1e-12))


@pytest.mark.parametrize(("grades", "length", "relevant"), [((0, 1), 5, 3), (GRADES, 4, 3), ((0, 1, 2, 5), 3, 2)])
def test_all_rankings_and_all_steps_are_there_in_order(grades: tuple[int, ...], length: int, relevant: int) -> None:
    topics = oracle.topics(grades, relevant)
    made = _steps.enumerate_topics(len(grades) - 1, relevant)
    assert [dict(zip(grades[1:], row, strict=True)) for row in made.tolist()] == topics
    steps = _steps.enumerate_steps(np.array(grades, dtype=float), made, None, length)
    runs = rankings(steps.judged)
    wanted = [
        (number, run)
        for number, counts in enumerate(topics)
        for run in product(grades, repeat=length)
        if oracle.feasible(run, counts)
    ]
    assert list(zip(steps.judged.topic.tolist(), runs, strict=True)) == wanted
    assert _steps.count_rankings(made, length) == len(wanted)
    assert (steps.judged.counts[:, 0] == length).all()
    for axiom, moves in steps.moves.items():
        every = [
            (topic, run, other, ranks)
            for topic, run in wanted
            for other, ranks in (oracle.swaps(run) if axiom == "swap" else oracle.replacements(run, topics[topic]))
        ]
        got = [
            (int(steps.judged.topic[before]), runs[before], runs[after], tuple(rank for rank in (i, j) if rank))
            for before, after, i, j in zip(*map(np.ndarray.tolist, moves), strict=True)
        ]
        assert got == every
        assert (steps.judged.topic[moves.before] == steps.judged.topic[moves.after]).all()


def rankings(judged: Judged) -> list[tuple[float, ...]]:
    return [tuple(judged.levels[part - 1].tolist()) for part in np.split(judged.code, judged.start[1:-1])]


# The published table ------------------------------------------------------------------------------------------------

HOLD = (
    *("P@5", "P@10", "Rprec", "RR", "RR2", "DampedRR(k=2)", "AP", "SP", "SSP@5", "bpref", "bpref(k=10)"),
    *("Q(gains=binary)", "DCG", "DCG(base=10)", "nDCG", "nDCG(base=10)", "nDCG@3", "MeanNDCG@5"),
    *("DCG(base=10, gains=negative)", "RBP(p=0.8)", "RBP(p=0.8, gains=unit)", "RBP(p1=0.9, p2=0.5)"),
    *("RBP(p1=0.3, p2=0.7)", "ERR", "BackwardSpaceRatio"),
)
R2, ONE_EACH = {1: 2}, {1: 1, 2: 1}
FAIL = {
    ("AP*", "replacement"): (R2, (1, 0, 0), (1, 0, 1), 1, 0.8333),
    ("Q", "swap"): (ONE_EACH, (0, 0, 0, 2, 1), (0, 0, 1, 2, 0), 0.5268, 0.5238),
    ("Q(gains=exp)", "swap"): (ONE_EACH, (0, 2, 1), (1, 2, 0), 0.7619, 0.75),
    ("Twist", "replacement"): (R2, (0, 1, 0, 0), (0, 1, 1, 0), 0.25, 0.2222),
    ("Twist", "swap"): (R2, (0, 0, 1, 1), (0, 1, 1, 0), 0.3333, 0.2222),
    ("RecoveryRatio", "swap"): (R2, (0, 0, 1, 1), (0, 1, 1, 0), 0.6667, 0),
    ("ForwardSpaceRatio", "replacement"): ({1: 1}, (0, 0), (0, 1), 1, 0),
    ("SpaceRatio", "replacement"): (R2, (0, 1, 0, 0), (0, 1, 1, 0), 0.5, 0.4444),
    ("CRPmin", "replacement"): ({1: 3}, (0, 1, 0, 0, 0, 0), (0, 1, 1, 0, 0, 0), 0.3333, 0),
    ("CRPmin", "swap"): ({1: 3}, (0, 1, 0, 0, 0, 1), (0, 1, 1, 0, 0, 0), 0.3333, 0),
}
FAILING = tuple(dict.fromkeys(text for text, _ in FAIL))


@cache
def report_on(*texts: str) -> AxiomReport:
    return axioms(texts)


@pytest.mark.parametrize("axiom", AXIOMS)
@pytest.mark.parametrize("text", [*HOLD, *FAILING])
def test_the_published_table(text: str, axiom: str) -> None:
    found = report_on(*HOLD, *FAILING).finding(text, axiom)
    if (text, axiom) not in FAIL:
        assert found.verdict == "holds"
        return
    counts, before, after, *values = FAIL[text, axiom]
    example = found.counterexample
    assert found.verdict == "fails"
    assert (example.counts, example.before, example.after) == (counts, before, after)
    assert example.values == pytest.approx(values, abs=5e-5)
    assert example.ranks == tuple(rank for rank in range(1, len(before) + 1) if before[rank - 1] != after[rank - 1])


@pytest.mark.parametrize("crossing", ["strict", "literal", "matters"])
def test_twist_fails_in_all_crossing_modes(crossing: str) -> None:
    assert verdicts(axioms(f"Twist(crossing={crossing})")) == ("fails", "fails")


def test_published_examples_that_are_not_the_smallest_are_counterexamples_too() -> None:
    twist, judged = measure("Twist"), {0: 6, 1: 2}
    replaced = twist.of((0, 1, 0, 0, 0, 0), judged), twist.of((0, 1, 1, 0, 0, 0), judged)
    swapped = twist.of((0, 0, 0, 0, 0, 1), judged), twist.of((0, 0, 1, 0, 0, 0), judged)
    assert replaced == pytest.approx((0.25, 0.24))
    assert swapped == pytest.approx((0.2, 0))


VECTOR_OPS = {
    "tau": lambda inputs: (f"Twist@{inputs['N']}", inputs["counts"]),
    "ap_star_run": lambda inputs: ("AP*", {"1": sum(inputs["run"])}),
    "q_graded": lambda inputs: (
        f"Q(gains={{{','.join(f'{grade}:{gain}' for grade, gain in inputs['gains'].items())}}})",
        inputs["counts"],
    ),
    "bpref_run": lambda inputs: ("bpref", {"1": inputs["R"], "0": inputs["N"]}),
}


@pytest.mark.parametrize("name", [name for name, vector in VECTORS.items() if vector["inputs"]["op"] in VECTOR_OPS])
def test_vectors(name: str) -> None:
    vector = VECTORS[name]
    text, counts = VECTOR_OPS[vector["inputs"]["op"]](vector["inputs"])
    judged = {0: len(vector["inputs"]["run"]), **{float(grade): count for grade, count in counts.items()}}
    value = measure(text).of(vector["inputs"]["run"], judged)
    assert value == pytest.approx(vector["computed"], abs=vector["tolerance"])


def test_no_vector_is_left_out() -> None:
    assert {vector["inputs"]["op"] for vector in VECTORS.values()} - set(VECTOR_OPS) == {"chain_fixed_ok"}


# What the catalogue says ---------------------------------------------------------------------------------------------


def without_cutoff(text: str) -> str:
    """A swap across a cutoff is a replacement, which is said of the other axiom; and effort is of one length."""
    return text.replace("@1000", "")


def examples(name: str) -> list[str]:
    return list(dict.fromkeys(map(without_cutoff, catalogue()[name].examples)))


@cache
def stated() -> AxiomReport:
    return axioms([text for name in catalogue() for text in examples(name)])


@pytest.mark.parametrize("axiom", AXIOMS)
@pytest.mark.parametrize("name", list(catalogue()))
def test_what_the_catalogue_says_is_what_is_found(name: str, axiom: str) -> None:
    said = getattr(catalogue()[name], axiom)
    verdicts = {stated().finding(text, axiom).verdict for text in examples(name)}
    if said is True:
        assert verdicts == {"holds"}
    elif said is False:
        assert "fails" in verdicts
    else:
        assert verdicts == {"holds"}, "what fails is said to fail"


def test_what_is_said_to_hold_holds_for_more_grades_and_longer_rankings() -> None:
    said = [cls for cls in catalogue().values() if cls.swap and cls.replacement]
    texts = [text for cls in said for text in map(without_cutoff, cls.examples) if "{" not in text]
    found = axioms(texts, grades=(0, 1, 2, 3, 4), length=30, relevant=2, samples=2000, limit=1000)
    assert {one.verdict for one in found.findings} == {"no violation found"}
    assert (
        found.summary()
        == f"{len(found.measures)} of {len(found.measures)} measures satisfy both axioms as far as checked."
    )


def test_one_of_each_class() -> None:
    chosen = list_representatives()
    assert [type(one) for one in chosen] == list(catalogue().values())
    shown = set(map(str, chosen))
    assert {"P@5", "AP", "nDCG", "Twist", "RBP(p=0.8)", "IPrec@0.1", "Condensed(AP)"} <= shown


# Random rankings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("grades", "length"), [((0, 1), 1), ((0, 1), 9), ((0, 1, 2, 5), 12)])
def test_drawn_steps_are_steps_of_the_topic(grades: tuple[int, ...], length: int) -> None:
    rng = np.random.default_rng(1)
    steps = _steps.sample_steps(np.array(grades, dtype=float), None, None, length, samples=300, rng=rng)
    runs = rankings(steps.judged)
    relevant = steps.judged.counts[:, 1:].sum(axis=1)
    assert relevant.min() >= 1
    assert relevant.max() == max(1, length // 2)
    assert (np.diff(relevant) >= 0).all()
    for run, topic in zip(runs, steps.judged.topic.tolist(), strict=True):
        assert oracle.feasible(run, dict(zip(grades[1:], steps.judged.counts[topic, 1:].tolist(), strict=True)))
    for axiom, moves in steps.moves.items():
        assert len(moves.before) >= (50 if length > 1 or axiom == "replacement" else 0)
        for before, after, i, j in zip(*map(np.ndarray.tolist, moves), strict=True):
            assert is_step(runs[before], runs[after]) == axiom
            assert [rank for rank in (i, j) if rank] == [
                rank for rank in range(1, length + 1) if runs[before][rank - 1] != runs[after][rank - 1]
            ]
            assert steps.judged.topic[before] == steps.judged.topic[after]


def test_beyond_the_limit_rankings_are_drawn() -> None:
    report = axioms("AP", length=40, samples=500, limit=1000)
    assert verdicts(report) == ("no violation found", "no violation found")
    assert report.table().compact.rows() == [("AP", "none found", "none found")]
    assert report.range.exhaustive < 40
    assert str(report.range) == (
        f"all rankings of 1 to {report.range.exhaustive} documents with the grades 0, 1, 2, topics with at most 4 "
        "relevant documents; 500 random rankings of 40 documents (seed 0)"
    )


def test_a_drawn_counterexample_is_real_and_the_seed_matters() -> None:
    found = only(axioms("Twist", length=12, samples=2000, limit=1), "swap").counterexample
    assert found is not None
    assert len(found.before) == 12
    assert is_step(found.before, found.after) == "swap"
    values = [measure("Twist").of(run, {0: 12, **found.counts}) for run in (found.before, found.after)]
    assert values == pytest.approx(found.values)
    assert values[1] < values[0]
    again = only(axioms("Twist", length=12, samples=2000, limit=1), "swap").counterexample
    other = only(axioms("Twist", length=12, samples=2000, limit=1, seed=5), "swap").counterexample
    assert found == again != other


def test_one_topic() -> None:
    counts = {1: 1, 2: 1}
    assert only(axioms("Q", counts=counts, length=4), "swap").verdict == "holds"
    found, every = axioms("Q", counts=counts, length=5), report_on("Q")
    assert only(found, "swap").counterexample == only(every, "swap").counterexample
    assert only(found, "swap").steps < only(every, "swap").steps
    assert found.provenance.settings["counts"] == {"1": 1, "2": 1}
    assert str(found.range) == "all rankings of 1 to 5 documents with the grades 0, 1, 2, the topic given"
    assert only(axioms("AP*", counts={1: 1}), "replacement").verdict == "holds"
    drawn = only(axioms("AP*", counts={1: 3, 2: 1}, length=9, samples=500, limit=1), "replacement").counterexample
    assert drawn is not None
    assert drawn.counts == {1: 3, 2: 1}


def test_more_documents_that_are_not_relevant() -> None:
    class Seen(Measure):
        """Only the number of documents of grade 0 that were judged."""

        name: ClassVar[str] = "SeenNonrelevant"

        def score(self, judged: Judged) -> Floats:
            assert (judged.counts[:, 0] == 20).all()
            return np.zeros(len(judged))

    try:
        assert only(axioms(Seen(), counts={0: 20, 1: 2}), "swap").verdict == "holds"
    finally:
        del CATALOGUE["seennonrelevant"]


# Measures of one's own, values that are no numbers -------------------------------------------------------------------


@pytest.fixture
def odd() -> Iterator[dict[str, type[Measure]]]:
    class Constant(Measure):
        """A value, and another where the first document is relevant."""

        name: ClassVar[str] = "OddConstant"
        before: ClassVar[float] = 0.0
        after: ClassVar[float] = 0.0

        def score(self, judged: Judged) -> Floats:
            first = judged.code[judged.start[:-1]] > 1
            return np.where(first, self.after, self.before)

    yield {"constant": Constant}
    del CATALOGUE["oddconstant"]


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (1.0, 1.0 - 1e-13, "holds"),
        (1.0, 1.0 - 1e-11, "fails"),
        (1e6, 1e6 - 1e-8, "holds"),
        (1e6, 1e6 - 1e-5, "fails"),
        (1e-3, 1e-3 - 1e-13, "holds"),
        (np.inf, 5.0, "fails"),
        (np.inf, np.inf, "holds"),
        (-np.inf, 5.0, "holds"),
        (5.0, -np.inf, "fails"),
        (np.nan, 5.0, "holds"),
        (5.0, np.nan, "holds"),
    ],
)
def test_rounding_and_what_is_infinite_or_no_number(before, after, verdict, odd) -> None:
    cls = odd["constant"]
    cls.before, cls.after = before, after
    report = axioms(cls(), length=3)
    assert verdicts(report) == (verdict, verdict)
    assert render(report, "json")


def test_what_goes_wrong_in_a_measure_of_ones_own_is_told(odd) -> None:
    cls = odd["constant"]
    cls.score = lambda self, judged: 1 / 0
    with pytest.raises(
        MeasureError, match=r"^measure 'OddConstant': score fails: ZeroDivisionError: division by zero$"
    ):
        axioms(cls())
    cls.score = lambda self, judged: np.zeros(len(judged) + 1)
    with pytest.raises(MeasureError, match="score must return one number for each ranking"):
        axioms(cls())


# The table and the arguments -----------------------------------------------------------------------------------------


def test_the_frame() -> None:
    found = axioms(["AP*", "Q"]).frame()
    assert found.columns == [
        *("measure", "axiom", "verdict", "topic", "length", "before", "after", "ranks", "value_before", "value_after"),
    ]
    assert found.rows()[:2] == [
        ("AP*", "replacement", "fails", "1:2", 3, "1 0 0", "1 0 1", "3", 1.0, pytest.approx(5 / 6)),
        ("AP*", "swap", "holds", *[None] * 7),
    ]
    assert found.rows()[3][:8] == ("Q", "swap", "fails", "1:1 2:1", 5, "0 0 0 2 1", "0 0 1 2 0", "3 5")
    assert repr(axioms("AP*")) == "AxiomReport(AP*: swap holds, replacement fails)"
    assert repr(axioms(["AP", "AP*"], length=2)) == "AxiomReport(2 measures)"


def test_one_line_for_each_measure_with_the_smallest_counterexample() -> None:
    report = axioms(["AP", "AP*", "Q", "Twist"])
    assert report.table().frame.equals(report.frame())
    assert report.table().compact.rows() == [
        ("AP", "holds", "holds", None, None, None, None),
        ("AP*", "holds", "fails", "100", "101", 1.0, pytest.approx(5 / 6)),
        ("Q", "fails", "holds", "00021", "00120", pytest.approx(0.5268, abs=1e-4), pytest.approx(0.5238, abs=1e-4)),
        ("Twist", "fails", "fails", "0011", "0110", pytest.approx(1 / 3), pytest.approx(2 / 9)),
    ]
    for show in report.tables:
        lines = render(report, "table", show, TableLayout(width=80)).decode().splitlines()
        assert max(map(len, lines)) <= 80
        assert all(render(report, form, show) for form in FORMATS)
    spaced = axioms("AP*", grades=(0, 0.5, 1), length=3).table().compact
    assert spaced["before"].to_list() == ["1 0 0"] or spaced["before"].to_list() == ["100"]


def test_the_summary() -> None:
    assert axioms("AP", length=3).summary() == "AP satisfies both axioms as far as checked."
    assert axioms("AP*").summary() == "AP* fails replacement, and satisfies swap as far as checked."
    assert axioms("Twist").summary() == "Twist fails swap and replacement."
    assert axioms(["AP", "AP*", "Q", "Twist"]).summary() == (
        "1 of 4 measures satisfy both axioms as far as checked; swap fails for 2 (Q, Twist); replacement fails for 2 "
        "(AP*, Twist)."
    )


def test_provenance_and_notes() -> None:
    report = axioms(["AP*", "AP"], length=4)
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"] == {
        "measures": ["AP*", "AP"], "grades": [0.0, 1.0, 2.0], "length": 4, "relevant": 4, "counts": None,
        "exhaustive": 4, "samples": 20_000, "seed": 0, "limit": 100_000,
    }  # fmt: skip
    assert report.notes == (
        "checked: all rankings of 1 to 4 documents with the grades 0, 1, 2, topics with at most 4 relevant documents",
    )
    with pytest.raises(InputError, match="there is no finding about swap of RR"):
        report.finding("RR", "swap")


def test_by_default_one_measure_of_each_class_is_checked() -> None:
    assert axioms(length=2, relevant=2).measures == list_representatives()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grades": (1, 2)}, "grades must be 0 and larger ones, ascending, such as 0, 1, 2; got 1, 2"),
        ({"grades": (0,)}, "grades must be 0 and larger ones"),
        ({"grades": (0, 2, 1)}, "grades must be 0 and larger ones"),
        ({"grades": (0, float("nan"))}, "grades must be 0 and larger ones"),
        ({"length": 0}, "length must be at least 1, got 0"),
        ({"relevant": 0}, "relevant must be at least 1, got 0"),
        ({"samples": 0}, "samples must be at least 1, got 0"),
        ({"counts": {3: 1}}, "counts: 3 is not among the grades"),
        ({"counts": {1: -1}}, "counts: there must be at least 0 documents of grade 1"),
        ({"counts": {0: 3, 1: 1}}, "counts: there must be at least 8 documents of grade 0"),
        ({"counts": {1: 0}}, "counts: need at least one relevant document"),
    ],
)
def test_wrong_arguments(given, message) -> None:
    with pytest.raises(InputError, match=message):
        axioms("AP", **given)
