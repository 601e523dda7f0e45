"""Notation and values of ir_measures."""

from __future__ import annotations

import logging
import random
import shutil
from functools import cache
from typing import Any

import numpy as np
import pytest

from assay import evaluate
from assay.errors import MeasureError
from assay.measures import from_ir_measures, measure, measures
from assay.measures._ir_measures import _ALIASES, _INTENT_AWARE, _PARAMETERS
from assay.measures.average_precision import AP
from assay.measures.dcg import nDCG
from strategies import close

# Texts with the same meaning in assay and ir_measures, with the notation of assay.
SAME = {
    "AP": "AP",
    "MAP@5": "AP@5",
    "AP(rel=2,judged_only=True)@5": "Condensed(AP(rel=2)@5)",
    "AP(judged_only=False)": "AP",
    "P(rel=2)@5": "P(rel=2)@5",
    "Precision(judged_only=True)@3": "Condensed(P@3)",
    "RR(rel=2)": "RR(rel=2)",
    "MRR@3": "RR@3",
    "RR(rel=2)@3": "RR(rel=2)@3",
    "RR(judged_only=True)": "Condensed(RR)",
    "RPrec": "Rprec",
    "Rprec(rel=2,judged_only=True)": "Condensed(Rprec(rel=2))",
    "nDCG": "nDCG",
    "NDCG@5": "nDCG@5",
    "nDCG(judged_only=True)@3": "Condensed(nDCG@3)",
    "nDCG(gains={1:5,2:1,3:9})@5": "nDCG(gains={1:5,2:1,3:9})@5",
    "nDCG(gains={0:2, -1:3})@4": "nDCG(gains={-1:3,0:2})@4",
    "nDCG(gains={1:7},judged_only=True)": "Condensed(nDCG(gains={1:7}))",
    "nDCG(dcg='log2')@7": "nDCG@7",
    'nDCG(dcg="exp-log2")@5': "nDCG(gains=exp)@5",
    "R@5": "R@5",
    "Recall(rel=2, judged_only=True)@3": "Condensed(R(rel=2)@3)",
    "Bpref": "bpref",
    "BPref(rel=2)": "bpref(rel=2)",
    "NumQ": "NumQ",
    "NumRet": "NumRet",
    "NumRet(rel=2)": "NumRelRet(rel=2)",
    "NumRelRet": "NumRelRet",
    "NumRel": "NumRel",
    "SetAP(rel=2)": "SetAP(rel=2)",
    "SetAP(judged_only=True)": "Condensed(SetAP)",
    "SetF": "F",
    "SetF(beta=4.0)": "F(beta=2)",
    "SetF(beta=0.25,rel=2,judged_only=True)": "Condensed(F(beta=0.5, rel=2))",
    "SetP": "SetP",
    "SetP(relative=True)": "SetRelP",
    "SetP(relative=False, rel=2)": "SetP(rel=2)",
    "SetRelP(judged_only=True)": "Condensed(SetRelP)",
    "SetR(rel=2)": "R(rel=2)",
    "Success(rel=2)@5": "Success(rel=2)@5",
    "Success(judged_only=True)@1": "Condensed(Success@1)",
    "infAP": "infAP",
    "infAP(rel=2)": "infAP(rel=2)",
    "RBP(rel=2,p=0.5)": "RBP(p=0.5, rel=2)",
    "BPM(T=2.0,max_rel=4)@3": "BPM(T=2, max_rel=4)@3",
    "BPM(T=0.5,min_rel=2,max_rel=4)@5": "BPM(T=0.5, gains={1:0,2:0,3:0.5,4:1}, max_rel=4)@5",
    "SDCG(dcg='log2',max_rel=4)@5": "SDCG(max_rel=4)@5",
    "SDCG(min_rel=0,max_rel=4)@5": "SDCG(max_rel=4)@5",
    "NERR8(max_rel=4)@5": "NERR8(max_rel=4)@5",
    "NERR9(min_rel=3,max_rel=4)@9": "NERR9(gains={1:0,2:0,3:0,4:1}, max_rel=4)@9",
    "NERR10(p=0.5,max_rel=4)": "NERR10(p=0.5, max_rel=4)",
    "Judged": "Judged",
    "Judged@4": "Judged@4",
    "Compat(p=0.8)": "Compat(p=0.8)",
    "Compat(normalize=False)": "Compat(normalize=false)",
    "Compat": "Compat",
}
# Texts that assay reads differently, or rejects because a parameter is missing.
DIFFERENT = {
    "ERR@5": ("ERR(max_rel=4)@5", "ERR@5"),
    "IPrec@0.35": ("IPrec(rounding=trec_eval-9)@0.35", "IPrec@0.35"),
    "IPrec@0.125": ("IPrec(rounding=trec_eval-9)@0.12", "IPrec@0.125"),
    "IPrec(rel=2,judged_only=True)@1.0": (
        "Condensed(IPrec(rel=2, rounding=trec_eval-9)@1)",
        "Condensed(IPrec(rel=2)@1)",
    ),
    "nDCG(gains={0:-1,2:-3})@5": ("nDCG(gains={0:0,2:0})@5", "can be negative"),
    "RBP(rel=1)": ("RBP(p=0.8, rel=1)", "RBP needs p"),
    "BPM(max_rel=4)@5": ("BPM(T=1, max_rel=4)@5", "BPM needs T"),
    "NERR10(max_rel=4)": ("NERR10(p=0.9, max_rel=4)", "NERR10 needs p"),
}
# Measures on an infinite ranking, which cwl_eval truncates at rank 1000 and assay does not.
TRUNCATED = {
    "INST(max_rel=4)": "INST(T=1, max_rel=4)",
    "INST(T=2.0,max_rel=4)": "INST(T=2, max_rel=4)",
    "INSQ(max_rel=4)": "INSQ(T=1, max_rel=4)",
    "INSQ(T=2.0,min_rel=3,max_rel=4)": "INSQ(T=2, gains={1:0,2:0,3:0,4:1}, max_rel=4)",
    "NERR11(max_rel=4)": "NERR11(T=1, max_rel=4)",
    "NERR11(T=2.0,max_rel=4)": "NERR11(T=2, max_rel=4)",
}
ACCURACY = ("Accuracy", "Accuracy@4", "Accuracy(rel=2)", "Accuracy(rel=2)@6")
# Measures computed by gdeval, a Perl script that prints five digits.
GDEVAL = {'nDCG(dcg="exp-log2")@5', "ERR@5"}
COLLECTIONS = 12


@cache
def collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return a few topics of up to 14 documents without tied scores; the run lacks some topics.

    One more judged document of grade 1 is not retrieved, because pytrec_eval crashes without documents near the lowest
    relevant grade. Topics are numbers, because gdeval requires it. Each collection has its own topics, at least two,
    because pytrec_eval remembers the last topic.
    """
    rng = random.Random(seed)
    qrels, run = {}, {}
    documents = [f"d{i}" for i in range(14)]
    for topic in (f"{seed}{number}" for number in range(6)):
        judged = {doc: rng.randint(-2 if seed % 2 else 0, 4) for doc in documents if rng.random() < 0.6}
        qrels[topic] = judged | {"besides": 1}
        retrieved = rng.sample(documents, rng.randint(1, 14))
        if len(run) < 2 or rng.random() < 0.7:
            run[topic] = {
                doc: float(score) for doc, score in zip(retrieved, rng.sample(range(1, 99), 14), strict=False)
            }
    return qrels, run


@pytest.fixture
def peer() -> Any:
    """Return ir_measures with its warnings silenced."""
    ir_measures = pytest.importorskip("ir_measures")
    logging.getLogger("ir_measures").setLevel(logging.ERROR)
    return ir_measures


def their_measure(peer: Any, text: str) -> Any:
    """Return the measure object of ir_measures for a text."""
    return eval(text, dict(vars(peer)))  # Its own parser warns on Python 3.12.


def their_values(peer: Any, text: str, seed: int) -> dict[str, float]:
    """Return the values of ir_measures, one measure at a time, because it confuses settings of several measures."""
    return {metric.query_id: metric.value for metric in peer.iter_calc([their_measure(peer, text)], *collection(seed))}


def our_values(text: str, seed: int) -> dict[str, float]:
    results = evaluate(*collection(seed), from_ir_measures(text))
    return dict(zip(results.topics, results.values[0, 0].tolist(), strict=True))


# Notation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), [*SAME.items(), *((text, text) for text in ACCURACY)])
def test_shared_notation_is_read_alike(text, expected):
    assert str(measure(text)) == expected
    assert from_ir_measures(text) == measure(text)


@pytest.mark.parametrize(("text", "expected", "default_reading"), [(text, *each) for text, each in DIFFERENT.items()])
def test_notation_that_is_read_differently(text, expected, default_reading):
    assert str(from_ir_measures(text)) == expected
    assert default_reading in read_or_message(text)
    assert default_reading != expected


def read_or_message(text: str) -> str:
    """Return the measure that assay reads, or the message of the error."""
    try:
        return str(measure(text))
    except MeasureError as error:
        return str(error)


@pytest.mark.parametrize("text", TRUNCATED)
def test_default_parameters_of_ir_measures(text):
    assert str(from_ir_measures(text)) == TRUNCATED[text]


@pytest.mark.parametrize("text", [*SAME, *DIFFERENT, *TRUNCATED, *ACCURACY])
def test_objects_are_read_as_in_ir_measures(peer, text):
    assert measure(their_measure(peer, text)) == from_ir_measures(text)
    assert from_ir_measures(their_measure(peer, text)) == from_ir_measures(text)
    assert from_ir_measures(str(their_measure(peer, text))) == from_ir_measures(text)


def test_objects_are_evaluated(peer):
    qrels, run = {"q": {"a": 1, "b": 4}}, {"q": {"b": 2.0, "a": 1.0}}
    both = evaluate(qrels, run, [peer.nDCG @ 10, "P@1", peer.ERR @ 20])
    assert [str(one) for one in both.measures] == ["nDCG@10", "P@1", "ERR(max_rel=4)@20"]
    assert evaluate(qrels, run, peer.nDCG @ 10).overall().tolist() == [[1.0]]
    assert measures(peer.AP) == (AP(),)
    assert measures([peer.AP, "map", AP()]) == (AP(),)


def fake_measure(module: str, name: str, **params: Any) -> Any:
    """Return an object that looks like a measure of ir_measures."""
    return type("_" + name, (), {"__module__": module, "NAME": name, "params": params})()


def test_objects_are_recognized_by_their_module():
    assert measure(fake_measure("ir_measures.measures.ap", "AP", rel=2)) == AP(rel=2)
    gains = fake_measure("ir_measures.measures.ndcg", "nDCG", gains={}, cutoff=np.int64(5))
    assert measure(gains) == nDCG(cutoff=5)
    with pytest.raises(MeasureError, match="a measure is written as text such as 'nDCG@10', got "):
        measure(fake_measure("other", "AP"))
    with pytest.raises(
        MeasureError, match="measures are written as text such as 'nDCG@10', or as a list of texts, got "
    ):
        measures(fake_measure("ir_measures_of_mine", "AP"))


def test_measures_defined_in_python_raise_an_error(peer):
    user_defined = peer.define(lambda qrels, run: [], name="AP")
    with pytest.raises(MeasureError, match="defined by a Python function, so only ir_measures can compute it"):
        measure(user_defined)


def test_every_measure_and_parameter_of_ir_measures_is_known(peer):
    """This test fails if ir_measures adds a measure, alias or parameter."""
    for name, one in peer.measures.registry.items():
        if name.lower() in _INTENT_AWARE:
            continue
        assert set(_PARAMETERS[_ALIASES.get(name, name)]) == set(one.SUPPORTED_PARAMS), name
    assert {*_PARAMETERS, *_ALIASES} <= set(peer.measures.registry)
    assert {name.lower() for name in peer.measures.registry} >= set(_INTENT_AWARE)


MISTAKES = {
    "Q": "ir_measures has no measure Q",
    "map": "ir_measures has no measure map; did you mean MAP?",
    "nDCG(rel=2)": "nDCG of ir_measures has no parameter rel; it has cutoff, dcg, gains, judged_only",
    "NumQ(rel=2)": "NumQ of ir_measures has no parameter rel; it has none",
    "nDCG(gains=exp)": "gains of ir_measures are numbers by grade, such as {1:3,2:9}, got exp",
    "nDCG(gains={1:3}, dcg='exp-log2')": "gains is given twice",
    "nDCG(gains={0:-1}, judged_only=True)": "with judged_only, gains must be negative for negative grades and for "
    "no other grades",
    "nDCG(gains={-1:1}, judged_only=True)": "with judged_only, gains must be negative for negative grades and for "
    "no other grades",
    "RBP(p=0.8)": "in ir_measures, RBP without rel has graded gains, and none of the usual providers computes it; "
    "add rel=1 for binary gains",
    "AP_IA": "AP_IA is written IA(M) with any measure M, such as IA(AP)",
    "P@@": "expected a name with optional parameters and cutoff, such as nDCG(gains=exp)@10",
    "IPrec@high": "the cutoff after @ must be a number, got high",
    "P@0": "cutoff must be at least 1, got 0",
}


@pytest.mark.parametrize(("text", "problem"), MISTAKES.items())
def test_messages_for_mistakes(text, problem):
    with pytest.raises(MeasureError) as error:
        from_ir_measures(text)
    assert str(error.value) == f"measure '{text}': {problem}"
    assert error.value.__suppress_context__


def test_other_types_raise_an_error():
    with pytest.raises(MeasureError, match="measure '3': ir_measures writes a measure as text such as 'nDCG@10'"):
        from_ir_measures(3)


# Numbers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*SAME, *DIFFERENT])
def test_values_agree_with_ir_measures(peer, text):
    if text in GDEVAL and shutil.which("perl") is None:
        pytest.skip("gdeval needs perl")
    for seed in range(COLLECTIONS):
        ours = our_values(text, seed)
        for topic, value in their_values(peer, text, seed).items():
            if topic not in collection(seed)[1] and text in ("NumQ", "NumRel"):
                assert (value, ours[topic] > 0) == (0, True)  # ir_measures counts only topics of the run.
            else:
                assert close(ours[topic], value, 5.0001e-6 if text in GDEVAL else 1e-12), (seed, topic)


@pytest.mark.parametrize("text", TRUNCATED)
def test_values_of_truncated_measures_agree_within_bounds(peer, text):
    """Truncation omits less than x^2/984 of a divisor of at least 1, with x <= 16 + 2T after 14 documents."""
    T = from_ir_measures(text).T
    for seed in range(COLLECTIONS):
        ours = our_values(text, seed)
        for topic, value in their_values(peer, text, seed).items():
            assert ours[topic] <= value + 1e-12
            assert value <= ours[topic] * (1 + (16 + 2 * T) ** 2 / 984) + 1e-12


@pytest.mark.parametrize("text", ACCURACY)
def test_accuracy_agrees_with_ir_measures(peer, text):
    one = their_measure(peer, text)
    for seed in range(COLLECTIONS):
        qrels, run = collection(seed)
        ours = our_values(text, seed)
        for topic in qrels:
            try:
                values = [metric.value for metric in peer.iter_calc([one], qrels, {topic: run.get(topic, {})})]
            except ZeroDivisionError:
                values = [1.0]  # All documents are relevant.
            assert close(ours[topic], values[0] if values else 0.0), (seed, topic)


def test_means_include_topics_missing_in_the_run(peer):
    texts = ["AP", "nDCG@5", "RR@3", "SetF(beta=4.0)", "Judged@4", "Compat", "SDCG(max_rel=4)@5"]
    for seed in range(COLLECTIONS):
        qrels, run = collection(seed)
        means = peer.calc_aggregate([their_measure(peer, text) for text in texts], qrels, run)
        ours = evaluate(qrels, run, [their_measure(peer, text) for text in texts]).overall()[0]
        for text, mean in zip(texts, ours, strict=True):
            assert close(mean, means[their_measure(peer, text)]), text


def test_documented_differences_to_ir_measures(peer):
    """Check the differences in docs/differences.md, so that a change in ir_measures is noticed."""
    qrels = {"1": {"a": 1, "b": 2, "c": 0}}

    def both(text: str, run: dict[str, float]) -> tuple[float, float]:
        judgments = {"1": {"a": 1, "b": 1, "c": 0}} if text == "Compat" else qrels
        (metric,) = peer.iter_calc([their_measure(peer, text)], judgments, {"1": run})
        return float(metric.value), float(evaluate(judgments, {"1": run}, from_ir_measures(text)).overall()[0, 0])

    # ir_measures gives documents missing in the run the score 0, above those with a negative score.
    assert both("Compat", {"a": -1.0, "c": -2.0}) == (pytest.approx(0.2436, abs=1e-4), pytest.approx(0.7564, abs=1e-4))
    # ir_measures truncates grades to max_rel.
    assert peer.calc_aggregate([their_measure(peer, "SDCG(max_rel=1)@1")], qrels, {"1": {"b": 1.0}}) == {
        their_measure(peer, "SDCG(max_rel=1)@1"): 1.0
    }
    with pytest.raises(MeasureError, match="the qrels hold grade 2, above max_rel=1"):
        both("SDCG(max_rel=1)@1", {"b": 1.0})
    # Providers based on cwl_eval truncate the weights at rank 1000.
    cut, whole = both("RBP(rel=1, p=0.999)", {"a": 1.0})
    assert whole == pytest.approx(0.001)
    assert cut == pytest.approx(0.001 / (1 - 0.999**1000))
    # None of its usual providers supports RBP without rel.
    with pytest.raises(ValueError, match="Unsupported measures"):
        peer.calc_aggregate([peer.RBP(p=0.8)], qrels, {"1": {"a": 1.0}})
