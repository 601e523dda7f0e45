"""Tests of the explorer state: numbers of the analyses, rankings as measures see them, bounded caches."""

from __future__ import annotations

import numpy as np
import pytest

import assay
from assay import effort
from assay.errors import AssayError, InputError, PolicyError
from assay.results._evaluate import evaluate
from assay.simulation import simulate
from assay.views.explorer.state import CACHED_MEASURES, DEFAULT_MEASURES, ExplorerState
from explorer_cases import QRELS, RUNS, read_state, simulated_state, small_state
from real_data import real

COLLECTION = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
POLICIES = [
    {},
    {"ties": "trec_eval-9"},
    {"ties": "file"},
    {"missing": "exclude"},
    {"undefined": "exclude"},
    {"unjudged": "condensed"},
]


def ranked_documents(state: ExplorerState, run: str, topic: str) -> list[str]:
    """Return the documents of a ranking as measures see it."""
    return state.rankings.documents(state.run_index[run], state.topic_index[topic]).to_list()


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_values_match_evaluate(policies: dict[str, str]) -> None:
    measures = [*DEFAULT_MEASURES, "bpref", "nDCG(gains=exp)@5", "Unjudged@10"]
    for qrels, runs in ((COLLECTION.qrels, COLLECTION.runs), (QRELS, RUNS)):
        results, expected = (
            read_state(qrels, runs, **policies).values(measures),
            evaluate(qrels, runs, measures, **policies),
        )
        assert results.runs == expected.runs
        assert results.topics == expected.topics
        assert results.measures == expected.measures
        assert np.array_equal(results.values, expected.values, equal_nan=True)
        assert set(results.notes) == set(expected.notes)
        assert results.provenance == expected.provenance


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_effort_matches_the_analysis(policies: dict[str, str]) -> None:
    expected = effort.indicators(assay.read(QRELS, RUNS, **policies))
    report = small_state(**policies).effort
    assert report.frame().equals(expected.frame())


@pytest.mark.parametrize("policies", [{}, {"ties": "file"}], ids=str)
def test_documents_match_the_runs(policies: dict[str, str]) -> None:
    state = simulated_state(**policies)
    for run in COLLECTION.runs:
        frame = run.frame()
        for topic in COLLECTION.qrels.topics:
            topic_frame = frame.filter(topic=topic)
            ordered = topic_frame if policies else topic_frame.sort("score", "doc", descending=True)
            assert ranked_documents(state, run.name, topic) == ordered["doc"].to_list()


def test_condensed_rankings_have_no_unjudged_documents() -> None:
    state = small_state(unjudged="condensed")
    assert ranked_documents(state, "x", "1") == ["a", "c", "b"]
    assert ranked_documents(state, "y", "2") == ["a"]
    assert ranked_documents(state, "z", "2") == []
    assert ranked_documents(small_state(), "y", "1") == ["c", "u", "a"]
    assert state.all_rankings.length.tolist() == small_state().rankings.length.tolist()
    assert state.rankings.length.sum() == len(state.campaign.judged.code)


def test_tied_documents_are_ordered_by_id() -> None:
    state = read_state({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 2.0}})
    assert ranked_documents(state, "run1", "1") == ["c", "b", "a"]


def test_caches_are_bounded() -> None:
    """Neither values nor intermediate arrays of measures accumulate, whatever measures are requested."""
    state = small_state()
    state.prepare()
    cached = len(state.campaign.judged._cache)
    for number in range(1, CACHED_MEASURES + 60):
        state.values(f"nDCG(gains={{1:{number},2:{number + 1}}})@10")
    assert len(state._values) == CACHED_MEASURES
    assert len(state.campaign.judged._cache) == cached


def test_invalid_policies_are_rejected() -> None:
    with pytest.raises(PolicyError, match=r"ties 'expected': .*a curve needs an order"):
        small_state(ties="expected")
    with pytest.raises(PolicyError, match="did you mean"):
        small_state(unjudged="condense")


def test_invalid_inputs_are_rejected() -> None:
    for lenient in (False, True):
        with pytest.raises(InputError, match="shares no topic with the qrels"):
            read_state(QRELS, {**RUNS, "w": {"9": {"a": 1.0}}}, lenient=lenient)
    with pytest.raises(AssayError):
        read_state("no-such-file", RUNS)
    with pytest.raises(InputError, match="needs judgments"):
        read_state(None, RUNS)


def test_grades_below_1_are_rejected_with_a_remedy() -> None:
    qrels = {topic: {doc: grade / 4 for doc, grade in docs.items()} for topic, docs in QRELS.items()}
    with pytest.raises(
        InputError,
        match=r"qrels: the explorer treats grades of at least 1 as relevant, and the highest grade is 0\.5; .*--grades",
    ):
        read_state(qrels, RUNS)
    state = read_state(qrels, RUNS, grades={0.25: 1, 0.5: 2})
    assert np.array_equal(state.values("nDCG").values, small_state().values("nDCG").values)


def test_ties_by_rank(tmp_path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 2 9.0 t\n1 Q0 b 1 1.0 t\n")
    state = read_state({"1": {"a": 1}}, str(tmp_path / "a.run"), ties="rank")
    assert ranked_documents(state, "t", "1") == ["b", "a"]
    assert state.values("RR").values.item() == 0.5


def test_values_and_documents_of_real_runs() -> None:
    """Values and documents of Robust 2003 match the files."""
    qrels, runs = str(real("robust03", "qrels.robust03.txt.gz")), str(real("robust03", "runs"))
    state = read_state(qrels, runs)
    expected = evaluate(qrels, runs, ["AP", "nDCG@10"])
    assert state.campaign.runs == expected.runs
    assert np.array_equal(state.values(["AP", "nDCG@10"]).values, expected.values)
    [first] = state.campaign.select(state.campaign.runs[0]).each_run(lambda run: run)
    for topic in state.campaign.topics[::25]:
        ordered = first.frame.filter(topic=topic).sort("value", "doc", descending=True)
        assert ranked_documents(state, first.name, topic) == ordered["doc"].to_list()
