"""The public surface: a dozen names, each documented, each loaded on first use."""

from __future__ import annotations

import inspect

import pytest

import assay


def test_public_names_are_sorted_and_all_there() -> None:
    assert assay.__all__ == sorted(assay.__all__)
    assert dir(assay) == assay.__all__
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_public_names_are_documented() -> None:
    for name in assay.__all__:
        thing = getattr(assay, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_unknown_names_are_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'metrics'"):
        assay.metrics  # noqa: B018 - the access is the test
