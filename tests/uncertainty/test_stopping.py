"""Stopping rules, compared with the enumeration of all grades of the unjudged documents."""

from __future__ import annotations

from itertools import combinations, product
from random import Random
from typing import Any

import pytest

import assay
from assay.errors import AssayError
from assay.uncertainty import JudgingQueue, judge_next
from assay.uncertainty._stopping import check_additive_rules, parse_rules
from report_contract import check_report

DOCUMENTS = "abcdef"
EXACT = ("RBP(p=0.7)", "P@2", "DCG(gains=exp)@3", "RR", "ERR")


def simulate_campaign(random: Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return judgments of most documents of two topics, and three runs."""
    runs = {
        run: {topic: {doc: random.random() for doc in random.sample(DOCUMENTS, 4)} for topic in "12"}
        for run in ("a", "b", "c")
    }
    qrels = {topic: {doc: random.choice([0, 0, 1, 2]) for doc in DOCUMENTS if random.random() < 0.7} for topic in "12"}
    qrels["1"]["a"] = 2  # the top of the scale
    qrels["2"].setdefault("b", 1)
    return qrels, runs


def list_unjudged(qrels: Any, runs: Any) -> list[tuple[str, str]]:
    return [
        (topic, doc)
        for topic in "12"
        for doc in DOCUMENTS
        if doc not in qrels[topic] and any(doc in runs[run][topic] for run in runs)
    ]


def complete(qrels: Any, pairs: Any, grades: Any) -> dict[str, dict[str, int]]:
    completed = {topic: dict(judged) for topic, judged in qrels.items()}
    for (topic, doc), grade in zip(pairs, grades, strict=True):
        completed[topic][doc] = grade
    return completed


def mean_values(qrels: Any, runs: Any, measure: str) -> dict[str, float]:
    frame = assay.evaluate(qrels, runs, [measure]).means()
    return dict(zip(frame["run"], frame["value"], strict=True))


def order_of(values: dict[str, float], top: int) -> object:
    """Return the order of the best runs and the set of the others; runs with equal values are in one group."""
    rounded = {run: round(value, 10) for run, value in values.items()}
    levels = sorted(set(rounded.values()), reverse=True)
    groups = [frozenset(run for run, value in rounded.items() if value == level) for level in levels]
    ordered: list[frozenset[str]] = []
    for group in groups:
        if sum(map(len, ordered)) < top:
            ordered.append(group)
    return tuple(ordered)


def top_is_fixed(qrels: Any, runs: Any, measure: str, top: int) -> bool:
    """Return whether the order of the best runs is the same for all grades."""
    pairs = list_unjudged(qrels, runs)
    orders = {
        order_of(mean_values(complete(qrels, pairs, grades), runs, measure), top)
        for grades in product([0, 2], repeat=len(pairs))
    }
    return len(orders) == 1


@pytest.mark.parametrize("measure", EXACT)
def test_rules_agree_with_the_enumeration(measure: str) -> None:
    random, found = Random(measure), set()
    for _ in range(14):
        qrels, runs = simulate_campaign(random)
        if len(list_unjudged(qrels, runs)) > 3:
            continue
        report = judge_next(assay.read(qrels, runs), stop=["top:1", "top:2", "pair:a,b"], stop_measures=measure)
        for status, top in zip(report.rules, (1, 2), strict=False):
            assert status.holds == top_is_fixed(qrels, runs, measure, top)
            assert status.exact
            found.add(status.holds)
        pair = report.rules[2]
        two = {run: runs[run] for run in "ab"}
        unjudged = list_unjudged(qrels, two)
        differences = []
        for grades in product([0, 1, 2], repeat=len(unjudged)):
            completed = mean_values(complete(qrels, unjudged, grades), two, measure)
            differences.append(completed[str(pair.run)] - completed[str(pair.other)])
        assert (pair.low, pair.high) == pytest.approx((min(differences), max(differences)), abs=1e-9)
        assert pair.holds == (
            min(differences) > 1e-9 or max(differences) < -1e-9 or len({round(d, 9) for d in differences}) == 1
        )
    assert found == {True, False}


def test_needed_judgments_are_the_fewest_that_can_decide() -> None:
    random, needed = Random(5), set()
    for _ in range(8):
        qrels, runs = simulate_campaign(random)
        two = {run: runs[run] for run in "ab"}
        unjudged = list_unjudged(qrels, two)
        if len(unjudged) > 3:
            continue

        def is_decided(judgments: Any, two: Any = two) -> bool:
            return judge_next(assay.read(judgments, two), "RBP(p=0.6)", stop="pair:a,b").rules[0].holds

        fewest = next(
            count
            for count in range(len(unjudged) + 1)
            for chosen in combinations(unjudged, count)
            for grades in product([0, 2], repeat=count)
            if is_decided(complete(qrels, chosen, grades))
        )
        assert judge_next(assay.read(qrels, two), "RBP(p=0.6)", stop="pair:a,b").rules[0].needed == fewest
        needed.add(fewest)
    assert len(needed) > 1


def test_rules_of_a_queue_follow_its_judgments() -> None:
    random = Random(2)
    for measure in ("RBP(p=0.7)", "DCG(gains=exp)@3"):
        qrels, runs = simulate_campaign(random)
        queue = JudgingQueue(assay.read(qrels, runs), measure)
        rules = parse_rules(["top:2", "pair:c,a"], ["a", "b", "c"])
        for topic, doc in list_unjudged(qrels, runs):
            grade = random.randint(0, 2)
            queue.judge(topic, doc, grade)
            qrels[topic][doc] = grade
            expected = judge_next(assay.read(qrels, runs), measure, stop=["top:2", "pair:c,a"]).rules
            for status, other in zip(check_additive_rules(rules, queue), expected, strict=True):
                assert (status.decided, status.needed, status.run) == (other.decided, other.needed, other.run)
                assert (status.low, status.high) == pytest.approx((other.low, other.high))
        assert all(status.holds for status in check_additive_rules(rules, queue))


def test_weighted_sums_agree_with_med() -> None:
    qrels, runs = simulate_campaign(Random(9))
    campaign = assay.read(qrels, runs)
    status = judge_next(campaign, stop="pair:b,c", stop_measures="RBP(p=0.7)").rules[0]
    row = assay.distance.med(campaign, "RBP(p=0.7)").frame().filter(run_a="b", run_b="c")
    sign = 1 if status.run == "b" else -1
    ends = sorted(sign * row[name].mean() for name in ("smallest", "largest"))
    assert (status.low, status.high) == pytest.approx(tuple(ends))


def test_report() -> None:
    qrels, runs = simulate_campaign(Random(3))
    report = judge_next(assay.read(qrels, runs), stop=["top:2"], stop_measures=["RBP(p=0.8)", "AP", "P@2"])
    check_report(report)
    assert "By AP, " in report.summary()
    assert "if no unjudged document outside the compared ranks is relevant" in report.table("stop").caption
    assert report.stop().select("rule", "measure").rows() == [
        ("top:2", "RBP(p=0.8)"),
        ("top:2", "AP"),
        ("top:2", "P@2"),
    ]
    assert report.provenance.settings["stop"] == ["top:2"]
    assert "no stopping rules" in judge_next(assay.read(qrels, runs)).table("stop").caption
    many = judge_next(assay.read(qrels, runs), stop=["top:1", "top:2", "top:9", "pair:a,b"])
    assert "the best run " in many.rules[0].describe()
    assert " of 4 stopping rules hold" in many.summary()


def test_names_with_commas() -> None:
    assert parse_rules("pair:a,b,c", ["a", "b,c"])[0].pair == (0, 1)
    assert parse_rules(["top:3", "top:3"], ["a"])[0].top == 3


@pytest.mark.parametrize(
    ("stop", "options", "message"),
    [
        ("top:0", {}, "write top:K"),
        ("best", {}, "stop 'best': write top:K, such as top:10, or pair:RUN,RUN"),
        ("pair:a", {}, "write top:K"),
        ("pair:a,a", {}, "two different runs"),
        ("pair:a,x", {}, "there is no run x"),
        ("top:1", {"undefined": "exclude"}, "undefined 'exclude': stopping rules need 'zero'"),
        ("top:1", {"missing": "exclude"}, "missing 'exclude'"),
        ("top:1", {"unjudged": "condensed"}, "unjudged 'condensed'"),
    ],
)
def test_invalid_rules_raise(stop: str, options: dict[str, str], message: str) -> None:
    qrels, runs = simulate_campaign(Random(3))
    with pytest.raises(AssayError, match=message):
        judge_next(assay.read(qrels, runs, **options), stop=stop)


def test_other_aggregates_and_a_single_run_raise() -> None:
    qrels, runs = simulate_campaign(Random(3))
    with pytest.raises(AssayError, match="not averaged over topics"):
        judge_next(assay.read(qrels, runs), stop="top:1", stop_measures="GM(AP)")
    with pytest.raises(AssayError, match="need at least two runs"):
        judge_next(assay.read(qrels, {"a": runs["a"]}), stop="top:1")
