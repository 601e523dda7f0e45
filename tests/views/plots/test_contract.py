"""Tests of properties that every figure must have."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import polars as pl
import pytest

import assay
from assay import simulate
from assay.cli._parameters import OPTIONS
from assay.engine.campaign import Campaign
from assay.errors import AssayError, InputError
from assay.significance.base import significance_tests
from assay.views.plots._export import FORMATS, export_chart, specification
from assay.views.plots._figures import Data, Figure, figures
from assay.views.plots._renderer import VEGA_LITE, render
from assay.views.plots._style import Style, make_style
from assay.views.plots._theme import config, theme_of
from svg_text import find_overlaps, read_labels, read_size

FIGURES = figures()
HOSTILE = "</script><script>alert(1)</script>\u2028"


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    """Simulated campaign in which one run has a hostile name."""
    collection = simulate(systems=6, topics=8, seed=3)
    runs = [run.with_name(HOSTILE) if number == 0 else run for number, run in enumerate(collection.runs)]
    return assay.read(collection.qrels, runs, keep="documents")


@pytest.fixture(scope="module")
def figure_data(campaign: Campaign) -> Any:
    """Function that returns the data of a figure, computed once."""
    return cache(lambda figure: figure.data(*sources(figure, campaign)))


@pytest.fixture(scope="module")
def figure_chart(figure_data: Any) -> Any:
    """Function that returns the chart of a figure in a style, drawn once."""

    draw = cache(lambda figure, style: figure.draw(figure_data(figure).frame, style))
    return lambda figure, style=Style(): draw(figure, style)


@pytest.fixture(scope="module")
def figure_spec(figure_chart: Any) -> Any:
    """Function that returns the specification of a chart, checked once against the Vega-Lite schema."""
    specify = cache(lambda figure, style: specification(figure_chart(figure, style)))
    return lambda figure, style=Style(): specify(figure, style)


@pytest.fixture(scope="module")
def long_names(figure_data: Any) -> Any:
    """Long names of runs and topics that differ only in the middle, and a function that returns figure data."""
    collection = simulate(systems=4, topics=5, seed=3)
    run_names = [f"splade-v3-distilled-hard-negatives-{n}-msmarco-passage-reranked-top1000" for n in range(4)]
    topics = {topic: f"0f6e2c9a-7d43-41d5-{n}-9b1c-5a3e2d7f8c90" for n, topic in enumerate(collection.qrels.topics)}
    qrels = collection.qrels.frame().with_columns(pl.col("topic").replace_strict(topics))
    runs = {
        name: run.frame().with_columns(pl.col("topic").replace_strict(topics))
        for name, run in zip(run_names, collection.runs, strict=True)
    }
    campaign = assay.read(qrels, runs, keep="documents")
    data = cache(lambda figure: figure.data(campaign) if figure.needs else figure_data(figure))
    return [*run_names, *topics.values()], data


def sources(figure: Figure, campaign: Campaign) -> list[Campaign]:
    """Return the campaign in a list, or nothing for figures without a campaign."""
    return [campaign] if figure.needs else []


def list_widths(spec: Any) -> list[Any]:
    """Return all widths in a specification."""
    if isinstance(spec, dict):
        return [spec[key] for key in ("width",) if key in spec] + [
            width for part in spec.values() for width in list_widths(part)
        ]
    return [width for part in spec for width in list_widths(part)] if isinstance(spec, list) else []


for_each_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)


@for_each_figure
def test_figures_have_a_title_a_source_and_described_options(figure: Figure) -> None:
    assert 10 < len(figure.title) < 110
    assert figure.source is None or re.fullmatch(r"[A-Z].+ \(\d{4}\), (Fig|Table).+", figure.source)
    for parameter in figure.parameters:
        assert parameter.name in OPTIONS, f"{parameter.name} is a new option: describe it in OPTIONS"


@for_each_figure
def test_choices_of_options_are_listed(figure: Figure, campaign: Campaign) -> None:
    parameters = {parameter.name: parameter.default for parameter in figure.parameters}
    source = [] if figure.optional else sources(figure, campaign)
    options_with_choices = {
        "bar",
        "correction",
        "curves",
        "drawing",
        "example",
        "interpolation",
        "landmarks",
        "norm",
        "order",
        "orders",
        "test",
        "unequal",
        "unit",
    }
    assert set(figure.choices) == options_with_choices & set(parameters)
    for name, choices in figure.choices.items():
        several = isinstance(parameters[name], tuple)
        with pytest.raises(AssayError):
            figure.data(*source, **{name: ["no such"] if several else "no such"})
        if not several and "MEASURE" not in choices:
            assert parameters[name] in choices


def test_choices_of_tests_match_the_registry() -> None:
    for name in ("differences", "significance"):
        assert set(FIGURES[name].choices["test"]) == set(significance_tests())


@for_each_figure
def test_data_are_a_plain_reproducible_table(figure: Figure, figure_data: Any, campaign: Campaign) -> None:
    plot_data = figure_data(figure)
    assert isinstance(plot_data, Data)
    assert not plot_data.frame.is_empty()
    assert all(name == name.lower() for name in plot_data.frame.columns)
    assert not any(dtype.is_nested() for dtype in plot_data.frame.dtypes)
    repeated = figure.data(*sources(figure, campaign))
    assert repeated.frame.equals(plot_data.frame), "the same inputs give the same data"
    if figure.needs:
        assert plot_data.provenance.inputs
    if "runs" in figure.needs:
        assert plot_data.provenance.policies


@for_each_figure
@pytest.mark.parametrize("palette", ["safe", "grey"])
def test_chart_has_no_theme(figure: Figure, palette: str, figure_spec: Any) -> None:
    spec = figure_spec(figure, Style(palette))
    text = json.dumps(spec, allow_nan=False)
    assert "config" not in spec, "themes are applied on export"
    for colour in ("black", "white", "gray", "grey", "#000", "#fff", "#333", "#666", "#888", "#999", "#ccc"):
        assert f'"{colour}"' not in text, f"{colour} belongs to themes: use a style"


@for_each_figure
def test_chart_fits_the_width(figure: Figure, figure_data: Any) -> None:
    for width in (320, 1200):
        # The test of shortened names below checks the lower width against the schema.
        spec = specification(figure.draw(figure_data(figure).frame, Style(width=width)), checked=width > 320)
        part_widths = [part_width for part_width in list_widths(spec) if isinstance(part_width, int | float)]
        assert all(part_width <= width for part_width in part_widths), "no panel is wider than the chart"


@for_each_figure
def test_empty_data_show_a_message(figure: Figure, figure_data: Any) -> None:
    chart = figure.draw(figure_data(figure).frame.clear(), Style())
    assert '"text"' in json.dumps(specification(chart))


@for_each_figure
def test_chart_is_rendered_as_svg(figure: Figure, figure_data: Any, figure_chart: Any) -> None:
    svg = export_chart(figure_chart(figure), figure_data(figure), "svg", theme="dark").decode()
    assert svg.startswith("<svg")
    assert "NaN" not in svg
    assert "undefined" not in svg
    assert "<script" not in svg


@for_each_figure
def test_hostile_names_are_escaped_in_html(figure: Figure, figure_data: Any, figure_chart: Any) -> None:
    page = export_chart(figure_chart(figure), figure_data(figure), "html", theme="auto", title=HOSTILE).decode()
    assert HOSTILE not in page


@for_each_figure
@pytest.mark.parametrize("width", [240, 700])
def test_text_is_readable(figure: Figure, width: int, long_names: Any) -> None:
    """Text has at least 9 pixels and no overlaps, and a shortened name matches only one run or topic."""
    names, data = long_names
    plot_data = data(figure)
    svg = export_chart(figure.draw(plot_data.frame, Style(width=width)), plot_data, "svg").decode()
    labels = read_labels(svg)
    assert min(label.size for label in labels) >= 9
    assert not find_overlaps(labels)
    assert read_size(svg)[0] <= 1.15 * width
    for text in {label.text for label in labels if "…" in label.text}:
        pattern = re.compile(".*".join(map(re.escape, text.split("…"))))
        candidates = [name for name in names if pattern.fullmatch(name)]
        assert len(candidates) < 2, f"{text} may mean any of {candidates}"


@for_each_figure
def test_user_can_configure_the_chart(figure: Figure, campaign: Campaign, figure_data: Any) -> None:
    """Fonts, sizes and the title are options; ``configure_*`` changes parts of the theme and keeps the others."""
    style = make_style("grey", width=480, font="Courier Prime", font_size=16.5, title="A <title>")
    chart = figure.draw(figure_data(figure).frame, style).properties(config=theme_of("light", style))
    plain = chart.configure_view(stroke="#010203").configure_title(color="#010204").configure_axis(labelColor="#010205")
    spec = plain.to_dict(format="vega-lite", validate=False)
    assert {"domainColor", "labelColor"} <= set(spec["config"]["axis"])
    svg = render(form="svg", vl_spec=spec, vl_version=VEGA_LITE, allowed_base_urls=[]).decode()
    assert 'stroke="#010203"' in svg
    assert 'fill="#010204"' in svg
    assert ('fill="#010205"' in svg) == ("role-axis-label" in svg)
    assert "A &lt;title&gt;" in svg
    assert "Courier Prime" in svg
    assert min(label.size for label in read_labels(svg)) >= 9 * 1.5
    removed = figure.draw(figure_data(figure).frame, Style(title=""))
    assert "title" not in removed.to_dict(format="vega-lite", validate=False)


@for_each_figure
def test_height_is_chosen_or_follows_from_the_contents(figure: Figure, figure_data: Any) -> None:
    frame = figure_data(figure).frame
    if not figure.has_height:
        with pytest.raises(InputError, match="height: the contents of figure"):
            figure.draw(frame, Style(height=300))
    else:
        low, high = (specification(figure.draw(frame, Style(height=height)), checked=False) for height in (150, 300))
        assert low != high


@pytest.mark.parametrize("name", ["crp", "deciding", "leaderboard", "pool-depth", "relative-position", "significance"])
def test_larger_text_enlarges_the_whole_figure(name: str, figure_data: Any) -> None:
    figure = FIGURES[name]
    plot_data = figure_data(figure)
    sizes = []
    for style in (Style(width=320), Style(width=480, font_size=16.5)):
        svg = export_chart(figure.draw(plot_data.frame, style), plot_data, "svg", style=style).decode()
        sizes.append(read_size(svg))
    assert sizes[1] == pytest.approx([1.5 * size for size in sizes[0]], rel=0.03)


@for_each_figure
def test_names_are_not_part_of_expressions(figure: Figure, figure_spec: Any) -> None:
    def list_expressions(spec: Any) -> list[str]:
        if isinstance(spec, dict):
            own_expressions = [
                text
                for key, text in spec.items()
                if key in ("expr", "calculate", "filter", "labelExpr") and isinstance(text, str)
            ]
            return own_expressions + [text for value in spec.values() for text in list_expressions(value)]
        return [text for value in spec for text in list_expressions(value)] if isinstance(spec, list) else []

    spec = figure_spec(figure)
    assert not any("alert" in text for text in list_expressions(spec))


def test_every_export_format() -> None:
    figure = FIGURES["leaderboard"]
    plot_data = figure.data(assay.read({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}))
    prefixes = dict(zip(FORMATS, (b"\x89PNG", b"<svg", b"%PDF", b"<!doctype html>", b"{", b"place,"), strict=True))
    for name, prefix in prefixes.items():
        assert export_chart(figure.draw(plot_data.frame), plot_data, name).startswith(prefix)
    spec = json.loads(export_chart(figure.draw(plot_data.frame), plot_data, "json"))
    assert spec["usermeta"]["policies"]["ties"] == "trec_eval-10"
    assert spec["config"] == json.loads(json.dumps(config("light")))
    assert isinstance(pl.read_csv(export_chart(None, plot_data, "csv")), pl.DataFrame)
