"""Rankings with their documents: the order that ``evaluate`` uses, with names."""

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
TOPICS = ("1", "2", "3", "9")  # nothing was judged for 9
QRELS = Qrels.from_tuples([(t, f"d{i}", (i * 7 + int(t)) % 4 - 1) for t in "1234" for i in range(0, 14, 2)])


def random_lines(rng: np.random.Generator) -> list[Line]:
    """Lines of a run in any order of topics: scores tie, some only as 32-bit floats, ranks have gaps and tie."""
    lines = [
        (topic, f"d{doc}", int(rng.integers(1, 9)), float(rng.choice([0.0, 1.0, 1.0 + 1e-9, 2.0])))
        for topic in TOPICS
        for doc in rng.permutation(14)[: rng.integers(0, 9)].tolist()
    ]
    if rng.random() < 0.7:  # else the topics stand together
        rng.shuffle(lines)
    return [(str(t), str(d), int(r), float(s)) for t, d, r, s in lines] or [("1", "d0", 1, 1.0)]


def read(lines: list[Line], path: Path) -> Run:
    path.write_text("".join(f"{topic} Q0 {doc} {rank} {score!r} tag\n" for topic, doc, rank, score in lines))
    return read_run(path)


def ordered(lines: list[Line], topic: str, ties: str) -> list[str]:
    """The documents of a topic in rank order, by the words of the policy."""
    mine = [line for line in lines if line[0] == topic]
    if ties == "rank":
        mine.sort(key=lambda line: line[2])
    elif ties != "file":
        if ties != "score-file":
            mine.sort(key=lambda line: line[1], reverse=ties != "score-id")
        mine.sort(key=lambda line: np.float32(line[3]) if ties == "trec_eval-9" else line[3], reverse=True)
    return [doc for _, doc, _, _ in mine]


def rankings_of(runs: list[Run], ties: str, names: list[str] | None = None, depth: int | None = None) -> Rankings:
    """The rankings of the judged topics; tie flags only where ties are expected, as a campaign gives them."""
    listed = [join_run(QRELS, run.table, ties, "documents") for run in runs]
    rankings = Rankings.from_joined_runs(listed, names or [str(i) for i in range(len(runs))], QRELS)
    rankings = rankings.select(topics=QRELS.topics, depth=depth)
    return rankings if ties == "expected" else replace(rankings, tied=None)


def by_rank(rankings: Rankings, lists: TopicRankings, run: int) -> list[str]:
    names = rankings.names(lists)
    return [names[place] for place in np.argsort(lists.rank[run]) if lists.rank[run, place]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: Any) -> list[tuple[list[Line], Run]]:
    rng = np.random.default_rng(8)
    folder = tmp_path_factory.mktemp("runs")
    every = [random_lines(rng) for _ in range(40)]
    return [(lines, read(lines, folder / f"{i}.run")) for i, lines in enumerate(every)]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("depth", [None, 1, 4])
def test_order_is_that_of_the_policy_and_of_evaluate(
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
        for place, (lines, _) in enumerate(runs):
            assert by_rank(rankings, lists, place) == ordered(lines, lists.topic, ties)[:depth]
            row = place * len(QRELS.topics) + number
            theirs, mine = slice(*joined.start[row : row + 2]), slice(*judged.start[place : place + 2])
            assert judged.code[mine].tolist() == joined.code[theirs].tolist()
            assert judged.answered[place] == joined.answered[row]
            if joined.tied is not None:
                assert ties_of(lists, place) == joined.tied[theirs].tolist()
        assert (joined.tied is None) == (lists.tied is None)


def ties_of(lists: TopicRankings, run: int) -> list[bool]:
    """Which documents tie with the one before, from the ends of the groups."""
    assert lists.tied is not None
    order = np.argsort(lists.rank[run])[len(lists.code) - lists.length[run] :]
    first, last = (end[run, order] for end in lists.tied)
    rank = np.arange(1, len(order) + 1)
    for group in np.unique(first):
        assert set(last[first == group]) == {group + int((first == group).sum()) - 1}
    return (first < rank).tolist()


def test_tied_groups() -> None:
    run = Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "e": 1.0}})
    rankings = Rankings.from_joined_runs([join_run(None, run.table, "expected", "documents")], ["r"], None)
    [lists] = rankings
    assert by_rank(rankings, lists, 0) == ["a", "d", "c", "b", "e"]
    assert lists.tied is not None
    by_name = {name: place for place, name in enumerate(rankings.names(lists))}
    ends = {name: (int(lists.tied[0][0, at]), int(lists.tied[1][0, at])) for name, at in by_name.items()}
    assert ends == {"a": (1, 1), "d": (2, 4), "c": (2, 4), "b": (2, 4), "e": (5, 5)}
    [unordered] = Rankings.from_joined_runs([join_run(None, run.table, "file", "documents")], ["r"], None)
    assert unordered.tied is None


def same(one: TopicRankings, other: TopicRankings, names: list[list[str]]) -> None:
    """The same lists, whatever the order of the documents."""
    columns = [np.argsort(each) for each in names]
    assert sorted(names[0]) == sorted(names[1])
    for name in ("rank", "code"):
        mine, theirs = (getattr(each, name)[..., at] for each, at in zip((one, other), columns, strict=True))
        assert mine.tolist() == theirs.tolist(), name
    assert one.length.tolist() == other.length.tolist()
    assert (one.tied is None) == (other.tied is None)
    for mine, theirs in zip(one.tied or (), other.tied or (), strict=True):
        assert mine[:, columns[0]].tolist() == theirs[:, columns[1]].tolist()


@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_top_and_only(runs: list[tuple[list[Line], Run]], ties: str) -> None:
    """Cut lists are those of runs that are no longer; some of the runs are as if there were no others."""
    every = [run for _, run in runs[:12]]
    whole, short = rankings_of(every, ties), rankings_of(every, ties, depth=3)
    few = rankings_of([every[i] for i in (7, 2)], ties, ["7", "2"])
    assert whole.select([7, 2]).runs == few.runs
    assert whole.select([7, 2]).doc.to_list() == few.doc.to_list()
    for topic, lists in enumerate(whole):
        cut, some = lists.top(3), lists.select([7, 2])
        assert lists.top(None) is lists
        assert lists.top(99) is lists
        same(cut, short.topic(topic), [whole.names(cut), short.names(short.topic(topic))])
        same(some, few.topic(topic), [whole.names(some), few.names(few.topic(topic))])
        assert cut.rank.any(axis=0).all()
        assert some.rank.any(axis=0).all()
        assert (cut.counts == lists.counts).all()


def test_lengths_names_and_levels(runs: list[tuple[list[Line], Run]]) -> None:
    every = [run for _, run in runs]
    rankings = rankings_of(every, "file")
    wanted = [[len(ordered(lines, topic, "file")) for topic in QRELS.topics] for lines, _ in runs]
    assert rankings.length.tolist() == wanted
    assert rankings.levels.tolist() == [-1, 0, 1, 2]
    for lists in rankings:
        assert lists.length.tolist() == (lists.rank > 0).sum(axis=1).tolist()
        assert lists.length.tolist() == lists.rank.max(axis=1, initial=0).tolist()
        assert len(set(rankings.names(lists))) == len(lists.code)
        assert (lists.ungraded_mask() == (lists.code <= 1)).all()  # unjudged, or -1


def test_without_qrels_topics_are_those_of_any_run() -> None:
    one = Run.from_tuples([("b", "x", 2.0), ("a", "x", 1.0), ("b", "y", 3.0)])  # b in two stretches
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


def test_topics_without_judgments_and_topics_without_documents() -> None:
    run = Run.from_tuples([("9", "d0", 1.0), ("2", "d1", 1.0), ("9", "d1", 3.0), ("8", "d0", 1.0), ("2", "d0", 2.0)])
    joined = join_run(QRELS, run.table, "trec_eval-10", "documents")
    assert joined.topics == ("2", "8", "9")
    assert (joined.unjudged_topics, joined.unjudged_rows) == (frozenset({"8", "9"}), 3)
    rankings = rankings_of([run], "trec_eval-10", depth=1)
    assert rankings.topics == QRELS.topics
    assert rankings.length.tolist() == [[0, 1, 0, 0]]
    assert rankings.doc.to_list() == ["d0"]
    empty = rankings.topic(0)
    assert empty.rank.shape == (1, 0)
    assert empty.to_judged().answered.tolist() == [False]
    assert empty.top(1) is empty


def test_documents_of_the_same_name_are_others_in_another_topic() -> None:
    run = Run.from_dict({"1": {"d0": 2.0, "d2": 1.0}, "2": {"d2": 2.0, "d0": 1.0}})
    rankings = rankings_of([run], "trec_eval-10")
    assert [by_rank(rankings, rankings.topic(i), 0) for i in (0, 1)] == [["d0", "d2"], ["d2", "d0"]]
    assert isinstance(rankings.doc, pl.Series)


@pytest.mark.parametrize("ties", ["trec_eval-10", "expected"])
def test_condensed_rankings_are_those_that_measures_read(runs: list[tuple[list[Line], Run]], ties: str) -> None:
    every = [run for _, run in runs]
    policies = Policies(ties=ties, unjudged="condensed")
    judged = Judged.join(QRELS, every, policies)
    condensed = rankings_of(every, ties).condense().to_judged(policies, QRELS.streams)
    for name in ("code", "start", "tied"):
        mine, theirs = getattr(condensed, name), getattr(judged, name)
        assert (mine is None) == (theirs is None)
        assert mine is None or np.array_equal(mine, theirs), name


def test_other_judgments(runs: list[tuple[list[Line], Run]]) -> None:
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
