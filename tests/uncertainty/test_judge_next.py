"""Which documents to judge next: against the definition, and against values of completed judgments."""

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
from real_data import real
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


# For each measure: the weight of a rank, how many ranks count, and the range of gains if the largest grade is t.
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
    """The largest grade above 0, or 1."""
    top = max(grade for judged in qrels.values() for grade in judged.values())
    return float(top) if top > 0 else 1.0


def weights(name: str, qrels: Any) -> Any:
    """What a document at a rank leaves open."""
    weight, most, span = SUMS[name]
    worth = span(top_grade(qrels))
    return lambda rank: weight(rank) * worth if rank <= most else 0.0


def answers(qrels: Any, runs: Any) -> bool:
    """Whether every run has a document for a topic of the qrels; others are refused on reading."""
    return all(any(run.get(topic) for topic in qrels) for run in runs.values())


def completed(qrels: Any, runs: Any, grade: float) -> dict[str, dict[str, float]]:
    """Every document of the runs without a grade gets *grade*."""
    full = {topic: dict(judged) for topic, judged in qrels.items()}
    for topic, judged in full.items():
        for run in runs.values():
            for doc in run.get(topic, {}):
                judged[doc] = grade if oracle.is_open(qrels[topic].get(doc)) else qrels[topic][doc]
    return full


# Against definitions ---------------------------------------------------------------------------------------------


@many_examples(max_examples=100, qrels=QRELS, runs=RUNS, name=st.sampled_from(MEASURES))
def test_definition(qrels: Any, runs: Any, name: str) -> None:
    if not answers(qrels, runs):
        return
    wanted = oracle.document_stakes(qrels, runs, weights(name, qrels))
    report = judge_next(assay.read(qrels, runs), name)
    frame = report.frame()
    assert frame.columns == ["topic", "doc", "weight", "runs", "best_rank", "grade", "remaining"]
    found = {(topic, doc): row for topic, doc, *row in frame.iter_rows()}
    assert found.keys() == wanted.keys()
    assert report.documents == len(wanted)
    for place, (total, times, best) in wanted.items():
        assert found[place][:3] == [pytest.approx(total, rel=1e-9), times, best]
        grade = qrels[place[0]].get(place[1])
        assert found[place][3] == grade
    order = [(round(-row[0], 9), row[2], *place) for place, row in found.items()]
    assert order == sorted(order)
    cells = len(runs) * len(qrels)
    everything = sum(total for total, *_ in wanted.values())
    assert report.before == pytest.approx(everything / cells, abs=1e-12)
    left = everything - np.cumsum(frame["weight"].to_numpy())
    assert frame["remaining"].to_list() == pytest.approx((left / cells).tolist(), abs=1e-9)
    assert report.after == (0.0 if wanted else report.before)


@many_examples(max_examples=30, qrels=QRELS, runs=RUNS, name=st.sampled_from(MEASURES), ties=st.booleans())
def test_judging_shrinks_the_interval_by_the_weight(qrels: Any, runs: Any, name: str, ties: bool) -> None:
    """The interval is that between the values of the lowest and of the highest completion, whatever the grade."""
    if not answers(qrels, runs):
        return
    policy = "expected" if ties else "trec_eval-10"
    top = top_grade(qrels)
    if not name.startswith(("CG", "DCG", "SDCG", "INSQ", "RBP(p=0.5")):
        top = max(top, 2.0)  # certainly relevant

    def width(judged: Any) -> float:
        high, low = (assay.evaluate(completed(judged, runs, grade), runs, name, ties=policy) for grade in (top, 0))
        return float((high.values - low.values).sum())

    report = judge_next(assay.read(qrels, runs, ties=policy), name)
    cells = len(runs) * len(qrels)
    assert width(qrels) == pytest.approx(report.before * cells, abs=1e-9)
    for topic, doc, weight, *_ in report.frame().head(3).iter_rows():
        for grade in (0, top):
            judged = {**qrels, topic: {**qrels[topic], doc: grade}}
            assert width(qrels) - width(judged) == pytest.approx(weight, abs=1e-9)


@many_examples(max_examples=60, qrels=QRELS, runs=RUNS, p=st.sampled_from([0.0, 0.5, 0.95]))
def test_with_the_tail_it_is_the_residual_of_rbp(qrels: Any, runs: Any, p: float) -> None:
    if not answers(qrels, runs):
        return
    residual = assay.evaluate(qrels, runs, f"RBPresidual(p={p})").values.mean()
    tails = [p ** len(run.get(topic, {})) for run in runs.values() for topic in qrels]
    assert judge_next(assay.read(qrels, runs), f"RBP(p={p})").before + np.mean(tails) == pytest.approx(
        residual, abs=1e-12
    )


@many_examples(
    max_examples=60, qrels=QRELS, runs=RUNS, name=st.sampled_from(["RBP(p=0.8)", "P@2", "DCG@3", "NumRelRet"])
)
def test_comparing(qrels: Any, runs: Any, name: str) -> None:
    if not answers(qrels, runs):
        return
    wanted = oracle.weight_differences(qrels, runs["r1"], runs["r0"], weights(name, qrels))
    report = judge_next(assay.read(qrels, runs), name, pair=["r1", "r0"])
    found = {(topic, doc): weight for topic, doc, weight in report.frame().select("topic", "doc", "weight").rows()}
    assert found == pytest.approx({place: weight for place, weight in wanted.items() if weight > 0}, abs=1e-9)
    assert report.before == pytest.approx(sum(wanted.values()) / len(qrels), abs=1e-9)
    assert report.pair == ("r1", "r0")
    assert "the difference between r1 and r0" in report.summary()


def test_comparing_is_how_far_the_difference_can_go() -> None:
    """The extremes of the difference over all grades of five documents, one by one."""
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


# What is chosen --------------------------------------------------------------------------------------------------

RUNS_ = {
    "one": {"1": dict(zip("abcdefgh", range(8, 0, -1), strict=True)), "2": {"a": 3, "b": 2}},
    "two": {"1": dict(zip("hgfedcba", range(8, 0, -1), strict=True)), "3": {"k": 1}},
}
QRELS_ = {"1": {"a": 1, "b": -1}, "2": {"z": 0}}
CAMPAIGN = assay.read(QRELS_, RUNS_)


def chosen(**given: Any) -> list[tuple[str, str]]:
    return judge_next(CAMPAIGN, **{"measure": "RBP(p=0.5)", **given}).frame().select("topic", "doc").rows()


def test_quotas() -> None:
    every = chosen(n=10**30)
    assert every == [
        ("1", "h"), ("2", "a"), ("1", "b"), ("1", "g"), ("2", "b"), ("1", "c"), ("1", "f"), ("1", "d"), ("1", "e")
    ]  # fmt: skip
    assert chosen() == every
    for n in range(1, 9):
        assert chosen(n=n) == every[:n]
    for quota in (1, 2, 3, 9, 10**30):
        first = [[place for place in every if place[0] == topic][:quota] for topic in "12"]
        assert chosen(per_topic=quota) == [place for place in every if place in first[0] + first[1]]
        assert chosen(per_topic=quota, n=3) == chosen(per_topic=quota)[:3]
    assert chosen(topics="2") == [place for place in every if place[0] == "2"]
    assert chosen(topics=["1", "2"]) == every


def test_more_than_a_hundred() -> None:
    run = {"1": {f"d{i:03}": 200 - i for i in range(150)}}
    assert len(judge_next(assay.read({"1": {"d000": 1}}, run), "CG").frame()) == 100
    assert len(judge_next(assay.read({"1": {"d000": 1}}, run), "CG", per_topic=120).frame()) == 120
    weights = judge_next(assay.read({"1": {"d000": 1}}, run), "CG", n=3).frame()
    assert weights["doc"].to_list() == ["d001", "d002", "d003"]  # equal weights: the better rank


def test_the_order_of_runs_does_not_matter() -> None:
    collection = assay.simulate(systems=12, topics=4, depth=60, pool=5, seed=3)
    there = judge_next(assay.read(collection.qrels, list(collection.runs)), "RBP(p=0.9)", n=200).frame()
    back = judge_next(assay.read(collection.qrels, list(collection.runs)[::-1]), "RBP(p=0.9)", n=200).frame()
    assert there.drop("weight", "remaining").equals(back.drop("weight", "remaining"))
    assert there["weight"].to_list() == pytest.approx(back["weight"].to_list(), rel=1e-12)


def test_nothing_judged_yet() -> None:
    report = judge_next(assay.read(None, RUNS_), "P@2")
    assert report.frame()["topic"].unique().sort().to_list() == ["1", "2", "3"]
    assert report.before == pytest.approx((2 + 2 + 2 + 1) / 2 / 6)
    assert report.provenance.inputs[0].role == "run"
    assert report.provenance.settings["measure"] == "P@2"


def test_topics_without_judgments() -> None:
    few, every = judge_next(CAMPAIGN, "CG"), judge_next(CAMPAIGN, "CG", all_topics=True)
    assert few.before == pytest.approx((7 + 7 + 2) / 4)
    assert every.before == pytest.approx((7 + 7 + 2 + 1) / 6)
    assert set(every.frame()["topic"]) - set(few.frame()["topic"]) == {"3"}
    assert every.frame().filter(pl.col("doc") == "b", pl.col("topic") == "1")["grade"].to_list() == [-1]
    assert "a" not in every.frame().filter(pl.col("topic") == "1")["doc"]
    assert any("1 topic without judgments ignored" in note for note in few.notes)


def test_judgments_of_a_pool() -> None:
    collection = assay.simulate(systems=4, topics=3, depth=20, pool=10, seed=1)
    campaign = assay.read(collection.qrels, collection.runs)
    kept = campaign.judgments.frame().filter(campaign.best_rank() <= 2)
    alone = judge_next(assay.read(kept, collection.runs))
    assert (
        judge_next(campaign.pool(2))
        .frame()
        .drop("weight", "remaining")
        .equals(alone.frame().drop("weight", "remaining"))
    )


def test_nothing_left_to_judge() -> None:
    report = judge_next(assay.read({"1": {"a": 1}}, {"1": {"a": 1.0}}))
    assert (len(report.frame()), report.documents, report.before, report.after) == (0, 0, 0.0, 0.0)
    assert report.lines() == ""
    assert report.summary() == "No unjudged document affects RBP(p=0.8): nothing to judge."
    check_report(report)


def test_gains_that_do_not_grow() -> None:
    report = judge_next(assay.read({"1": {"a": 1, "b": 2}}, {"1": {"c": 1.0}}), "RBP(p=0, gains={1:0.75,2:0.5})")
    assert report.before == 0.75


def test_report() -> None:
    report = judge_next(CAMPAIGN, "RBP(p=0.5)", n=3)
    assert repr(report) == "JudgeNext(3 of 9 unjudged documents, for RBP(p=0.5))"
    assert report.summary() == (
        "Judging 3 of 9 unjudged documents reduces the mean uncertainty of RBP(p=0.5) from 0.5596 to 0.2441."
    )
    assert report.notes[-1].startswith("1 document with a negative grade counted as unjudged; change the existing line")
    assert report.lines() == "1 0 h ?\n2 0 a ?\n1 0 b ?\n"
    assert report.lines("0").splitlines()[0] == "1 0 h 0"
    with pytest.raises(AssayError, match="doc 'a b': contains whitespace"):
        judge_next(assay.read({"1": {"z": 1}}, {"1": {"a b": 1.0}})).lines()


def test_tables() -> None:
    compact = check_report(judge_next(CAMPAIGN, "RBP(p=0.5)", n=3)).compact
    names = ["rank", "topic", "document", "runs", "best rank", "grade", "weight", "uncertainty after"]
    assert compact.columns == names
    assert compact["rank"].to_list() == [1, 2, 3]
    assert compact["grade"].to_list() == [None, None, -1]
    assert compact["grade"].dtype == pl.Int64
    one = judge_next(CAMPAIGN, "RBP(p=0.5)", n=1).table().compact
    assert one.columns == [name for name in names if name != "grade"]
    fraction = judge_next(assay.read({"1": {"a": -0.5}}, {"1": {"a": 1}})).table()
    assert fraction.compact["grade"].to_list() == [-0.5]


# Measures --------------------------------------------------------------------------------------------------------


def test_which_measures_are_sums() -> None:
    def taken(text: str) -> bool:
        try:
            return JudgmentWeights.from_measure(measure(text), np.array([-1.0, 0.0, 1.0, 2.0, 3.0])).gain_range > 0
        except MeasureError:
            return False

    known = {text for cls in catalogue().values() for text in cls.examples if taken(text)}
    assert not known & {"AP", "ERR", "nDCG@10", "Q", "RR", "Twist@1000", "bpref"}
    assert known >= {
        "CG", "CG(gains=negative)@10", "CG@10", "DCG(base=10, gains=negative)", "DCG(base=2)", "DCG(gains=exp)@20",
        "DCG@10", "INSQ(T=1)", "INSQ(T=2, gains=binary)", "INSQ(T=3, max_rel=4)", "NumRelRet", "NumRelRet(rel=2)",
        "P(rel=2)@5", "P@10", "RBP(p=0.5)@20", "RBP(p=0.8)", "RBP(p=0.8, gains=unit)", "RBP(p=0.95, rel=2)",
        "SDCG(gains=binary, rel=2)@10", "SDCG(gains=exp12)@20", "SDCG(max_rel=4)@10", "SDCG@10",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "ERR", "Judged@10", "RBPresidual(p=0.8)", "RBP(p1=0.9, p2=0.5)"])
def test_others_are_refused(name: str) -> None:
    with pytest.raises(MeasureError) as said:
        judge_next(CAMPAIGN, name)
    for part in (f"measure '{name}'", "not a weighted sum over ranks", "use RBP, INSQ, P, CG, DCG or SDCG"):
        assert part in str(said.value)


@pytest.mark.parametrize(
    ("given", "message"),
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
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as said:
        judge_next(CAMPAIGN, **given)
    assert message in str(said.value)


# The order of judging --------------------------------------------------------------------------------------------


def slowly(qrels: Any, runs: Any, weight: Any, revealed: list[tuple[str, str]]) -> tuple[float, float]:
    """Mean and largest uncertainty of runs when only these judgments are known."""
    known: dict[str, dict[str, float]] = {topic: {} for topic in qrels}
    for topic, doc in revealed:
        known[topic][doc] = qrels[topic][doc]
    widths = [
        sum(total for total, *_ in oracle.document_stakes(known, {"run": run}, weight).values()) / len(qrels)
        for run in runs.values()
    ]
    return float(np.mean(widths)), max(widths)


def orders(qrels: Any, runs: Any, weight: Any, known: int) -> tuple[list[Any], dict[str, list[Any]]]:
    """What is known from the start, and the orders of the rest: what was judged and stands in some run."""
    hidden = {topic: {} for topic in qrels}
    at_stake = oracle.document_stakes(hidden, runs, weight)
    judged = [(t, d) for t, judgments in qrels.items() for d, g in judgments.items() if not oracle.is_open(g)]
    there = sorted(place for place in judged if place in at_stake)
    begin = [place for place in there if at_stake[place][2] <= known]
    rest = [place for place in there if at_stake[place][2] > known]
    by_weight = sorted(rest, key=lambda place: (round(-at_stake[place][0], 9), at_stake[place][2], place))
    return begin, {"residual": by_weight, "depth": sorted(rest, key=lambda place: (at_stake[place][2], place))}


@many_examples(
    max_examples=60,
    qrels=QRELS,
    runs=RUNS,
    name=st.sampled_from(["RBP(p=0.8)", "P@2", "DCG@3", "INSQ(T=1)"]),
    known=st.integers(0, 2),
)
def test_curves(qrels: Any, runs: Any, name: str, known: int) -> None:
    if not answers(qrels, runs):
        return
    weight = weights(name, qrels)
    begin, rest = orders(qrels, runs, weight, known)
    every = len(rest["depth"])
    curve = judging_curve(assay.read(qrels, runs), name, known=known, steps=range(every + 1))
    assert curve.steps.tolist() == list(range(every + 1))
    for number, order in enumerate(("residual", "depth")):
        for done in range(every + 1):
            mean, worst = slowly(qrels, runs, weight, begin + rest[order][:done])
            assert curve.curves[number, done] == pytest.approx(mean, abs=1e-9)
            assert curve.worst[number, done] == pytest.approx(worst, abs=1e-9)
    assert (np.diff(curve.curves, axis=1) <= 1e-12).all()
    assert (curve.curves[0] <= curve.curves + 1e-12).all()  # no order is better than that of the weights
    assert curve.curves[:, -1] == pytest.approx([curve.curves[0, -1]] * 3)


@many_examples(max_examples=40, qrels=QRELS, runs=RUNS)
def test_curves_of_a_difference(qrels: Any, runs: Any) -> None:
    if not answers(qrels, runs):
        return
    curve = judging_curve(assay.read(qrels, runs), "RBP(p=0.8)", pair=("r0", "r1"))
    hidden = {topic: {"nowhere": top_grade(qrels)} for topic in qrels}
    assert curve.curves[:, 0] == pytest.approx(
        judge_next(assay.read(hidden, runs), pair=("r0", "r1")).before, abs=1e-12
    )
    assert curve.curves[:, -1] == pytest.approx(
        judge_next(assay.read(qrels, runs), pair=("r0", "r1")).before, abs=1e-12
    )
    assert curve.worst == pytest.approx(curve.curves[:, curve.steps], abs=1e-12)
    assert (curve.curves[0] <= curve.curves + 1e-12).all()


def test_steps_and_pools() -> None:
    collection = assay.simulate(systems=12, topics=6, depth=60, pool=10, seed=5)
    runs = list(collection.runs)
    curve = judging_curve(assay.read(collection.qrels, runs), "RBP(p=0.8)")
    plain = {run.name: dict_of(run.frame(), "score") for run in runs}
    for pool, step in zip(curve.pools, curve.steps.tolist(), strict=True):
        if pool is not None:
            kept = oracle.pool(dict_of(collection.qrels.frame(), "grade"), plain, pool)
            assert sum(map(len, kept.values())) == step
    assert curve.steps[0] == 0
    assert curve.steps[-1] == curve.curves.shape[1] - 1
    few = judging_curve(
        assay.read(collection.qrels, runs), "RBP(p=0.8)", steps=[10**9, 3, 0, 3], orders=["random"], seed=7
    )
    assert few.steps.tolist() == [0, 3, int(curve.steps[-1])]
    assert few.frame()["needed"].null_count() == 3
    again = judging_curve(assay.read(collection.qrels, runs), "RBP(p=0.8)", orders=["random"], seed=7)
    other = judging_curve(assay.read(collection.qrels, runs), "RBP(p=0.8)", orders=["random"], seed=8)
    assert (few.curves == again.curves).all()
    assert (few.curves != other.curves).any()


def dict_of(frame: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for topic, doc, number in frame.select("topic", "doc", value).iter_rows():
        found.setdefault(topic, {})[doc] = number
    return found


def test_needed() -> None:
    """The documents of best rank 1 are a, b, c; d stands second in three runs, and is worth more than b or c."""
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
    alone = judging_curve(assay.read({"q": {"a": 1}}, runs), orders=("random",))
    assert alone.table().compact.columns == ["pool depth", "judgments", "random"]
    assert alone.summary().startswith("Mean uncertainty")
    nothing = judging_curve(assay.read({"q": {"z": 1}}, runs))
    assert nothing.summary() == "No judgment of a retrieved document affects RBP(p=0.8): nothing to reveal."


def test_summary_of_savings() -> None:
    collection = assay.simulate(systems=6, topics=4, depth=30, pool=20)
    curve = judging_curve(assay.read(collection.qrels, list(collection.runs)))
    said = curve.summary()
    rows = curve.frame().filter(pl.col("order") == "residual", pl.col("pool").is_not_null()).rows(named=True)
    [row] = [row for row in rows if f"than the {row['judgments']} of the pool of depth {row['pool']}." in said]
    saved = 100 * (1 - row["needed"] / row["judgments"])
    assert f"saves up to {saved:.0f} % of the judgments: {row['needed']} leave" in said
    left = (
        curve.frame().filter(pl.col("order") == "depth", pl.col("judgments") == row["judgments"])["uncertainty"].item()
    )
    assert left > 0.01 * curve.curves[0, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"orders": ["dept"]}, "order 'dept': choose from residual, depth, random; did you mean depth?"),
        ({"orders": []}, "orders: name some of residual, depth, random, each once"),
        ({"orders": ["depth", "depth"]}, "orders: name some of residual, depth, random, each once"),
        ({"known": -1}, "known must be a whole number of at least 0, got -1"),
        ({"steps": [-1]}, "steps must be a whole number of at least 0, got -1"),
        ({"measure": "AP"}, "measure 'AP': is not a weighted sum"),
    ],
)
def test_refused_curves(given: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError) as said:
        judging_curve(CAMPAIGN, **given)
    assert message in str(said.value)


@pytest.mark.parametrize("name", ["RBP(p=0.5)", "RBP(p=0.95)", "P@10", "SDCG@20"])
def test_it_beats_pooling_by_depth(name: str) -> None:
    collection = assay.simulate(systems=20, topics=10, depth=100, pool=30)
    curve = judging_curve(assay.read(collection.qrels, list(collection.runs)), name)
    residual, depth, random = curve.curves
    assert (residual <= depth + 1e-12).all()
    assert residual.mean() < 0.97 * depth.mean() < random.mean()


def test_trec8() -> None:
    """All 129 runs: the numbers of the note."""
    folder = real("trec8-adhoc")
    curve = judging_curve(assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs"), "RBP(p=0.95)")
    assert curve.curves.shape == (3, 86830 + 1)
    residual, depth, _ = curve.curves
    assert (residual <= depth + 1e-12).all()
    frame = curve.frame().filter(pool=10)
    assert frame["judgments"].to_list() == [12023] * 3
    assert frame["uncertainty"].to_list()[:2] == pytest.approx([0.174424, 0.252125], abs=1e-6)
    assert frame["needed"].to_list()[0] == 6940
    assert math.isclose(depth.mean() - residual.mean(), 0.123237 - 0.096102, abs_tol=2e-6)
    assert judging_order.DEPTHS[: len(curve.pools) - 1] == curve.pools[1:]
