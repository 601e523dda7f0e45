"""Errors are ValueErrors with one base, and suggestions name what is near."""

from __future__ import annotations

import pytest

from assay import errors


@pytest.mark.parametrize("name", ["InputError", "MeasureError", "PolicyError", "DependencyError"])
def test_one_base_that_is_a_value_error(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, errors.AssayError)
    assert issubclass(kind, ValueError)
    assert name in (errors.__doc__ or "")


def test_suggestions() -> None:
    assert errors.suggestion("trec_eval", ["trec_eval-10", "rank"]) == "; did you mean trec_eval-10?"
    assert errors.suggestion("zzz", ["nDCG"]) == ""
