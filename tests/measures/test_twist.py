"""Twist."""

import random

import numpy as np
import pytest
from hypothesis import strategies as st

import assay
from assay.errors import InputError, MeasureError
from assay.measures import measure
from assay.measures._values import values
from assay.measures.recoveryratio import RecoveryRatio
from assay.measures.spaceratio import SpaceRatio
from assay.measures.twist import Twist
from assay.model.judged import Judged
from assay.model.policies import Policies
from effort_cases import definition
from strategies import Collection, collections, often

# The worked example of the paper: runs a and b.
A = [3, 3, 2, 0, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0]
B = [3, 0, 1, 0, 2, 0, 0, 0, 2, 1, 0, 0, 3, 1, 0]
COUNTS = {3: 2, 2: 2, 1: 3, 0: 9}

test_definition = definition(Twist, "twist")


def test_worked_example():
    full_scale = [0] * 8 + [1, 1, 1, 2, 2, 3, 3]
    judged = Judged.from_grades([[3, 3, 2, 2, 1, 1, 1], [], full_scale, A, B], {**COUNTS, 0: 15})
    assert np.round(Twist(cutoff=15).score(judged), 4).tolist() == [1, 0, 0.2692, 0.8188, 0.5254]


GRADED = {"q": {f"d{i}": grade for i, grade in enumerate(A)} | {"missed": 2} | {"other": 1}}
RUN = {"q": {f"d{i}": -float(i) for i in range(15)}}
CAVEAT = "make rho discontinuous"


@pytest.mark.parametrize(
    "text",
    [
        "Twist(persistence=0.9999)@15",
        "RecoveryRatio(weights=exp)@15",
        "GM(Twist(weights=exp)@15)",
        "BalancePoint(persistence=0.5)",
    ],
)
def test_every_value_with_weights_or_persistence_has_a_note(text):
    """Until it is redefined: 0.8188 with persistence 1 is 0.4299 with 0.9999, because the curve never comes back."""
    for more in ({}, {"memory": "1G"}):
        [note] = [note for note in assay.evaluate(GRADED, RUN, [text, "AP"], **more).notes if CAVEAT in note]
        assert note.startswith(f"{text}: ")


@pytest.mark.parametrize(
    "text", ["Twist@15", "Twist(persistence=1)", "SpaceRatio(persistence=0.9)@15", "CRPmin(weights=exp)"]
)
def test_without_a_jump_there_is_no_such_note(text):
    assert not any(CAVEAT in note for note in assay.evaluate(GRADED, RUN, text).notes)


def test_analyses_and_figures_say_so_too():
    from assay.effort.indicators import effort_report
    from assay.meta.pool_depth import pool_depth
    from assay.uncertainty.ties.reporting import tie_report
    from assay.views.plots import crp_topic, effort_gain

    jumps = "Twist(persistence=0.9999)@15"
    campaign = assay.read(GRADED, {"one": RUN, "two": {"q": {"d0": 1.0}}})
    made = [
        effort_report(campaign, persistence=0.9999, depth=15).results.notes,
        tie_report(campaign, jumps).notes,
        pool_depth(campaign, [jumps], [5, 10]).notes,
        crp_topic.data(campaign, order=jumps).notes,
        effort_gain.data(campaign, twist=jumps).notes,
    ]
    for notes in made:
        assert len([note for note in notes if CAVEAT in note]) == 1


@often(max_examples=50, collection=collections())
def test_it_is_the_mean_of_its_parts(collection):
    judged = collection.judged()
    for given in ({}, {"cutoff": 20, "persistence": 0.8}, {"cutoff": 4, "length": "asis", "weights": "unit"}):
        parts = RecoveryRatio(**given).score(judged) + SpaceRatio(**given).score(judged)
        assert np.array_equal(Twist(**given).score(judged), parts / 2)


@pytest.mark.parametrize("given", [{}, {"weights": "identity"}, {"persistence": 0.9}])
def test_a_misplacement_that_begins_at_the_top_costs_more_to_the_impatient(given):
    # The same two documents exchanged at the top, and further below.
    counts = {2: 1, 1: 8, 0: 9}
    top, deep = [0, 1, 2, *[1] * 7], [2, *[1] * 6, 0, 1, 1]
    patient = [Twist(cutoff=30, **given).of(run, counts) for run in (top, deep)]
    hurried = [Twist(cutoff=30, **{**given, "persistence": 0.5}).of(run, counts) for run in (top, deep)]
    assert hurried[0] / hurried[1] < patient[0] / patient[1]


def test_to_exchange_documents_that_weigh_the_same_costs_nothing():
    counts = {3: 1, 2: 2, 1: 3, 0: 9}
    alike, low = {1: 1, 2: 1, 3: 1}, {1: 0, 2: 1, 3: 2}
    assert Twist(weights=alike).of([1, 1, 1, 2, 2, 3], counts) == 1 > Twist(weights=low).of([1, 1, 1, 2, 2, 3], counts)
    # What weighs nothing may be missing.
    assert Twist(weights=low).of([3, 2, 2], counts) == 1 > Twist(weights=alike).of([3, 2, 2], counts)


def test_persistence_1_and_no_weights_are_the_published_measure():
    judged = Judged.from_grades([A, B], COUNTS)
    assert np.array_equal(Twist(cutoff=15, persistence=1).score(judged), Twist(cutoff=15).score(judged))
    assert measure("Twist(persistence=1.0)@15") == Twist(cutoff=15)
    alike = Twist(cutoff=15, weights={0: 0, 1: 1, 2: 1, 3: 1})
    assert (alike.score(judged) != Twist(cutoff=15).score(judged)).all()


# Lengths -------------------------------------------------------------------------------------------------------


def test_long_topics():
    judged = Judged.from_grades([[1, 0, 1, 1]], {1: 5, 0: 3})
    assert Twist(cutoff=4).score(judged) == Twist(cutoff=10).score(judged)
    assert Twist(cutoff=4, length="asis").score(judged) == Twist(cutoff=5, length="asis").score(judged)
    assert Twist(cutoff=10, length="error").score(judged) == Twist(cutoff=10).score(judged)
    text = "a topic has 5 relevant documents and needs rankings of 10 documents, not 9; choose length=extend or asis"
    with pytest.raises(InputError, match=f"^{text}$"):
        Twist(cutoff=9, length="error").score(judged)
    with pytest.raises(InputError, match="rankings of 10 documents, not 4;"):
        values(Twist(length="error"), judged)


def test_rankings_have_one_length():
    """The longest ranking gives the length of all, unless there is a cutoff."""
    short, long = [1, 0, 0, 1, 1], [0] * 20
    counts = {1: 3, 0: 20}
    alone, beside = (Twist().score(Judged.from_grades(runs, counts))[0] for runs in ([short], [short, long]))
    assert alone == Twist(cutoff=6).of(short, counts)
    assert beside == Twist(cutoff=20).of(short, counts) != alone


@often(max_examples=100, collection=collections())
def test_some_of_the_rankings(collection):
    judged = collection.judged()
    for one in (Twist(cutoff=1000), Twist(cutoff=3), Twist(), Twist(length="asis", persistence=0.5)):
        every = one.score(judged)
        for chosen in (np.arange(0, len(judged), 2), np.arange(len(judged))[::-1], np.arange(min(1, len(judged)))):
            assert np.array_equal(one.score(judged.only(chosen)), every[chosen])
            assert np.array_equal(one.score(judged.only(chosen).compact()), every[chosen])


@often(max_examples=100, collection=collections(), turn=st.integers(1, 9))
def test_the_order_of_topics_does_not_matter(collection, turn):
    topics = list(range(len(collection.counts)))
    place = topics[turn % len(topics) :] + topics[: turn % len(topics)]
    turned = Collection(
        tuple(collection.counts[topic] for topic in place),
        tuple((place.index(topic), ranking) for topic, ranking in collection.rankings),
    )
    for text in (*Twist.examples, "Twist(weights=unit, persistence=0.7)", "Twist(crossing=matters, endpoint=right)@9"):
        one = measure(text)
        if text.startswith("Twist(weights=exp)") and collection.top > 1000:
            continue
        assert np.array_equal(one.score(turned.judged()), one.score(collection.judged()))


def test_the_order_of_judgments_and_of_rows_does_not_matter():
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


# What is refused, what is undefined ----------------------------------------------------------------------------


def test_weights_must_not_fall():
    judged = Judged.from_grades([[2, 1, 0]], {2: 1, 1: 1, 0: 1})
    text = r"^weights \{1:3,2:2\}: a higher grade must not be worth less than a lower one$"
    with pytest.raises(MeasureError, match=text):
        Twist(weights={1: 3, 2: 2}).score(judged)
    with pytest.raises(MeasureError, match="a higher grade must not be worth less"):
        Twist(weights={1: -1}).score(judged)
    assert Twist(weights={1: 2, 2: 2}).of([2, 1, 0]) == 1


@pytest.mark.parametrize("persistence", [0, -0.5, 1.01])
def test_persistence_lies_above_0_and_up_to_1(persistence):
    with pytest.raises(MeasureError, match="persistence must be"):
        Twist(persistence=persistence)


def test_topics_without_relevant_documents():
    about = Collection(({1: 2, 0: 1}, {0: 3, -1: 2}, {0: 1}), ((0, (0, 1)), (1, (-1, 0)), (2, ())))
    for policy, put in (("zero", 0.0), ("exclude", np.nan)):
        result = values(Twist(cutoff=10), about.judged(Policies(undefined=policy)))
        assert result.undefined.tolist() == [False, True, True]
        assert np.array_equal(result.value[1:], [put, put], equal_nan=True)
        assert result.value[0] > 0


def test_grades_from_rel_on_are_relevant():
    tiny = Judged.from_grades([[0.25, 0, 1e-9]], {0.25: 2, 1e-9: 1, 0: 1})
    assert not Twist(cutoff=8).defined(tiny).any()
    whole = Judged.from_grades([[2, 0, 1]], {2: 2, 1: 1, 0: 1})
    assert Twist(cutoff=8, rel=1e-9).score(tiny) == Twist(cutoff=8).score(whole)
    assert Twist(cutoff=8, rel=0.25).score(tiny) == Twist(cutoff=8, rel=2).score(whole)
