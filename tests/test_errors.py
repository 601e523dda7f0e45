"""Error classes and suggestions."""

from __future__ import annotations

import pytest

from assay import errors


@pytest.mark.parametrize("name", ["InputError", "MeasureError", "PolicyError", "DependencyError"])
def test_errors_derive_from_assay_error_and_value_error(name: str) -> None:
    kind = getattr(errors, name)
    assert issubclass(kind, errors.AssayError)
    assert issubclass(kind, ValueError)
    assert name in (errors.__doc__ or "")


def test_suggestions_name_similar_words() -> None:
    assert errors.suggestion("trec_eval", ["trec_eval-10", "rank"]) == "; did you mean trec_eval-10?"
    assert errors.suggestion("zzz", ["nDCG"]) == ""
