"""The order on runs."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import read
from assay.errors import InputError, PolicyError
from assay.measures import measure, measures
from assay.theory.axioms import representatives
from assay.theory.order import INCOMPARABLE, OUTCOMES, compare, judged_grades, measurement, order_report
from oracles import order as oracle
from real_data import real

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
def test_vectors(vector):
    given = vector["inputs"]
    assert compare(given["r"], given["s"], ranked=given["op"] == "compare_rank") == vector["computed"]


@settings(max_examples=300)
@given(RUNS, st.booleans())
def test_definition(runs, ranked):
    r, s = runs
    assert compare(r, s, ranked=ranked) == oracle.compare(r, s, ranked)


def test_small_runs_all():
    runs = list(product(range(3), repeat=3))
    for r, s in product(runs, runs):
        assert compare(r, s) == oracle.compare(r, s)


def test_unjudged_and_negative_grades_are_not_relevant():
    assert compare([None, 1], [0, 1]) == "equal"
    assert compare([-1, 1], [1, -1]) == "less"


def test_runs_of_unequal_length_are_incomparable_unless_padded():
    for ranked in (True, False):
        assert compare([1, 0], [1, 0, 0], ranked=ranked) == "incomparable"
        assert compare([1, 0], [1, 0, 0], ranked=ranked, unequal="pad") == "equal"
    assert compare([1], [0, 0, 1], unequal="pad") == "greater"
    with pytest.raises(InputError, match="unequal 'pads': choose one of incomparable, pad; did you mean pad"):
        compare([1], [1], unequal="pads")


def test_a_report_treats_unequal_lengths_as_compare_does():
    """On t1 other has as many documents as good, bad has fewer; on t2 other has one, the others three."""
    runs = {"good": GOOD, "bad": BAD, "other": OTHER}
    report = order_report(read(QRELS, runs), "AP")
    assert report.frame().rows() == [
        ("good", "bad", 0, 1, 0, 2),
        ("good", "other", 0, 1, 1, 1),
        ("bad", "other", 0, 0, 0, 3),
    ]
    [note] = report.results.notes[-1:]
    for part in ("6 of 9 comparisons", "3 run pairs, 3 topics", "--unequal pad", "--depth"):
        assert part in note
    padded = order_report(read(QRELS, runs), "AP", unequal="pad")
    assert "6 of 9 comparisons" in padded.results.notes[-1]
    assert "filled up with non-relevant documents" in padded.results.notes[-1]
    assert not any(
        "unequal" in note
        for note in order_report(read(QRELS, runs, topics="intersection"), "AP", depth=1).results.notes
    )
    with pytest.raises(InputError, match="unequal 'x': choose one of incomparable, pad"):
        order_report(read(QRELS, runs), "AP", unequal="x")


def test_a_report():
    report = order_report(read(QRELS, {"good": GOOD, "bad": BAD, "other": OTHER}), ["AP", "P@1"], unequal="pad")
    assert report.frame().rows() == [
        ("good", "bad", 0, 2, 1, 0),
        ("good", "other", 0, 2, 1, 0),
        ("bad", "other", 0, 1, 1, 1),
    ]
    assert report.summary()["incomparable"].to_list() == [0, 1, 1, 1]
    assert report.summary()["above"].to_list() == [4, 1, 0, 5]
    assert report.matrix().rows() == [("good", 0, 0, 0), ("bad", 2, 0, 0), ("other", 2, 1, 0)]
    assert report.checked().rows() == [("AP", 8, 0), ("P@1", 8, 0)]
    assert report.violations().is_empty()
    assert report.profile().rows() == [("AP", "P@1", 1, 0.0, 1.0, 0.0)]
    assert "3 pairs of runs x 3 topics" in repr(report)


@settings(max_examples=50)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "x", "y"]), max_size=5, unique=True), min_size=2, max_size=4))
def test_every_pair_of_a_report(rankings):
    runs = {f"r{i}": {"t1": {doc: -float(j) for j, doc in enumerate(docs)}} for i, docs in enumerate(rankings) if docs}
    if len(runs) < 2:
        return
    campaign = read(QRELS, runs)
    padded, strict = (order_report(campaign, "AP", unequal=how) for how in ("pad", "incomparable"))
    topic = padded.results.topics.index("t1")
    lengths = [len(docs) for docs in rankings if docs]
    for pair, (one, other) in enumerate(padded.pairs):
        first, second = (judged_grades(padded.campaign, run, topic) for run in (one, other))
        truth = oracle.compare(first, second)
        assert OUTCOMES[padded.outcomes[pair, topic]] == truth
        same = lengths[one] == lengths[other]
        assert OUTCOMES[strict.outcomes[pair, topic]] == (truth if same else "incomparable")


def test_what_contradicts_the_order_is_found():
    # AP* divides by what was found: finding one more, late, lowers it.
    qrels = {"t": {"a": 1, "b": 1}}
    runs = {"one": {"t": {"a": 3.0, "x": 2.0, "y": 1.0}}, "two": {"t": {"a": 3.0, "x": 2.0, "b": 1.0}}}
    report = order_report(read(qrels, runs), ["AP*", "AP"])
    assert report.violations().rows() == [("AP*", "t", "one", "two", 3, 1.0, pytest.approx(5 / 6))]
    assert report.checked()["violations"].to_list() == [1, 0]
    turned = read(qrels, {"two": runs["two"], "one": runs["one"]})
    assert order_report(turned, "AP*").violations()["lower"].to_list() == ["one"]


def test_small_differences_at_deep_ranks_are_differences():
    """By RBP with p = 0.5 ranks 33 and 34 differ by less than 1e-9, but by more than rounding."""
    qrels = {"t": {"top": 1, "one": 1, "two": 2}}
    top = {"top": 99.0, **{f"d{rank}": 99.0 - rank for rank in range(2, 33)}}
    early = {"t": {**top, "one": 5.0, "x": 4.0}}
    late = {"t": {**top, "y": 5.0, "two": 4.0}}
    profile = order_report(read(qrels, {"early": early, "late": late}), ["RBP(p=0.5)", "AP"]).profile()
    assert profile.rows() == [("RBP(p=0.5)", "AP", 1, 1.0, 0.0, 0.0)]


def test_depth_sets_and_topics():
    assert order_report(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", depth=1).frame().row(0)[3] == 2
    sets = order_report(read(QRELS, {"good": GOOD, "bad": BAD}), "AP", ranked=False, unequal="pad")
    assert sets.frame().rows() == [("good", "bad", 0, 1, 2, 0)]
    both = order_report(read(QRELS, {"good": GOOD, "bad": BAD}, topics="intersection"), "AP", unequal="pad")
    assert both.frame().rows() == [("good", "bad", 0, 2, 0, 0)]


def test_depth_counts_the_documents_that_measures_see():
    runs = {"one": {"t": {"u": 3.0, "a": 2.0, "n": 1.0}}, "two": {"t": {"n": 3.0, "a": 2.0}}}
    qrels = {"t": {"a": 1, "n": 0}}
    for unjudged, above in (("nonrelevant", 0), ("condensed", 1)):
        report = order_report(read(qrels, runs, unjudged=unjudged), "P@1", depth=1)
        assert report.frame()["above"].to_list() == [above]
        assert report.campaign.judged.longest == 1
    with pytest.raises(InputError, match="does not have"):
        report.campaign.rankings()


def test_refused():
    with pytest.raises(InputError, match="need at least two runs"):
        order_report(read(QRELS, GOOD), "AP")
    with pytest.raises(PolicyError, match="rankings are compared in an order"):
        order_report(read(QRELS, {"good": GOOD, "bad": BAD}, ties="expected"), "AP")


def test_measurements_are_what_the_catalogue_says():
    assert measurement(measure("AP"))
    assert not measurement(measure("AP*"))
    assert not measurement(measure("Twist"))
    assert not measurement(measure("bpref"))  # unless every document is judged
    assert not measurement(measure("SetP"))  # unless rankings have one length


def test_no_measurement_of_the_catalogue_contradicts_the_order():
    chosen = [one for one in measures(representatives()) if measurement(one)]
    assert len(chosen) > 25
    campaign = real("robust03")
    report = order_report(read(campaign / "qrels.robust03.txt.gz", campaign / "runs"), chosen, unequal="pad")
    assert report.violations().is_empty()


def test_trec_8():
    campaign = real("trec8-adhoc")
    measures = ["AP", "nDCG", "RBP(p=0.8)", "ERR", "P@10", "RR"]
    report = order_report(read(campaign / "qrels.trec8.adhoc.txt.gz", campaign / "runs"), measures)
    assert report.outcomes.shape == (8256, 50)
    assert report.violations().is_empty()
    share = (report.outcomes == INCOMPARABLE).mean()
    assert np.isclose(share, 1 - report.summary()["comparable"][-1])
    assert 0.4 < share < 0.6
