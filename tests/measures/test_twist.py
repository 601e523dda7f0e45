"""Twist and its components: the recovery ratio and the space ratios."""

import math
import random

import numpy as np
import pytest
from hypothesis import strategies as st

import assay
from assay.errors import InputError, MeasureError
from assay.measures import measure
from assay.measures._values import compute_values
from assay.measures.twist import (
    BackwardSpace,
    BackwardSpaceRatio,
    BalancePoint,
    ForwardSpace,
    ForwardSpaceRatio,
    RecoveryRatio,
    SpaceRatio,
    Twist,
)
from assay.model.judged import Judged
from assay.model.policies import Policies
from effort_cases import oracle_test
from strategies import Collection, collections, many_examples

# The worked example of the paper: runs a and b.
TWIST_A = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0]
TWIST_B = [3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0]
TWIST_COUNTS = {3: 2, 2: 2, 1: 3, 0: 9}

test_twist_definition = oracle_test(Twist, "twist")


def test_twist_worked_example():
    full_scale = [0] * 8 + [1, 1, 1, 2, 2, 3, 3]
    judged = Judged.from_grades([[3, 3, 2, 2, 1, 1, 1], [], full_scale, TWIST_A, TWIST_B], {**TWIST_COUNTS, 0: 15})
    assert np.round(Twist(cutoff=15).score(judged), 4).tolist() == [1, 0, 0.2692, 0.8188, 0.5254]


TWIST_GRADED = {"q": {f"d{i}": grade for i, grade in enumerate(TWIST_A)} | {"missed": 2} | {"other": 1}}
TWIST_RUN = {"q": {f"d{i}": -float(i) for i in range(15)}}


def test_twist_changes_continuously_with_persistence_and_weights():
    """Values near the published ones stay near them; requiring an exact return would drop Twist to 0.4299."""
    judged = Judged.from_grades([TWIST_A, TWIST_B], TWIST_COUNTS)
    published = Twist(cutoff=15).score(judged)
    assert Twist(cutoff=15, persistence=0.9999).score(judged) == pytest.approx(published, abs=1e-3)
    assert Twist(cutoff=15, persistence=1 - 1e-12).score(judged) == pytest.approx(published, abs=1e-9)
    steps = np.stack([Twist(cutoff=15, persistence=p).score(judged) for p in np.linspace(0.001, 1, 1000)])
    assert np.abs(np.diff(steps, axis=0)).max() < 0.01
    by_weight = [Twist(cutoff=15, weights={1: 1, 2: 2, 3: 2 + x}).score(judged) for x in np.linspace(0, 1, 201)]
    assert np.abs(np.diff(by_weight, axis=0)).max() < 0.01


@many_examples(max_examples=50, collection=collections())
def test_weights_and_persistence_do_not_move_the_balance_point(collection):
    judged = collection.to_judged()
    expected = BalancePoint(cutoff=20).score(judged)
    for parameters in ({"persistence": 0.3}, {"weights": "identity"}, {"weights": "unit", "persistence": 0.9}):
        assert np.array_equal(BalancePoint(cutoff=20, **parameters).score(judged), expected)


@many_examples(max_examples=50, collection=collections())
def test_twist_is_the_mean_of_its_components(collection):
    judged = collection.to_judged()
    for parameters in ({}, {"cutoff": 20, "persistence": 0.8}, {"cutoff": 4, "length": "asis", "weights": "unit"}):
        parts = RecoveryRatio(**parameters).score(judged) + SpaceRatio(**parameters).score(judged)
        assert np.array_equal(Twist(**parameters).score(judged), parts / 2)


@pytest.mark.parametrize("parameters", [{}, {"weights": "identity"}, {"persistence": 0.9}])
def test_twist_with_low_persistence_penalizes_misplacements_at_the_top_more(parameters):
    # Exchange the same two documents at the top, and further down.
    counts = {2: 1, 1: 8, 0: 9}
    top, deep = [0, 1, 2, *[1] * 7], [2, *[1] * 6, 0, 1, 1]
    patient = [Twist(cutoff=30, **parameters).of(run, counts) for run in (top, deep)]
    impatient = [Twist(cutoff=30, **{**parameters, "persistence": 0.5}).of(run, counts) for run in (top, deep)]
    assert impatient[0] / impatient[1] < patient[0] / patient[1]


def test_space_ignores_exchanges_of_documents_with_equal_weights():
    counts = {3: 1, 2: 2, 1: 3, 0: 9}
    alike, low = {1: 1, 2: 1, 3: 1}, {1: 0, 2: 1, 3: 2}
    exchanged = [1, 1, 1, 2, 2, 3]
    assert SpaceRatio(weights=alike).of(exchanged, counts) == 1 > SpaceRatio(weights=low).of(exchanged, counts)
    # Missing documents without weight cost no space, but the ranking does not recover.
    assert SpaceRatio(weights=low).of([3, 2, 2], counts) == 1 > SpaceRatio(weights=alike).of([3, 2, 2], counts)
    assert RecoveryRatio(weights=low).of([3, 2, 2], counts) == 0


def test_twist_defaults_are_the_published_measure():
    judged = Judged.from_grades([TWIST_A, TWIST_B], TWIST_COUNTS)
    assert np.array_equal(Twist(cutoff=15, persistence=1).score(judged), Twist(cutoff=15).score(judged))
    assert measure("Twist(persistence=1.0)@15") == Twist(cutoff=15)
    alike = Twist(cutoff=15, weights={0: 0, 1: 1, 2: 1, 3: 1})
    assert (alike.score(judged) != Twist(cutoff=15).score(judged)).all()


# Lengths -------------------------------------------------------------------------------------------------------


def test_twist_length_rules():
    judged = Judged.from_grades([[1, 0, 1, 1]], {1: 5, 0: 3})
    assert Twist(cutoff=4).score(judged) == Twist(cutoff=10).score(judged)
    assert Twist(cutoff=4, length="asis").score(judged) == Twist(cutoff=5, length="asis").score(judged)
    assert Twist(cutoff=10, length="error").score(judged) == Twist(cutoff=10).score(judged)
    text = "a topic has 5 relevant documents and needs rankings of 10 documents, not 9; choose length=extend or asis"
    with pytest.raises(InputError, match=f"^{text}$"):
        Twist(cutoff=9, length="error").score(judged)
    with pytest.raises(InputError, match="rankings of 10 documents, not 4;"):
        compute_values(Twist(length="error"), judged)


def test_twist_uses_the_length_of_the_longest_ranking():
    """All rankings have the length of the longest one, unless there is a cutoff."""
    short, long = [1, 0, 0, 1, 1], [0] * 20
    counts = {1: 3, 0: 20}
    alone, with_longer = (Twist().score(Judged.from_grades(runs, counts))[0] for runs in ([short], [short, long]))
    assert alone == Twist(cutoff=6).of(short, counts)
    assert with_longer == Twist(cutoff=20).of(short, counts) != alone


@many_examples(max_examples=100, collection=collections())
def test_twist_of_selected_rankings_is_unchanged(collection):
    judged = collection.to_judged()
    for one in (Twist(cutoff=1000), Twist(cutoff=3), Twist(), Twist(length="asis", persistence=0.5)):
        every = one.score(judged)
        for chosen in (np.arange(0, len(judged), 2), np.arange(len(judged))[::-1], np.arange(min(1, len(judged)))):
            assert np.array_equal(one.score(judged.select_rankings(chosen)), every[chosen])
            assert np.array_equal(one.score(judged.select_rankings(chosen).drop_unused_topics()), every[chosen])


@many_examples(max_examples=100, collection=collections(), turn=st.integers(1, 9))
def test_twist_the_order_of_topics_does_not_matter(collection, turn):
    topics = list(range(len(collection.counts)))
    topic_order = topics[turn % len(topics) :] + topics[: turn % len(topics)]
    rotated = Collection(
        tuple(collection.counts[topic] for topic in topic_order),
        tuple((topic_order.index(topic), ranking) for topic, ranking in collection.rankings),
    )
    for text in (*Twist.examples, "Twist(weights=unit, persistence=0.7)", "Twist(crossing=matters, endpoint=right)@9"):
        one = measure(text)
        if text.startswith("Twist(weights=exp)") and collection.top > 1000:
            continue
        assert np.array_equal(one.score(rotated.to_judged()), one.score(collection.to_judged()))


def test_twist_the_order_of_judgments_and_of_rows_does_not_matter():
    rng = random.Random(3)
    qrels = {f"t{t}": {f"d{i}": rng.choice([-1, 0, 0, 0, 1, 2]) for i in range(40)} for t in range(6)}
    run = {t: {f"d{i}": rng.random() for i in rng.sample(range(60), 30)} for t in qrels}
    chosen = ["Twist@100", "Twist", "Twist(weights=exp, persistence=0.9)", "CRPmin", "TurnAround"]
    frames = []
    for _ in range(3):
        shuffled = [{t: dict(rng.sample(list(of[t].items()), len(of[t]))) for t in rng.sample(list(of), len(of))}
                    for of in (qrels, run)]  # fmt: skip
        frames.append(assay.evaluate(*shuffled, chosen).frame().sort("measure", "topic"))
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])
    assert frames[0]["value"].n_unique() > 10


# Errors and undefined values -----------------------------------------------------------------------------------


def test_twist_with_decreasing_weights_raises_an_error():
    judged = Judged.from_grades([[2, 1, 0]], {2: 1, 1: 1, 0: 1})
    text = r"^weights \{1:3,2:2\}: a higher grade must not have a lower gain$"
    with pytest.raises(MeasureError, match=text):
        Twist(weights={1: 3, 2: 2}).score(judged)
    with pytest.raises(MeasureError, match="a higher grade must not have a lower gain"):
        Twist(weights={1: -1}).score(judged)
    assert Twist(weights={1: 2, 2: 2}).of([2, 1, 0]) == 1


@pytest.mark.parametrize("persistence", [0, -0.5, 1.01])
def test_twist_with_invalid_persistence_raises_an_error(persistence):
    with pytest.raises(MeasureError, match="persistence must be"):
        Twist(persistence=persistence)


def test_twist_is_undefined_without_relevant_documents():
    collection_of_three = Collection(({1: 2, 0: 1}, {0: 3, -1: 2}, {0: 1}), ((0, (0, 1)), (1, (-1, 0)), (2, ())))
    for policy, undefined_value in (("zero", 0.0), ("exclude", np.nan)):
        result = compute_values(Twist(cutoff=10), collection_of_three.to_judged(Policies(undefined=policy)))
        assert result.undefined.tolist() == [False, True, True]
        assert np.array_equal(result.value[1:], [undefined_value, undefined_value], equal_nan=True)
        assert result.value[0] > 0


def test_twist_counts_grades_of_at_least_rel_as_relevant():
    tiny = Judged.from_grades([[0.25, 0, 1e-9]], {0.25: 2, 1e-9: 1, 0: 1})
    assert not Twist(cutoff=8).is_defined(tiny).any()
    whole = Judged.from_grades([[2, 0, 1]], {2: 2, 1: 1, 0: 1})
    assert Twist(cutoff=8, rel=1e-9).score(tiny) == Twist(cutoff=8).score(whole)
    assert Twist(cutoff=8, rel=0.25).score(tiny) == Twist(cutoff=8, rel=2).score(whole)


test_recoveryratio_definition = oracle_test(RecoveryRatio, "rho")


def rho(run, counts, cutoff, **parameters):
    return RecoveryRatio(cutoff=cutoff, **parameters).of(run, counts)


def test_recoveryratio_with_left_and_right_endpoint():
    # The curve returns to the axis at rank 10; the left endpoint is rank 9.
    a, counts = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1], {3: 2, 2: 2, 1: 3, 0: 4}
    assert rho(a, counts, 15) == pytest.approx(7 / 9)
    assert rho(a, counts, 15, endpoint="right") == pytest.approx(7 / 10)


def test_recoveryratio_with_each_definition_of_a_crossing():
    # A curve that starts on the axis and never returns, and one that returns to the axis and stays there.
    never, back = [1, 0, 0, 1], [2, 1, 2, 1]
    for crossing, expected_never, expected_back in (("strict", 0, 1), ("literal", 1, 1), ("matters", 0, 0)):
        assert rho(never, {1: 3, 0: 2}, 9, crossing=crossing) == expected_never, crossing
        assert rho(back, {2: 2, 1: 2}, 12, crossing=crossing) == expected_back, crossing


@pytest.mark.parametrize("crossing", ["strict", "literal", "matters"])
def test_recoveryratio_of_the_ideal_and_the_worst_ranking(crossing):
    assert rho([2, 1, 1, 0], {2: 1, 1: 2, 0: 1}, 9, crossing=crossing) == 1
    assert rho([0, 0, 0], {2: 1, 1: 2, 0: 3}, 9, crossing=crossing) == 0
    assert rho([], {2: 1, 1: 2, 0: 3}, 9, crossing=crossing) == 0


def test_recoveryratio_is_1_for_recovery_by_rank_r():
    # With the left endpoint, recovery at rank R + 1 also gives 1.
    assert rho([1, 0, 1], {1: 2, 0: 1}, 9) == 1
    assert rho([1, 0, 1], {1: 2, 0: 1}, 9, endpoint="right") == pytest.approx(2 / 3)
    assert not math.isnan(rho([], {0: 1}, 9))


def test_recoveryratio_does_not_depend_on_rounding():
    # With weights in thirds or tenths the curve ends on the axis, but its floating-point terms do not sum to exactly 0.
    counts = {3: 1, 2: 1, 1: 1, 0: 9}
    assert rho([2, 3, 1], counts, 12, weights={1: 1 / 3, 2: 2 / 3, 3: 1}) == 1
    for weight in (0.1, 0.3, 0.7, 1e-12, 1e9):
        assert rho([0, 1, 1, 1], {1: 3, 0: 9}, 6, weights={1: weight}) == rho([0, 1, 1, 1], {1: 3, 0: 9}, 6)
        assert rho([1, 1, 0, 0, 1], {1: 3, 0: 9}, 6, weights={1: weight}) == rho([1, 1, 0, 0, 1], {1: 3, 0: 9}, 6)


test_balancepoint_definition = oracle_test(BalancePoint, "beta")


def test_balancepoint_is_at_least_r():
    # The curve returns to the axis at rank 3 (docs/papers/crp.md), but R is 4.
    assert BalancePoint(cutoff=12).of([1, 1, 2, 1], {2: 1, 1: 3}) == 4
    assert BalancePoint(cutoff=12).of([2, 1, 1, 1]) == 4
    assert BalancePoint(cutoff=12).of([1, 0, 0, 1], {1: 2, 0: 2}) == 3
    assert BalancePoint(cutoff=12, endpoint="right").of([1, 0, 0, 1], {1: 2, 0: 2}) == 4


def test_balancepoint_is_infinite_without_recovery():
    assert BalancePoint(cutoff=12).of([1, 0, 0], {1: 2, 0: 2}) == math.inf
    assert BalancePoint(cutoff=12).of([], {1: 2}) == math.inf


@many_examples(max_examples=50, collection=collections())
def test_balancepoint_times_recovery_ratio_is_r(collection):
    judged = collection.to_judged()
    for parameters in ({}, {"crossing": "matters"}, {"endpoint": "right", "cutoff": 5}):
        beta, rho = BalancePoint(**parameters).score(judged), RecoveryRatio(**parameters).score(judged)
        relevant = judged.counts[:, judged.levels >= 1].sum(axis=1)[judged.topic]
        assert rho[relevant > 0] == pytest.approx(relevant[relevant > 0] / beta[relevant > 0])
        assert np.array_equal(beta[relevant == 0], np.zeros((relevant == 0).sum()))


test_spaceratio_definition = oracle_test(SpaceRatio, "sigma")


@pytest.mark.parametrize("run", [[], [0, 0, 0], [0] * 7 + [1, 2], [0, 0, 2, 1]])
def test_spaceratio_is_0_if_either_component_is_0(run):
    # docs/papers/twist.md: both ratios are 0 for the full-scale ranking.
    assert SpaceRatio(cutoff=9).of(run, {2: 1, 1: 1, 0: 7}) == 0


def test_spaceratio_is_not_negative_if_a_component_is():
    counts = {1: 3, 0: 4}
    assert SpaceRatio(cutoff=4, length="asis").of([0, 0, 0, 0], counts) == 0
    assert SpaceRatio(cutoff=4, length="asis").of([0, 0, 0, 1], counts) == 0


test_forwardspaceratio_definition = oracle_test(ForwardSpaceRatio, "sigma_plus")


@pytest.mark.parametrize(("length", "value"), [(15, 0.471), (21, 0.710), (30, 0.827), (1000, 0.996)])
def test_forwardspaceratio_depends_on_the_length(length, value):
    # docs/papers/twist.md: run b of the worked example.
    b = [3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0]
    ratio = ForwardSpaceRatio(cutoff=length).of(b, {3: 2, 2: 2, 1: 3, 0: 8})
    assert ratio == pytest.approx(value, abs=5e-4)


def test_forwardspaceratio_of_the_worst_ranking_is_1():
    assert ForwardSpaceRatio(cutoff=9).of([0, 0, 0], {1: 2, 0: 3}) == 1
    assert ForwardSpaceRatio(cutoff=9).of([0] * 7 + [1, 1], {1: 2, 0: 7}) == 0


def test_forwardspaceratio_without_space_to_cover():
    # docs/papers/twist.md: with N = R and one grade, the ideal ranking is the only complete one.
    assert ForwardSpaceRatio(cutoff=2, length="asis").of([1, 1], {1: 2}) == 1
    assert ForwardSpaceRatio(cutoff=2, length="asis").of([1, 0], {1: 2, 0: 1}) == 1


test_backwardspaceratio_definition = oracle_test(BackwardSpaceRatio, "sigma_minus")


@pytest.mark.parametrize("run", [[0, 1, 0], [0, 0, 1], [0, 0, 0], []])
def test_backwardspaceratio_without_relevant_documents_at_the_top_is_0(run):
    # docs/papers/twist.md: not only the worst and the full-scale ranking.
    assert BackwardSpaceRatio(cutoff=3).of(run, {1: 1, 0: 3}) == 0


def test_backwardspaceratio_can_be_negative_with_fewer_than_2_r_ranks():
    # The reversed ideal ranking has relevant documents at the top; a ranking without them covers more space.
    counts = {1: 3, 0: 4}
    assert BackwardSpaceRatio(cutoff=4, length="asis").of([0, 0, 0, 0], counts) < 0
    assert BackwardSpaceRatio(cutoff=4, length="extend").of([0, 0, 0, 0], counts) == 0


def test_backwardspaceratio_without_space_to_cover():
    # See docs/papers/twist.md.
    assert BackwardSpaceRatio(cutoff=2, length="asis").of([1, 1], {1: 2}) == 1
    assert BackwardSpaceRatio(cutoff=2, length="asis").of([1, 0], {1: 2, 0: 1}) == 0


test_forwardspace_definition = oracle_test(ForwardSpace, "s_plus")


def test_forwardspace_does_not_depend_on_the_length():
    run, counts = [0, 2, 1, 0, 2], {2: 2, 1: 1, 0: 2}
    assert ForwardSpace().of(run, counts) == ForwardSpace(cutoff=1000).of(run, counts) == 3
    assert ForwardSpace(cutoff=4).of(run, counts) == 0


def test_forwardspace_and_backwardspace_of_an_exchange():
    # If each grade is due at one rank, one document is as much too late as the other is too early.
    run, counts = [3, 1, 2, 4], {4: 1, 3: 1, 2: 1, 1: 1}
    assert ForwardSpace().of(run, counts) == 3 + 0
    assert BackwardSpace().of(run, counts) == 1 + 2 + 0


def test_forwardspace_weights_and_persistence():
    # Grade 2 is due at rank 1 and occurs at rank 4, where grade 0 is due; grade 1 is due at rank 2 and occurs at 3.
    run, counts = [0, 0, 1, 2], {2: 1, 1: 1, 0: 2}
    assert ForwardSpace().of(run, counts) == 3 + 1
    assert ForwardSpace(weights="exp").of(run, counts) == 3 * 3 + 1 * 1
    assert ForwardSpace(persistence=0.5).of(run, counts) == 3 * 1 + 1 * 0.5
    assert ForwardSpace(weights="exp", persistence=0.5).of(run, counts) == 3 * 3 * 1 + 1 * 1 * 0.5


test_backwardspace_definition = oracle_test(BackwardSpace, "s_minus")


def test_backwardspace_is_positive():
    # docs/papers/twist.md: the paper sums negative numbers.
    assert BackwardSpace().of([0, 0, 1], {1: 2, 0: 2}) == 2 + 1


def test_backwardspace_counts_missing_documents_as_non_relevant():
    counts = {2: 1, 1: 3, 0: 9}
    assert BackwardSpace().of([], counts) == BackwardSpace().of([0] * 9, counts) == 4 * 5 / 2
    assert BackwardSpace().of([2], counts) == BackwardSpace().of([2, None, -0.5], {**counts, -0.5: 1}) == 3 * 4 / 2


def test_backwardspace_weights_and_persistence():
    # Grade 2 is due at rank 1, grade 1 at rank 2, and non-relevant documents from rank 3 on.
    run, counts = [0, 0, 1, 2], {2: 1, 1: 1, 0: 2}
    assert BackwardSpace().of(run, counts) == 2 + 1
    assert BackwardSpace(weights="exp").of(run, counts) == 2 * 3 + 1 * 1
    assert BackwardSpace(persistence=0.5).of(run, counts) == 2 * 1 + 1 * 0.5
    assert BackwardSpace(weights="exp", persistence=0.5).of(run, counts) == 2 * 3 * 1 + 1 * 1 * 0.5
    # Grade 1 occurs where grade 2 is due.
    assert BackwardSpace(weights="exp").of([1], counts) == 1 * (3 - 1) + 1 * 1
