"""Rankings with document ids, in the order that ``evaluate`` uses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.model.joined import join_run
from assay.model.judged import Judged
from assay.model.policies import TIES, Policies
from assay.model.qrels import Qrels
from assay.model.rankings import Rankings, TopicRankings
from assay.model.run import Run, read_run

Line = tuple[str, str, int, float]
"""Topic, document, rank and score."""
TOPICS = ("1", "2", "3", "9")  # Topic 9 has no judgments.
QRELS = Qrels.from_tuples([(t, f"d{i}", (i * 7 + int(t)) % 4 - 1) for t in "1234" for i in range(0, 14, 2)])


def random_lines(rng: np.random.Generator) -> list[Line]:
    """Return lines of a run with topics in any order, tied scores (some only as 32-bit floats), and odd ranks."""
    lines = [
        (topic, f"d{doc}", int(rng.integers(1, 9)), float(rng.choice([0.0, 1.0, 1.0 + 1e-9, 2.0])))
        for topic in TOPICS
        for doc in rng.permutation(14)[: rng.integers(0, 9)].tolist()
    ]
    if rng.random() < 0.7:  # Otherwise the rows of a topic are contiguous.
        rng.shuffle(lines)
    return [(str(t), str(d), int(r), float(s)) for t, d, r, s in lines] or [("1", "d0", 1, 1.0)]


def read(lines: list[Line], path: Path) -> Run:
    path.write_text("".join(f"{topic} Q0 {doc} {rank} {score!r} tag\n" for topic, doc, rank, score in lines))
    return read_run(path)


def order_documents(lines: list[Line], topic: str, ties: str) -> list[str]:
    """Return the documents of a topic in rank order, by the definition of the tie policy."""
    topic_lines = [line for line in lines if line[0] == topic]
    if ties == "rank":
        topic_lines.sort(key=lambda line: line[2])
    elif ties != "file":
        if ties != "score-file":
            topic_lines.sort(key=lambda line: line[1], reverse=ties != "score-id")
        topic_lines.sort(key=lambda line: np.float32(line[3]) if ties == "trec_eval-9" else line[3], reverse=True)
    return [doc for _, doc, _, _ in topic_lines]


def rankings_of(runs: list[Run], ties: str, names: list[str] | None = None, depth: int | None = None) -> Rankings:
    """Return the rankings of the judged topics; only ``ties="expected"`` has tie flags, as in a campaign."""
    joined_runs = [join_run(QRELS, run.table, ties, "documents") for run in runs]
    rankings = Rankings.from_joined_runs(joined_runs, names or [str(i) for i in range(len(runs))], QRELS)
    rankings = rankings.select(topics=QRELS.topics, depth=depth)
    return rankings if ties == "expected" else replace(rankings, tied=None)


def by_rank(rankings: Rankings, lists: TopicRankings, run: int) -> list[str]:
    names = rankings.names(lists)
    return [names[column] for column in np.argsort(lists.rank[run]) if lists.rank[run, column]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: Any) -> list[tuple[list[Line], Run]]:
    rng = np.random.default_rng(8)
    folder = tmp_path_factory.mktemp("runs")
    every = [random_lines(rng) for _ in range(40)]
    return [(lines, read(lines, folder / f"{i}.run")) for i, lines in enumerate(every)]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("depth", [None, 1, 4])
def test_documents_are_in_the_order_of_the_policy_and_of_evaluate(
    runs: list[tuple[list[Line], Run]], ties: str, depth: int | None
) -> None:
    every = [run for _, run in runs]
    rankings = rankings_of(every, ties, depth=depth)
    joined = Judged.join(QRELS, every, Policies(ties=ties))
    joined = joined if depth is None else joined.top(depth)
    assert rankings.topics == QRELS.topics == ("1", "2", "3", "4")
    for number, lists in enumerate(rankings):
        assert lists.topic == QRELS.topics[number]
        judged = lists.to_judged()
        assert (judged.levels == joined.levels).all()
        assert (judged.counts == joined.counts[number]).all()
        for index, (lines, _) in enumerate(runs):
            assert by_rank(rankings, lists, index) == order_documents(lines, lists.topic, ties)[:depth]
            row = index * len(QRELS.topics) + number
            theirs, ours = slice(*joined.start[row : row + 2]), slice(*judged.start[index : index + 2])
            assert judged.code[ours].tolist() == joined.code[theirs].tolist()
            assert judged.answered[index] == joined.answered[row]
            if joined.tied is not None:
                assert ties_of(lists, index) == joined.tied[theirs].tolist()
        assert (joined.tied is None) == (lists.tied is None)


def ties_of(lists: TopicRankings, run: int) -> list[bool]:
    """Return, for each rank, whether the document ties with the previous one, from the ends of the tie groups."""
    assert lists.tied is not None
    order = np.argsort(lists.rank[run])[len(lists.code) - lists.length[run] :]
    first, last = (end[run, order] for end in lists.tied)
    rank = np.arange(1, len(order) + 1)
    for group in np.unique(first):
        assert set(last[first == group]) == {group + int((first == group).sum()) - 1}
    return (first < rank).tolist()


def test_tied_documents_have_the_ends_of_their_group() -> None:
    run = Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}})
    rankings = Rankings.from_joined_runs([join_run(None, run.table, "expected", "documents")], ["r"], None)
    [lists] = rankings
    assert by_rank(rankings, lists, 0) == ["a", "d", "c", "b", "e"]
    assert lists.tied is not None
    by_name = {name: column for column, name in enumerate(rankings.names(lists))}
    ends = {name: (int(lists.tied[0][0, at]), int(lists.tied[1][0, at])) for name, at in by_name.items()}
    assert ends == {"a": (1, 1), "d": (2, 4), "c": (2, 4), "b": (2, 4), "e": (5, 5)}
    [unordered] = Rankings.from_joined_runs([join_run(None, run.table, "file", "documents")], ["r"], None)
    assert unordered.tied is None


def assert_same_rankings(one: TopicRankings, other: TopicRankings, names: list[list[str]]) -> None:
    """Check that two topics hold the same rankings; the order of columns may differ."""
    columns = [np.argsort(each) for each in names]
    assert sorted(names[0]) == sorted(names[1])
    for name in ("rank", "code"):
        first, second = (getattr(each, name)[..., at] for each, at in zip((one, other), columns, strict=True))
        assert first.tolist() == second.tolist(), name
    assert one.length.tolist() == other.length.tolist()
    assert (one.tied is None) == (other.tied is None)
    for first, second in zip(one.tied or (), other.tied or (), strict=True):
        assert first[:, columns[0]].tolist() == second[:, columns[1]].tolist()


@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_top_and_select(runs: list[tuple[list[Line], Run]], ties: str) -> None:
    """Truncation equals reading with a depth, and selection equals reading only the selected runs."""
    every = [run for _, run in runs[:12]]
    whole, short = rankings_of(every, ties), rankings_of(every, ties, depth=3)
    few = rankings_of([every[i] for i in (7, 2)], ties, ["7", "2"])
    assert whole.select([7, 2]).runs == few.runs
    assert whole.select([7, 2]).doc.to_list() == few.doc.to_list()
    for topic, lists in enumerate(whole):
        cut, some = lists.top(3), lists.select([7, 2])
        assert lists.top(None) is lists
        assert lists.top(99) is lists
        assert_same_rankings(cut, short.topic(topic), [whole.names(cut), short.names(short.topic(topic))])
        assert_same_rankings(some, few.topic(topic), [whole.names(some), few.names(few.topic(topic))])
        assert cut.rank.any(axis=0).all()
        assert some.rank.any(axis=0).all()
        assert (cut.counts == lists.counts).all()


def test_lengths_names_and_levels_are_consistent(runs: list[tuple[list[Line], Run]]) -> None:
    every = [run for _, run in runs]
    rankings = rankings_of(every, "file")
    expected = [[len(order_documents(lines, topic, "file")) for topic in QRELS.topics] for lines, _ in runs]
    assert rankings.length.tolist() == expected
    assert rankings.levels.tolist() == [-1, 0, 1, 2]
    for lists in rankings:
        assert lists.length.tolist() == (lists.rank > 0).sum(axis=1).tolist()
        assert lists.length.tolist() == lists.rank.max(axis=1, initial=0).tolist()
        assert len(set(rankings.names(lists))) == len(lists.code)
        assert (lists.ungraded_mask() == (lists.code <= 1)).all()  # Unjudged, or grade -1.


def test_without_qrels_the_topics_of_all_runs_are_used() -> None:
    one = Run.from_tuples(
        [("b", "x", 2.0), ("a", "x", 1.0), ("b", "y", 3.0)]
    )  # The rows of topic b are not contiguous.
    other = Run.from_tuples([("c", "y", 1.0), ("b", "x", 1.0)])
    parts = [join_run(None, run.table, "trec_eval-10", "documents") for run in (one, other)]
    assert parts[0].topics == ("a", "b")
    assert parts[0].length.tolist() == [1, 2]
    assert parts[0].unjudged_topics == frozenset()
    rankings = Rankings.from_joined_runs(parts, ["one", "other"], None)
    assert rankings.topics == ("a", "b", "c")
    assert rankings.length.tolist() == [[1, 2, 0], [0, 1, 1]]
    lists = rankings.topic(1)
    assert by_rank(rankings, lists, 0) == ["y", "x"]
    assert by_rank(rankings, lists, 1) == ["x"]
    assert not lists.code.any()
    assert lists.ungraded_mask().all()
    assert lists.to_judged().levels.tolist() == []


def test_unjudged_topics_are_ignored_and_missing_topics_are_empty() -> None:
    run = Run.from_tuples([("9", "d0", 1.0), ("2", "d1", 1.0), ("9", "d1", 3.0), ("8", "d0", 1.0), ("2", "d0", 2.0)])
    joined = join_run(QRELS, run.table, "trec_eval-10", "documents")
    assert joined.topics == ("2", "8", "9")
    assert (joined.unjudged_topics, joined.unjudged_document_count) == (frozenset({"8", "9"}), 3)
    rankings = rankings_of([run], "trec_eval-10", depth=1)
    assert rankings.topics == QRELS.topics
    assert rankings.length.tolist() == [[0, 1, 0, 0]]
    assert rankings.doc.to_list() == ["d0"]
    empty = rankings.topic(0)
    assert empty.rank.shape == (1, 0)
    assert empty.to_judged().answered.tolist() == [False]
    assert empty.top(1) is empty


def test_document_ids_are_local_to_a_topic() -> None:
    run = Run.from_dict({"1": {"d0": 2.0, "d2": 1.0}, "2": {"d2": 2.0, "d0": 1.0}})
    rankings = rankings_of([run], "trec_eval-10")
    assert [by_rank(rankings, rankings.topic(i), 0) for i in (0, 1)] == [["d0", "d2"], ["d2", "d0"]]
    assert isinstance(rankings.doc, pl.Series)


@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_condensed_rankings_equal_those_of_judged(runs: list[tuple[list[Line], Run]], ties: str) -> None:
    every = [run for _, run in runs]
    policies = Policies(ties=ties, unjudged="condensed")
    judged = Judged.join(QRELS, every, policies)
    condensed = rankings_of(every, ties).condense().to_judged(policies, QRELS.streams)
    for name in ("code", "start", "tied"):
        ours, theirs = getattr(condensed, name), getattr(judged, name)
        assert (ours is None) == (theirs is None)
        assert ours is None or np.array_equal(ours, theirs), name


def test_rankings_can_be_joined_with_other_judgments(runs: list[tuple[list[Line], Run]]) -> None:
    every = [run for _, run in runs]
    other = Qrels.from_tuples([("2", "d3", 1), ("9", "d1", 0), ("9", "d5", 2)])
    rankings = Rankings.from_joined_runs(
        [join_run(QRELS, run.table, "score-id", "documents") for run in every], list(map(str, range(40))), QRELS
    )
    judged = rankings.with_qrels(other).select(topics=other.topics).to_judged(Policies(ties="score-id"))
    direct = Judged.join(other, every, Policies(ties="score-id"))
    assert np.array_equal(judged.code, direct.code)
    assert np.array_equal(judged.start, direct.start)
    assert np.array_equal(judged.counts, direct.counts)
