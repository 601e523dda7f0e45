"""Orders of judging that weight documents by runs: methods B and C of Moffat, Webber and Zobel (2007)."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import strategies as st

import assay
from assay.cli import main
from assay.errors import InputError
from assay.uncertainty import judge_next, judging_curve
from assay.uncertainty._judgment_weights import weigh_runs
from real_data import real
from strategies import many_examples

POWERS = {"residual-weighted": 0, "score-weighted": 3}
DOCS = "abcdef"
RUNS = {
    "one": {"q": {"a": 3.0, "b": 2.0, "d": 1.0}},
    "two": {"q": {"c": 2.0, "b": 1.0}},
}


def weigh_documents(qrels, runs, order, p=0.5):
    """The definition for RBP, slow and obvious: the priority of each unjudged document, by topic and document."""
    priority = {}
    for run in runs.values():
        base = residual = 0.0
        weights = {}
        for topic in qrels:
            for rank, doc in enumerate(run.get(topic, []), 1):
                weight = (1 - p) * p ** (rank - 1)
                if doc not in qrels[topic]:
                    residual += weight / len(qrels)
                    weights[topic, doc] = weight
                elif qrels[topic][doc] >= 1:
                    base += weight / len(qrels)
        for document, weight in weights.items():
            added = weight * residual * (base + residual / 2) ** POWERS[order]
            priority[document] = priority.get(document, 0.0) + added
    return priority


def to_scores(runs):
    return {
        name: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in run.items()}
        for name, run in runs.items()
    }


RANKING = st.tuples(st.permutations(DOCS), st.integers(1, 6)).map(lambda pair: pair[0][: pair[1]])
CASES = {
    "qrels": st.fixed_dictionaries(
        dict.fromkeys(("t1", "t2"), st.dictionaries(st.sampled_from(DOCS), st.integers(0, 1), min_size=1, max_size=4))
    ),
    "runs": st.lists(st.fixed_dictionaries({"t1": RANKING, "t2": RANKING}), min_size=1, max_size=4).map(
        lambda runs: {f"r{i}": run for i, run in enumerate(runs)}
    ),
    "order": st.sampled_from(tuple(POWERS)),
}


@many_examples(80, **CASES)
def test_next_documents_agree_with_the_definition(qrels, runs, order):
    frame = judge_next(assay.read(qrels, to_scores(runs)), "RBP(p=0.5)", order=order).frame()
    priority = weigh_documents(qrels, runs, order)
    chosen = [priority[topic, doc] for topic, doc in frame.select("topic", "doc").rows()]
    assert len(chosen) == len(priority)
    assert chosen == pytest.approx(sorted(chosen, reverse=True), rel=1e-9)
    plain = judge_next(assay.read(qrels, to_scores(runs)), "RBP(p=0.5)").frame().sort("topic", "doc")
    assert frame.sort("topic", "doc")["weight"].to_list() == pytest.approx(plain["weight"].to_list())
    assert frame["remaining"].to_list()[-1:] in ([], [0.0])


@many_examples(60, **CASES)
def test_curves_reveal_the_document_with_the_highest_weight(qrels, runs, order):
    """After each judgment, the uncertainty falls by the weight of a document of the highest priority."""
    curve = judging_curve(assay.read(qrels, to_scores(runs)), "RBP(p=0.5)", orders=[order]).curves[0]
    # Only judgments of retrieved documents are revealed; the other documents are unjudged to the end.
    known = {topic: {} for topic in qrels}
    for before, after in pairwise(curve):
        priority = {
            (topic, doc): value
            for (topic, doc), value in weigh_documents(known, runs, order).items()
            if doc in qrels[topic]
        }
        best = max(priority.values())
        leaders = [document for document, value in priority.items() if value >= best * (1 - 1e-9)]
        fall = (before - after) * len(runs) * len(qrels)
        ranks = {document: [run[document[0]].index(document[1]) + 1 for run in runs.values()
                            if document[1] in run[document[0]]] for document in leaders}  # fmt: skip
        first = min(leaders, key=lambda document: (min(ranks[document]), *document))
        assert fall == pytest.approx(sum(0.5**rank for rank in ranks[first]), abs=1e-9)
        known[first[0]][first[1]] = qrels[first[0]][first[1]]


def test_worked_example():
    """Run one has the base 1/2 and the residual 3/8; run two has the base 0 and the residual 3/4."""
    campaign = assay.read({"q": {"a": 1}}, RUNS)
    orders = {
        order: judge_next(campaign, "RBP(p=0.5)", order=order).frame()["doc"].to_list()
        for order in ("residual", "residual-weighted", "score-weighted")
    }
    # B: b 1/4 (3/8 + 3/4) = 0.281, c 1/2 3/4 = 0.375, d 1/8 3/8 = 0.047. C: b 0.0404, c 0.0198, d 0.0152.
    assert orders == {
        "residual": ["c", "b", "d"],
        "residual-weighted": ["c", "b", "d"],
        "score-weighted": ["b", "c", "d"],
    }
    base, residual = np.array([1 / 2, 0]), np.array([3 / 8, 3 / 4])
    assert weigh_runs("residual", base, residual).tolist() == [1, 1]
    assert weigh_runs("residual-weighted", base, residual).tolist() == [3 / 8, 3 / 4]
    assert weigh_runs("score-weighted", base, residual).tolist() == [3 / 8 * (11 / 16) ** 3, 3 / 4 * (3 / 8) ** 3]


def test_invalid_orders_raise():
    campaign = assay.read({"q": {"a": 1}}, RUNS)
    with pytest.raises(InputError, match="order 'score': choose from residual, residual-weighted, score-weighted"):
        judge_next(campaign, order="score")
    for analysis in (
        lambda: judge_next(campaign, order="score-weighted", pair=("one", "two")),
        lambda: judging_curve(campaign, orders=["score-weighted"], pair=("one", "two")),
    ):
        with pytest.raises(InputError, match="weights all runs, so it cannot be combined with pair"):
            analysis()


def test_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "one.run").write_text("q Q0 a 1 3 one\nq Q0 b 2 2 one\nq Q0 d 3 1 one\n")
    (tmp_path / "two.run").write_text("q Q0 c 1 2 two\nq Q0 b 2 1 two\n")
    words = [
        "uncertainty",
        "judge-next",
        "qrels",
        "one.run",
        "two.run",
        "-m",
        "RBP(p=0.5)",
        "--order",
        "score-weighted",
    ]
    assert main([*words, "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [row["doc"] for row in content["rows"]] == ["b", "c", "d"]
    assert content["provenance"]["settings"]["order"] == "score-weighted"


def test_trec8_mean_uncertainty():
    folder = real("trec8-adhoc")
    campaign = assay.read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs", keep="documents")
    curve = judging_curve(campaign, orders=("residual", "score-weighted"), steps=[2000])
    plain, by_score = curve.curves
    assert plain[2000] == pytest.approx(0.2665, abs=1e-4)
    assert by_score[2000] == pytest.approx(0.2784, abs=1e-4)
    assert (plain <= by_score + 1e-12).all(), "no order leaves less mean uncertainty than the order of residuals"
