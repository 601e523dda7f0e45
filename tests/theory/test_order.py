"""Partial order of runs."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import read, simulate, theory
from assay.errors import InputError, MeasureError, PolicyError
from assay.measures import measure, measures
from assay.model.judged import Judged
from assay.results.formats import TableLayout, render
from assay.theory._axioms import list_representatives
from assay.theory._order import padded_grades
from assay.theory.ranking_order import (
    INCOMPARABLE,
    OUTCOMES,
    build_profiles,
    compare,
    compare_profiles,
    compute_units,
    is_measurement,
)
from oracles import order as oracle
from real_data import read_trec8, real

VECTORS = json.loads((Path(__file__).parents[1] / "vectors.json").read_text())["vectors"]
RUNS = st.integers(0, 6).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([0, 1, 2, 2.5]), min_size=n, max_size=n)] * 2)
)
QRELS = {"t1": {"a": 2, "b": 1, "c": 1}, "t2": {"a": 1, "d": 1}, "t3": {"a": 0}}
GOOD = {"t1": {"a": 3.0, "b": 2.0, "c": 1.0}, "t2": {"a": 3.0, "x": 2.0, "d": 1.0}}
BAD = {"t1": {"b": 3.0, "a": 2.0}, "t2": {"x": 3.0, "a": 2.0, "d": 1.0}, "t3": {"a": 1.0}}
OTHER = {"t1": {"c": 3.0, "x": 2.0, "a": 1.0}, "t2": {"d": 1.0}}


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if v["inputs"].get("op") in ("compare_rank", "compare_set")], ids=lambda v: v["id"]
)
def test_agrees_with_the_vectors(vector):
    inputs = vector["inputs"]
    assert compare(inputs["r"], inputs["s"], ranked=inputs["op"] == "compare_rank") == vector["computed"]


@settings(max_examples=300)
@given(RUNS, st.booleans())
def test_agrees_with_the_definition(runs, ranked):
    r, s = runs
    assert compare(r, s, ranked=ranked) == oracle.compare(r, s, ranked)


def test_all_short_runs_agree_with_the_definition():
    runs = list(product(range(3), repeat=3))
    for r, s in product(runs, runs):
        assert compare(r, s) == oracle.compare(r, s)


# Sums of gains -------------------------------------------------------------------------------------------------------

THIRDS = {0: Fraction(0), 1: Fraction(1, 3), 2: Fraction(2, 3)}
GAINS = [
    ("identity", {0: Fraction(0), 1: Fraction(1), 2: Fraction(2)}),
    ("exp", {0: Fraction(0), 1: Fraction(1), 2: Fraction(3)}),
    ({1: 1 / 3, 2: 2 / 3}, THIRDS),  # Sums of these floats have rounding errors.
    ({1: 0.1, 2: 0.3}, {0: Fraction(0), 1: Fraction(1), 2: Fraction(3)}),
    ({1: 1, 2: 1e9}, {0: Fraction(0), 1: Fraction(1), 2: Fraction(10**9)}),
]


@pytest.mark.parametrize("ranked", [True, False])
@pytest.mark.parametrize(("gains", "gain"), GAINS)
def test_sums_of_gains_of_all_short_runs_agree_with_the_definition(gains, gain, ranked):
    runs = list(product(range(3), repeat=4))
    judged = Judged.from_grades(runs)
    profiles = build_profiles(judged, np.arange(len(runs)), ranked, compute_units(gains, judged.levels))
    pairs = np.array(list(product(range(len(runs)), repeat=2)))
    expected = [oracle.compare_gains(runs[i], runs[j], gain, ranked) for i, j in pairs.tolist()]
    assert [OUTCOMES[outcome] for outcome in compare_profiles(profiles, pairs)] == expected


def test_sums_of_gains_extend_the_order_of_grades():
    """Rankings that are ordered by their grades are ordered in the same way by sums of gains."""
    for r, s in product(product(range(3), repeat=4), repeat=2):
        for ranked in (True, False):
            ordinal = compare(r, s, ranked=ranked)
            assert ordinal in ("incomparable", compare(r, s, ranked=ranked, gains="identity"))


@settings(max_examples=200)
@given(RUNS, st.dictionaries(st.sampled_from([1, 2, 2.5]), st.integers(1, 40).map(lambda n: n / 7), min_size=3))
def test_the_set_order_of_gains_is_total_and_is_the_order_of_total_gains(runs, gains):
    gains = dict(zip(sorted(gains), sorted(gains.values()), strict=True))
    exact = {0: Fraction(0), **{grade: Fraction(round(7 * gain), 7) for grade, gain in gains.items()}}
    first, second = (sum(exact[grade] for grade in run) for run in runs)
    expected = "less" if first < second else "greater" if first > second else "equal"
    assert compare(*runs, ranked=False, gains=gains) == expected


@settings(max_examples=200)
@given(RUNS, st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_no_falling_weights_contradict_sums_of_gains(runs, weights):
    outcome = compare(*runs, gains="identity")
    weights = sorted(weights, reverse=True)
    first, second = (sum(weight * grade for weight, grade in zip(weights, run, strict=False)) for run in runs)
    assert {"less": first <= second, "greater": first >= second, "equal": first == second}.get(outcome, True)


def test_the_examples_of_the_paper_on_a_ratio_scale():
    """In section 4.1, the sets are incomparable without gains; if grade 2 counts twice as much as 1, they are equal."""
    r, s, w = [0, 1, 1, 2, 2], [0, 1, 1, 2, 3], [0, 1, 1, 1, 3]
    assert compare(r, w, ranked=False) == "incomparable"
    assert compare(r, w, ranked=False, gains="identity") == "equal"
    assert compare(r, w, ranked=False, gains="exp") == "less"
    assert compare(r, w, ranked=False, gains={1: 1, 2: 2, 3: 2.5}) == "greater"
    assert compare(r, s, ranked=False, gains="identity") == "less"
    # In section 4.2: with ranks, the order is not total even on a ratio scale.
    assert compare([0, 1, 0, 1, 0], [1, 0, 0, 0, 1], gains="identity") == "incomparable"


def test_large_gains_are_exact():
    """The sums do not fit into 64-bit integers."""
    gains = {1: 1e-9, 2: 1e9}
    assert compare([2, 1, 0], [2, 0, 0], gains=gains) == "greater"
    assert compare([2, 1, 0], [2, 0, 1], ranked=False, gains=gains) == "equal"
    assert compare([2] * 20, [2] * 19 + [1], gains={1: 2**0.5, 2: 3**0.5}) == "greater"


def test_report_on_sums_of_gains():
    qrels = {"t": {"a": 2, "b": 1, "c": 1, "d": 0}}
    runs = {"one": {"t": {"a": 2.0, "d": 1.0}}, "two": {"t": {"b": 2.0, "c": 1.0}}}
    campaign = read(qrels, runs)
    assert theory.order(campaign, "AP", sets=True).frame().row(0)[2:] == (0, 0, 0, 1)
    equal = theory.order(campaign, "AP", sets=True, gains="identity")
    assert equal.frame().row(0)[2:] == (0, 0, 1, 0)
    assert equal.summary().startswith("By the sum of gains (identity), one is at least as good as two on 1 of 1 topic,")
    above = theory.order(campaign, "AP", gains={1: 1, 2: 2})
    assert above.frame().row(0)[2:] == (0, 1, 0, 0)
    assert above.summary().startswith("Under every sum of gains ({1:1,2:2}) whose weights do not rise with the rank")
    assert above.count_contradictions()["measurement"].to_list() == [False]
    assert above.provenance.settings["gains"] == "{1:1,2:2}"
    with pytest.raises(InputError, match="chain: not defined for sums of gains"):
        above.chain("t")


@pytest.mark.parametrize("gains", ["negative", {1: 2, 2: 1}, {0: -1, 1: 1}, {1: -1}])
def test_gains_that_are_no_ratio_scale_raise(gains):
    with pytest.raises(InputError, match="need a ratio scale"):
        compare([0, 1], [2, 0], gains=gains)


def test_unknown_gains_raise():
    with pytest.raises(MeasureError, match="unknown gains expo"):
        compare([0, 1], [2, 0], gains="expo")


@pytest.mark.parametrize("gains", [None, "identity"])
def test_the_set_order_of_real_runs(gains):
    campaign = real("robust03")
    report = theory.order(
        read(campaign / "qrels.robust03.txt.gz", campaign / "runs"), "P@10", sets=True, gains=gains, unequal="pad"
    )
    counts = report.counts().sum(axis=0)
    assert counts.sum() == 13_600
    assert counts[INCOMPARABLE] == (91 if gains is None else 0)


def test_no_measure_is_declared_for_the_set_order():
    report = theory.order(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", sets=True)
    assert report.count_contradictions()["measurement"].to_list() == [False]


def test_unjudged_and_negative_grades_are_nonrelevant():
    assert compare([None, 1], [0, 1]) == "equal"
    assert compare([-1, 1], [1, -1]) == "less"
    assert compare([-1, None], [0, 0], gains="identity") == "equal"


def test_runs_of_unequal_length_are_incomparable_unless_padded():
    for ranked in (True, False):
        assert compare([1, 0], [1, 0, 0], ranked=ranked) == "incomparable"
        assert compare([1, 0], [1, 0, 0], ranked=ranked, unequal="pad") == "equal"
    assert compare([1], [0, 0, 1], unequal="pad") == "greater"
    with pytest.raises(InputError, match="unequal 'pads': choose one of incomparable, pad; did you mean pad"):
        compare([1], [1], unequal="pads")


def test_report_on_runs_of_unequal_length():
    """On t1, good and other have three documents and bad has two; on t2, other has one and the others three."""
    runs = {"good": GOOD, "bad": BAD, "other": OTHER}
    report = theory.order(read(QRELS, runs), "AP")
    assert report.frame().rows() == [
        ("good", "bad", 0, 1, 0, 2),
        ("good", "other", 0, 1, 1, 1),
        ("bad", "other", 0, 0, 0, 3),
    ]
    [note] = report.notes[-1:]
    for part in ("6 of 9 comparisons", "3 run pairs, 3 topics", "unequal 'pad'", "a depth"):
        assert part in note
    padded = theory.order(read(QRELS, runs), "AP", unequal="pad")
    assert "6 of 9 comparisons" in padded.notes[-1]
    assert "padding the shorter ranking with non-relevant documents" in padded.notes[-1]
    assert not any(
        "unequal" in note for note in theory.order(read(QRELS, runs, missing="exclude"), "AP", depth=1).notes
    )
    with pytest.raises(InputError, match="unequal 'x': choose one of incomparable, pad"):
        theory.order(read(QRELS, runs), "AP", unequal="x")


def test_report():
    report = theory.order(read(QRELS, {"good": GOOD, "bad": BAD, "other": OTHER}), ["AP", "P@1"], unequal="pad")
    assert report.frame().rows() == [
        ("good", "bad", 0, 2, 1, 0),
        ("good", "other", 0, 2, 1, 0),
        ("bad", "other", 0, 1, 1, 1),
    ]
    assert report.by_run()["incomparable"].to_list() == [0, 1, 1, 1]
    assert report.by_run()["above"].to_list() == [4, 1, 0, 5]
    assert report.matrix().rows() == [("good", 0, 0, 0), ("bad", 2, 0, 0), ("other", 2, 1, 0)]
    assert report.count_contradictions().rows() == [("AP", 8, 0, True), ("P@1", 8, 0, True)]
    assert report.violations().is_empty()
    assert report.profile().rows() == [("AP", "P@1", 1, 0.0, 1.0, 0.0)]
    assert repr(report) == "OrderReport(3 pairs of 3 runs x 3 topics)"


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "x", "y"]), max_size=5, unique=True), min_size=2, max_size=4))
def test_every_pair_of_a_report_agrees_with_the_definition(rankings):
    runs = {f"r{i}": {"t1": {doc: -float(j) for j, doc in enumerate(docs)}} for i, docs in enumerate(rankings) if docs}
    if len(runs) < 2:
        return
    campaign = read(QRELS, runs)
    padded, strict = (theory.order(campaign, "AP", unequal=option) for option in ("pad", "incomparable"))
    topic = padded.results.topics.index("t1")
    lengths = [len(docs) for docs in rankings if docs]
    for pair, (first_run, second_run) in enumerate(padded.pairs):
        first_grades, second_grades = (padded_grades(padded.campaign, run, topic) for run in (first_run, second_run))
        expected = oracle.compare(first_grades, second_grades)
        assert OUTCOMES[padded.outcomes[pair, topic]] == expected
        same_length = lengths[first_run] == lengths[second_run]
        assert OUTCOMES[strict.outcomes[pair, topic]] == (expected if same_length else "incomparable")


def test_violations_of_the_order_are_reported():
    # AP* divides by the number of relevant documents retrieved, so another one at a low rank decreases it.
    qrels = {"t": {"a": 1, "b": 1}}
    runs = {"one": {"t": {"a": 3.0, "x": 2.0, "y": 1.0}}, "two": {"t": {"a": 3.0, "x": 2.0, "b": 1.0}}}
    report = theory.order(read(qrels, runs), ["AP*", "AP"])
    assert report.violations().rows() == [("AP*", "t", "one", "two", 3, 1.0, pytest.approx(5 / 6))]
    assert report.count_contradictions()["violations"].to_list() == [1, 0]
    reversed_campaign = read(qrels, {"two": runs["two"], "one": runs["one"]})
    assert theory.order(reversed_campaign, "AP*").violations()["lower"].to_list() == ["one"]


def test_small_differences_at_deep_ranks_count():
    """The RBP weights of ranks 33 and 34 for p = 0.5 differ by less than 1e-9, but by more than rounding errors."""
    qrels = {"t": {"top": 1, "one": 1, "two": 2}}
    top = {"top": 99.0, **{f"d{rank}": 99.0 - rank for rank in range(2, 33)}}
    early = {"t": {**top, "one": 5.0, "x": 4.0}}
    late = {"t": {**top, "y": 5.0, "two": 4.0}}
    profile = theory.order(read(qrels, {"early": early, "late": late}), ["RBP(p=0.5)", "AP"]).profile()
    assert profile.rows() == [("RBP(p=0.5)", "AP", 1, 1.0, 0.0, 0.0)]


def test_depth_sets_and_missing_topics():
    assert theory.order(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", depth=1).frame().row(0)[3] == 2
    sets = theory.order(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", sets=True, unequal="pad")
    assert sets.frame().rows() == [("good", "bad", 0, 1, 2, 0)]
    without_missing = theory.order(read(QRELS, {"good": GOOD, "bad": BAD}, missing="exclude"), "AP", unequal="pad")
    assert without_missing.frame().rows() == [("good", "bad", 0, 2, 0, 0)]


def test_depth_applies_after_condensing():
    runs = {"one": {"t": {"u": 3.0, "a": 2.0, "n": 1.0}}, "two": {"t": {"n": 3.0, "a": 2.0}}}
    qrels = {"t": {"a": 1, "n": 0}}
    for unjudged, above in (("nonrelevant", 0), ("condensed", 1)):
        report = theory.order(read(qrels, runs, unjudged=unjudged), "P@1", depth=1)
        assert report.frame()["above"].to_list() == [above]
        assert report.campaign.judged.max_depth == 1
    with pytest.raises(InputError, match="does not have"):
        report.campaign.rankings()


# Tables --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("show", list(theory.OrderReport.tables))
@pytest.mark.parametrize("systems", [2, 6, 13])
def test_tables_fit_80_columns(show, systems):
    simulation = simulate(systems=systems, topics=6, seed=4)
    report = theory.order(read(simulation.qrels, simulation.runs), ["AP", "AP*", "RR"])
    frames = {
        "matrix": report.frame(),
        "pairs": report.frame(),
        "runs": report.by_run(),
        "check": report.count_contradictions(),
        "violations": report.violations(),
        "profile": report.profile(),
    }
    assert report.table(show).frame.equals(frames[show])
    lines = render(report, "table", show, TableLayout(width=80)).decode().splitlines()
    assert max(map(len, lines)) <= 80
    assert render(report, "json", show)


def test_matrix_has_above_and_below_in_each_cell():
    runs = {"good": GOOD, "bad": BAD, "other": OTHER}
    report = theory.order(read(QRELS, runs), unequal="pad")
    assert [str(each) for each in report.results.measures] == ["AP", "nDCG", "RBP(p=0.8)", "ERR", "P@10", "RR"]
    compact = report.table().compact
    assert [tuple(cell.strip() for cell in row) for row in compact.rows()] == [
        ("good", "-", "2/0", "2/0"),
        ("bad", "0/2", "-", "1/0"),
        ("other", "0/2", "0/1", "-"),
    ]
    assert compact.columns == ["run", "good", "bad", "other"]


def test_matrix_of_long_names_and_of_many_runs():
    names = [f"a-very-long-name-of-a-run-{i}" for i in range(11)]
    few = theory.order(read(QRELS, dict.fromkeys(names[:4], GOOD)), "AP")
    assert few.table().compact.columns == ["run", "1", "2", "3", "4"]
    assert few.table().compact["run"][0] == f"1 {names[0]}"
    many = theory.order(read(QRELS, dict.fromkeys(names, GOOD)), "AP")
    assert many.table().compact.equals(many.table("runs").compact)
    assert many.table().frame.equals(many.frame())


def test_summary():
    two_runs = theory.order(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", unequal="pad")
    assert two_runs.summary() == (
        "Under every measure that satisfies both axioms, good is at least as good as bad on 3 of 3 topics, and bad is "
        "at least as good as good on 1. Both numbers include 1 topic on which the runs are equal. The runs are "
        "incomparable on 0 topics. AP never contradicts the order."
    )
    three_runs = theory.order(read(QRELS, {"good": GOOD, "bad": BAD, "other": OTHER}), ["AP", "RR"], unequal="pad")
    assert three_runs.summary() == (
        "The order decides 8 of 9 comparisons of two runs on a topic (89 %): one run is at least as good as the other "
        "under every measure that satisfies both axioms. In 3 of these comparisons, the runs are equal. In the other "
        "comparisons, the runs are incomparable. No measure contradicts the order."
    )
    qrels = {"t": {"a": 1, "b": 1}}
    runs = {"one": {"t": {"a": 3.0, "x": 2.0, "y": 1.0}}, "two": {"t": {"a": 3.0, "x": 2.0, "b": 1.0}}}
    with_violation = theory.order(read(qrels, runs), ["AP*", "AP"])
    assert with_violation.summary().endswith("Measures that contradict the order: AP* (1 time).")
    disjoint_runs = {"one": {"t1": GOOD["t1"]}, "two": {"t2": GOOD["t2"]}}
    without_common_topics = theory.order(read(QRELS, disjoint_runs, missing="exclude"), "AP")
    assert without_common_topics.summary().startswith("No two runs have documents for the same topic")


def test_provenance_settings():
    report = theory.order(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", depth=2)
    settings = json.loads(json.dumps(report.provenance.as_dict()))["settings"]
    assert settings == {"measures": ["AP"], "sets": False, "gains": None, "depth": 2, "unequal": "incomparable"}


# The chain between two runs ------------------------------------------------------------------------------------------


def test_chain_leads_from_the_lower_to_the_higher_run():
    for runs in ({"good": GOOD, "bad": BAD}, {"bad": BAD, "good": GOOD}):
        chain = theory.order(read(QRELS, runs), "AP", unequal="pad").chain("t2")
        assert (chain.lower, chain.higher) == ("bad", "good")
        assert chain.frame().rows() == [(1, "swap", 1, 2, 0.0, 1.0)]
        assert chain.table().compact.columns == ["step", "change", "rank", "with rank", "grade", "becomes"]
        assert chain.summary() == (
            "On topic t2, 1 swap leads from bad up to good. No step lowers the value of a measure that satisfies both "
            "axioms."
        )
    assert repr(chain) == "Chain(bad to good, topic t2: 1 step)"
    assert json.loads(json.dumps(chain.provenance.as_dict()))["settings"]["topic"] == "t2"
    equal = theory.order(read(QRELS, {"one": GOOD, "two": GOOD}), "AP").chain("t1")
    assert equal.summary() == "On topic t1, one and two have equal judged rankings."
    assert render(equal, "table")


@pytest.mark.parametrize(
    ("runs", "topic", "options", "message"),
    [
        ("good bad", "t9", {}, "topic t9: the qrels have no such topic"),
        ("good bad other", "t1", {}, "chain: need exactly two runs, got 3"),
        ("good bad", "t1", {}, r"of unequal length \(3 and 2 documents\) on topic t1; pad"),
        ("bad other", "t1", {"depth": 1}, "^$"),
        ("good bad", "t1", {"sets": True}, "chain: not defined for the set-based order"),
        ("bad other", "t2", {"unequal": "pad"}, "the rankings of bad and other are incomparable on topic t2$"),
    ],
)
def test_missing_chains_raise(runs, topic, options, message):
    all_runs = {"good": GOOD, "bad": BAD, "other": OTHER}
    report = theory.order(read(QRELS, {name: all_runs[name] for name in runs.split()}), "AP", **options)
    if message == "^$":
        assert report.chain(topic).steps == ()
        return
    with pytest.raises(InputError, match=message):
        report.chain(topic)


def test_chain_on_a_topic_missing_from_one_run_raises():
    report = theory.order(read(QRELS, {"good": GOOD, "bad": BAD}, missing="exclude"), "AP")
    with pytest.raises(InputError, match="one of the runs has no documents for topic t3"):
        report.chain("t3")


def test_one_run_and_expected_ties_raise():
    with pytest.raises(InputError, match="need at least two runs"):
        theory.order(read(QRELS, GOOD), "AP")
    with pytest.raises(PolicyError, match="the comparison of rankings needs a single order of documents"):
        theory.order(read(QRELS, {"good": GOOD, "bad": BAD}, ties="expected"), "AP")


def test_is_measurement():
    assert is_measurement(measure("AP"))
    assert not is_measurement(measure("AP*"))
    assert not is_measurement(measure("Twist"))
    assert not is_measurement(measure("bpref"))  # It is one only if every document is judged.
    assert not is_measurement(measure("SetP"))  # It is one only if all rankings have the same length.


def test_no_measurement_of_the_catalogue_contradicts_the_order():
    measurements = [
        representative
        for representative in measures(list_representatives())
        if is_measurement(representative) and not representative.facets
    ]
    assert len(measurements) > 25
    campaign = real("robust03")
    report = theory.order(read(campaign / "qrels.robust03.txt.gz", campaign / "runs"), measurements, unequal="pad")
    assert report.violations().is_empty()


def test_trec8_has_incomparable_pairs_and_no_violations():
    measures = ["AP", "nDCG", "RBP(p=0.8)", "ERR", "P@10", "RR"]
    report = theory.order(read_trec8(), measures)
    assert report.outcomes.shape == (8256, 50)
    assert report.violations().is_empty()
    fraction = (report.outcomes == INCOMPARABLE).mean()
    assert np.isclose(fraction, 1 - report.by_run()["comparable"][-1])
    assert 0.4 < fraction < 0.6
