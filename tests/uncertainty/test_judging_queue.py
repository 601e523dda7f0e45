"""The queue of documents to judge, compared with judge_next on a campaign that is read again."""

from __future__ import annotations

from random import Random

import pytest

import assay
from assay.errors import InputError
from assay.uncertainty import JudgingQueue, judge_next


def simulate_rankings(random: Random) -> dict[str, dict[str, dict[str, float]]]:
    documents = [f"d{i}" for i in range(12)]
    return {
        run: {topic: {doc: random.random() for doc in random.sample(documents, 8)} for topic in "12"}
        for run in ("one", "two", "three")
    }


@pytest.mark.parametrize("measure", ["RBP(p=0.7)", "DCG(gains=exp)@5", "P@3"])
@pytest.mark.parametrize(
    "options", [{}, {"pair": ["one", "three"]}, {"order": "residual-weighted"}, {"order": "score-weighted"}]
)
def test_ranks_as_a_new_campaign_would(measure: str, options: dict[str, object]) -> None:
    random = Random(f"{measure}{options}")
    qrels, runs = {"1": {"d0": 1, "d1": -1}, "2": {"d2": 0}}, simulate_rankings(random)
    queue = JudgingQueue(assay.read(qrels, runs), measure, **options)
    for _ in range(8):
        expected = judge_next(assay.read(qrels, runs), measure, n=1000, **options)
        frame = queue.rank()
        # A judged grade above all others extends the scale, which changes weights, but not the set of documents.
        names = ["topic", "doc", "runs", "best_rank"]
        assert frame.select(names).rows() == expected.frame().select(names).rows()
        for column in ("weight", "remaining"):
            assert frame[column].to_list() == pytest.approx(expected.frame()[column].to_list(), abs=1e-9)
        assert queue.uncertainty == pytest.approx(expected.before)
        if not len(frame):
            break
        topic, doc = random.choice(frame.select("topic", "doc").rows())
        # Undo leaves no trace, whatever the grade was.
        queue.judge(topic, doc, 3)
        queue.withdraw(topic, doc)
        grade = random.randint(0, 2)
        qrels[topic][doc] = grade
        queue.judge(topic, doc, grade)
        assert not queue.contains(topic, doc)


def test_limits_and_omitted_documents() -> None:
    queue = JudgingQueue(assay.read(None, simulate_rankings(Random(1))), "P@3")
    frame = queue.rank()
    assert queue.rank(3).rows() == frame.head(3).rows()
    best = frame.select("topic", "doc").row(0)
    assert queue.rank(1, without=[best]).select("topic", "doc").row(0) == frame.select("topic", "doc").row(1)
    assert queue.rank(per_topic=1)["topic"].to_list() == ["2", "1"]
    assert len(queue) == len(frame)
    assert repr(queue) == f"JudgingQueue({len(frame)} unjudged documents, for P@3)"


def test_other_documents_and_grades() -> None:
    queue = JudgingQueue(assay.read({"1": {"d0": 1}}, simulate_rankings(Random(1))), "P@3")
    size = len(queue)
    queue.judge("1", "d0", 2)
    queue.judge("9", "nowhere", 2)
    queue.withdraw("9", "nowhere")
    assert len(queue) == size
    for grade in (-1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="must be a number of at least 0"):
            queue.judge("1", "d5", grade)


def test_med_order_agrees_with_the_definition() -> None:
    random = Random(4)
    qrels, runs = {"1": {"d0": 1}, "2": {"d1": 0, "d2": 1}}, simulate_rankings(random)
    queue = JudgingQueue(assay.read(qrels, runs), "RBP(p=0.7)", pair=["one", "three"], order="med")

    def weigh(run: str, topic: str, doc: str) -> float:
        ranking = sorted(runs[run][topic], key=lambda name: -runs[run][topic][name])
        return 0.3 * 0.7 ** ranking.index(doc) if doc in ranking else 0.0

    for _ in range(10):
        pairs = [(topic, doc) for topic in "12" for doc in {*runs["one"][topic], *runs["three"][topic]}]
        weight = {pair: weigh("one", *pair) - weigh("three", *pair) for pair in pairs}
        known = {(topic, doc): qrels[topic][doc] for topic, doc in pairs if doc in qrels[topic]}
        free = [pair for pair in pairs if pair not in known and abs(weight[pair]) > 1e-12]
        if not free:
            break
        base = sum(weight[pair] * grade for pair, grade in known.items())
        first = base + sum(max(weight[pair], 0) for pair in free)
        second = -base + sum(max(-weight[pair], 0) for pair in free)
        p = (sum(known.values()) + 1) / (len(known) + 2)
        assert queue._estimate_share() == pytest.approx(p)
        lowered = 1 if first >= second else -1
        expected = {pair: abs(weight[pair]) * (1 - p if weight[pair] * lowered > 0 else p) for pair in free}
        ranked = queue.rank().select("topic", "doc").rows()
        assert [expected[pair] for pair in ranked] == pytest.approx(sorted(expected.values(), reverse=True))
        topic, doc = random.choice(ranked)
        qrels[topic][doc] = random.randint(0, 1)
        queue.judge(topic, doc, qrels[topic][doc])


def test_med_order_needs_a_pair() -> None:
    with pytest.raises(InputError, match=r"order 'med': compares two runs; add pair"):
        JudgingQueue(assay.read(None, simulate_rankings(Random(1))), order="med")
