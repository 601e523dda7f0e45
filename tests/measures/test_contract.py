"""The contract of every measure, on the examples that each measure of the catalogue gives."""

from __future__ import annotations

import dataclasses
import inspect
import math
import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

import assay.measures
from assay.errors import MeasureError
from assay.measures import Additive, Measure, catalogue, measure
from assay.measures._values import compute_values
from assay.model.gains import MAX_MAGNITUDE, NAMED_GAINS, Gains
from assay.model.judged import Judged
from assay.model.policies import Policies
from strategies import POOLS, Collection, collections, examples, large_collections, many_examples, refuses

CLASSES = [pytest.param(cls, id=name) for name, cls in catalogue().items()]
MEASURES = [example.values[0] for example in examples()]


# A measure is a value ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure_", examples())
def test_the_name_reads_back(measure_):
    assert measure(str(measure_)) == measure_
    assert str(measure(str(measure_))) == str(measure_)
    assert measure(measure_) is measure_


@pytest.mark.parametrize("cls", CLASSES)
def test_examples_are_written_as_they_print(cls):
    assert cls.examples
    assert [str(measure(text)) for text in cls.examples] == list(cls.examples)
    assert all(type(measure(text)) is cls for text in cls.examples)


@pytest.mark.parametrize("measure_", examples())
def test_it_is_a_value(measure_):
    again = measure(str(measure_))
    assert again is not measure_
    assert again == measure_
    assert hash(again) == hash(measure_)
    assert len({again, measure_}) == 1
    assert pickle.loads(pickle.dumps(measure_)) == measure_
    with pytest.raises(dataclasses.FrozenInstanceError):
        measure_.anything = 1


def test_different_measures_are_different():
    assert len(set(MEASURES)) == len(set(map(str, MEASURES))) == len(MEASURES)


# Cutoffs -----------------------------------------------------------------------------------------------------


def behind_at(cls: type[Measure]) -> list[dataclasses.Field]:
    """The parameter that is written behind @."""
    return [field for field in dataclasses.fields(cls) if field.metadata["at"]]


@pytest.mark.parametrize("measure_", examples())
def test_at_sets_the_cutoff_of_a_measure(measure_):
    at = behind_at(type(measure_))
    if not at:
        with pytest.raises(MeasureError, match=rf"measure '.*@1': {measure_.name.replace('*', '[*]')} takes no cutoff"):
            measure_ @ 1
        with pytest.raises(MeasureError, match="takes no cutoff"):
            measure(f"{measure_}@1")
        return
    cut = measure_ @ 1
    assert getattr(cut, at[0].name) == 1
    assert dataclasses.replace(cut, **{at[0].name: getattr(measure_, at[0].name)}) == measure_
    assert str(cut).endswith("@1")


@pytest.mark.parametrize("cls", CLASSES)
def test_at_sets_the_cutoff_of_a_class(cls):
    at = behind_at(cls)
    needs = [field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING]
    if not at:
        with pytest.raises(MeasureError, match="takes no cutoff"):
            cls @ 1
    elif set(needs) - {at[0].name}:
        with pytest.raises(MeasureError, match=f"{cls.name} needs "):
            cls @ 1
    else:
        assert outcome(lambda: cls @ 1) == outcome(lambda: cls(**{at[0].name: 1}))


def outcome(create: Callable[[], Measure]) -> str:
    """Return the notation of a measure, or the message of the error."""
    try:
        return repr(create())
    except MeasureError as error:
        return str(error)


@pytest.mark.parametrize("cls", CLASSES)
def test_a_class_alone_is_read_as_its_name(cls):
    assert outcome(lambda: measure(cls)) == outcome(lambda: measure(cls.name))


# Parameters --------------------------------------------------------------------------------------------------


WRONG_OF_KIND = {
    "gains": ["nonsense", 5, {}, {"a": 1}, {1: math.nan}, {1: math.inf}, {1: 1e10}, {-1e10: 1}, True],
    "measure": ["AP", None, 3],
    "flag": ["yes", 1, None],
    "text": ["nonsense", 1],
    "number": ["nonsense", True, math.nan, math.inf, -math.inf, [1]],
    "whole": ["nonsense", True, math.nan, math.inf, -math.inf, [1], 2.5],
}
BEYOND = {
    "low": lambda limit: [limit - 1, math.nextafter(limit, -math.inf)],
    "above": lambda limit: [limit - 1, limit],
    "high": lambda limit: [limit + 1, math.nextafter(limit, math.inf)],
    "below": lambda limit: [limit + 1, limit],
}


def wrong_values(field: dataclasses.Field) -> list[object]:
    """Values that a parameter cannot have, made up from what it says about itself."""
    about = field.metadata
    wrong = list(WRONG_OF_KIND[about["kind"]])
    for limit, beyond in BEYOND.items():
        if about[limit] is not None:
            wrong += beyond(about[limit])
    if about["kind"] == "whole" and about["choices"]:
        wrong += [max(about["choices"]) + 1, min(about["choices"]) - 1]
    if field.default is dataclasses.MISSING:
        wrong.append(None)
    return wrong


@pytest.mark.parametrize("measure_", examples())
def test_wrong_parameters_are_refused_by_name(measure_):
    for field in dataclasses.fields(measure_):
        for wrong in wrong_values(field):
            named = f"({field.name}|gains)" if field.metadata["kind"] == "gains" else field.name
            with pytest.raises(MeasureError, match=rf"^measure '[^']*': (unknown )?{named} "):
                dataclasses.replace(measure_, **{field.name: wrong})


def extreme_values(field: dataclasses.Field) -> list[object]:
    """The largest and smallest values that a parameter says it can have."""
    about = field.metadata
    if about["kind"] == "gains":
        return [{1: MAX_MAGNITUDE, 2: -MAX_MAGNITUDE}, {MAX_MAGNITUDE: MAX_MAGNITUDE}]
    if about["kind"] not in ("whole", "number") or about["choices"]:
        return []
    step = (lambda limit, to: limit + math.copysign(1, to)) if about["kind"] == "whole" else math.nextafter
    low = about["low"] if about["low"] is not None else step(about["above"], math.inf)
    high = about["high"] if about["high"] is not None else step(about["below"], -math.inf)
    return [low, high, step(low, math.inf), step(high, -math.inf)]


@pytest.mark.parametrize("measure_", examples())
def test_extreme_parameters_give_values(measure_):
    """Whatever a parameter may be, every value is a number, or a message says what is wrong."""
    judged = Judged.from_grades([[2, 0, 1, None, 1], [], [0, None], [1], [None, 2, -1]], {2: 2, 1: 3, 0: 2, -1: 1})
    for field in dataclasses.fields(measure_):
        for extreme in extreme_values(field):
            try:
                example = dataclasses.replace(measure_, **{field.name: extreme})
                score = compute_values(example, judged).value
            except MeasureError as error:
                assert str(error)  # noqa: PT017 - such as gains above 1 where only those up to 1 are allowed
                continue
            assert not np.isnan(score[example.defined(judged)]).any(), example
            assert np.isfinite(score).all() or example.can_be_infinite, example
            assert measure(str(example)) == example


@pytest.mark.parametrize("cls", CLASSES)
def test_every_number_has_limits(cls):
    for field in dataclasses.fields(cls):
        about = field.metadata
        if about["kind"] in ("whole", "number") and not about["choices"]:
            assert max(abs(value) for value in extreme_values(field)) <= 1e15, field.name


@pytest.mark.parametrize("cls", CLASSES)
def test_every_parameter_says_what_it_means(cls):
    for field in dataclasses.fields(cls):
        assert field.metadata["doc"]
        assert field.metadata["kind"] in ("whole", "number", "text", "flag", "gains", "measure")
        numeric = field.metadata["kind"] in ("whole", "number")
        limits = [field.metadata[limit] for limit in ("low", "high", "above", "below")]
        assert not numeric or field.metadata["choices"] or any(limit is not None for limit in limits)


# What it says about itself -----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES)
def test_documentation(cls):
    text = inspect.cleandoc(cls.__doc__)
    assert ".. math::" in text
    assert "References\n----------" in text
    assert "Examples\n--------\n>>> " in text


def test_every_family_has_measures_and_a_test_file():
    folder = Path(assay.measures.__file__).parent
    families = {path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")}
    assert {cls.__module__ for cls in catalogue().values()} == {f"assay.measures.{family}" for family in families}
    assert all((Path(__file__).parent / f"test_{family}.py").is_file() for family in families)


@pytest.mark.parametrize("cls", CLASSES)
def test_it_can_be_imported_by_its_name(cls):
    assert getattr(assay.measures, cls.__name__) is cls


@pytest.mark.parametrize("cls", CLASSES)
def test_what_it_says_is_of_the_known_kinds(cls):
    assert cls.aggregate in ("mean", "sum", "geometric")
    assert cls.bounds[0] <= 0 < cls.bounds[1]
    assert isinstance(cls.uses_recall_base, bool)


# Values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure_", examples())
def test_an_empty_ranking_gives_0_unless_the_measure_says_otherwise(measure_):
    judged = Judged.from_grades([[], [1, 0], []], {2: 1, 1: 2, 0: 1})
    first, _, last = measure_.score(judged).tolist()
    assert first == last
    assert (first == 0) == measure_.empty_is_zero


@pytest.mark.parametrize("measure_", examples())
def test_nothing_at_all(measure_):
    """No rankings, no documents, no grades: arrays of the right length, of doubles."""
    for rankings in ([], [[]], [[None]], [[], []]):
        score = measure_.score(Judged.from_grades(rankings))
        assert score.shape == (len(rankings),)
        assert score.dtype == np.float64
        assert measure_.defined(Judged.from_grades(rankings)).shape == (len(rankings),)


def usable(collection: Collection) -> list[Measure]:
    """The examples whose gains can take the grades of the collection."""
    return [
        example
        for example in MEASURES
        if not refuses(example, collection.top)
        and not (str(getattr(example, "weights", None)) == "exp" and collection.top > 1000)
    ]


@many_examples(max_examples=80, collection=large_collections())
def test_values_lie_within_bounds(collection):
    judged = collection.to_judged()
    for example in usable(collection):
        low, high = example.bounds
        score = example.score(judged)
        assert not np.isnan(score).any(), example
        assert np.isfinite(score).all() or example.can_be_infinite, example
        assert (score >= low - 1e-12).all(), example
        assert (score <= high + 1e-12).all(), example


@many_examples(max_examples=50, collection=collections())
def test_rankings_do_not_touch_each_other(collection):
    """Together, backwards, one by one and again: bit for bit the same."""
    judged = collection.to_judged()
    backwards = np.arange(len(judged))[::-1]
    turned = judged.select_rankings(backwards)
    alone = [judged.select_rankings(np.array([i])) for i in range(len(judged))]
    for example in usable(collection):
        together = example.score(judged)
        assert np.array_equal(example.score(turned), together[backwards]), example
        assert np.array_equal([example.score(one)[0] for one in alone], together), example
        assert np.array_equal(example.score(collection.to_judged()), together), example


@many_examples(max_examples=40, collection=large_collections())
def test_what_is_below_the_lowest_grade_is_as_good_as_unjudged(collection):
    """Taking unjudged documents for judged non-relevant ones changes only what asks who was judged."""
    judged = collection.to_judged()
    if 0 in judged.levels:
        zero = 1 + int(np.flatnonzero(judged.levels == 0)[0])
        filled = dataclasses.replace(judged, code=np.where(judged.code == 0, zero, judged.code))
        for example in usable(collection):
            if not example.uses_unjudged:
                assert np.array_equal(example.score(filled), example.score(judged)), example


POOL = st.sampled_from([pool for pool in POOLS if pool])


@st.composite
def shuffled(draw, pool) -> tuple[list[float], list[list[float]]]:
    """Documents, best first, and some other orders of them."""
    documents = sorted(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=10)), reverse=True)
    return documents, draw(st.lists(st.permutations(documents), min_size=3, max_size=6))


@many_examples(max_examples=80, topics=POOL.flatmap(lambda pool: st.lists(shuffled(pool), min_size=1, max_size=5)))
def test_the_ideal_ranking_is_never_beaten(topics):
    counts = tuple(dict(Counter(documents)) for documents, _ in topics)
    rankings = [(topic, tuple(order)) for topic, (ideal, orders) in enumerate(topics) for order in [ideal, *orders]]
    first = np.array([[topic for topic, _ in rankings].index(topic) for topic, _ in rankings])
    collection = Collection(counts, tuple(rankings))
    judged = collection.to_judged()
    for example in usable(collection):
        if not example.ideal_is_best:
            continue
        if "gains" in vars(example) and (np.diff(example.gains.table(judged.levels, None, None)[1:]) < 0).any():
            continue  # a list of gains that makes a higher grade worth less
        score = (-1 if example.lower_is_better else 1) * example.score(judged)
        ideal = score[first]
        assert (score <= ideal + 1e-12 * np.maximum(1, np.abs(ideal))).all(), example


@many_examples(drawn=POOL.flatmap(shuffled))
def test_the_ideal_ranking_of_a_normalised_measure_scores_1(drawn):
    """Measures that are divided by what the topic can give reach 1, cut or not."""
    documents, _ = drawn
    collection = Collection((dict(Counter(documents)),), ((0, tuple(documents)),))
    judged = collection.to_judged()
    for text in ("AP", "AP(norm=min)@3", "R", "R(capped=true)@3", "Rprec", "bpref", "nCG@3", "nDCG", "nDCG@3",
                 "nERR@3", "Q", "Q(norm=min)@3", "IPrec@1", "IPrecAvg(points=11)", "MeanNDCG@3", "SetRelP", "BinG",
                 "nDCGrel", "RnDCG", "RprecMult@1", "Twist", "Twist@1000", "Twist(weights=unit, persistence=0.5)",
                 "Twist(crossing=literal, endpoint=right)@20", "RecoveryRatio(crossing=matters)", "SpaceRatio@20",
                 "ForwardSpaceRatio", "BackwardSpaceRatio@20", "CRPmin", "CRPN@1000"):  # fmt: skip
        example = measure(text)
        if not refuses(example, collection.top):
            assert example.score(judged)[0] == pytest.approx(float(example.defined(judged)[0]), abs=1e-12), text


@pytest.mark.parametrize("measure_", [e for e in examples() if isinstance(e.values[0], Additive)])
def test_additive_measures_weigh_gains_by_rank(measure_):
    rank = np.arange(1, 30)
    weight = measure_.weight(rank)
    assert (weight >= 0).all()
    assert (np.diff(weight) <= 0).all()
    for gain in (0.25, 3.0):
        assert np.allclose(measure_.weighted_gain(np.full(len(rank), gain), rank), gain * weight, rtol=1e-14)


# Policies ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure_", examples())
def test_topics_without_relevant_documents(measure_):
    """Only what needs the recall base is undefined there: 0, or left out if the policy says so."""
    for policy, put in (("zero", 0.0), ("exclude", np.nan)):
        judged = Judged.from_grades([[0, None]], {0: 3}, Policies(undefined=policy))
        result = compute_values(measure_, judged)
        uses_recall_base = measure_.core.uses_recall_base
        assert result.undefined.tolist() == [uses_recall_base]
        wanted = put if uses_recall_base else measure_.score(judged)[0]
        assert np.array_equal(result.value, [wanted], equal_nan=True)
        assert result.error is None


@pytest.mark.parametrize("measure_", examples())
def test_topics_that_a_run_does_not_answer(measure_):
    collection = Collection(({0: 1, 1: 2},), ((0, (1, 0)), (0, ())))
    counted = compute_values(measure_, collection.to_judged()).value
    assert np.array_equal(counted, measure_.score(collection.to_judged()))
    left_out = compute_values(measure_, collection.to_judged(Policies(missing="exclude"))).value
    assert left_out[0] == counted[0]
    assert np.isnan(left_out[1])


# Gains -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED_GAINS)
def test_measures_with_gains_either_take_or_refuse_each_mapping(name):
    """Bounded measures refuse gains that would lead them out of their bounds."""
    for cls in catalogue().values():
        if "gains" not in {field.name for field in dataclasses.fields(cls)}:
            continue
        try:
            example = dataclasses.replace(measure(cls.examples[0]), gains=name)
        except MeasureError:
            assert not Gains(name).unit, cls
            continue
        score = example.score(Judged.from_grades([[4, 3, 0, None, -1], [0, None, 0], [4, 4]]))
        assert (score >= cls.bounds[0]).all(), cls
        assert (score <= cls.bounds[1]).all(), cls
