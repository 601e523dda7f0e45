"""Simulated systems: names, families, quality and irregularities."""

from collections import Counter

import numpy as np
import pytest

from assay.simulation.parameters import Parameters
from assay.simulation.scoring import SCALES
from assay.simulation.systems import draw_systems


def draw(systems=40, seed=1, **sizes):
    return draw_systems(Parameters(systems=systems, **sizes), np.random.default_rng(seed))


@pytest.mark.parametrize("systems", [1, 2, 7, 40, 300, 2500])
def test_names_are_distinct_and_start_with_the_family(systems):
    systems_drawn = draw(systems)
    assert len(systems_drawn) == len({system.name for system in systems_drawn}) == systems
    assert all(system.name.startswith(system.family) and system.name.isalnum() for system in systems_drawn)


def test_families_have_two_to_four_members():
    sizes = list(Counter(system.family for system in draw(100)).values())
    assert set(sizes[:-1]) == {2, 3, 4}
    assert 1 <= sizes[-1] <= 4


@pytest.mark.parametrize("seed", range(10))
def test_every_seed_has_good_and_bad_systems(seed):
    quality = np.sort([system.quality for system in draw(seed=seed)])
    assert quality[0] < 0.7
    assert quality[-1] > 1.6
    assert 1 < np.median(quality) < 1.6


def test_a_family_uses_one_scale_and_all_scales_occur():
    systems_drawn = draw()
    assert len({(system.family, system.scale) for system in systems_drawn}) == len(
        {system.family for system in systems_drawn}
    )
    assert {system.scale for system in systems_drawn} == set(SCALES)


def test_most_runs_have_no_ties_and_every_kind_occurs():
    ties = Counter(system.ties for system in draw())
    assert set(ties) == {"none", "rounded", "tail", "levels"}
    assert ties["none"] == 27


@pytest.mark.parametrize(("systems", "irregular"), [(1, 0), (9, 0), (10, 1), (19, 1), (20, 2), (100, 2)])
def test_few_systems_are_irregular(systems, irregular):
    systems_drawn = draw(systems)
    assert sum(not system.pooled for system in systems_drawn) == irregular
    assert sum(system.skips is not None for system in systems_drawn) == irregular
    assert sum(system.ranks != "by score" for system in systems_drawn) == irregular


def test_no_topic_is_skipped_in_small_collections():
    assert all(system.skips is None for system in draw(topics=9))


def test_a_single_system_is_regular():
    (system,) = draw(1)
    assert (system.ties, system.ranks, system.pooled, system.short) == ("none", "by score", True, False)


def test_systems_do_not_depend_on_the_number_of_topics():
    assert draw(topics=10) == draw(topics=500)
