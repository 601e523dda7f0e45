"""The contract of every measure, checked on the examples of the catalogue."""

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
def test_the_printed_measure_can_be_read_back(measure_):
    assert measure(str(measure_)) == measure_
    assert str(measure(str(measure_))) == str(measure_)
    assert measure(measure_) is measure_


@pytest.mark.parametrize("cls", CLASSES)
def test_examples_are_in_canonical_notation(cls):
    assert cls.examples
    assert [str(measure(text)) for text in cls.examples] == list(cls.examples)
    assert all(type(measure(text)) is cls for text in cls.examples)


@pytest.mark.parametrize("measure_", examples())
def test_measures_are_hashable_frozen_values(measure_):
    reread = measure(str(measure_))
    assert reread is not measure_
    assert reread == measure_
    assert hash(reread) == hash(measure_)
    assert len({reread, measure_}) == 1
    assert pickle.loads(pickle.dumps(measure_)) == measure_
    with pytest.raises(dataclasses.FrozenInstanceError):
        measure_.anything = 1


def test_examples_are_distinct():
    assert len(set(MEASURES)) == len(set(map(str, MEASURES))) == len(MEASURES)


# Cutoffs -----------------------------------------------------------------------------------------------------


def at_parameter(cls: type[Measure]) -> list[dataclasses.Field]:
    """Return the parameter that is written after @."""
    return [field for field in dataclasses.fields(cls) if field.metadata["at"]]


@pytest.mark.parametrize("measure_", examples())
def test_at_sets_the_cutoff_of_a_measure(measure_):
    at = at_parameter(type(measure_))
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
    at = at_parameter(cls)
    required = [field.name for field in dataclasses.fields(cls) if field.default is dataclasses.MISSING]
    if not at:
        with pytest.raises(MeasureError, match="takes no cutoff"):
            cls @ 1
    elif set(required) - {at[0].name}:
        with pytest.raises(MeasureError, match=f"{cls.name} needs "):
            cls @ 1
    else:
        assert notation_or_message(lambda: cls @ 1) == notation_or_message(lambda: cls(**{at[0].name: 1}))


def notation_or_message(create: Callable[[], Measure]) -> str:
    """Return the notation of a measure, or the message of the error."""
    try:
        return repr(create())
    except MeasureError as error:
        return str(error)


@pytest.mark.parametrize("cls", CLASSES)
def test_a_class_is_read_like_its_name(cls):
    assert notation_or_message(lambda: measure(cls)) == notation_or_message(lambda: measure(cls.name))


# Parameters --------------------------------------------------------------------------------------------------


INVALID_BY_KIND = {
    "gains": ["nonsense", 5, {}, {"a": 1}, {1: math.nan}, {1: math.inf}, {1: 1e10}, {-1e10: 1}, True],
    "measure": ["AP", None, 3],
    "flag": ["yes", 1, None],
    "text": ["nonsense", 1],
    "number": ["nonsense", True, math.nan, math.inf, -math.inf, [1]],
    "whole": ["nonsense", True, math.nan, math.inf, -math.inf, [1], 2.5],
}
BEYOND_LIMIT = {
    "low": lambda limit: [limit - 1, math.nextafter(limit, -math.inf)],
    "above": lambda limit: [limit - 1, limit],
    "high": lambda limit: [limit + 1, math.nextafter(limit, math.inf)],
    "below": lambda limit: [limit + 1, limit],
}


def invalid_values(field: dataclasses.Field) -> list[object]:
    """Return invalid values of a parameter, derived from its metadata."""
    metadata = field.metadata
    invalid = list(INVALID_BY_KIND[metadata["kind"]])
    for limit, beyond in BEYOND_LIMIT.items():
        if metadata[limit] is not None:
            invalid += beyond(metadata[limit])
    if metadata["kind"] == "whole" and metadata["choices"]:
        invalid += [max(metadata["choices"]) + 1, min(metadata["choices"]) - 1]
    if field.default is dataclasses.MISSING:
        invalid.append(None)
    return invalid


@pytest.mark.parametrize("measure_", examples())
def test_invalid_parameters_raise_an_error_that_names_them(measure_):
    for field in dataclasses.fields(measure_):
        for invalid in invalid_values(field):
            name_pattern = f"({field.name}|gains)" if field.metadata["kind"] == "gains" else field.name
            with pytest.raises(MeasureError, match=rf"^measure '[^']*': (unknown )?{name_pattern} "):
                dataclasses.replace(measure_, **{field.name: invalid})


def extreme_values(field: dataclasses.Field) -> list[object]:
    """Return the largest and smallest values allowed by the metadata of a parameter."""
    metadata = field.metadata
    if metadata["kind"] == "gains":
        return [{1: MAX_MAGNITUDE, 2: -MAX_MAGNITUDE}, {MAX_MAGNITUDE: MAX_MAGNITUDE}]
    if metadata["kind"] not in ("whole", "number") or metadata["choices"]:
        return []
    step = (lambda limit, to: limit + math.copysign(1, to)) if metadata["kind"] == "whole" else math.nextafter
    low = metadata["low"] if metadata["low"] is not None else step(metadata["above"], math.inf)
    high = metadata["high"] if metadata["high"] is not None else step(metadata["below"], -math.inf)
    return [low, high, step(low, math.inf), step(high, -math.inf)]


@pytest.mark.parametrize("measure_", examples())
def test_extreme_parameters_give_numbers_or_an_error(measure_):
    """With extreme parameters, every value is a number, or a message states the problem."""
    judged = Judged.from_grades([[2, 0, 1, None, 1], [], [0, None], [1], [None, 2, -1]], {2: 2, 1: 3, 0: 2, -1: 1})
    for field in dataclasses.fields(measure_):
        for extreme in extreme_values(field):
            try:
                example = dataclasses.replace(measure_, **{field.name: extreme})
                score = compute_values(example, judged).value
            except MeasureError as error:
                assert str(error)  # noqa: PT017 - such as gains above 1 where only those up to 1 are allowed
                continue
            assert not np.isnan(score[example.is_defined(judged)]).any(), example
            assert np.isfinite(score).all() or example.can_be_infinite, example
            assert measure(str(example)) == example


@pytest.mark.parametrize("cls", CLASSES)
def test_numeric_parameters_have_limits(cls):
    for field in dataclasses.fields(cls):
        metadata = field.metadata
        if metadata["kind"] in ("whole", "number") and not metadata["choices"]:
            assert max(abs(value) for value in extreme_values(field)) <= 1e15, field.name


@pytest.mark.parametrize("cls", CLASSES)
def test_parameters_have_a_description_and_a_kind(cls):
    for field in dataclasses.fields(cls):
        assert field.metadata["doc"]
        assert field.metadata["kind"] in ("whole", "number", "text", "flag", "gains", "measure")
        numeric = field.metadata["kind"] in ("whole", "number")
        limits = [field.metadata[limit] for limit in ("low", "high", "above", "below")]
        assert not numeric or field.metadata["choices"] or any(limit is not None for limit in limits)


# Documentation and attributes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CLASSES)
def test_docstrings_have_a_formula_references_and_examples(cls):
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
def test_measures_can_be_imported_by_class_name(cls):
    assert getattr(assay.measures, cls.__name__) is cls


@pytest.mark.parametrize("cls", CLASSES)
def test_attributes_have_valid_values(cls):
    assert cls.aggregate in ("mean", "sum", "geometric")
    assert cls.bounds[0] <= 0 < cls.bounds[1]
    assert isinstance(cls.uses_recall_base, bool)


# Values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure_", examples())
def test_empty_rankings_are_0_if_declared(measure_):
    judged = Judged.from_grades([[], [1, 0], []], {2: 1, 1: 2, 0: 1})
    first, _, last = measure_.score(judged).tolist()
    assert first == last
    assert (first == 0) == measure_.empty_is_zero


@pytest.mark.parametrize("measure_", examples())
def test_empty_input(measure_):
    """Without rankings, documents or grades, the result is a float array of the right length."""
    for rankings in ([], [[]], [[None]], [[], []]):
        score = measure_.score(Judged.from_grades(rankings))
        assert score.shape == (len(rankings),)
        assert score.dtype == np.float64
        assert measure_.is_defined(Judged.from_grades(rankings)).shape == (len(rankings),)


def usable_examples(collection: Collection) -> list[Measure]:
    """Return the examples whose gains accept the grades of the collection."""
    return [
        example
        for example in MEASURES
        if not refuses(example, collection.top)
        and not (str(getattr(example, "weights", None)) == "exp" and collection.top > 1000)
    ]


@many_examples(max_examples=80, collection=large_collections())
def test_values_lie_within_bounds(collection):
    judged = collection.to_judged()
    for example in usable_examples(collection):
        low, high = example.bounds
        score = example.score(judged)
        assert not np.isnan(score).any(), example
        assert np.isfinite(score).all() or example.can_be_infinite, example
        assert (score >= low - 1e-12).all(), example
        assert (score <= high + 1e-12).all(), example


@many_examples(max_examples=25, collection=collections())
def test_rankings_are_scored_independently(collection):
    """Values are bit-identical for all rankings together, in reverse order, one by one, and again."""
    judged = collection.to_judged()
    backwards = np.arange(len(judged))[::-1]
    reversed_rankings = judged.select_rankings(backwards)
    alone = [judged.select_rankings(np.array([i])) for i in range(len(judged))]
    for example in usable_examples(collection):
        together = example.score(judged)
        assert np.array_equal(example.score(reversed_rankings), together[backwards]), example
        assert np.array_equal([example.score(one)[0] for one in alone], together), example
        assert np.array_equal(example.score(collection.to_judged()), together), example


@many_examples(max_examples=40, collection=large_collections())
def test_unjudged_documents_count_as_non_relevant(collection):
    """Treating unjudged documents as judged non-relevant affects only measures with ``uses_unjudged``."""
    judged = collection.to_judged()
    if 0 in judged.levels:
        zero = 1 + int(np.flatnonzero(judged.levels == 0)[0])
        judged_zero = dataclasses.replace(judged, code=np.where(judged.code == 0, zero, judged.code))
        for example in usable_examples(collection):
            if not example.uses_unjudged:
                assert np.array_equal(example.score(judged_zero), example.score(judged)), example


POOL = st.sampled_from([pool for pool in POOLS if pool])


@st.composite
def permutations_of(draw, pool) -> tuple[list[float], list[list[float]]]:
    """Draw documents in descending order of grade, and several permutations."""
    documents = sorted(draw(st.lists(st.sampled_from(pool), min_size=1, max_size=10)), reverse=True)
    return documents, draw(st.lists(st.permutations(documents), min_size=3, max_size=6))


@many_examples(
    max_examples=80, topics=POOL.flatmap(lambda pool: st.lists(permutations_of(pool), min_size=1, max_size=5))
)
def test_no_permutation_is_better_than_the_ideal_ranking(topics):
    counts = tuple(dict(Counter(documents)) for documents, _ in topics)
    rankings = [(topic, tuple(order)) for topic, (ideal, orders) in enumerate(topics) for order in [ideal, *orders]]
    first = np.array([[topic for topic, _ in rankings].index(topic) for topic, _ in rankings])
    collection = Collection(counts, tuple(rankings))
    judged = collection.to_judged()
    for example in usable_examples(collection):
        if not example.ideal_is_best:
            continue
        if "gains" in vars(example) and (np.diff(example.gains.table(judged.levels, None, None)[1:]) < 0).any():
            continue  # The gains decrease with the grade.
        score = (-1 if example.lower_is_better else 1) * example.score(judged)
        ideal = score[first]
        tolerance = 1e-12 * np.maximum(1, np.abs(ideal, where=np.isfinite(ideal), out=np.zeros(len(ideal))))
        assert (score <= ideal + tolerance).all(), example


@many_examples(drawn=POOL.flatmap(permutations_of))
def test_the_ideal_ranking_of_a_normalised_measure_scores_1(drawn):
    """Normalised measures are 1 for the ideal ranking, with or without a cutoff."""
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
            assert example.score(judged)[0] == pytest.approx(float(example.is_defined(judged)[0]), abs=1e-12), text


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
    """Only measures that use the recall base are undefined: 0, or excluded if the policy says so."""
    for policy, undefined_value in (("zero", 0.0), ("exclude", np.nan)):
        judged = Judged.from_grades([[0, None]], {0: 3}, Policies(undefined=policy))
        result = compute_values(measure_, judged)
        uses_recall_base = measure_.uses_recall_base or measure_.core.uses_recall_base
        assert result.undefined.tolist() == [uses_recall_base]
        expected = undefined_value if uses_recall_base else measure_.score(judged)[0]
        assert np.array_equal(result.value, [expected], equal_nan=True)
        assert result.error is None


@pytest.mark.parametrize("measure_", examples())
def test_missing_topics_follow_the_policy(measure_):
    collection = Collection(({0: 1, 1: 2},), ((0, (1, 0)), (0, ())))
    counted = compute_values(measure_, collection.to_judged()).value
    assert np.array_equal(counted, measure_.score(collection.to_judged()))
    excluded_values = compute_values(measure_, collection.to_judged(Policies(missing="exclude"))).value
    assert excluded_values[0] == counted[0]
    assert np.isnan(excluded_values[1])


# Gains -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED_GAINS)
def test_measures_accept_or_reject_each_named_gain(name):
    """Bounded measures reject gains that would exceed their bounds."""
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
