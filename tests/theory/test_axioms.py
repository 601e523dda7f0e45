"""Axioms of measures, compared with the definition, the published table and the catalogue."""

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
from assay.theory._axioms import APPENDING, AXIOMS, AxiomReport, Counterexample, Finding, axioms, list_representatives
from assay.theory.ranking_order import is_measurement
from oracles import axioms as oracle
from oracles.order import is_step

GRADES = (0, 1, 2)
VECTORS = {
    vector["id"]: vector
    for vector in json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]
    if vector["id"].startswith("001-derived-")
}


def get_finding(report: AxiomReport, axiom: str) -> Finding:
    """Return the finding on an axiom for the only measure."""
    return report.finding(*report.measures, axiom)


def get_verdicts(report: AxiomReport) -> tuple[str, str]:
    """Return the verdicts on swap and replacement for the only measure."""
    return get_finding(report, "swap").verdict, get_finding(report, "replacement").verdict


# The definition ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axiom", [*AXIOMS, *APPENDING])
@pytest.mark.parametrize(
    ("text", "length", "relevant"),
    [
        *[(text, 4, 2) for text in ("AP", "AP*", "Q", "Q(gains=exp)", "nDCGrel(gains=exp)", "BPM(T=1)@10", "ERR")],
        *[("Accuracy", 3, 3), ("Accuracy@3", 4, 2), ("G(gains={1:3,2:9})", 3, 2), ("P(rel=2)@2", 4, 2), ("Q", 5, 2)],
        *[("nDCGrel", 5, 3), ("BPM(T=1)@10", 4, 3), ("Twist(length=asis)", 4, 2), ("RR2", 4, 3), ("bpref", 4, 2)],
        *[("SetP", 4, 2), ("F", 4, 2), ("Utility", 4, 2), ("Compat", 5, 2), ("RnDCG", 5, 2), ("SFT@3", 4, 2)],
    ],
)
def test_first_counterexample_agrees_with_the_definition(text: str, length: int, relevant: int, axiom: str) -> None:
    finding = get_finding(axioms(text, length=length, relevant=relevant), axiom)
    first = next(oracle.violations(measure(text), axiom, GRADES, length, relevant), None)
    if first is None:
        assert (finding.verdict, finding.counterexample) == ("holds", None)
        return
    counts, before, after, ranks, *values = first
    nonzero_counts = {grade: count for grade, count in counts.items() if count}
    assert finding.verdict == "fails"
    assert finding.counterexample == Counterexample(
        nonzero_counts, before, after, ranks, pytest.approx(values, abs=1e-12)
    )


@pytest.mark.parametrize(("grades", "length", "relevant"), [((0, 1), 5, 3), (GRADES, 4, 3), ((0, 1, 2, 5), 3, 2)])
def test_enumeration_of_rankings_and_steps_agrees_with_the_definition(
    grades: tuple[int, ...], length: int, relevant: int
) -> None:
    topics = oracle.topics(grades, relevant)
    relevant_counts = _steps.enumerate_topics(len(grades) - 1, relevant)
    assert [dict(zip(grades[1:], row, strict=True)) for row in relevant_counts.tolist()] == topics
    steps = _steps.enumerate_steps(np.array(grades, dtype=float), relevant_counts, None, length)
    runs = list_rankings(steps.judged)
    full_runs, shorter_runs = (
        [
            (number, run)
            for number, counts in enumerate(topics)
            for run in product(grades, repeat=repeat)
            if oracle.feasible(run, counts)
        ]
        for repeat in (length, length - 1)
    )
    assert list(zip(steps.judged.topic.tolist(), runs, strict=True)) == full_runs + shorter_runs
    assert _steps.count_rankings(relevant_counts, length) == len(full_runs)
    assert (steps.judged.counts[:, 0] == length).all()
    for axiom, moves in steps.moves.items():
        expected_moves = [
            (topic, run, changed, ranks)
            for topic, run in (shorter_runs if axiom in ("extension", "padding") else full_runs)
            for changed, ranks in oracle.steps(axiom, run, topics[topic])
        ]
        actual_moves = [
            (int(steps.judged.topic[before]), runs[before], runs[after], tuple(rank for rank in (i, j) if rank))
            for before, after, i, j in zip(*map(np.ndarray.tolist, moves), strict=True)
        ]
        assert actual_moves == expected_moves
        assert (steps.judged.topic[moves.before] == steps.judged.topic[moves.after]).all()


def list_rankings(judged: Judged) -> list[tuple[float, ...]]:
    return [tuple(judged.levels[codes - 1].tolist()) for codes in np.split(judged.code, judged.start[1:-1])]


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
def make_report(*texts: str) -> AxiomReport:
    return axioms(texts)


@pytest.mark.parametrize("axiom", AXIOMS)
@pytest.mark.parametrize("text", [*HOLD, *FAILING])
def test_agrees_with_the_published_table(text: str, axiom: str) -> None:
    finding = make_report(*HOLD, *FAILING).finding(text, axiom)
    if (text, axiom) not in FAIL:
        assert finding.verdict == "holds"
        return
    counts, before, after, *values = FAIL[text, axiom]
    example = finding.counterexample
    assert finding.verdict == "fails"
    assert (example.counts, example.before, example.after) == (counts, before, after)
    assert example.values == pytest.approx(values, abs=5e-5)
    assert example.ranks == tuple(rank for rank in range(1, len(before) + 1) if before[rank - 1] != after[rank - 1])


@pytest.mark.parametrize("crossing", ["strict", "literal", "matters"])
def test_twist_fails_in_all_crossing_modes(crossing: str) -> None:
    assert get_verdicts(axioms(f"Twist(crossing={crossing})")) == ("fails", "fails")


def test_other_published_counterexamples_of_twist() -> None:
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
def test_values_of_the_vectors(name: str) -> None:
    vector = VECTORS[name]
    text, counts = VECTOR_OPS[vector["inputs"]["op"]](vector["inputs"])
    judged = {0: len(vector["inputs"]["run"]), **{float(grade): count for grade, count in counts.items()}}
    value = measure(text).of(vector["inputs"]["run"], judged)
    assert value == pytest.approx(vector["computed"], abs=vector["tolerance"])


def test_every_vector_is_tested() -> None:
    assert {vector["inputs"]["op"] for vector in VECTORS.values()} - set(VECTOR_OPS) == {"chain_fixed_ok"}


# Axioms in the catalogue ---------------------------------------------------------------------------------------------


def remove_cutoff(text: str) -> str:
    """Return the measure without its cutoff of 1000.

    A swap across a cutoff acts as a replacement, and measures of effort would pad rankings to the cutoff. CRP needs a
    rank.
    """
    return text if text.startswith("CRP(") else text.replace("@1000", "")


def list_examples(name: str) -> list[str]:
    return list(dict.fromkeys(map(remove_cutoff, catalogue()[name].examples)))


@cache
def make_catalogue_report() -> AxiomReport:
    return axioms([text for name in catalogue() for text in list_examples(name)])


@pytest.mark.parametrize("axiom", AXIOMS)
@pytest.mark.parametrize("name", list(catalogue()))
def test_catalogue_declares_the_axioms_that_hold(name: str, axiom: str) -> None:
    declared = getattr(catalogue()[name], axiom)
    actual_verdicts = {make_catalogue_report().finding(text, axiom).verdict for text in list_examples(name)}
    if declared is True:
        assert actual_verdicts == {"holds"}
    elif declared is False:
        assert "fails" in actual_verdicts
    else:
        assert actual_verdicts == {"holds"}, "the catalogue must declare failures"


def test_declared_axioms_hold_for_more_grades_and_longer_rankings() -> None:
    declared = [cls for cls in catalogue().values() if cls.swap and cls.replacement]
    texts = [text for cls in declared for text in map(remove_cutoff, cls.examples) if "{" not in text]
    report = axioms(texts, grades=(0, 1, 2, 3, 4), length=30, relevant=2, samples=2000, limit=1000)
    assert {finding.verdict for finding in report.findings if finding.axiom in AXIOMS} == {"no violation found"}
    assert (
        report.summary()
        == f"{len(report.measures)} of {len(report.measures)} measures satisfy both axioms on all checked rankings."
    )


def test_one_representative_of_each_class() -> None:
    representatives = list_representatives()
    assert [type(representative) for representative in representatives] == list(catalogue().values())
    names = set(map(str, representatives))
    assert {"P@5", "AP", "nDCG", "Twist", "RBP(p=0.8)", "IPrec@0.1", "Condensed(AP)"} <= names


# Random rankings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("grades", "length"), [((0, 1), 1), ((0, 1), 9), ((0, 1, 2, 5), 12)])
def test_sampled_steps_are_steps_of_the_topic(grades: tuple[int, ...], length: int) -> None:
    rng = np.random.default_rng(1)
    steps = _steps.sample_steps(np.array(grades, dtype=float), None, None, length, samples=300, rng=rng)
    runs = list_rankings(steps.judged)
    relevant = steps.judged.counts[:, 1:].sum(axis=1)
    assert relevant.min() >= 1
    assert relevant.max() == max(1, length // 2)
    assert (np.diff(relevant) >= 0).all()
    for run, topic in zip(runs, steps.judged.topic.tolist(), strict=True):
        assert oracle.feasible(run, dict(zip(grades[1:], steps.judged.counts[topic, 1:].tolist(), strict=True)))
    assert set(steps.moves) == {*AXIOMS, *(APPENDING if length > 1 else ())}
    for axiom, moves in steps.moves.items():
        assert len(moves.before) >= (50 if length > 1 or axiom == "replacement" else 0)
        for before, after, i, j in zip(*map(np.ndarray.tolist, moves), strict=True):
            counts = dict(zip(grades[1:], steps.judged.counts[steps.judged.topic[before], 1:].tolist(), strict=True))
            ranks = tuple(rank for rank in (i, j) if rank)
            assert (runs[after], ranks) in list(oracle.steps(axiom, runs[before], counts))
            assert steps.judged.topic[before] == steps.judged.topic[after]


def test_rankings_are_sampled_beyond_the_limit() -> None:
    report = axioms("AP", length=40, samples=500, limit=1000)
    assert get_verdicts(report) == ("no violation found", "no violation found")
    assert report.table().compact.rows() == [("AP", "none found", "none found")]
    assert report.range.exhaustive < 40
    assert str(report.range) == (
        f"all rankings of 1 to {report.range.exhaustive} documents with the grades 0, 1, 2 for topics with at most 4 "
        "relevant documents; 500 random rankings of 40 documents (seed 0)"
    )


def test_sampled_counterexample_is_valid_and_depends_on_the_seed() -> None:
    counterexample = get_finding(axioms("Twist", length=12, samples=2000, limit=1), "swap").counterexample
    assert counterexample is not None
    assert len(counterexample.before) == 12
    assert is_step(counterexample.before, counterexample.after) == "swap"
    values = [
        measure("Twist").of(run, {0: 12, **counterexample.counts})
        for run in (counterexample.before, counterexample.after)
    ]
    assert values == pytest.approx(counterexample.values)
    assert values[1] < values[0]
    same_seed = get_finding(axioms("Twist", length=12, samples=2000, limit=1), "swap").counterexample
    other_seed = get_finding(axioms("Twist", length=12, samples=2000, limit=1, seed=5), "swap").counterexample
    assert counterexample == same_seed != other_seed


def test_counts_of_one_topic() -> None:
    counts = {1: 1, 2: 1}
    assert get_finding(axioms("Q", counts=counts, length=4), "swap").verdict == "holds"
    report, all_topics = axioms("Q", counts=counts, length=5), make_report("Q")
    assert get_finding(report, "swap").counterexample == get_finding(all_topics, "swap").counterexample
    assert get_finding(report, "swap").steps < get_finding(all_topics, "swap").steps
    assert report.provenance.settings["counts"] == {"1": 1, "2": 1}
    assert str(report.range) == "all rankings of 1 to 5 documents with the grades 0, 1, 2 for the given topic"
    assert get_finding(axioms("AP*", counts={1: 1}), "replacement").verdict == "holds"
    sampled = get_finding(
        axioms("AP*", counts={1: 3, 2: 1}, length=9, samples=500, limit=1), "replacement"
    ).counterexample
    assert sampled is not None
    assert sampled.counts == {1: 3, 2: 1}


def test_number_of_nonrelevant_documents_may_be_given() -> None:
    class CheckedCount(Measure):
        """Constant that checks the number of judged documents of grade 0."""

        name: ClassVar[str] = "SeenNonrelevant"

        def score(self, judged: Judged) -> Floats:
            assert (judged.counts[:, 0] == 20).all()
            return np.zeros(len(judged))

    try:
        assert get_finding(axioms(CheckedCount(), counts={0: 20, 1: 2}), "swap").verdict == "holds"
    finally:
        del CATALOGUE["seennonrelevant"]


# User-defined measures and values that are not finite ----------------------------------------------------------------


@pytest.fixture
def user_defined() -> Iterator[dict[str, type[Measure]]]:
    class Constant(Measure):
        """One value if the first document is relevant, another one otherwise."""

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
def test_rounding_infinite_values_and_nan(before, after, verdict, user_defined) -> None:
    cls = user_defined["constant"]
    cls.before, cls.after = before, after
    report = axioms(cls(), length=3)
    assert get_verdicts(report) == (verdict, verdict)
    assert render(report, "json")


def test_errors_in_user_defined_measures_raise(user_defined) -> None:
    cls = user_defined["constant"]
    cls.score = lambda self, judged: 1 / 0
    with pytest.raises(
        MeasureError, match=r"^measure 'OddConstant': score fails: ZeroDivisionError: division by zero$"
    ):
        axioms(cls())
    cls.score = lambda self, judged: np.zeros(len(judged) + 1)
    with pytest.raises(MeasureError, match="score must return one number for each ranking"):
        axioms(cls())


# The table and the arguments -----------------------------------------------------------------------------------------


def test_columns_of_the_frame() -> None:
    frame = axioms(["AP*", "Q"]).frame()
    assert frame.columns == [
        *("measure", "axiom", "verdict", "topic", "length", "before", "after", "ranks", "value_before", "value_after"),
    ]
    assert frame.rows()[:2] == [
        ("AP*", "replacement", "fails", "1:2", 3, "1 0 0", "1 0 1", "3", 1.0, pytest.approx(5 / 6)),
        ("AP*", "swap", "holds", *[None] * 7),
    ]
    assert frame["axiom"].to_list() == ["replacement", "swap", *APPENDING] * 2
    assert frame.rows()[6][:8] == ("Q", "swap", "fails", "1:1 2:1", 5, "0 0 0 2 1", "0 0 1 2 0", "3 5")
    assert repr(axioms("AP*")) == "AxiomReport(AP*: swap holds, replacement fails)"
    assert repr(axioms(["AP", "AP*"], length=2)) == "AxiomReport(2 measures)"


def test_compact_table_has_the_smallest_counterexample_of_each_measure() -> None:
    report = axioms(["AP", "AP*", "Q", "Twist"])
    assert report.table("findings").frame.equals(report.frame())
    assert report.table().frame["axiom"].to_list() == ["replacement", "swap"] * 4
    assert report.table().compact.rows() == [
        ("AP", "holds", "holds", None, None, None, None),
        ("AP*", "holds", "fails", "100", "101", 1.0, pytest.approx(5 / 6)),
        ("Q", "fails", "holds", "00021", "00120", pytest.approx(0.5268, abs=1e-4), pytest.approx(0.5238, abs=1e-4)),
        ("Twist", "fails", "fails", "0011", "0110", pytest.approx(1 / 3), pytest.approx(2 / 9)),
    ]
    for show in report.tables:
        lines = render(report, "table", show, TableLayout(width=80)).decode().splitlines()
        assert max(map(len, lines)) <= 80
        assert all(render(report, format_name, show) for format_name in FORMATS)
    spaced = axioms("AP*", grades=(0, 0.5, 1), length=3).table().compact
    assert spaced["before"].to_list() == ["1 0 0"] or spaced["before"].to_list() == ["100"]


# Appended documents ---------------------------------------------------------------------------------------------------

NO_CHANGE = ("AP", "nDCG", "RBP(p=0.8)", "ERR", "RR", "P@5", "Rprec", "bpref", "Q", "infAP", "Success@5", "NumRelRet")


@pytest.mark.parametrize("text", NO_CHANGE)
def test_a_nonrelevant_document_at_the_end_has_no_effect_on_most_measures(text: str) -> None:
    report = make_report(*NO_CHANGE)
    assert [report.finding(text, axiom).verdict for axiom in APPENDING] == ["holds"] * 3
    [row] = report.appending().filter(measure=text).rows()
    assert row[1:] == ("never lowers", "no change", *[None] * 5)


def test_effects_of_appended_documents() -> None:
    report = axioms(["AP*", "SetP", "Utility", "NumRet", "Frustration@5", "DCG(gains=negative)"], length=5)
    assert report.appending().rows() == [
        ("AP*", "can lower", "no change", "1:2", "1 0", "1 0 1", 1.0, pytest.approx(5 / 6)),
        ("SetP", "never lowers", "can lower", "1:1", "1", "1 0", 1.0, 0.5),
        ("Utility", "never lowers", "can lower", "1:1", "0", "0 0", -1.0, -2.0),
        ("NumRet", "never lowers", "can raise", "1:1", "0", "0 0", 1.0, 2.0),
        ("Frustration@5", "never lowers", "can raise", "1:1", "1", "1 0", 0.0, 1.0),
        ("DCG(gains=negative)", "never lowers", "can lower", "1:1", "0", "0 0", -1.0, pytest.approx(-1.63093)),
    ]
    table = report.table("appending")
    assert table.compact.columns == ["measure", "relevant", "non-relevant", "before", "after", "value", "becomes"]
    assert table.compact["before"].to_list()[:2] == ["10", "1"]
    assert table.caption.endswith("Appending a relevant document can lower 1 measure (AP*).")
    without_examples = axioms("AP", length=3).table("appending")
    assert without_examples.compact.rows() == [("AP", "never lowers", "no change")]
    assert "No measure falls when a relevant document is appended" in without_examples.caption


def test_no_effect_of_nonrelevant_documents_is_necessary_for_a_measurement() -> None:
    """Padding with non-relevant documents makes runs of unequal length comparable only for such measures."""
    report = axioms(length=5)
    for row in report.appending().iter_rows(named=True):
        if is_measurement(measure(row["measure"])):
            assert row["nonrelevant"] == "no change"


def test_one_document_is_never_appended_to() -> None:
    report = axioms("AP*", length=1)
    assert [get_finding(report, axiom).steps for axiom in APPENDING] == [0, 0, 0]


def test_sampled_appends_find_violations() -> None:
    report = axioms(["AP*", "SetP"], length=30, samples=500, limit=1)
    assert report.appending()["relevant"].to_list() == ["can lower", "never lowers"]
    assert report.appending()["nonrelevant"].to_list() == ["no change", "can lower"]


def test_summary() -> None:
    assert axioms("AP", length=3).summary() == "AP satisfies both axioms on all checked rankings."
    assert axioms("AP*").summary() == "AP* violates replacement; it satisfies swap on all checked rankings."
    assert axioms("Twist").summary() == "Twist violates swap and replacement."
    assert axioms(["AP", "AP*", "Q", "Twist"]).summary() == (
        "1 of 4 measures satisfy both axioms on all checked rankings; swap fails for 2 measures (Q, Twist); "
        "replacement fails for 2 measures (AP*, Twist)."
    )


def test_provenance_and_notes() -> None:
    report = axioms(["AP*", "AP"], length=4)
    assert json.loads(json.dumps(report.provenance.as_dict()))["settings"] == {
        "measures": ["AP*", "AP"], "grades": [0.0, 1.0, 2.0], "length": 4, "relevant": 4, "counts": None,
        "exhaustive": 4, "samples": 20_000, "seed": 0, "limit": 100_000,
    }  # fmt: skip
    assert report.notes == (
        (
            "checked: all rankings of 1 to 4 documents with the grades 0, 1, 2 for topics with at most 4 relevant "
            "documents"
        ),
    )
    with pytest.raises(InputError, match="the report has no finding for measure RR and axiom swap; its measures are"):
        report.finding("RR", "swap")


def test_default_measures() -> None:
    assert axioms(length=2, relevant=2).measures == list_representatives()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grades": (1, 2)}, "grades must begin with 0 and ascend, such as 0, 1, 2; got 1, 2"),
        ({"grades": (0,)}, "grades must begin with 0 and ascend"),
        ({"grades": (0, 2, 1)}, "grades must begin with 0 and ascend"),
        ({"grades": (0, float("nan"))}, "grades must begin with 0 and ascend"),
        ({"length": 0}, "length must be at least 1, got 0"),
        ({"relevant": 0}, "relevant must be at least 1, got 0"),
        ({"samples": 0}, "samples must be at least 1, got 0"),
        ({"counts": {3: 1}}, "counts: 3 is not among the grades"),
        ({"counts": {1: -1}}, "counts: there must be at least 0 documents of grade 1"),
        ({"counts": {0: 3, 1: 1}}, "counts: there must be at least 8 documents of grade 0"),
        ({"counts": {1: 0}}, "counts: need at least one relevant document"),
    ],
)
def test_invalid_arguments_raise(options, message) -> None:
    with pytest.raises(InputError, match=message):
        axioms("AP", **options)
