"""Campaign: reading with each value of ``keep``, and derived campaigns."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.engine.campaign import Campaign
from assay.errors import InputError, MeasureError
from assay.model.run import Run

QRELS = {"q1": {"a": 1}, "q2": {"b": 0}, "q3": {"b": 1}}
RUNS = {"x": {"q1": {"a": 1.0, "b": 2.0}}, "y": {"q2": {"a": 1.0}, "q9": {"b": 1.0, "c": 2.0}}}
KEEP = ("grades", "judgments", "documents", "runs")
MEASURES = ["AP", "nDCG@5", "RBP(p=0.8)", "Twist", "bpref", "NumRet"]


def random_collection(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return qrels and runs with ties, unjudged documents, negative grades, and missing or unjudged topics."""
    rng = np.random.default_rng(seed)
    qrels = {
        f"t{topic}": {f"d{doc}": int(rng.integers(-1, 4)) for doc in rng.permutation(30)[: rng.integers(1, 20)]}
        for topic in range(6)
    }
    runs = {
        f"run{number}": {
            f"t{topic}": {f"d{doc}": float(rng.integers(0, 6)) for doc in rng.permutation(30)[: rng.integers(1, 25)]}
            for topic in rng.permutation(8)[:6].tolist()
        }
        for number in range(4)
    }
    return qrels, runs


def values(campaign: Campaign) -> np.ndarray:
    return assay.evaluate(campaign, MEASURES).values


def assert_same_campaign(one: Campaign, other: Campaign) -> None:
    assert (one.runs, one.topics, one.policies) == (other.runs, other.topics, other.policies)
    np.testing.assert_array_equal(one.whole.code, other.whole.code)
    np.testing.assert_array_equal(one.whole.start, other.whole.start)
    np.testing.assert_array_equal(one.whole.counts, other.whole.counts)
    np.testing.assert_array_equal(values(one), values(other))


# Reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", KEEP)
@pytest.mark.parametrize("ties", ["trec_eval-10", "score-file", "expected"])
def test_values_do_not_depend_on_keep(keep: str, ties: str) -> None:
    for seed in range(2):
        qrels, runs = random_collection(seed)
        plain, other = assay.read(qrels, runs, ties=ties), assay.read(qrels, runs, ties=ties, keep=keep)
        assert_same_campaign(plain, other)
        assert plain.notes == other.notes
        np.testing.assert_array_equal(plain.best_rank(), other.best_rank())
        rankings, other_rankings = plain.rankings(), other.rankings()
        assert rankings.doc.to_list() == other_rankings.doc.to_list()
        np.testing.assert_array_equal(rankings.code, plain.whole.code)


def test_notes_name_missing_and_unjudged_topics() -> None:
    campaign = assay.read(QRELS, RUNS, keep="documents")
    [first, ignored, missing] = campaign.notes
    assert "lacks 2 of the 3 topics" in first
    assert (first.kind, first.source, first.number) == ("missing topics", "x", 2)
    assert "ignored 1 topic without judgments (2 documents): q9" in ignored
    assert (ignored.kind, missing.number) == ("topics without judgments", 2)


def test_without_qrels_the_topics_of_the_runs_are_used() -> None:
    campaign = assay.read(runs=RUNS)
    assert campaign.topics == ("q1", "q2", "q9")
    assert campaign.rankings().length.tolist() == [[2, 0, 0], [0, 1, 2]]
    assert campaign.notes == ()
    with pytest.raises(InputError, match="needs judgments"):
        assay.evaluate(campaign, "AP")


def test_a_campaign_may_have_no_runs() -> None:
    campaign = assay.read(QRELS)
    assert (campaign.runs, campaign.topics) == ((), ("q1", "q2", "q3"))
    assert campaign.whole.counts.sum() == 3
    assert repr(campaign) == "Campaign(0 runs x 3 topics, 3 judgments)"


def test_rankings_can_include_topics_outside_the_qrels() -> None:
    campaign = assay.read(QRELS, RUNS)
    assert campaign.rankings(topics="all").topics == ("q1", "q2", "q9")
    assert campaign.rankings().topics == ("q1", "q2", "q3")
    assert campaign.rankings(runs=["y"], depth=1, topics="all").doc.to_list() == ["a", "c"]


@pytest.mark.parametrize("keep", KEEP)
def test_a_judged_topic_missing_in_all_runs_keeps_its_judgments(keep: str) -> None:
    campaign = assay.read(QRELS, RUNS, keep=keep)
    assert campaign.whole.counts.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_a_run_without_judged_topics_raises_an_error() -> None:
    message = r"shares no topic with the qrels .*q7, q8.*q1, q2, q3"
    for lenient in (False, True):
        for keep in KEEP:
            with pytest.raises(InputError, match=message):
                assay.read(QRELS, {**RUNS, "z": {"q8": {"a": 1.0}, "q7": {"a": 1.0}}}, lenient=lenient, keep=keep)


def test_reading_files_and_ordering_by_rank(tmp_path: Path) -> None:
    (tmp_path / "one.run").write_text("q1 Q0 a 2 9 one\nq2 Q0 c 1 1 one\nq1 Q0 b 1 8 one\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 1 two\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\n")
    for qrels in (None, str(tmp_path / "qrels")):
        by_rank = assay.read(qrels, [str(tmp_path / "*.run")], ties="rank")
        assert by_rank.runs == ("one", "two")
        assert by_rank.rankings().doc.to_list()[:2] == ["b", "a"]
        assert all(one.sha256 for one in by_rank.provenance.inputs)
        assert assay.read(qrels, str(tmp_path / "one.run")).rankings().doc.to_list()[:2] == ["a", "b"]


def test_users_can_name_runs() -> None:
    run = Run.from_dict(RUNS["x"], "own")
    for qrels in (None, QRELS):
        assert assay.read(qrels, {"mine": run}, ties="file").runs == ("mine",)
        with pytest.raises(InputError, match="'mine' names 2 runs"):
            assay.read(qrels, {"mine": [run, run]})


def test_progress_is_reported_in_bytes(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.run", "b.run")]
    for file in files:
        file.write_text(f"q1 Q0 a 1 2 {file.stem}\n")
    for qrels in (None, QRELS):
        steps: list[tuple[int, int]] = []
        assay.read(qrels, files, progress=lambda *step: steps.append(step))  # noqa: B023
        assert steps == [(14, 28), (28, 28)]


def test_errors_in_the_qrels_are_reported_first() -> None:
    with pytest.raises(InputError, match=r"^nowhere\.qrels: no such file"):
        assay.read("nowhere.qrels", ["nowhere.run"])
    with pytest.raises(InputError, match=r"^nowhere\.run: no such file"):
        assay.read(runs=["nowhere.run"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"qrels": "-", "runs": ["-"]}, "-: standard input can be read only once"),
        ({}, "name qrels, runs or both"),
        ({"qrels": QRELS, "runs": RUNS, "keep": "grade"}, "did you mean grades"),
        ({"qrels": QRELS, "runs": RUNS, "grades": {7: 1}}, "has no grade 7"),
        ({"qrels": QRELS, "runs": []}, "name at least one run"),
    ],
)
def test_invalid_inputs_raise_an_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        assay.read(**arguments)


# Documents on first use ------------------------------------------------------------------------------------------


def test_rereading_a_changed_file_raises_an_error(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_text("q1 Q0 a 1 9 one\n")
    campaign = assay.read(QRELS, str(path))
    assert campaign.rankings().doc.to_list() == ["a"]
    kept_campaign = assay.read(QRELS, str(path), keep="runs")
    later = assay.read(QRELS, str(path))
    path.write_text("q1 Q0 b 1 9 one\n")
    with pytest.raises(InputError, match=r"one\.run: changed since it was read"):
        later.rankings()
    with pytest.raises(InputError, match="changed since it was read"):
        later.best_rank()
    with pytest.raises(InputError, match="changed since it was read"):
        later.each_run(len)
    assert campaign.rankings().doc.to_list() == kept_campaign.rankings().doc.to_list() == ["a"]


def test_documents_of_standard_input_are_available_later(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"q1 Q0 a 1 9 one\nq1 Q0 c 2 8 one\n"))
    monkeypatch.setattr(sys, "stdin", stream)
    campaign = assay.read(QRELS, "-")
    assert campaign.rankings().doc.to_list() == ["a", "c"]
    assert campaign.with_policies(ties="file").rankings().doc.to_list() == ["a", "c"]


def test_each_run_follows_the_order_of_the_campaign() -> None:
    campaign = assay.read(QRELS, RUNS)
    assert campaign.each_run(len) == [2, 3]
    assert campaign.select(runs=["y", "x"]).each_run(lambda run: run.name) == ["y", "x"]


# Derived campaigns -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", KEEP)
def test_select_keeps_the_values_of_runs_and_topics(keep: str) -> None:
    for seed in range(4):
        campaign = assay.read(*random_collection(seed), keep=keep)
        selected = campaign.select(runs=["run2", "run0"], topics=["t4", "t1"])
        assert (selected.runs, selected.topics) == (("run2", "run0"), ("t1", "t4"))
        np.testing.assert_array_equal(values(selected), values(campaign)[:, [2, 0]][:, :, [1, 4]])
        assert selected.judgments.topics == ("t1", "t4")
        np.testing.assert_array_equal(selected.rankings().code, selected.whole.code)
        everything = campaign.with_judgments(np.ones(len(campaign.judgments), dtype=bool))
        np.testing.assert_array_equal(values(everything.select(["run1"])), values(campaign)[:, [1]])
        assert selected.provenance.derivations


def test_selecting_unknown_names_raises_an_error() -> None:
    campaign = assay.read(QRELS, RUNS)
    with pytest.raises(InputError, match="no run z"):
        campaign.select(runs="z")
    with pytest.raises(InputError, match="no topic q7"):
        campaign.select(topics=["q1", "q7"])


@pytest.mark.parametrize("keep", KEEP)
def test_with_policies_equals_reading_with_these_policies(keep: str) -> None:
    for seed in range(3):
        qrels, runs = random_collection(seed)
        campaign = assay.read(qrels, runs, keep=keep)
        for changes in (
            {"unjudged": "condensed"},
            {"missing": "exclude", "undefined": "exclude"},
            {"ties": "score-id"},
            {"ties": "expected", "samples": 5, "seed": 3},
        ):
            assert_same_campaign(campaign.with_policies(**changes), assay.read(qrels, runs, **changes))


@pytest.mark.parametrize("keep", KEEP)
@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_with_grades_equals_reading_with_these_grades(keep: str, ties: str) -> None:
    grades = {3: 2, -1: 0}
    for seed in range(2):
        qrels, runs = random_collection(seed)
        campaign = assay.read(qrels, runs, keep=keep, ties=ties)
        derived = campaign.with_grades(grades)
        assert_same_campaign(derived, assay.read(qrels, runs, grades=grades, ties=ties))
        np.testing.assert_array_equal(derived.rankings().code, derived.whole.code)
        np.testing.assert_array_equal(derived.best_rank(), campaign.best_rank())


@pytest.mark.parametrize("keep", KEEP)
def test_with_qrels_equals_reading_with_these_qrels(keep: str) -> None:
    for seed in range(3):
        qrels, runs = random_collection(seed)
        other, _ = random_collection(seed + 10)
        campaign = assay.read(qrels, runs, keep=keep)
        derived = campaign.with_qrels({**other, "t7": {"d1": 2}})
        direct = assay.read({**other, "t7": {"d1": 2}}, runs)
        assert_same_campaign(derived, direct)
        np.testing.assert_array_equal(derived.best_rank(), direct.best_rank())


@pytest.mark.parametrize("keep", KEEP)
def test_with_judgments_equals_reading_only_these_judgments(keep: str) -> None:
    for seed in range(4):
        qrels, runs = random_collection(seed)
        campaign = assay.read(qrels, runs, keep=keep)
        frame = campaign.judgments.frame()
        mask = np.random.default_rng(seed).random(len(frame)) < 0.6
        mask[frame["topic"].is_first_distinct().to_numpy()] = True  # Each topic keeps a judgment.
        rows = frame.filter(mask).rows()
        fewer = [(topic, doc, grade) for topic, doc, grade in rows]
        if set(frame.filter(mask)["grade"]) != set(frame["grade"]):
            continue
        derived, direct = campaign.with_judgments(mask), assay.read(fewer, runs)
        np.testing.assert_array_equal(values(derived), values(direct))
        derived, direct = (one.with_policies(unjudged="condensed") for one in (derived, direct))
        np.testing.assert_array_equal(values(derived), values(direct))


def test_pools_hold_the_judged_documents_of_the_top_ranks() -> None:
    for seed in range(4):
        qrels, runs = random_collection(seed)
        campaign = assay.read(qrels, runs, ties="score-id")
        best = campaign.best_rank([0, 2])
        for (topic, doc, _), rank in zip(campaign.judgments.frame().rows(), best, strict=True):
            ranks = []
            for name in ("run0", "run2"):
                ranking = sorted(runs[name].get(topic, {}).items(), key=lambda item: (-item[1], item[0]))
                ranks += [rank_in_run for rank_in_run, (other, _) in enumerate(ranking, 1) if other == doc]
            assert rank == min(ranks, default=np.inf)
        np.testing.assert_array_equal(values(campaign.pool(3, [0, 2])), values(campaign.with_judgments(best <= 3)))


@pytest.mark.parametrize("keep", KEEP)
def test_derivations_can_be_combined(keep: str) -> None:
    qrels, runs = random_collection(5)
    campaign = assay.read(qrels, runs, keep=keep)
    rows = campaign.judgments.frame()
    selected, topics = np.arange(len(rows)) % 3 > 0, campaign.topics[1:4]
    inside = rows["topic"].is_in(topics).to_numpy()
    one = campaign.with_judgments(selected).select(topics=topics)
    other = campaign.select(topics=topics).with_judgments(selected[inside])
    assert_same_campaign(one, other)
    assert one.judgments.frame().equals(rows.filter(selected & inside))
    assert_same_campaign(
        one.with_grades({2: 1}), campaign.with_grades({2: 1}).select(topics=topics).with_judgments(selected[inside])
    )
    for derived in (one, other):
        rankings = derived.rankings()
        np.testing.assert_array_equal(rankings.code, derived.whole.code)
        np.testing.assert_array_equal(rankings.counts, derived.whole.counts)
        assert derived.best_rank().tolist() == campaign.best_rank()[selected & inside].tolist()
        assert_same_campaign(
            derived.with_policies(ties="score-id"),
            assay.read(qrels, runs, ties="score-id").select(topics=topics).with_judgments(selected[inside]),
        )


def test_without_cache_drops_cached_values() -> None:
    campaign = assay.read(*random_collection(1))
    before = values(campaign)
    copy = campaign.without_cache()
    assert not copy.whole._cache
    np.testing.assert_array_equal(values(copy), before)


def test_default_measures() -> None:
    for results in (assay.evaluate(QRELS, RUNS), assay.evaluate(assay.read(QRELS, RUNS))):
        assert list(map(str, results.measures)) == ["AP", "nDCG@10", "P@10", "RR"]
    with pytest.raises(MeasureError, match="nonsense"):
        assay.evaluate(assay.read(QRELS, RUNS), "nonsense")
