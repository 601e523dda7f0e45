"""Tests of the renderer, which runs in another process."""

import pytest

from assay.errors import AssayError
from assay.views.plots._renderer import VEGA_LITE, render, require_address_space

SPEC = {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}


def render_svg(spec):
    return render(form="svg", vl_spec=spec, vl_version=VEGA_LITE)


def test_ended_process_is_reported_and_restarted():
    assert render_svg(SPEC).startswith(b"<svg")
    render._process.kill()
    with pytest.raises(AssayError, match="the process that draws figures ended"):
        render_svg(SPEC)
    assert render_svg(SPEC).startswith(b"<svg")


def test_invalid_specification_is_reported():
    with pytest.raises(AssayError, match=r"the figure cannot be drawn \(.+\)"):
        render_svg({"mark": "no such mark"})
    assert render_svg(SPEC).startswith(b"<svg")


@pytest.mark.parametrize("limit", [None, 100 << 30, 4 << 30])
def test_small_address_space_is_reported(limit, monkeypatch):
    monkeypatch.setattr("assay.views.plots._renderer.address_space_limit", lambda: limit)
    if limit is None or limit > 72 << 30:
        require_address_space()
    else:
        with pytest.raises(
            AssayError, match=r"figures need 72G of address space, ulimit -v allows 4G; raise the limit"
        ):
            require_address_space()
