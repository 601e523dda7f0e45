"""Tests of the figure of the sensitivity of Twist."""

from __future__ import annotations

import pytest

import assay
from assay.errors import AssayError
from assay.views.plots._style import Style
from assay.views.plots.twist_sensitivity import data, draw
from chart_parts import marks

COLLECTION = assay.simulate(systems=5, topics=6, depth=60)
CAMPAIGN = assay.read(COLLECTION.qrels, COLLECTION.runs)


def test_points_are_those_of_the_report() -> None:
    frame = data(CAMPAIGN, persistences=[1, 0.9], weights=["none", "exp"]).frame
    assert frame.equals(assay.effort.sensitivity(CAMPAIGN, persistences=[1, 0.9], weights=["none", "exp"]).frame())
    published = frame.filter(weights="none", persistence=1.0)
    assert published["mean"].item() == pytest.approx(assay.evaluate(CAMPAIGN, "Twist").matrix("Twist").mean())
    assert published["tau"].item() == 1


def test_two_panels() -> None:
    frame = data(CAMPAIGN, persistences=[1, 0.9, 0.5]).frame
    for style in (Style(), Style(width=320)):
        assert marks(draw(frame, style)).count("line") == 2


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(AssayError, match="persistence"):
        data(CAMPAIGN, persistences=[0])
