"""Tolerated losses of a gate: a margin for each measure, and whether the measure is required or only watched."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assay.errors import InputError, MeasureError
from assay.measures import Measure, measure
from assay.model.notes import join_names
from assay.results.results import Results
from assay.significance._gate.verdicts import REQUIRED, WATCH
from assay.significance.statistics import Margin
from assay.significance.validation import parse_size

EXAMPLE = "write a tolerated loss such as 0.01, or a percentage of the baseline's mean such as 2%"


class Requirement(NamedTuple):
    """The tolerated loss of one measure; its role is ``required`` or ``watch``."""

    measure: str
    margin: Margin
    role: str

    def resolve(self, of: Measure) -> Margin:
        """Return the margin on the scale on which the measure is compared; a geometric mean is compared by logarithms.

        An error is raised for a geometric mean without a relative margin.
        """
        if of.aggregate != "geometric":
            return self.margin
        if not self.margin.relative:
            raise InputError(f"margins: {of} is compared by ratios; write a percentage, such as {of}=2%")
        share = self.margin.size
        return Margin(math.log1p(share) if of.lower_is_better else -math.log1p(-share), relative=False)


def parse_requirements(
    margins: Mapping[str, float | str],
    watch: Mapping[str, float | str],
    measures: Iterable[str | Measure] | str | Measure | None = None,
) -> tuple[Requirement, ...]:
    """Return the requirements of a gate; each of the *measures* needs a margin."""
    requirements = [
        Requirement(str(name), _parse_margin(str(name), size), role)
        for role, sizes in ((REQUIRED, margins), (WATCH, watch))
        for name, size in sizes.items()
    ]
    names = [requirement.measure for requirement in requirements]
    if not margins:
        raise InputError("margins: name the tolerated loss of at least one measure, such as nDCG@10=0.01 or AP=2%")
    repeated = [name for number, name in enumerate(names) if name in names[:number]]
    if repeated:
        raise InputError(f"watch: {repeated[0]} is also in margins; a measure is either required or watched")
    if measures is not None:
        if not isinstance(measures, Iterable | Measure):
            raise InputError(f"measures: expected names of measures, got {type(measures).__name__}")
        requested = [measures] if isinstance(measures, str | Measure) else list(measures)
        _check_measures([str(name) for name in requested], names)
    return tuple(requirements)


def _check_measures(requested: list[str], names: list[str]) -> None:
    """Raise an error unless the measures are exactly the measures with margins."""
    canonical = {normalize_name(name): name for name in names}
    for name in requested:
        if normalize_name(name) not in canonical:
            raise InputError(f"margins: {name} has no margin; add one, such as {name}=0.01 or {name}=2%")
    others = [name for key, name in canonical.items() if key not in map(normalize_name, requested)]
    if others:
        raise InputError(f"margins: {join_names(others)} is not among the measures; add it, or omit its margin")


def normalize_name(name: str) -> str:
    """Return the canonical name of a measure, such as ``nDCG@10`` for ``ndcg_cut_10``; an unknown name is unchanged."""
    try:
        return str(measure(name))
    except MeasureError:
        return name


def find_measures(requirements: Iterable[Requirement], results: Results) -> dict[Measure, Requirement]:
    """Return the requirement of each measure of *results* that has one."""
    by_measure: dict[Measure, Requirement] = {}
    for requirement in requirements:
        of = results.find_measure(requirement.measure)
        if of in by_measure:
            raise InputError(
                f"margins: {by_measure[of].measure} and {requirement.measure} are the same measure; keep one"
            )
        by_measure[of] = requirement
    return by_measure


def _parse_margin(name: str, size: float | str) -> Margin:
    margin = parse_size(size)
    if margin is None or margin.size < 0 or not math.isfinite(margin.size):
        raise InputError(f"margins: {name}={size}: {EXAMPLE}")
    if margin.relative and margin.size >= 1:
        raise InputError(f"margins: {name}={size}: a loss of 100 % or more is always tolerated; {EXAMPLE}")
    return margin
