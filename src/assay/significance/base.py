"""Base class of significance tests, which compare pairs of runs topic by topic.

Every module in ``tests/`` without a leading underscore defines a test, and is registered automatically.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

from assay.errors import InputError, suggestion
from assay.io.problems import format_value
from assay.model.arrays import Floats, Ints

_TESTS: dict[str, type[SignificanceTest]] = {}


class PairOutcomes(NamedTuple):
    """Outcomes of a test for every pair of runs (a, b).

    *statistic* is positive if a has the larger values. *p* is two-sided. *low* and *high* are the 1 - alpha confidence
    interval of the mean difference, mean(a) - mean(b). *topics* is the number of topics that count.
    """

    statistic: Floats
    p: Floats
    low: Floats
    high: Floats
    topics: Ints


@dataclass(frozen=True)
class SignificanceTest:
    """A test of the null hypothesis that two runs do not differ; the fields are parameters, such as a seed.

    All tests satisfy this contract. Identical runs have p = 1. Exchanging the two runs only changes signs. The order of
    the topics does not matter, except in resampling tests: there it changes the random draws, and p changes within its
    sampling error. Under the null hypothesis, p is below alpha in at most a fraction alpha of cases.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """Name in captions."""
    corrected: ClassVar[bool] = False
    """True if p already accounts for the number of pairs."""
    interval: ClassVar[str] = ""
    """Method of the confidence interval, such as ``Student's t``; p may come from another method."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            _TESTS[cls.name] = cls

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> PairOutcomes:
        """Compare pairs of runs.

        Parameters
        ----------
        values
            Runs x topics; NaN where a run has no value. A topic counts for a pair if both runs have a value.
        pairs
            Pairs x 2: row indices of *values*.
        alpha
            The confidence level of the intervals is 1 - alpha.
        """
        raise NotImplementedError


def significance_tests() -> dict[str, type[SignificanceTest]]:
    """Return the class of every significance test by name."""
    from assay.significance import tests as significance

    for name in significance.names():
        import_module(f"{significance.__name__}.{name.replace('-', '_')}")
    return dict(sorted(_TESTS.items()))


def significance_test(test: str | SignificanceTest, **parameters: Any) -> SignificanceTest:
    """Return a test by name; *parameters* that the test does not have, such as ``resamples``, are ignored."""
    if isinstance(test, SignificanceTest):
        return test
    known = significance_tests()
    if not isinstance(test, str):
        raise InputError(f"test must be the name of a test, got {format_value(test)}; choose one of {', '.join(known)}")
    if test not in known:
        raise InputError(f"test {test!r}: choose one of {', '.join(known)}{suggestion(test, known)}")
    cls = known[test]
    return cls(**{name: value for name, value in parameters.items() if name in cls.__dataclass_fields__})
