"""Validation of the arguments of a comparison."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

from assay.errors import InputError, suggestion
from assay.io.numbers import parse_number
from assay.io.source import run_name, stem
from assay.model.checks import check_fraction
from assay.model.notes import join_names
from assay.model.provenance import RUN_ROLES, Provenance
from assay.results.results import Results
from assay.significance.base import SignificanceTest, significance_test
from assay.significance.corrections import CORRECTIONS
from assay.significance.statistics import Margin

FAMILIES = {
    "measure": "all comparisons by one measure",
    "all": "all comparisons by all measures",
}


def resolve_test(
    test: str | SignificanceTest,
    correction: str = "holm",
    family: str = "measure",
    *,
    alpha: float = 0.05,
    power: float | None = None,
    detect: float | None = None,
    resamples: int | None = None,
    seed: int = 0,
) -> SignificanceTest:
    """Return the test; raise an error for arguments of :func:`compare` that are invalid for all results."""
    for name, choice, choices in (("correction", correction, CORRECTIONS), ("family", family, tuple(FAMILIES))):
        if choice not in choices:
            raise InputError(f"{name} {choice!r}: choose one of {', '.join(choices)}{suggestion(str(choice), choices)}")
    for name, fraction, example in (("alpha", alpha, 0.05), ("power", power, 0.8)):
        if fraction is not None:
            check_fraction(name, fraction, example)
    if detect is not None and power is None:
        raise InputError("detect: needs power as well, such as 0.8")
    if detect is not None and not 0 < detect < math.inf:
        raise InputError(f"detect must be a difference above 0, got {detect}")
    chosen = significance_test(test, seed=seed, **({} if resamples is None else {"resamples": resamples}))
    if resamples is not None and not hasattr(chosen, "resamples"):
        raise InputError(f"resamples: the test {chosen.name} does not resample; omit resamples")
    return chosen


def resolve_baselines(
    baselines: str | Iterable[str], runs: tuple[str, ...], provenance: Provenance, argument: str = "baseline"
) -> tuple[str, ...]:
    """Return the names of the baselines, each given as the name of a run, the path of its file, or the file name.

    The ending of a file name may be omitted. The name of a run takes precedence. Error messages name the *argument*.
    """
    requested = dict.fromkeys([baselines] if isinstance(baselines, str) else baselines)
    sources = [(item.name, item.source) for item in provenance.inputs if item.role in RUN_ROLES and item.name in runs]
    return tuple(dict.fromkeys(_resolve_baseline(name, runs, sources, argument) for name in requested))


def _resolve_baseline(baseline: str, runs: tuple[str, ...], sources: list[tuple[str, str]], argument: str) -> str:
    """Return the run that *baseline* names; *sources* are pairs of a run and its file."""
    if baseline in runs:
        return baseline
    path = os.path.abspath(baseline)
    matches = [(run, source) for run, source in sources if os.path.abspath(source) == path] or [
        (run, source)
        for run, source in sources
        if baseline in (os.path.basename(source), stem(source), run_name(source))
    ]
    if len(matches) == 1:
        return matches[0][0]
    if matches:
        candidates = ", ".join(f"{run} ({source})" for run, source in matches[:6]) + ", …" * (len(matches) > 6)
        raise InputError(f"{argument} {baseline!r} matches several runs: {candidates}; give the name of one")
    known = [*runs, *(run_name(source) for _, source in sources)]
    hint = suggestion(baseline, known) or f"; the runs are {join_names(runs)}"
    raise InputError(f"{argument} {baseline!r} is not among the runs{hint}")


def parse_margin(margin: float | str | None, results: Results, baselines: tuple[str, ...]) -> Margin | None:
    """Parse a margin: a number, or a text such as ``5%``."""
    if margin is None:
        return None
    parsed = parse_size(margin)
    if parsed is None or not parsed.size > 0:
        raise InputError(f"margin {margin!r}: write a difference above 0 such as 0.02, or a percentage such as 5%")
    text, relative = str(margin).strip(), parsed.relative
    if relative and not baselines:
        raise InputError(
            f"margin {text}: is relative to the mean of a baseline; name a baseline, or write a difference"
        )
    for measure in results.measures:
        if measure.aggregate == "geometric" and not relative:
            raise InputError(f"margin {text}: {measure} is compared by ratios; write a percentage such as 5%")
    return parsed


def parse_size(size: float | str) -> Margin | None:
    """Parse a number, or a percentage such as ``5%``; return None for other texts.

    >>> parse_size("5%"), parse_size(0.02), parse_size("much")
    (Margin(size=0.05, relative=True), Margin(size=0.02, relative=False), None)
    """
    text = str(size).strip()
    number = parse_number(text.removesuffix("%").strip())
    relative = text.endswith("%")
    return None if number is None else Margin(number / (100 if relative else 1), relative)
