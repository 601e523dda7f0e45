"""The state of the explorer: the numbers of the analyses, rankings as measures see them, bounded caches."""

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


def documents(state: ExplorerState, run: str, topic: str) -> list[str]:
    """Return the documents of a ranking as measures see it."""
    return state.rankings.documents(state.run_number[run], state.topic_number[topic]).to_list()


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_values_are_those_of_evaluate(policies: dict[str, str]) -> None:
    chosen = [*DEFAULT_MEASURES, "bpref", "nDCG(gains=exp)@5", "Unjudged@10"]
    for qrels, runs in ((COLLECTION.qrels, COLLECTION.runs), (QRELS, RUNS)):
        found, expected = read_state(qrels, runs, **policies).values(chosen), evaluate(qrels, runs, chosen, **policies)
        assert found.runs == expected.runs
        assert found.topics == expected.topics
        assert found.measures == expected.measures
        assert np.array_equal(found.values, expected.values, equal_nan=True)
        assert set(found.notes) == set(expected.notes)
        assert found.provenance == expected.provenance


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_effort_is_that_of_the_report(policies: dict[str, str]) -> None:
    expected = effort.indicators(assay.read(QRELS, RUNS, **policies))
    found = small_state(**policies).effort
    assert found.frame().equals(expected.frame())


@pytest.mark.parametrize("policies", [{}, {"ties": "file"}], ids=str)
def test_documents_are_those_of_the_runs(policies: dict[str, str]) -> None:
    state = simulated_state(**policies)
    for run in COLLECTION.runs:
        frame = run.frame()
        for topic in COLLECTION.qrels.topics:
            own = frame.filter(topic=topic)
            ordered = own if policies else own.sort("score", "doc", descending=True)
            assert documents(state, run.name, topic) == ordered["doc"].to_list()


def test_documents_without_unjudged_ones() -> None:
    state = small_state(unjudged="condensed")
    assert documents(state, "x", "1") == ["a", "c", "b"]
    assert documents(state, "y", "2") == ["a"]
    assert documents(state, "z", "2") == []
    assert documents(small_state(), "y", "1") == ["c", "u", "a"]
    assert state.all_rankings.length.tolist() == small_state().rankings.length.tolist()
    assert state.rankings.length.sum() == len(state.campaign.judged.code)


def test_tied_documents_by_their_ids() -> None:
    state = read_state({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 2.0}})
    assert documents(state, "run1", "1") == ["c", "b", "a"]


def test_caches_are_bounded() -> None:
    """Whatever measures requests name, neither values nor what measures leave in the rankings accumulate."""
    state = small_state()
    state.prepare()
    before = len(state.campaign.judged._cache)
    for number in range(1, CACHED_MEASURES + 60):
        state.values(f"nDCG(gains={{1:{number},2:{number + 1}}})@10")
    assert len(state._values) == CACHED_MEASURES
    assert len(state.campaign.judged._cache) == before


def test_policies_that_are_refused() -> None:
    with pytest.raises(PolicyError, match=r"ties 'expected': .*a curve needs an order"):
        small_state(ties="expected")
    with pytest.raises(PolicyError, match="did you mean"):
        small_state(unjudged="condense")


def test_inputs_that_are_refused() -> None:
    for lenient in (False, True):
        with pytest.raises(InputError, match="shares no topic with the qrels"):
            read_state(QRELS, {**RUNS, "w": {"9": {"a": 1.0}}}, lenient=lenient)
    with pytest.raises(AssayError):
        read_state("no-such-file", RUNS)
    with pytest.raises(InputError, match="needs judgments"):
        read_state(None, RUNS)


def test_grades_below_1_are_refused_with_what_to_do() -> None:
    qrels = {topic: {doc: grade / 4 for doc, grade in docs.items()} for topic, docs in QRELS.items()}
    with pytest.raises(
        InputError,
        match=r"qrels: the explorer treats grades of at least 1 as relevant, and the highest grade is 0\.5; .*--grades",
    ):
        read_state(qrels, RUNS)
    state = read_state(qrels, RUNS, grades={0.25: 1, 0.5: 2})
    assert np.array_equal(state.values("nDCG").values, small_state().values("nDCG").values)


def test_by_the_rank_column(tmp_path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 2 9.0 t\n1 Q0 b 1 1.0 t\n")
    state = read_state({"1": {"a": 1}}, str(tmp_path / "a.run"), ties="rank")
    assert documents(state, "t", "1") == ["b", "a"]
    assert state.values("RR").values.item() == 0.5


def test_real_runs() -> None:
    """Robust 2003: values and documents are those of the files."""
    qrels, runs = str(real("robust03", "qrels.robust03.txt.gz")), str(real("robust03", "runs"))
    state = read_state(qrels, runs)
    expected = evaluate(qrels, runs, ["AP", "nDCG@10"])
    assert state.campaign.runs == expected.runs
    assert np.array_equal(state.values(["AP", "nDCG@10"]).values, expected.values)
    [first] = state.campaign.select(state.campaign.runs[0]).each_run(lambda run: run)
    for topic in state.campaign.topics[::25]:
        ordered = first.frame.filter(topic=topic).sort("value", "doc", descending=True)
        assert documents(state, first.name, topic) == ordered["doc"].to_list()
