"""A campaign: the same numbers as from the files, and its documents."""

from __future__ import annotations

import numpy as np
import pytest
from assay.evaluation import evaluate
from assay.inputs import list_all, sources

from assay.effort.indicators import effort_report
from assay.errors import AssayError, InputError, PolicyError
from assay.measures import measures
from assay.model.ordering import documents
from assay.simulation import simulate
from assay.views.explorer.campaign import CACHED_MEASURES, DEFAULT_MEASURES, read
from explorer_cases import QRELS, RUNS, simulated, small
from real_data import real

WORLD = simulate(systems=5, topics=8, depth=60, pool=20, seed=3)
POLICIES = [
    {},
    {"ties": "trec_eval-9"},
    {"ties": "file"},
    {"topics": "intersection"},
    {"undefined": "exclude"},
    {"unjudged": "condensed"},
]


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_values_are_those_of_evaluate(policies: dict[str, str]) -> None:
    chosen = [*DEFAULT_MEASURES, "bpref", "nDCG(gains=exp)@5", "Unjudged@10"]
    for qrels, runs in ((WORLD.qrels, WORLD.runs), (QRELS, RUNS)):
        campaign, expected = read(qrels, runs, **policies), evaluate(qrels, runs, chosen, **policies)
        found = campaign.values(chosen)
        assert found.runs == expected.runs
        assert found.topics == expected.topics
        assert found.measures == expected.measures
        assert np.array_equal(found.values, expected.values, equal_nan=True)
        assert set(found.notes) == set(expected.notes)
        assert found.provenance == expected.provenance


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_effort_is_that_of_the_report(policies: dict[str, str]) -> None:
    expected = effort_report(QRELS, RUNS, **policies)
    found = small(**policies).effort
    assert found.frame(indicators=True).equals(expected.frame(indicators=True))


@pytest.mark.parametrize("policies", [{}, {"ties": "file"}], ids=str)
def test_documents_are_those_of_the_runs(policies: dict[str, str]) -> None:
    campaign = simulated(**policies)
    _, listed = list_all(WORLD.qrels, WORLD.runs, policies.get("ties", "trec_eval-10"))
    for run in listed:
        stop = np.cumsum(run.length)
        for topic, start, end in zip(run.topics, stop - run.length, stop, strict=True):
            assert campaign.documents(run.name, topic).to_list() == run.doc[int(start) : int(end)].to_list()


def test_documents_without_unjudged_ones() -> None:
    campaign = small(unjudged="condensed")
    assert campaign.documents("x", "1").to_list() == ["a", "c", "b"]
    assert campaign.documents("y", "2").to_list() == ["a"]
    assert campaign.documents("z", "2").to_list() == []
    assert small().documents("y", "1").to_list() == ["c", "u", "a"]
    assert campaign.whole.length.tolist() == small().rankings.length.tolist()
    assert campaign.rankings.length.sum() == len(campaign.ready.judged.code)


def test_tied_documents_by_their_ids() -> None:
    campaign = read({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 2.0}})
    assert campaign.documents("run1", "1").to_list() == ["c", "b", "a"]


def test_numbers_of_documents_tell_them_apart() -> None:
    campaign = small()
    lists = campaign.rankings.lists(0)
    names = campaign.rankings.names(lists)
    assert sorted(names) == ["a", "b", "c", "d", "u"]
    by_name = {name: lists.rank[:, i].tolist() for i, name in enumerate(names)}
    assert by_name == {"a": [1, 3, 2], "b": [3, 0, 0], "c": [2, 1, 0], "d": [0, 0, 1], "u": [4, 2, 0]}


def test_a_few_runs() -> None:
    campaign = simulated()
    names = [campaign.runs[3], campaign.runs[1]]
    from assay.evaluation import evaluated

    found = evaluated(campaign.some(names), measures("AP"))
    assert found.runs == tuple(names)
    assert np.array_equal(found.values, campaign.values("AP").only(names).values)


def test_what_is_kept_is_bounded() -> None:
    """Whatever anybody asks for, neither values nor what measures leave in the rankings pile up."""
    campaign = small()
    campaign.prepare()
    before = len(campaign.ready.judged._cache)
    for number in range(1, CACHED_MEASURES + 60):
        campaign.values(f"nDCG(gains={{1:{number},2:{number + 1}}})@10")
    assert len(campaign._values) == CACHED_MEASURES
    assert len(campaign.ready.judged._cache) == before


def test_policies_that_cannot_be() -> None:
    with pytest.raises(PolicyError, match="ties 'expected': the explorer shows curves, and a curve needs an order"):
        small(ties="expected")
    with pytest.raises(PolicyError, match="did you mean"):
        small(unjudged="condense")


def test_inputs_that_cannot_be() -> None:
    for lenient in (False, True):
        with pytest.raises(InputError, match="shares no topic with the qrels"):
            read(QRELS, {**RUNS, "w": {"9": {"a": 1.0}}}, lenient=lenient)
    with pytest.raises(AssayError):
        read("no-such-file", RUNS)


def test_grades_below_1_are_refused_with_what_to_do() -> None:
    qrels = {topic: {doc: grade / 3 for doc, grade in docs.items()} for topic, docs in QRELS.items()}
    with pytest.raises(InputError, match=r"qrels: no grade reaches 1, .* \(the highest is 0\.666667\)"):
        read(qrels, RUNS)


def test_progress() -> None:
    told: list[tuple[int, int]] = []
    read(QRELS, RUNS, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_by_the_rank_column(tmp_path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 2 9.0 t\n1 Q0 b 1 1.0 t\n")
    campaign = read({"1": {"a": 1}}, str(tmp_path / "a.run"), ties="rank")
    assert campaign.documents("t", "1").to_list() == ["b", "a"]
    assert campaign.values("RR").values.item() == 0.5


def test_real_runs() -> None:
    """Robust 2003: values, documents and effort are those of the files."""
    qrels, runs = str(real("robust03", "qrels.robust03.txt.gz")), str(real("robust03", "runs"))
    campaign = read(qrels, runs)
    expected = evaluate(qrels, runs, ["AP", "nDCG@10"])
    assert campaign.runs == expected.runs
    assert np.array_equal(campaign.values(["AP", "nDCG@10"]).values, expected.values)
    first = sources(runs, False)[0].read(False)[0]
    for topic in campaign.topics[::25]:
        assert campaign.documents(first.name, topic).to_list() == documents(first, topic, "trec_eval-10")
