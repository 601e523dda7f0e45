"""Curves of relative position: the definition, and the facts and bounds of docs/concepts/effort.md."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import strategies as st

from assay.errors import InputError, MeasureError
from assay.measures import measure
from assay.model.gains import Gains
from assay.model.judged import Judged
from assay.model.relative_position import CROSSINGS, ENDPOINTS, LENGTHS, Curves, EffortScale, EffortSettings
from oracles import effort as oracle
from strategies import Collection, collections, many_examples

# Topics ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Topic:
    """Number of relevant documents by grade, the number of ranks, and complete runs."""

    counts: dict[int, int]
    length: int
    runs: list[list[int]]

    @property
    def relevant(self) -> int:
        return sum(self.counts.values())

    @property
    def ideal(self) -> list[int]:
        return oracle.ideal_vector(self.counts, self.length)

    @property
    def full_scale(self) -> list[int]:
        return oracle.full_scale_vector(self.counts, self.length)

    def high(self, grade: int) -> int:
        """Return the last rank of a grade in the ideal run."""
        return sum(number for other, number in self.counts.items() if other >= grade)

    @property
    def judged(self) -> Judged:
        return Judged.from_grades(self.runs, {**self.counts, 0: self.length})

    @property
    def curves(self) -> Curves:
        return Curves.from_judged(self.judged, EffortSettings(self.length))

    def score(self, text: str) -> np.ndarray:
        return (measure(text) @ self.length).score(self.judged)


def perturb_run(ideal: list[int], rng: np.random.Generator) -> list[int]:
    """Return the ideal run with documents moved by small or large distances, and some replaced by grade 0."""
    position = np.arange(len(ideal)) + rng.choice([0.5, 2, 5, 30]) * rng.random(len(ideal))
    retrieved = rng.random(len(ideal)) >= rng.choice([0, 0, 0.2, 0.7])
    return [ideal[i] if retrieved[i] else 0 for i in np.argsort(position)]


@st.composite
def topics(draw, ranks=2, less=0, grades=3, most=3) -> Topic:
    """Draw topics with at least *ranks* * R - *less* ranks, with the three reference runs and random ones."""
    numbers = draw(st.lists(st.integers(0, most), min_size=grades, max_size=grades).filter(any))
    counts = {grade: number for grade, number in enumerate(numbers, 1) if number}
    length = ranks * sum(numbers) - less + draw(st.integers(0, 6))
    ideal = oracle.ideal_vector(counts, length)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    others = [perturb_run(ideal, rng) for _ in range(12)]
    return Topic(counts, length, [ideal, [0] * length, ideal[::-1], *others])


def small_topics(ranks, grades: int = 2, most: int = 3) -> list[tuple[dict[int, int], int]]:
    """Return all topics of limited size, with every number of ranks in ``ranks(R)``."""
    every = [numbers for numbers in product(range(most + 1), repeat=grades) if any(numbers)]
    counted = [{grade: number for grade, number in enumerate(numbers, 1) if number} for numbers in every]
    return [(counts, length) for counts in counted for length in ranks(sum(counts.values()))]


def every_run(counts: dict[int, int], length: int) -> list[list[int]]:
    """Return all runs of a topic, including those that lack documents."""
    relevant = [grade for grade, number in counts.items() for _ in range(number)]
    some = {chosen for k in range(len(relevant) + 1) for chosen in combinations(relevant, k)}
    runs = []
    for chosen in some:
        for order in set(permutations(chosen)):
            for positions in combinations(range(length), len(order)):
                run = [0] * length
                for position, grade in zip(positions, order, strict=True):
                    run[position] = grade
                runs.append(run)
    return runs


def dense_vectors(topic: Topic) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return RP and CRP of each run as dense vectors."""
    curves = topic.curves
    return [curves.vectors(i) for i in range(len(curves))]


def heights(counts: dict[int, int], run: list[int]) -> list[float]:
    judged = Judged.from_grades([run], {**counts, 0: len(run)})
    return Curves.from_judged(judged, EffortSettings(len(run))).vectors(0)[1].tolist()


# The definition ----------------------------------------------------------------------------------------------------

SETTINGS = [
    EffortSettings(depth, length, weights, persistence)
    for depth in (None, 2, 9, 25)
    for length in ("extend", "asis")
    for weights, persistence in ((None, 1.0), (Gains("identity"), 1.0), (None, 0.5), (Gains({1: 0, 2: 3, 4: 3}), 0.9))
]


@many_examples(
    collection=collections(((0, 1), (0, 1, 2, 3, 4), (-1, 0, 1, 2), (0,), ())), setting=st.sampled_from(SETTINGS)
)
def test_curves_agree_with_the_definition(collection, setting):
    judged = collection.to_judged()
    curves = Curves.from_judged(judged, setting)
    gain_of = None
    if setting.weights is not None:
        table = setting.weights.table(judged.levels, None, None).tolist()
        gain_of = {**dict(zip(judged.levels.tolist(), table[1:], strict=True)), 0: table[0]}
    depth = judged.max_depth if setting.depth is None else setting.depth
    for number, (topic, ranking) in enumerate(collection.rankings):
        counts = collection.counts[topic]
        length = oracle.topic_length(counts, depth, setting.length)
        run, ideal = oracle.pad(ranking, depth, length), oracle.ideal_vector(counts, length)
        position, height = curves.vectors(number)
        expected = oracle.rp(run, ideal, gain_of, setting.persistence)
        assert position.tolist() == pytest.approx(expected, abs=1e-9)
        assert height.tolist() == pytest.approx(oracle.running_sum(expected), abs=1e-9)
        full = oracle.running_sum(oracle.rp(ideal[::-1], ideal, gain_of, setting.persistence))
        for rank in {1, length // 2, length} - {0} if length else ():
            at = np.full(len(curves), rank)
            assert curves.height_at(at)[number] == pytest.approx(height[rank - 1], abs=1e-9)
            assert curves.full_scale_height_at(at)[number] == pytest.approx(full[rank - 1], abs=1e-9)
        assert curves.recall_base[number] == sum(grade > 0 for grade in ideal)
        assert curves.length[number] == length
        assert curves.relevant_retrieved()[number] == sum(grade > 0 for grade in run)
        assert curves.relevant_in_top_r()[number] == sum(grade > 0 for grade in run[: curves.recall_base[number]])


@many_examples(topic=topics())
def test_unweighted_curves_are_exact_integers(topic):
    for (position, height), run in zip(dense_vectors(topic), topic.runs, strict=True):
        expected = oracle.rp(run, topic.ideal)
        assert position.tolist() == expected
        assert height.tolist() == oracle.running_sum(expected)


@many_examples(topic=topics(most=4))
def test_properties_that_define_archetypes(topic):
    curves = topic.curves
    ranked_heights = [(np.arange(1, topic.length + 1), height) for _, height in dense_vectors(topic)]
    return_ranks = [
        next((r for r in rank if height[r - 1] >= 0 and (height[: r - 1] < 0).any()), np.inf)
        for rank, height in ranked_heights
    ]
    assert curves.return_rank.tolist() == return_ranks
    assert curves.is_ideal.tolist() == [run == topic.ideal for run in topic.runs]
    assert curves.is_full_scale().tolist() == [run == topic.full_scale for run in topic.runs]
    for start in (np.zeros(len(curves)), curves.return_rank, np.full(len(curves), 2.0)):
        dips = [
            any(height[r - 1] < 0 for r in rank if start[i] < r <= topic.relevant)
            for i, (rank, height) in enumerate(ranked_heights)
        ]
        assert curves.dips_below_axis(start).tolist() == dips
    assert curves.turn_around.tolist() == [oracle.turn_around(height.tolist()) for _, height in ranked_heights]


def test_only_the_complete_reversed_ideal_is_full_scale():
    runs = [[0, 0, 0, 1, 2], [0, 0, 1, 0, 2], [0, 0, 0, 2, 1], [0, 0, 0, 0, 2], [0, 0, 0, 1, 0], [0, 0, 0, 1]]
    judged = Judged.from_grades(runs, {2: 1, 1: 1, 0: 5})
    curves = Curves.from_judged(judged, EffortSettings(5))
    assert curves.is_full_scale().tolist() == [True, False, False, False, False, False]


# Facts -------------------------------------------------------------------------------------------------------------


@many_examples(topic=topics())
def test_fact_1_rp_is_0_where_the_ideal_run_has_the_same_grade(topic):
    for (position, height), run in zip(dense_vectors(topic), topic.runs, strict=True):
        assert (position == 0).tolist() == [here == due for here, due in zip(run, topic.ideal, strict=True)]
        assert (height == 0).all() == (run == topic.ideal)


@many_examples(topic=topics())
def test_fact_2_curves_do_not_fall_after_rank_r(topic):
    for position, _ in dense_vectors(topic):
        assert (position[topic.relevant :] >= 0).all()


@many_examples(topic=topics())
def test_fact_3_curves_leave_the_axis_downwards(topic):
    for position, height in dense_vectors(topic):
        first = position[position != 0][:1]
        assert (first < 0).all()
        # Therefore the first crossing is upwards.
        crossing = oracle.crossing(height.tolist())
        assert np.isinf(crossing) or height[crossing - 1] < 0


@many_examples(topic=topics())
def test_fact_4_non_relevant_documents_have_the_largest_loss(topic):
    lowest = -topic.relevant * (topic.relevant + 1) / 2
    rank = np.arange(1, topic.relevant + 1)
    for position, height in dense_vectors(topic):
        assert (position[: topic.relevant] >= rank - topic.relevant - 1).all()
        assert (height >= lowest).all()
    worst, full_scale = dense_vectors(topic)[1:3]
    assert worst[1][topic.relevant - 1] == full_scale[1][topic.relevant - 1] == lowest


# Bounds ------------------------------------------------------------------------------------------------------------


@many_examples(topic=topics())
def test_bounds_of_relative_position(topic):
    best = max(topic.counts)
    for position, _ in dense_vectors(topic):
        assert position.min() >= -topic.relevant
        assert position.max() <= topic.length - topic.high(best)
    full_scale = dense_vectors(topic)[2][0]
    assert full_scale.min() == -topic.relevant
    assert full_scale.max() == topic.length - topic.high(best)


def full_scale_end(counts: dict[int, int], length: int) -> int:
    """Return the final height of the curve of the full-scale run, by the closed form."""
    relevant = sum(counts.values())
    return relevant * (length - relevant) - sum(
        number * sum(n for other, n in counts.items() if other >= grade) for grade, number in counts.items()
    )


@many_examples(topic=topics())
def test_final_height_of_the_full_scale_curve(topic):
    assert dense_vectors(topic)[2][1][-1] == full_scale_end(topic.counts, topic.length)


@many_examples(topic=topics(ranks=3, less=1))
def test_with_3_r_minus_1_ranks_the_full_scale_curve_is_highest(topic):
    highest = full_scale_end(topic.counts, topic.length)
    assert max(height.max() for _, height in dense_vectors(topic)) == highest


@pytest.mark.parametrize(
    ("counts", "length"), small_topics(lambda R: (3 * R - 1, 3 * R) if R < 4 else (), grades=2, most=3)
)
def test_with_3_r_minus_1_ranks_the_full_scale_curve_is_highest_over_all_runs(counts, length):
    topic = Topic(counts, length, every_run(counts, length))
    assert topic.curves.height_at(topic.curves.length).max() == full_scale_end(counts, length)


def test_with_fewer_ranks_another_curve_can_be_higher():
    # docs/papers/twist.md: Proposition 2 of the paper requires only 2 R ranks.
    assert heights({1: 2}, [1, 0, 0, 1])[-1] == 1 > full_scale_end({1: 2}, 4) == 0
    assert heights({2: 1, 1: 2}, [1, 1, 0, 0, 0, 2])[-1] == 3 > full_scale_end({2: 1, 1: 2}, 6) == 2


@pytest.mark.parametrize(("relevant", "length"), [(R, N) for R in (1, 2, 3, 4) for N in range(2 * R, 3 * R + 2)])
def test_highest_curve_of_binary_relevance(relevant, length):
    topic = Topic({1: relevant}, length, every_run({1: relevant}, length))
    highest = max(k * (length - relevant - k) for k in range(relevant + 1))
    assert topic.curves.height_at(topic.curves.length).max() == highest
    assert (highest == full_scale_end({1: relevant}, length)) == (length >= 3 * relevant - 1)


# Recovery ----------------------------------------------------------------------------------------------------------


def test_recovery_ratio_of_the_full_scale_run_is_at_most_one_half():
    # docs/papers/twist.md: the paper states "below 1/2", which holds for the right endpoint only.
    attained = set()
    for counts, length in small_topics(lambda R: range(3 * R, 3 * R + 5), grades=3, most=2):
        judged = Judged.from_grades([[]], counts)
        left, right = (
            measure(f"RhoW(endpoint={endpoint})@{length}").score(judged)[0] for endpoint in ("left", "right")
        )
        assert left <= 0.5
        assert right < 0.5
        if left == 0.5:
            attained.add((sum(counts.values()), length))
    assert attained == {(1, 3), (2, 6)}


def test_with_fewer_ranks_the_recovery_ratio_can_exceed_one_half():
    assert measure("RhoW@15").of([], {3: 2, 2: 2, 1: 3}) == pytest.approx(7 / 13)


def test_graded_curves_can_be_above_the_axis_before_rank_r():
    # See docs/papers/crp.md.
    assert heights({2: 1, 1: 3}, [1, 1, 2, 1, 0, 0, 0, 0])[:4] == [-1, -1, 1, 1]
    # The end is not the highest point: run A of the CRP paper.
    a = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 3, *[0] * 9]
    curve = heights({3: 3, 2: 3, 1: 4}, a)
    assert (max(curve), curve[-1]) == (0, -11)
    # After the last relevant document the curve falls until rank R.
    assert heights({1: 3}, [1, 0, 0, 0, 0, 0]) == [0, -2, -3, -3, -3, -3]


@many_examples(topic=topics(grades=1, most=6))
def test_binary_relevance_has_no_excellent_run(topic):
    for _, height in dense_vectors(topic):
        assert (height[: topic.relevant] <= 0).all()
    assert (topic.curves.return_rank > topic.relevant).all()
    kinds = {oracle.archetype(run, topic.counts) for run in topic.runs}
    assert kinds <= {"ideal", "worst", "full-scale", "typical A", "typical B"}


def test_no_binary_run_of_small_topics_is_excellent():
    for relevant, length in product((1, 2, 3, 4), (8, 9)):
        topic = Topic({1: relevant}, length, every_run({1: relevant}, length))
        assert (topic.curves.return_rank > relevant).all()


# Space and Twist ---------------------------------------------------------------------------------------------------


@many_examples(topic=topics())
def test_space_of_the_full_scale_run(topic):
    R, N = topic.relevant, topic.length
    due = sum(number * topic.high(grade) for grade, number in topic.counts.items())
    full = topic.curves.full_scale
    assert full.backward.tolist() == [R * (R + 1) / 2]
    assert full.forward.tolist() == [R * N - R * (R - 1) / 2 - due]


WEIGHTINGS = ("", "(weights=exp)", "(weights=binary)", "(persistence=0.9)", "(weights=identity, persistence=0.3)")


@many_examples(topic=topics(), weighting=st.sampled_from(WEIGHTINGS))
def test_no_run_covers_more_space_than_the_full_scale_run(topic, weighting):
    for name in ("ForwardSpaceRatio", "BackwardSpaceRatio", "SpaceRatio", "Twist"):
        score = topic.score(f"{name}{weighting}")
        assert (score >= -1e-12).all()
        assert (score <= 1).all()
        assert score[0] == 1
        assert score[2] == pytest.approx(0, abs=1e-12) or name == "Twist"


def test_no_run_of_small_topics_covers_more_space():
    for counts, length in small_topics(lambda R: (2 * R, 2 * R + 1) if R < 4 else (), grades=2, most=3):
        topic = Topic(counts, length, every_run(counts, length))
        for weighting in WEIGHTINGS:
            for name in ("ForwardSpaceRatio", "BackwardSpaceRatio"):
                score = topic.score(f"{name}{weighting}")
                assert score.min() == pytest.approx(0, abs=1e-12)
                assert score.max() == 1


@many_examples(topic=topics(ranks=3))
def test_range_of_twist_by_archetype(topic):
    score = topic.score("Twist")
    assert score[:2].tolist() == [1, 0]
    assert 0 <= score[2] <= 0.25
    for value, run in zip(score, topic.runs, strict=True):
        holds = {
            "ideal": value == 1,
            "worst": value == 0,
            "full-scale": 0 <= value <= 0.25,
            "typical A": 0 < value < 1,
            "typical B": 0 <= value < 0.5,
            "ups-and-downs": 0.5 < value < 1,
            "excellent A": 0.5 < value < 1,
            "excellent B": 0.5 < value < 1,
        }
        assert holds[oracle.archetype(run, topic.counts)], run


@pytest.mark.parametrize(
    ("kind", "run"),
    [
        ("ups-and-downs", [3, 2, 3, 2, 1, 1, 0]),
        ("excellent A", [3, 2, 3, 2, 1, 1, 1]),
        ("typical B", [1, 3, 3, 2, 2, 1, 1]),
        ("typical A", [3, 3, 2, 2, 1, 1, 0, 1]),
    ],
)
def test_examples_of_archetypes(kind, run):
    counts, length = {3: 2, 2: 2, 1: 3}, 21
    padded = run + [0] * (length - len(run))
    assert oracle.archetype(padded, counts) == kind
    value = Topic(counts, length, [padded]).score("Twist")[0]
    assert {"ups-and-downs": 0.5 < value < 1, "excellent A": 0.5 < value < 1, "typical B": value < 0.5}.get(kind, True)


def test_example_of_excellent_b():
    counts = {3: 1, 2: 1, 1: 8}
    run = [2, 1, 1, 1, 1, 3, 1, 1, 1, *[0] * 21]
    assert oracle.archetype(run, counts) == "excellent B"
    assert 0.5 < Topic(counts, 30, [run]).score("Twist")[0] < 1


def test_twist_of_the_full_scale_run_can_exceed_one_quarter_below_3_r_ranks():
    # See docs/papers/twist.md.
    assert Topic({1: 1}, 2, [[0, 1]]).score("Twist")[0] == 0.5
    assert Topic({3: 2, 2: 2, 1: 3}, 15, [[0] * 8 + [1, 1, 1, 2, 2, 3, 3]]).score("Twist")[0] == pytest.approx(7 / 26)


def test_twist_can_be_0_for_other_runs_than_the_worst():
    # docs/papers/twist.md: no relevant document up to rank R, and no crossing.
    topic = Topic({1: 3}, 9, [[0, 0, 0, 1, 0, 0, 0, 0, 0], [0] * 9])
    assert topic.score("Twist").tolist() == [0, 0]
    assert Topic({1: 1}, 3, [[0, 1, 0]]).score("BackwardSpaceRatio")[0] == 0


# Lengths and ties --------------------------------------------------------------------------------------------------


def test_length_rules():
    judged = Collection(({1: 2, 0: 9}, {1: 6, 0: 9}), ((0, (1, 0, 0)), (1, (0, 1)))).to_judged()
    lengths = {rule: Curves.from_judged(judged, EffortSettings(9, rule)).length.tolist() for rule in ("extend", "asis")}
    assert lengths == {"extend": [9, 12], "asis": [9, 9]}
    assert Curves.from_judged(judged, EffortSettings(length="asis")).length.tolist() == [3, 6]
    assert Curves.from_judged(judged, EffortSettings(12, "error")).length.tolist() == [12, 12]
    with pytest.raises(InputError, match="a topic has 6 relevant documents and needs rankings of 12 documents, not 11"):
        Curves.from_judged(judged, EffortSettings(11, "error"))
    some = judged.select_rankings(np.array([1]))
    assert some.length.tolist() == [2]
    assert Curves.from_judged(some, EffortSettings(length="asis")).length.tolist() == [6]
    assert Curves.from_judged(judged.select_rankings(np.array([1, 0])), EffortSettings()).length.tolist() == [12, 4]


def test_documents_beyond_the_length_do_not_count():
    judged = Judged.from_grades([[0, 0, 1, 1]], {1: 2, 0: 2})
    assert Curves.from_judged(judged, EffortSettings(3)).relevant_retrieved().tolist() == [1]
    assert Curves.from_judged(judged, EffortSettings(3)).vectors(0)[1].tolist() == [-2, -3, -2, -2]
    assert Curves.from_judged(judged, EffortSettings(4)).relevant_retrieved().tolist() == [2]


def test_curves_are_cached_by_settings():
    judged = Judged.from_grades([[0, 1]], {1: 1, 0: 1})
    assert Curves.from_judged(judged, EffortSettings(5)) is Curves.from_judged(judged, EffortSettings(5))
    assert Curves.from_judged(judged, EffortSettings(5)) is not Curves.from_judged(judged, EffortSettings(6))
    assert Curves.from_judged(judged, EffortSettings(5, weights=Gains("exp"))) is not Curves.from_judged(
        judged, EffortSettings(5)
    )


def test_tied_documents_keep_their_grades():
    # Tied documents share their gains, but not their grades.
    collection = Collection(({2: 1, 1: 1, 0: 2},), ((0, (0, 2, 1, 0)),))
    tied = collection.to_judged(tied=[False, True, True, True])
    assert Curves.from_judged(tied).code.tolist() == Curves.from_judged(tied.without_ties()).code.tolist() == [3, 2]
    assert (
        Curves.from_judged(tied).vectors(0)[0].tolist()
        == Curves.from_judged(collection.to_judged()).vectors(0)[0].tolist()
    )


def test_decreasing_weights_raise_an_error():
    judged = Judged.from_grades([[2, 1, -1]], {2: 1, 1: 1, 0: 1, -1: 1})
    with pytest.raises(MeasureError, match=r"weights \{1:2,2:1\}: a higher grade must not have a lower gain"):
        EffortScale.from_judged(judged, EffortSettings(weights=Gains({1: 2, 2: 1})))
    # All non-relevant documents have the same weight.
    EffortScale.from_judged(judged, EffortSettings(weights=Gains({-1: 5, 1: 1, 2: 2})))


def test_empty_rankings_and_topics_without_relevant_documents():
    for rankings, counts in (([], {}), ([[]], {}), ([[None]], {}), ([[0]], {0: 1}), ([], {1: 2})):
        curves = Curves.from_judged(Judged.from_grades(rankings, counts))
        assert len(curves) == len(rankings)
        for values in (
            curves.turn_around,
            curves.return_rank,
            curves.forward,
            curves.backward,
            curves.balance_point(),
            curves.relevant_retrieved(),
        ):
            assert len(values) == len(rankings)
        assert curves.is_full_scale().tolist() == [False] * len(rankings)
        assert curves.dips_below_axis(np.zeros(len(rankings))).tolist() == [False] * len(rankings)


def test_names_of_the_settings():
    assert set(LENGTHS) == {"extend", "error", "asis"}
    assert set(CROSSINGS) == {"strict", "literal", "matters"}
    assert set(ENDPOINTS) == {"left", "right"}


@pytest.mark.parametrize("depth", [0, -3])
def test_depth_must_be_positive(depth: int) -> None:
    with pytest.raises(InputError, match=f"depth must be at least 1, got {depth}"):
        EffortSettings(depth)
