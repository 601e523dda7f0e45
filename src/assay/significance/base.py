"""Base class of significance tests: a test is a value that compares pairs of runs by their topics.

Every module in ``tests/`` defines a test and is found by its presence.
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
    """One number of each for every pair of runs (a, b).

    *statistic* is signed: positive if a is larger. *p* is two-sided. *low* and *high* are the interval of the
    difference of means, mean(a) - mean(b), at the confidence 1 - alpha. *topics* is how many topics count.
    """

    statistic: Floats
    p: Floats
    low: Floats
    high: Floats
    topics: Ints


@dataclass(frozen=True)
class SignificanceTest:
    """A test of the hypothesis that two runs do not differ; its fields are its parameters, such as a seed.

    Contract, kept by a test suite over all of them: identical runs have p = 1, exchanging the runs changes signs and
    nothing else, the order of the topics does not matter (but for what is drawn by topic, where it changes p within the
    error of sampling), and under the null hypothesis p is below alpha in a share alpha of cases, or fewer.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """Title in captions."""
    corrected: ClassVar[bool] = False
    """True if p already accounts for the number of pairs."""
    interval: ClassVar[str] = ""
    """The procedure behind the interval, such as ``Student's t``; p may come from another one."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__:
            _TESTS[cls.name] = cls

    def compare(self, values: Floats, pairs: Ints, alpha: float = 0.05) -> PairOutcomes:
        """Compare pairs of runs.

        Parameters
        ----------
        values
            Runs x topics; NaN where a topic does not count. A topic counts for a pair if both runs have a value.
        pairs
            Pairs x 2: rows of *values*.
        alpha
            The intervals have the confidence 1 - alpha.
        """
        raise NotImplementedError


def significance_tests() -> dict[str, type[SignificanceTest]]:
    """Return the class of every significance test by name."""
    from assay.significance import tests as significance

    for name in significance.names():
        import_module(f"{significance.__name__}.{name.replace('-', '_')}")
    return dict(sorted(_TESTS.items()))


def significance_test(test: str | SignificanceTest, **parameters: Any) -> SignificanceTest:
    """A test by its name, with parameters such as ``resamples`` and ``seed``; it takes those that it has."""
    if isinstance(test, SignificanceTest):
        return test
    known = significance_tests()
    if not isinstance(test, str):
        raise InputError(f"test must be the name of a test, got {format_value(test)}; choose one of {', '.join(known)}")
    if test not in known:
        raise InputError(f"test {test!r}: choose one of {', '.join(known)}{suggestion(test, known)}")
    cls = known[test]
    return cls(**{name: value for name, value in parameters.items() if name in cls.__dataclass_fields__})
