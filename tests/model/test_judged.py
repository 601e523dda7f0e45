"""Judged rankings: the join, and the quantities that measures read."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measures.dcg import nDCG
from assay.model.joined import join_run
from assay.model.judged import Judged
from assay.model.policies import Policies
from assay.model.qrels import Qrels
from assay.model.run import Run
from strategies import Collection, collections, many_examples

TOPICS = ("1", "2", "10")
DOCUMENTS = ("a", "b", "B", "c10", "c9", "é", "z")
GRADE = st.sampled_from([-1, 0, 1, 2, 0.5])
QRELS = st.dictionaries(
    st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCUMENTS), GRADE, min_size=1), min_size=1
)
SCORE = st.sampled_from([1.0, 2.0, 2.5, -1.0, 1e-300])
RUN = st.dictionaries(
    st.sampled_from([*TOPICS, "unknown"]), st.dictionaries(st.sampled_from(DOCUMENTS), SCORE, min_size=1), min_size=1
)


def grades(judged: Judged) -> list[list[float | None]]:
    """Return the grades of every ranking; None for unjudged documents."""
    grade_of = [None, *judged.levels.tolist()]
    flat = [grade_of[code] for code in judged.code]
    return [flat[a:b] for a, b in zip(judged.start[:-1], judged.start[1:], strict=True)]


def join_by_hand(qrels, run, unjudged="nonrelevant") -> list[list[float | None]]:
    """Return the grades of each judged topic, sorted by score, then by bytes of the id, both descending."""
    rankings = []
    for topic in sorted(qrels, key=str.encode):
        scores = run.get(topic, {})
        order = sorted(scores, key=lambda doc: (scores[doc], doc.encode()), reverse=True)
        ranking = [qrels[topic].get(doc) for doc in order]
        if unjudged == "condensed":
            ranking = [grade for grade in ranking if grade is not None and grade >= 0]
        rankings.append(ranking)
    return rankings


# The join ----------------------------------------------------------------------------------------------------


@many_examples(max_examples=100, qrels=QRELS, runs=st.lists(RUN, max_size=3))
def test_join_agrees_with_the_definition(qrels, runs):
    for unjudged in ("nonrelevant", "condensed"):
        policies = Policies(unjudged=unjudged)
        joined = Judged.join(
            Qrels.from_dict(qrels), [Run.from_dict(run, f"r{i}") for i, run in enumerate(runs)], policies
        )
        assert grades(joined) == [ranking for run in runs for ranking in join_by_hand(qrels, run, unjudged)]
        topics = sorted(qrels, key=str.encode)
        assert joined.topic.tolist() == list(range(len(topics))) * len(runs)
        assert joined.answered.tolist() == [topic in run for run in runs for topic in topics]
        counts = [Counter(qrels[topic].values()) for topic in topics]
        assert joined.counts.tolist() == [[count[level] for level in joined.levels] for count in counts]
        assert joined.levels.tolist() == sorted({grade for topic in qrels.values() for grade in topic.values()})
        assert joined.policies == policies
        assert joined.tied is None


@many_examples(qrels=QRELS, run=RUN)
def test_expected_values_over_ties_need_tie_flags(qrels, run):
    joined = Judged.join(Qrels.from_dict(qrels), [Run.from_dict(run)], Policies(ties="expected"))
    expected = []
    for topic in sorted(qrels, key=str.encode):
        scores = sorted(run.get(topic, {}).values(), reverse=True)
        expected += [i > 0 and scores[i] == scores[i - 1] for i in range(len(scores))]
    assert joined.tied.tolist() == expected
    # The order within a group of tied documents is arbitrary.
    group, _ = joined.tie_groups()
    flat = [grade for ranking in join_by_hand(qrels, run) for grade in ranking]
    code = [0 if grade is None else 1 + joined.levels.tolist().index(grade) for grade in flat]
    assert sorted(zip(group, joined.code, strict=True)) == sorted(zip(group, code, strict=True))


def test_join_reports_topics_without_judgments():
    run = Run.from_dict({"1": {"a": 1.0}, "9": {"a": 1.0, "b": 2.0}})
    joined = join_run(Qrels.from_dict({"1": {"a": 1}}), run.table, "trec_eval-10")
    assert joined.unjudged_topics == {"9"}
    assert joined.unjudged_document_count == 2
    assert joined.length.tolist() == [1]


def test_judgments_of_another_topic_do_not_apply():
    qrels = Qrels.from_dict({"1": {"a": 1}, "2": {"b": 1}})
    joined = Judged.join(qrels, [Run.from_dict({"1": {"b": 1.0}, "2": {"a": 1.0}})])
    assert grades(joined) == [[None], [None]]


def test_join_supports_more_than_255_grades():
    qrels = {"1": {f"d{i}": i / 8 for i in range(300)}}
    run = {"1": {f"d{i}": float(i) for i in range(300)}}
    joined = Judged.join(Qrels.from_dict(qrels), [Run.from_dict(run)])
    assert grades(joined) == [[i / 8 for i in reversed(range(300))]]


def test_join_without_runs_is_empty():
    joined = Judged.join(Qrels.from_dict({"1": {"a": 1}}), [])
    assert len(joined) == 0
    assert joined.length.tolist() == []
    assert joined.recall_base(1).tolist() == []


# Judged rankings from literal grades -------------------------------------------------------------------------


def test_from_grades():
    judged = Judged.from_grades([[2, None, 0], [], [0, 0]])
    assert grades(judged) == [[2, None, 0], [], [0, 0]]
    assert judged.levels.tolist() == [0, 2]
    # The default count of a grade is its maximum over all rankings.
    assert judged.counts.tolist() == [[2, 1]]
    assert judged.topic.tolist() == [0, 0, 0]
    assert judged.answered.all()


def test_from_grades_with_explicit_counts():
    judged = Judged.from_grades([[1]], {1: 3, 0: 5, -1: 2})
    assert judged.levels.tolist() == [-1, 0, 1]
    assert judged.counts.tolist() == [[2, 5, 3]]


def test_from_grades_requires_counts_that_cover_the_ranking():
    with pytest.raises(InputError, match="a ranking holds more documents of a grade than were judged with it"):
        Judged.from_grades([[1, 1]], {1: 1})
    with pytest.raises(InputError, match="more documents of a grade"):
        Judged.from_grades([[1, 0]], {1: 1})


def test_judged_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Judged.from_grades([[1]]).code = np.zeros(1)


# Quantities that measures read -------------------------------------------------------------------------------


@many_examples(collection=collections())
def test_recall_base_and_judged_below(collection):
    judged = collection.to_judged()
    for rel in (0.5, 1, 2):
        base, below = judged.recall_base(rel).tolist(), judged.judged_below(rel).tolist()
        for i, (topic, _) in enumerate(collection.rankings):
            counts = collection.counts[topic].items()
            assert base[i] == sum(number for grade, number in counts if grade >= rel)
            assert below[i] == sum(number for grade, number in counts if 0 <= grade < rel)


@many_examples(collection=collections())
def test_rows_are_the_documents_with_a_gain(collection):
    judged = collection.to_judged()
    table = judged.relevance(0.5) * 2
    rows = judged.rows(table)
    expected = [
        (i, rank, 2.0)
        for i, (_, ranking) in enumerate(collection.rankings)
        for rank, grade in enumerate(ranking, start=1)
        if grade is not None and grade >= 0.5
    ]
    assert list(zip(*map(np.ndarray.tolist, rows), strict=True)) == expected
    counted: Counter[int] = Counter()
    for (i, _, _), number in zip(expected, judged.cumulative_count(rows).tolist(), strict=True):
        counted[i] += 1
        assert number == counted[i]
    assert judged.rows(table.copy()) is rows


@many_examples(collection=collections())
def test_count_above_counts_documents_above_each_row(collection):
    judged = collection.to_judged()
    rows = judged.rows(judged.relevance(1))
    unjudged = np.concatenate([[True], np.zeros(len(judged.levels), dtype=bool)])
    expected = [
        ranking[:rank].count(None)
        for _, ranking in collection.rankings
        for rank, grade in enumerate(ranking)
        if grade is not None and grade >= 1
    ]
    assert judged.count_above(rows, unjudged).tolist() == expected


@many_examples(collection=collections())
def test_ideal_sorts_the_gains_of_each_topic(collection):
    judged = collection.to_judged()
    gains = np.concatenate([[0.0], np.maximum(judged.levels, 0)])
    ideal = judged.ideal(gains)
    expected = [
        (topic, rank, gain)
        for topic, counts in enumerate(collection.counts)
        for rank, gain in enumerate(sorted((g for g in Counter(counts).elements() if g > 0), reverse=True), start=1)
    ]
    assert list(zip(*map(np.ndarray.tolist, ideal), strict=True)) == expected
    totals = judged.ideal_total(ideal.ranking, ideal.gain).tolist()
    for (topic, _), total in zip(collection.rankings, totals, strict=True):
        assert total == pytest.approx(sum(gain for t, _, gain in expected if t == topic))
    assert judged.ideal(gains.copy()) is ideal


def test_ideal_sorts_by_gain_instead_of_grade():
    judged = Judged.from_grades([[1, 2, 3]])
    assert judged.ideal(np.array([0.0, 5, 0, 7])).gain.tolist() == [7, 5]


@many_examples(collection=collections())
def test_rank_and_ranking_of_each_document(collection):
    judged = collection.to_judged()
    lengths = [len(ranking) for _, ranking in collection.rankings]
    assert judged.length.tolist() == lengths
    assert judged.rank().tolist() == [rank for length in lengths for rank in range(1, length + 1)]
    assert judged.ranking().tolist() == [i for i, length in enumerate(lengths) for _ in range(length)]
    assert judged.total(judged.ranking(), np.ones(len(judged.code))).tolist() == lengths


def test_totals_of_empty_rankings_are_floats():
    judged = Judged.from_grades([[], []])
    total = judged.total(np.zeros(0, dtype=np.int64), np.zeros(0))
    assert total.dtype == np.float64
    assert total.tolist() == [0, 0]


# Derived rankings --------------------------------------------------------------------------------------------


@many_examples(collection=collections())
def test_condense_removes_unjudged_documents(collection):
    judged = collection.to_judged()
    expected = [[g for g in ranking if g is not None and g >= 0] for _, ranking in collection.rankings]
    assert grades(judged.condense()) == expected
    assert judged.condense() is judged.condense()
    assert grades(judged.condense().condense()) == expected
    assert np.array_equal(judged.condense().counts, judged.counts)


@many_examples(collection=collections(), data=st.data())
def test_select_rankings(collection, data):
    judged = collection.to_judged()
    if len(judged):
        chosen = data.draw(st.lists(st.integers(0, len(judged) - 1), max_size=6))
        selected = judged.select_rankings(np.array(chosen, dtype=np.int64))
        assert grades(selected) == [grades(judged)[i] for i in chosen]
        assert selected.topic.tolist() == [judged.topic[i] for i in chosen]
        assert selected.answered.tolist() == [judged.answered[i] for i in chosen]


def test_derived_rankings_do_not_share_the_cache():
    judged = Judged.from_grades([[1, None, 1], [0, 1]])
    table = judged.relevance(1)
    assert len(judged.rows(table).rank) == 3
    assert judged.select_rankings(np.array([1])).rows(table).rank.tolist() == [2]
    assert judged.condense().rows(table).rank.tolist() == [1, 2, 2]
    assert judged.rows(table).rank.tolist() == [1, 3, 2]


# Ties --------------------------------------------------------------------------------------------------------


TIED = Collection(({0: 3, 1: 3, 2: 1},), ((0, (1, 0, 2, 0)), (0, ()), (0, (0, 0, 1)), (0, (None, 1, 1)))).to_judged(
    Policies(ties="expected"), [False, True, True, False, False, True, False, False, False, True]
)


def test_tied_documents_share_the_gains_of_their_group():
    rows = TIED.rows(np.array([0.0, 0, 1, 5]))
    assert rows.ranking.tolist() == [0, 0, 0, 2, 3, 3]
    assert rows.rank.tolist() == [1, 2, 3, 3, 2, 3]
    assert rows.gain.tolist() == [2, 2, 2, 1, 1, 1]


def test_groups_whose_gains_cancel_have_no_rows():
    assert TIED.rows(np.array([0.0, -6, 1, 5])).rank.tolist() == [4, 1, 2, 3, 2, 3]


def test_tie_groups():
    group, first = TIED.tie_groups()
    assert group.tolist() == [0, 0, 0, 1, 2, 2, 3, 4, 5, 5]
    assert first.tolist() == [0, 3, 4, 6, 7, 8]
    group, first = TIED.without_ties().tie_groups()
    assert group.tolist() == first.tolist() == list(range(10))


def test_mixed_ties_have_different_grades():
    assert TIED.find_mixed_ties().tolist() == [0]
    assert TIED.without_ties().find_mixed_ties().tolist() == []
    assert TIED.without_ties().tied is None


def test_shuffling_permutes_within_tie_groups():
    group, _ = TIED.tie_groups()
    counted = set()
    for sample in range(60):
        shuffled = TIED.shuffle_ties(sample)
        assert shuffled.tied is None
        assert [sorted(shuffled.code[group == g]) for g in range(6)] == [
            sorted(TIED.code[group == g]) for g in range(6)
        ]
        counted.add(tuple(shuffled.code.tolist()))
    # Three documents of different grades tie: all six orders occur.
    assert len(counted) == 6


def test_ties_of_condensed_and_selected_rankings():
    judged = Collection(({0: 3, 1: 3, -1: 1},), ((0, (1, None, 0, -1, 1, None, 0)), (0, (0, 1)))).to_judged(
        Policies(ties="expected"), [False, True, True, False, True, True, False, False, True]
    )
    assert grades(judged.condense()) == [[1, 0, 1, 0], [0, 1]]
    assert judged.condense().tied.tolist() == [False, True, False, False, False, True]
    assert judged.select_rankings(np.array([1, 0])).tied.tolist() == [*judged.tied[7:], *judged.tied[:7]]


def test_empty_rankings_have_no_ties():
    empty = Collection(({},), ((0, ()),)).to_judged(Policies(ties="expected"), [])
    assert empty.tie_groups()[0].tolist() == []
    assert empty.find_mixed_ties().tolist() == []
    assert empty.condense().tied.tolist() == []
    assert len(empty.rows(np.zeros(1)).rank) == 0
    assert len(empty.shuffle_ties(0).code) == 0


def test_top_truncates_each_ranking():
    judged = Judged.from_grades([[1, 0, None, 2], [], [2]])
    assert judged.top(2).code.tolist() == [*judged.code[:2], judged.code[4]]
    assert judged.top(2).length.tolist() == [2, 0, 1]
    assert judged.top(0).length.tolist() == [0, 0, 0]
    assert judged.top(9).code.tolist() == judged.code.tolist()


def test_replace_levels_changes_the_grades():
    judged = Judged.from_grades([[1, 0, None, 2]]).replace_levels(np.array([0.0, 0.0, 1.0]))
    assert judged.rows(judged.relevance(1)).rank.tolist() == [4]
    assert judged.recall_base(1).tolist() == [1]


def test_drop_unused_topics():
    qrels = Qrels.from_dict({"a": {"d": 1}, "b": {"d": 1, "e": 2}, "c": {"e": 0}})
    judged = Judged.join(qrels, [Run.from_dict({"b": {"e": 1.0, "d": 0.5}, "c": {"e": 1.0}})])
    selected = judged.select_rankings(np.array([1, 2])).drop_unused_topics()
    assert selected.counts.tolist() == [[0, 1, 1], [1, 0, 0]]
    assert selected.recall_base(1).tolist() == judged.recall_base(1).tolist()[1:]
    assert nDCG().score(selected).tolist() == nDCG().score(judged).tolist()[1:]


def test_selected_rankings_keep_the_maximum_condensed_depth() -> None:
    judged = Judged.from_grades([[1, None, None, None, 0], [1, 0, 1, 0], [None, 1]], {1: 2, 0: 2})
    assert (judged.max_depth, judged.max_condensed_depth) == (5, 4)
    last = judged.select_rankings(np.array([2]))
    assert (last.max_depth, last.condense().max_depth) == (5, 4)
    assert last.select_rankings(np.array([0])).condense().max_depth == 4
    assert Judged.concatenate([last, judged.select_rankings(np.array([0]))]).condense().max_depth == 4
    assert judged.top(2).condense().max_depth == 2
