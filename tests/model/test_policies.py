"""Policies: defaults, validation and serialization."""

import dataclasses

import pytest

from assay.errors import PolicyError
from assay.model.policies import MISSING, TIES, UNDEFINED, UNJUDGED, Policies

KNOWN = {"ties": TIES, "missing": MISSING, "undefined": UNDEFINED, "unjudged": UNJUDGED}


def test_the_first_choice_is_the_default():
    for name, known in KNOWN.items():
        assert getattr(Policies(), name) == next(iter(known))


def test_every_choice_is_accepted_and_has_a_description():
    for name, known in KNOWN.items():
        for choice, description in known.items():
            assert Policies(**{name: choice}).as_dict()[name] == choice
            assert description


@pytest.mark.parametrize("name", KNOWN)
def test_an_unknown_policy_raises_an_error_that_lists_the_choices(name):
    with pytest.raises(PolicyError) as error:
        Policies(**{name: "qqq"})
    assert str(error.value) == f"{name} 'qqq': choose one of {', '.join(KNOWN[name])}"


def test_a_near_miss_gets_a_suggestion():
    with pytest.raises(PolicyError, match=r"ties 'trec_eval': choose one of .*; did you mean trec_eval-10\?"):
        Policies(ties="trec_eval")
    with pytest.raises(PolicyError, match=r"unjudged 'condense': .*; did you mean condensed\?"):
        Policies(unjudged="condense")


@pytest.mark.parametrize("samples", [1, 0, -5])
def test_at_least_two_samples_are_required(samples):
    with pytest.raises(PolicyError, match=f"samples must be at least 2, got {samples}"):
        Policies(samples=samples)
    assert Policies(samples=2).samples == 2


@pytest.mark.parametrize(
    ("name", "value"), [("seed", -1), ("seed", 0.5), ("seed", None), ("samples", 2.5), ("samples", "9")]
)
def test_samples_and_seed_must_be_whole_numbers(name, value):
    with pytest.raises(PolicyError, match=f"{name} must be "):
        Policies(**{name: value})


def test_policies_are_frozen_and_hashable():
    policies = Policies(ties="expected", samples=500, seed=3)
    assert policies.as_dict() == {
        "ties": "expected",
        "missing": "empty",
        "undefined": "zero",
        "unjudged": "nonrelevant",
        "samples": 500,
        "seed": 3,
    }
    assert policies == Policies(**policies.as_dict())
    assert hash(policies) == hash(Policies(**policies.as_dict()))
    with pytest.raises(dataclasses.FrozenInstanceError):
        policies.seed = 4
