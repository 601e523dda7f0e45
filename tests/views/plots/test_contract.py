"""What holds for every figure, whatever it shows."""

from __future__ import annotations

import json
import re
from functools import cache
from html import unescape
from typing import Any

import polars as pl
import pytest

import assay
from assay import simulate
from assay.cli._parameters import OPTIONS
from assay.engine.campaign import Campaign
from assay.errors import AssayError
from assay.significance.base import significance_tests
from assay.views.plots._export import FORMATS, export_chart, specification
from assay.views.plots._figures import Data, Figure, figures
from assay.views.plots._style import PALETTES, Style, config

FIGURES = figures()
HOSTILE = "</script><script>alert(1)</script>\u2028"


@pytest.fixture(scope="module")
def campaign() -> Campaign:
    """A few runs, one of them with a hostile name."""
    made = simulate(systems=6, topics=8, seed=3)
    runs = [run.named(HOSTILE) if number == 0 else run for number, run in enumerate(made.runs)]
    return assay.read(made.qrels, runs, keep="documents")


@pytest.fixture(scope="module")
def shown(campaign: Campaign) -> Any:
    """The data of each figure, made once."""
    return cache(lambda figure: figure.data(*sources(figure, campaign)))


@pytest.fixture(scope="module")
def drawn(shown: Any) -> Any:
    """The chart of each figure in a style, drawn once."""

    draw = cache(lambda figure, style: figure.draw(shown(figure).frame, style))
    return lambda figure, style=Style(): draw(figure, style)


@pytest.fixture(scope="module")
def specified(drawn: Any) -> Any:
    """The specification of each chart, checked once against the schema of Vega-Lite."""
    specify = cache(lambda figure, style: specification(drawn(figure, style)))
    return lambda figure, style=Style(): specify(figure, style)


@pytest.fixture(scope="module")
def long_names(shown: Any) -> Any:
    """Runs and topics whose long names differ in the middle only, and the data of each figure, made once."""
    made = simulate(systems=4, topics=5, seed=3)
    run_names = [f"splade-v3-distilled-hard-negatives-{n}-msmarco-passage-reranked-top1000" for n in range(4)]
    topics = {topic: f"0f6e2c9a-7d43-41d5-{n}-9b1c-5a3e2d7f8c90" for n, topic in enumerate(made.qrels.topics)}
    qrels = made.qrels.frame().with_columns(pl.col("topic").replace_strict(topics))
    runs = {
        name: run.frame().with_columns(pl.col("topic").replace_strict(topics))
        for name, run in zip(run_names, made.runs, strict=True)
    }
    campaign = assay.read(qrels, runs, keep="documents")
    data = cache(lambda figure: figure.data(campaign) if figure.needs else shown(figure))
    return [*run_names, *topics.values()], data


def sources(figure: Figure, campaign: Campaign) -> list[Campaign]:
    """The campaign, for figures that are made of one."""
    return [campaign] if figure.needs else []


def widths(spec: Any) -> list[Any]:
    """All sizes that a specification names."""
    if isinstance(spec, dict):
        return [spec[key] for key in ("width",) if key in spec] + [w for each in spec.values() for w in widths(each)]
    return [w for each in spec for w in widths(each)] if isinstance(spec, list) else []


each_figure = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)


@each_figure
def test_it_says_what_it_is(figure: Figure) -> None:
    assert 10 < len(figure.title) < 110
    assert figure.source is None or re.fullmatch(r"[A-Z].+ \(\d{4}\), (Fig|Table).+", figure.source)
    for parameter in figure.parameters:
        assert parameter.name in OPTIONS, f"{parameter.name} is a new word: say in OPTIONS what it means"


@each_figure
def test_words_to_choose_from_are_told(figure: Figure, campaign: Campaign) -> None:
    parameters = {parameter.name: parameter.default for parameter in figure.parameters}
    given = [] if figure.optional else sources(figure, campaign)
    closed = {"bar", "correction", "curves", "drawing", "example", "order", "orders", "test", "unequal", "unit"}
    assert set(figure.choices) == closed & set(parameters)
    for name, choices in figure.choices.items():
        several = isinstance(parameters[name], tuple)
        with pytest.raises(AssayError):
            figure.data(*given, **{name: ["no such"] if several else "no such"})
        if not several and "MEASURE" not in choices:
            assert parameters[name] in choices


def test_tests_to_choose_from_are_those_that_there_are() -> None:
    for name in ("differences", "significance"):
        assert set(FIGURES[name].choices["test"]) == set(significance_tests())


@each_figure
def test_its_data_are_a_plain_table(figure: Figure, shown: Any, campaign: Campaign) -> None:
    found = shown(figure)
    assert isinstance(found, Data)
    assert not found.frame.is_empty()
    assert all(name == name.lower() for name in found.frame.columns)
    assert not any(dtype.is_nested() for dtype in found.frame.dtypes)
    again = figure.data(*sources(figure, campaign))
    assert again.frame.equals(found.frame), "the same inputs give the same data"
    if figure.needs:
        assert found.provenance.inputs
    if "runs" in figure.needs:
        assert found.provenance.policies


@each_figure
@pytest.mark.parametrize("palette", PALETTES)
def test_it_draws(figure: Figure, palette: str, specified: Any) -> None:
    spec = specified(figure, Style(palette))
    text = json.dumps(spec, allow_nan=False)
    assert "config" not in spec, "a theme is given when a chart is shown"
    for neutral in ("black", "white", "gray", "grey", "#000", "#fff", "#333", "#666", "#888", "#999", "#ccc"):
        assert f'"{neutral}"' not in text, f"{neutral} is for themes: name a style"


@each_figure
def test_it_fits_where_it_is_shown(figure: Figure, shown: Any) -> None:
    for width in (320, 1200):
        # Pictures of long names, below, are checked against the schema at the lower width.
        spec = specification(figure.draw(shown(figure).frame, Style(width=width)), checked=width > 320)
        named = [w for w in widths(spec) if isinstance(w, int | float)]
        assert all(w <= width for w in named), "no panel is wider than the whole"


@each_figure
def test_nothing_to_show_is_said(figure: Figure, shown: Any) -> None:
    chart = figure.draw(shown(figure).frame.clear(), Style())
    assert '"text"' in json.dumps(specification(chart))


@each_figure
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_can_be_made(figure: Figure, theme: str, shown: Any, drawn: Any) -> None:
    picture = export_chart(drawn(figure), shown(figure), "svg", theme=theme).decode()
    assert picture.startswith("<svg")
    assert "NaN" not in picture
    assert "undefined" not in picture
    assert "<script" not in picture


@each_figure
def test_a_page_holds_hostile_names_as_text(figure: Figure, shown: Any, drawn: Any) -> None:
    page = export_chart(drawn(figure), shown(figure), "html", theme="auto", title=HOSTILE).decode()
    assert HOSTILE not in page


@each_figure
@pytest.mark.parametrize("width", [320, 700])
def test_long_names_are_told_apart(figure: Figure, width: int, long_names: Any) -> None:
    """What is drawn of a long name stands for one run or topic only."""
    names, data = long_names
    found = data(figure)
    picture = export_chart(figure.draw(found.frame, Style(width=width)), found, "svg").decode()
    for text in map(unescape, re.findall(r"<text[^>]*>([^<]*)</text>", picture)):
        if "…" in text:
            pattern = re.compile(".*".join(map(re.escape, text.split("…"))))
            meant = [name for name in names if pattern.fullmatch(name)]
            assert len(meant) < 2, f"{text} stands for {meant}"


@each_figure
def test_names_are_not_read_as_expressions(figure: Figure, specified: Any) -> None:
    def expressions(spec: Any) -> list[str]:
        if isinstance(spec, dict):
            own = [
                v for k, v in spec.items() if k in ("expr", "calculate", "filter", "labelExpr") and isinstance(v, str)
            ]
            return own + [text for value in spec.values() for text in expressions(value)]
        return [text for value in spec for text in expressions(value)] if isinstance(spec, list) else []

    spec = specified(figure)
    assert not any("alert" in text for text in expressions(spec))


def test_every_format() -> None:
    figure = FIGURES["leaderboard"]
    found = figure.data(assay.read({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 2.0}}))
    begins = dict(zip(FORMATS, (b"\x89PNG", b"<svg", b"%PDF", b"<!doctype html>", b"{", b"place,"), strict=True))
    for form, begin in begins.items():
        assert export_chart(figure.draw(found.frame), found, form).startswith(begin)
    spec = json.loads(export_chart(figure.draw(found.frame), found, "json"))
    assert spec["usermeta"]["policies"]["ties"] == "trec_eval-10"
    assert spec["config"] == json.loads(json.dumps(config("light")))
    assert isinstance(pl.read_csv(export_chart(None, found, "csv")), pl.DataFrame)
