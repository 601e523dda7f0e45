"""Selection of documents to judge next, compared with the definition and with completed judgments."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st

import assay
from assay.errors import AssayError, MeasureError
from assay.measures import catalogue, measure
from assay.uncertainty import _judging_curve as judging_order
from assay.uncertainty._judge_next import judge_next
from assay.uncertainty._judging_curve import judging_curve
from assay.uncertainty._judgment_weights import JudgmentWeights
from oracles import residual as oracle
from real_data import read_trec8
from report_contract import check_report
from strategies import many_examples

DOCS = "abcdefg"
POOLS = ((0, 1), (0, 1, 2, 3), (-2, -1, 0, 1), (0, 0.5, 3), (-1,), (0,), (0.25,))
GRADES = st.sampled_from(POOLS).flatmap(
    lambda pool: st.dictionaries(st.sampled_from(DOCS + "z"), st.sampled_from(pool), min_size=1, max_size=4)
)
RANKING = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([1.0, 2.0, 2.5, 3.0, 4.0]), max_size=6)
QRELS = st.dictionaries(st.sampled_from(["1", "2"]), GRADES, min_size=1)
RUNS = st.lists(st.fixed_dictionaries({"1": RANKING, "2": RANKING}), min_size=2, max_size=4).map(
    lambda runs: {f"r{i}": run for i, run in enumerate(runs)}
)


def log2(rank: int) -> float:
    return 1 / math.log2(1 + rank)


# For each measure: the weight of a rank, the number of ranks that count, and the range of gains for top grade t.
SUMS: dict[str, tuple[Any, float, Any]] = {
    "RBP(p=0.8)": (lambda i: 0.2 * 0.8 ** (i - 1), math.inf, lambda t: 1),
    "RBP(p=0)": (lambda i: 0.0 ** (i - 1), math.inf, lambda t: 1),
    "RBP(p=0.5, gains=unit)@3": (lambda i: 0.5**i, 3, lambda t: t / max(t, 1)),
    "P@2": (lambda i: 1 / 2, 2, lambda t: 1),
    "P(rel=2)@4": (lambda i: 1 / 4, 4, lambda t: 1),
    "CG": (lambda i: 1, math.inf, lambda t: t),
    "CG(gains=negative)@3": (lambda i: 1, 3, lambda t: t + 1),
    "DCG@3": (log2, 3, lambda t: t),
    "DCG(gains=exp)": (log2, math.inf, lambda t: 2**t - 1),
    "DCG(base=2)@5": (lambda i: 1 / max(1, math.log2(i)), 5, lambda t: t),
    "SDCG@3": (lambda i: log2(i) / sum(map(log2, (1, 2, 3))), 3, lambda t: t / max(t, 1)),
    "SDCG(gains=exp12)@4": (
        lambda i: log2(i) / sum(map(log2, (1, 2, 3, 4))),
        4,
        lambda t: (2**t - 1) / 2 ** max(t, 1),
    ),
    "INSQ(T=1)": (lambda i: (i + 1) ** -2 / (math.pi**2 / 6 - 1), math.inf, lambda t: t / max(t, 1)),
    "NumRelRet": (lambda i: 1, math.inf, lambda t: 1),
}
MEASURES = tuple(SUMS)


def top_grade(qrels: Any) -> float:
    """Return the largest grade if it is above 0, else 1."""
    top = max(grade for judged in qrels.values() for grade in judged.values())
    return float(top) if top > 0 else 1.0


def make_weight_function(name: str, qrels: Any) -> Any:
    """Return the uncertainty due to an unjudged document as a function of its rank."""
    weight, max_rank, gain_range = SUMS[name]
    max_gain = gain_range(top_grade(qrels))
    return lambda rank: weight(rank) * max_gain if rank <= max_rank else 0.0


def is_valid_input(qrels: Any, runs: Any) -> bool:
    """Return whether every run has a document for a judged topic; reading other runs is an error."""
    return all(any(run.get(topic) for topic in qrels) for run in runs.values())


def complete_judgments(qrels: Any, runs: Any, grade: float) -> dict[str, dict[str, float]]:
    """Return the judgments with *grade* for every retrieved document that has no grade."""
    result = {topic: dict(judged) for topic, judged in qrels.items()}
    for topic, judged in result.items():
        for run in runs.values():
            for doc in run.get(topic, {}):
                judged[doc] = grade if oracle.is_open(qrels[topic].get(doc)) else qrels[topic][doc]
    return result


# Against definitions ---------------------------------------------------------------------------------------------


@many_examples(max_examples=100, qrels=QRELS, runs=RUNS, name=st.sampled_from(MEASURES))
def test_agrees_with_the_definition(qrels: Any, runs: Any, name: str) -> None:
    if not is_valid_input(qrels, runs):
        return
    expected = oracle.document_stakes(qrels, runs, make_weight_function(name, qrels))
    report = judge_next(assay.read(qrels, runs), name)
    frame = report.frame()
    assert frame.columns == ["topic", "doc", "weight", "runs", "best_rank", "grade", "remaining"]
    rows_by_document = {(topic, doc): row for topic, doc, *row in frame.iter_rows()}
    assert rows_by_document.keys() == expected.keys()
    assert report.documents == len(expected)
    for document, (total, num_runs, best_rank) in expected.items():
        assert rows_by_document[document][:3] == [pytest.approx(total, rel=1e-9), num_runs, best_rank]
        grade = qrels[document[0]].get(document[1])
        assert rows_by_document[document][3] == grade
    order = [(round(-row[0], 9), row[2], *document) for document, row in rows_by_document.items()]
    assert order == sorted(order)
    cells = len(runs) * len(qrels)
    total_weight = sum(total for total, *_ in expected.values())
    assert report.before == pytest.approx(total_weight / cells, abs=1e-12)
    remaining = total_weight - np.cumsum(frame["weight"].to_numpy())
    assert frame["remaining"].to_list() == pytest.approx((remaining / cells).tolist(), abs=1e-9)
    assert report.after == (0.0 if expected else report.before)


@many_examples(max_examples=30, qrels=QRELS, runs=RUNS, name=st.sampled_from(MEASURES), ties=st.booleans())
def test_judging_shrinks_the_interval_by_the_weight(qrels: Any, runs: Any, name: str, ties: bool) -> None:
    """The interval between the lowest and highest completion shrinks by the weight, whatever grade is assigned."""
    if not is_valid_input(qrels, runs):
        return
    policy = "expected" if ties else "trec_eval-10"
    top = top_grade(qrels)
    if not name.startswith(("CG", "DCG", "SDCG", "INSQ", "RBP(p=0.5")):
        top = max(top, 2.0)  # This grade is relevant for every measure.

    def width(judged: Any) -> float:
        completions = [complete_judgments(judged, runs, grade) for grade in (top, 0)]
        for completion in completions:
            # Judgments that no run retrieves do not count, but evaluate needs a grade that is relevant.
            next(iter(completion.values()))["not retrieved"] = top
        high, low = (assay.evaluate(completion, runs, name, ties=policy) for completion in completions)
        return float((high.values - low.values).sum())

    report = judge_next(assay.read(qrels, runs, ties=policy), name)
    cells = len(runs) * len(qrels)
    width_before = width(qrels)
    assert width_before == pytest.approx(report.before * cells, abs=1e-9)
    for topic, doc, weight, *_ in report.frame().head(3).iter_rows():
        for grade in (0, top):
            judged = {**qrels, topic: {**qrels[topic], doc: grade}}
            assert width_before - width(judged) == pytest.approx(weight, abs=1e-9)


@many_examples(max_examples=60, qrels=QRELS, runs=RUNS, p=st.sampled_from([0.0, 0.5, 0.95]))
def test_uncertainty_plus_tail_is_the_residual_of_rbp(qrels: Any, runs: Any, p: float) -> None:
    if not is_valid_input(qrels, runs):
        return
    residual = assay.evaluate(qrels, runs, f"RBPresidual(p={p})").values.mean()
    tails = [p ** len(run.get(topic, {})) for run in runs.values() for topic in qrels]
    assert judge_next(assay.read(qrels, runs), f"RBP(p={p})").before + np.mean(tails) == pytest.approx(
        residual, abs=1e-12
    )


@many_examples(
    max_examples=60, qrels=QRELS, runs=RUNS, name=st.sampled_from(["RBP(p=0.8)", "P@2", "DCG@3", "NumRelRet"])
)
def test_weights_for_a_pair_agree_with_the_definition(qrels: Any, runs: Any, name: str) -> None:
    if not is_valid_input(qrels, runs):
        return
    expected = oracle.weight_differences(qrels, runs["r1"], runs["r0"], make_weight_function(name, qrels))
    report = judge_next(assay.read(qrels, runs), name, pair=["r1", "r0"])
    weights_by_document = {
        (topic, doc): weight for topic, doc, weight in report.frame().select("topic", "doc", "weight").rows()
    }
    assert weights_by_document == pytest.approx(
        {document: weight for document, weight in expected.items() if weight > 0}, abs=1e-9
    )
    assert report.before == pytest.approx(sum(expected.values()) / len(qrels), abs=1e-9)
    assert report.pair == ("r1", "r0")
    assert "the difference between r1 and r0" in report.summary()


def test_uncertainty_of_a_pair_is_the_range_of_its_difference() -> None:
    """The extremes of the difference come from all grades of five documents."""
    qrels = {"1": {"a": 1, "x": 0}}
    one = {"1": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0}}
    two = {"1": {"d": 9.0, "e": 8.0, "b": 7.0, "f": 6.0}}
    differences = []
    for grades in product((0, 1), repeat=5):
        judged = {"1": {**qrels["1"], **dict(zip("bcdef", grades, strict=True))}}
        values = assay.evaluate(judged, {"one": one, "two": two}, "RBP(p=0.8)").values
        differences.append(float(values[0, 0, 0] - values[0, 1, 0]))
    report = judge_next(assay.read(qrels, {"one": one, "two": two}), "RBP(p=0.8)", pair=("one", "two"))
    assert report.before == pytest.approx(max(differences) - min(differences))


# Selected documents ----------------------------------------------------------------------------------------------

SMALL_RUNS = {
    "one": {"1": dict(zip("abcdefgh", range(8, 0, -1), strict=True)), "2": {"a": 3, "b": 2}},
    "two": {"1": dict(zip("hgfedcba", range(8, 0, -1), strict=True)), "3": {"k": 1}},
}
SMALL_QRELS = {"1": {"a": 1, "b": -1}, "2": {"z": 0}}
CAMPAIGN = assay.read(SMALL_QRELS, SMALL_RUNS)


def select_documents(**options: Any) -> list[tuple[str, str]]:
    return judge_next(CAMPAIGN, **{"measure": "RBP(p=0.5)", **options}).frame().select("topic", "doc").rows()


def test_limits_in_total_and_per_topic() -> None:
    all_documents = select_documents(n=10**30)
    assert all_documents == [
        ("1", "h"), ("2", "a"), ("1", "b"), ("1", "g"), ("2", "b"), ("1", "c"), ("1", "f"), ("1", "d"), ("1", "e")
    ]  # fmt: skip
    assert select_documents() == all_documents
    for n in range(1, 9):
        assert select_documents(n=n) == all_documents[:n]
    for quota in (1, 2, 3, 9, 10**30):
        first = [[document for document in all_documents if document[0] == topic][:quota] for topic in "12"]
        assert select_documents(per_topic=quota) == [
            document for document in all_documents if document in first[0] + first[1]
        ]
        assert select_documents(per_topic=quota, n=3) == select_documents(per_topic=quota)[:3]
    assert select_documents(topics="2") == [document for document in all_documents if document[0] == "2"]
    assert select_documents(topics=["1", "2"]) == all_documents


def test_default_limit_is_a_hundred_documents() -> None:
    run = {"1": {f"d{i:03}": 200 - i for i in range(150)}}
    assert len(judge_next(assay.read({"1": {"d000": 1}}, run), "CG").frame()) == 100
    assert len(judge_next(assay.read({"1": {"d000": 1}}, run), "CG", per_topic=120).frame()) == 120
    frame = judge_next(assay.read({"1": {"d000": 1}}, run), "CG", n=3).frame()
    assert frame["doc"].to_list() == ["d001", "d002", "d003"]  # Documents of equal weight are ordered by rank.


def test_order_of_runs_does_not_matter() -> None:
    collection = assay.simulate(systems=12, topics=4, depth=60, pool=5, seed=3)
    forward = judge_next(assay.read(collection.qrels, list(collection.runs)), "RBP(p=0.9)", n=200).frame()
    backward = judge_next(assay.read(collection.qrels, list(collection.runs)[::-1]), "RBP(p=0.9)", n=200).frame()
    assert forward.drop("weight", "remaining").equals(backward.drop("weight", "remaining"))
    assert forward["weight"].to_list() == pytest.approx(backward["weight"].to_list(), rel=1e-12)


def test_campaign_without_judgments() -> None:
    report = judge_next(assay.read(None, SMALL_RUNS), "P@2")
    assert report.frame()["topic"].unique().sort().to_list() == ["1", "2", "3"]
    assert report.before == pytest.approx((2 + 2 + 2 + 1) / 2 / 6)
    assert report.provenance.inputs[0].role == "run"
    assert report.provenance.settings["measure"] == "P@2"


def test_topics_without_judgments() -> None:
    judged_topics, all_topics = judge_next(CAMPAIGN, "CG"), judge_next(CAMPAIGN, "CG", all_topics=True)
    assert judged_topics.before == pytest.approx((7 + 7 + 2) / 4)
    assert all_topics.before == pytest.approx((7 + 7 + 2 + 1) / 6)
    assert set(all_topics.frame()["topic"]) - set(judged_topics.frame()["topic"]) == {"3"}
    assert all_topics.frame().filter(pl.col("doc") == "b", pl.col("topic") == "1")["grade"].to_list() == [-1]
    assert "a" not in all_topics.frame().filter(pl.col("topic") == "1")["doc"]
    assert any("ignored 1 topic without judgments" in note for note in judged_topics.notes)


def test_judgments_of_a_pool() -> None:
    collection = assay.simulate(systems=4, topics=3, depth=20, pool=10, seed=1)
    campaign = assay.read(collection.qrels, collection.runs)
    pooled = campaign.judgments.frame().filter(campaign.best_rank() <= 2)
    expected = judge_next(assay.read(pooled, collection.runs))
    assert (
        judge_next(campaign.pool(2))
        .frame()
        .drop("weight", "remaining")
        .equals(expected.frame().drop("weight", "remaining"))
    )


def test_nothing_left_to_judge() -> None:
    report = judge_next(assay.read({"1": {"a": 1}}, {"1": {"a": 1.0}}))
    assert (len(report.frame()), report.documents, report.before, report.after) == (0, 0, 0.0, 0.0)
    assert report.lines() == ""
    assert report.summary() == "No unjudged document affects RBP(p=0.8): nothing to judge."
    check_report(report)


def test_gains_that_decrease_with_the_grade() -> None:
    report = judge_next(assay.read({"1": {"a": 1, "b": 2}}, {"1": {"c": 1.0}}), "RBP(p=0, gains={1:0.75,2:0.5})")
    assert report.before == 0.75


def test_repr_summary_and_lines() -> None:
    report = judge_next(CAMPAIGN, "RBP(p=0.5)", n=3)
    assert repr(report) == "JudgeNext(3 of 9 unjudged documents, for RBP(p=0.5))"
    assert report.summary() == (
        "Judging 3 of 9 unjudged documents reduces the mean uncertainty of RBP(p=0.5) from 0.5596 to 0.2441."
    )
    assert report.notes[-1].startswith("counted 1 document with a negative grade as unjudged; change the existing line")
    assert report.lines() == "1 0 h ?\n2 0 a ?\n1 0 b ?\n"
    assert report.lines("0").splitlines()[0] == "1 0 h 0"
    with pytest.raises(AssayError, match="doc 'a b': contains whitespace"):
        judge_next(assay.read({"1": {"z": 1}}, {"1": {"a b": 1.0}})).lines()


def test_compact_tables() -> None:
    compact = check_report(judge_next(CAMPAIGN, "RBP(p=0.5)", n=3)).compact
    names = ["rank", "topic", "document", "runs", "best rank", "grade", "weight", "uncertainty after"]
    assert compact.columns == names
    assert compact["rank"].to_list() == [1, 2, 3]
    assert compact["grade"].to_list() == [None, None, -1]
    assert compact["grade"].dtype == pl.Int64
    without_grades = judge_next(CAMPAIGN, "RBP(p=0.5)", n=1).table().compact
    assert without_grades.columns == [name for name in names if name != "grade"]
    fraction = judge_next(assay.read({"1": {"a": -0.5}}, {"1": {"a": 1}})).table()
    assert fraction.compact["grade"].to_list() == [-0.5]


# Measures --------------------------------------------------------------------------------------------------------


def test_accepted_measures() -> None:
    def is_accepted(text: str) -> bool:
        try:
            return JudgmentWeights.from_measure(measure(text), np.array([-1.0, 0.0, 1.0, 2.0, 3.0])).gain_range > 0
        except MeasureError:
            return False

    accepted = {text for cls in catalogue().values() for text in cls.examples if is_accepted(text)}
    assert not accepted & {"AP", "ERR", "nDCG@10", "Q", "RR", "Twist@1000", "bpref"}
    assert accepted >= {
        "CG", "CG(gains=negative)@10", "CG@10", "DCG(base=10, gains=negative)", "DCG(base=2)", "DCG(gains=exp)@20",
        "DCG@10", "INSQ(T=1)", "INSQ(T=2, gains=binary)", "INSQ(T=3, max_rel=4)", "NumRelRet", "NumRelRet(rel=2)",
        "P(rel=2)@5", "P@10", "RBP(p=0.5)@20", "RBP(p=0.8)", "RBP(p=0.8, gains=unit)", "RBP(p=0.95, rel=2)",
        "SDCG(gains=binary, rel=2)@10", "SDCG(gains=exp12)@20", "SDCG(max_rel=4)@10", "SDCG@10",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "ERR", "Judged@10", "RBPresidual(p=0.8)", "RBP(p1=0.9, p2=0.5)"])
def test_other_measures_raise(name: str) -> None:
    with pytest.raises(MeasureError) as error:
        judge_next(CAMPAIGN, name)
    for part in (f"measure '{name}'", "not a weighted sum over ranks", "use RBP, INSQ, P, CG, DCG or SDCG"):
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, got 0"),
        ({"n": 2.5}, "n must be a whole number of at least 1, got 2.5"),
        ({"per_topic": True}, "per_topic must be a whole number of at least 1, got True"),
        ({"pair": ["one"]}, "pair: name two different runs"),
        ({"pair": ["one", "one"]}, "pair: name two different runs"),
        ({"pair": ["one", "tow"]}, "there is no run tow; did you mean two?"),
        ({"topics": "4"}, "there is no topic 4"),
        ({"topics": []}, "topics: name at least one"),
    ],
)
def test_invalid_arguments_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        judge_next(CAMPAIGN, **options)
    assert message in str(error.value)


# The order of judging --------------------------------------------------------------------------------------------


def measure_uncertainty(qrels: Any, runs: Any, weight: Any, revealed: list[tuple[str, str]]) -> tuple[float, float]:
    """Return the mean and the largest uncertainty of runs if only these judgments are known."""
    judgments: dict[str, dict[str, float]] = {topic: {} for topic in qrels}
    for topic, doc in revealed:
        judgments[topic][doc] = qrels[topic][doc]
    widths = [
        sum(total for total, *_ in oracle.document_stakes(judgments, {"run": run}, weight).values()) / len(qrels)
        for run in runs.values()
    ]
    return float(np.mean(widths)), max(widths)


def build_orders(qrels: Any, runs: Any, weight: Any, known_depth: int) -> tuple[list[Any], dict[str, list[Any]]]:
    """Return the judgments known from the start and the orders in which the other retrieved judgments are revealed."""
    nothing_judged = {topic: {} for topic in qrels}
    stakes = oracle.document_stakes(nothing_judged, runs, weight)
    judged = [(t, d) for t, judgments in qrels.items() for d, g in judgments.items() if not oracle.is_open(g)]
    retrieved = sorted(document for document in judged if document in stakes)
    initial = [document for document in retrieved if stakes[document][2] <= known_depth]
    remaining = [document for document in retrieved if stakes[document][2] > known_depth]
    by_weight = sorted(remaining, key=lambda document: (round(-stakes[document][0], 9), stakes[document][2], document))
    return initial, {
        "residual": by_weight,
        "depth": sorted(remaining, key=lambda document: (stakes[document][2], document)),
    }


@many_examples(
    max_examples=60,
    qrels=QRELS,
    runs=RUNS,
    name=st.sampled_from(["RBP(p=0.8)", "P@2", "DCG@3", "INSQ(T=1)"]),
    known=st.integers(0, 2),
)
def test_judging_curves_agree_with_the_definition(qrels: Any, runs: Any, name: str, known: int) -> None:
    if not is_valid_input(qrels, runs):
        return
    weight = make_weight_function(name, qrels)
    initial, remaining = build_orders(qrels, runs, weight, known)
    num_judgments = len(remaining["depth"])
    curve = judging_curve(assay.read(qrels, runs), name, known=known, steps=range(num_judgments + 1))
    assert curve.steps.tolist() == list(range(num_judgments + 1))
    for number, order in enumerate(("residual", "depth")):
        for step in range(num_judgments + 1):
            mean, worst = measure_uncertainty(qrels, runs, weight, initial + remaining[order][:step])
            assert curve.curves[number, step] == pytest.approx(mean, abs=1e-9)
            assert curve.worst[number, step] == pytest.approx(worst, abs=1e-9)
    assert (np.diff(curve.curves, axis=1) <= 1e-12).all()
    assert (curve.curves[0] <= curve.curves + 1e-12).all()  # No order is better than that by weight.
    assert curve.curves[:, -1] == pytest.approx([curve.curves[0, -1]] * 3)


@many_examples(max_examples=40, qrels=QRELS, runs=RUNS)
def test_judging_curve_of_a_difference(qrels: Any, runs: Any) -> None:
    if not is_valid_input(qrels, runs):
        return
    curve = judging_curve(assay.read(qrels, runs), "RBP(p=0.8)", pair=("r0", "r1"))
    unjudged = {topic: {"nowhere": top_grade(qrels)} for topic in qrels}
    assert curve.curves[:, 0] == pytest.approx(
        judge_next(assay.read(unjudged, runs), pair=("r0", "r1")).before, abs=1e-12
    )
    assert curve.curves[:, -1] == pytest.approx(
        judge_next(assay.read(qrels, runs), pair=("r0", "r1")).before, abs=1e-12
    )
    assert curve.worst == pytest.approx(curve.curves[:, curve.steps], abs=1e-12)
    assert (curve.curves[0] <= curve.curves + 1e-12).all()


def test_steps_pools_and_seeds() -> None:
    collection = assay.simulate(systems=12, topics=6, depth=60, pool=10, seed=5)
    runs = list(collection.runs)
    curve = judging_curve(assay.read(collection.qrels, runs), "RBP(p=0.8)")
    run_dicts = {run.name: nest_values(run.frame(), "score") for run in runs}
    for pool, step in zip(curve.pools, curve.steps.tolist(), strict=True):
        if pool is not None:
            pooled = oracle.pool(nest_values(collection.qrels.frame(), "grade"), run_dicts, pool)
            assert sum(map(len, pooled.values())) == step
    assert curve.steps[0] == 0
    assert curve.steps[-1] == curve.curves.shape[1] - 1
    three_steps = judging_curve(
        assay.read(collection.qrels, runs), "RBP(p=0.8)", steps=[10**9, 3, 0, 3], orders=["random"], seed=7
    )
    assert three_steps.steps.tolist() == [0, 3, int(curve.steps[-1])]
    assert three_steps.frame()["needed"].null_count() == 3
    same_seed = judging_curve(assay.read(collection.qrels, runs), "RBP(p=0.8)", orders=["random"], seed=7)
    other_seed = judging_curve(assay.read(collection.qrels, runs), "RBP(p=0.8)", orders=["random"], seed=8)
    assert (three_steps.curves == same_seed.curves).all()
    assert (three_steps.curves != other_seed.curves).any()


def nest_values(frame: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    result: dict[str, dict[str, float]] = {}
    for topic, doc, number in frame.select("topic", "doc", value).iter_rows():
        result.setdefault(topic, {})[doc] = number
    return result


def test_needed_judgments() -> None:
    """Documents a, b and c have best rank 1; d is second in three runs and has a larger weight than b or c."""
    runs = {
        "1": {"q": {"a": 3, "d": 2}},
        "2": {"q": {"b": 3, "d": 2}},
        "3": {"q": {"c": 3, "d": 2}},
        "4": {"q": {"a": 3}},
        "5": {"q": {"a": 3}},
    }
    curve = judging_curve(assay.read({"q": dict.fromkeys("abcd", 1)}, runs), "RBP(p=0.5)", orders=("depth", "residual"))
    frame = curve.frame()
    assert frame.columns == ["judgments", "pool", "order", "uncertainty", "worst", "needed"]
    assert curve.pools == (None, 1, 2)
    assert frame.filter(order="residual").select("judgments", "uncertainty", "needed").rows() == [
        (0, pytest.approx(3.25 / 5), 0),
        (3, pytest.approx(0.5 / 5), 3),
        (4, 0.0, 4),
    ]
    assert frame.filter(order="depth")["uncertainty"].to_list() == pytest.approx([3.25 / 5, 0.75 / 5, 0])
    assert curve.areas().rows() == [
        ("depth", pytest.approx((3.25 + 1.75 + 1.25 + 0.75 + 0) / 25)),
        ("residual", pytest.approx((3.25 + 1.75 + 1 + 0.5 + 0) / 25)),
    ]
    assert repr(curve) == "JudgingCurve(4 judgments in 2 orders)"
    assert check_report(curve).compact.columns == ["pool depth", "judgments", "depth", "residual", "needed"]
    assert curve.summary() == (
        "Compared with pooling by depth, the order of residuals saves no judgments. "
        "Mean uncertainty of RBP(p=0.5) over 0 to 4 judgments: 0.2800 (depth), 0.2600 (residual)."
    )
    one_order = judging_curve(assay.read({"q": {"a": 1}}, runs), orders=("random",))
    assert one_order.table().compact.columns == ["pool depth", "judgments", "random"]
    assert one_order.summary().startswith("Mean uncertainty")
    no_judgments = judging_curve(assay.read({"q": {"z": 1}}, runs))
    assert no_judgments.summary() == "No judgment of a retrieved document affects RBP(p=0.8): nothing to reveal."


def test_summary_of_savings() -> None:
    collection = assay.simulate(systems=6, topics=4, depth=30, pool=20)
    curve = judging_curve(assay.read(collection.qrels, list(collection.runs)))
    summary = curve.summary()
    rows = curve.frame().filter(pl.col("order") == "residual", pl.col("pool").is_not_null()).rows(named=True)
    pool = "than the {judgments} judgments of the pool of depth {pool}."
    [row] = [row for row in rows if pool.format(**row) in summary]
    percentage = 100 * (1 - row["needed"] / row["judgments"])
    assert f"saves up to {percentage:.0f} % of the judgments: {row['needed']} judgments leave" in summary
    uncertainty = (
        curve.frame().filter(pl.col("order") == "depth", pl.col("judgments") == row["judgments"])["uncertainty"].item()
    )
    assert uncertainty > 0.01 * curve.curves[0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"orders": ["dept"]},
            "order 'dept': choose from residual, depth, random, residual-weighted, score-weighted; did you mean depth?",
        ),
        ({"orders": []}, "orders: name at least one of residual, depth, random, residual-weighted, score-weighted"),
        (
            {"orders": ["depth", "depth"]},
            "orders: name at least one of residual, depth, random, residual-weighted, score-weighted",
        ),
        ({"known": -1}, "known must be a whole number of at least 0, got -1"),
        ({"steps": [-1]}, "steps must be a whole number of at least 0, got -1"),
        ({"measure": "AP"}, "measure 'AP': is not a weighted sum"),
    ],
)
def test_invalid_arguments_of_curves_raise(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as error:
        judging_curve(CAMPAIGN, **options)
    assert message in str(error.value)


@pytest.mark.parametrize("name", ["RBP(p=0.5)", "RBP(p=0.95)", "P@10", "SDCG@20"])
def test_residual_order_beats_pooling_by_depth(name: str) -> None:
    collection = assay.simulate(systems=20, topics=10, depth=100, pool=30)
    curve = judging_curve(assay.read(collection.qrels, list(collection.runs)), name)
    residual, depth, random = curve.curves
    assert (residual <= depth + 1e-12).all()
    assert residual.mean() < 0.97 * depth.mean() < random.mean()


def test_trec8_judging_curve() -> None:
    """All 129 runs give the numbers quoted in docs/guide/judging.md."""
    curve = judging_curve(read_trec8(), "RBP(p=0.95)")
    assert curve.curves.shape == (3, 86830 + 1)
    residual, depth, _ = curve.curves
    assert (residual <= depth + 1e-12).all()
    frame = curve.frame().filter(pool=10)
    assert frame["judgments"].to_list() == [12023] * 3
    assert frame["uncertainty"].to_list()[:2] == pytest.approx([0.174424, 0.252125], abs=1e-6)
    assert frame["needed"].to_list()[0] == 6940
    assert math.isclose(depth.mean() - residual.mean(), 0.123237 - 0.096102, abs_tol=2e-6)
    assert judging_order.DEPTHS[: len(curve.pools) - 1] == curve.pools[1:]
