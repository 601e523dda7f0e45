"""Tests of whole reports, also of unusual campaigns."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from assay import read, simulate
from assay.errors import AssayError, DependencyError
from assay.views.report.build import build_report, check_report, report
from assay.views.report.sections import SECTIONS, SLICE_SECTIONS
from assay.views.report.settings import MEASURES, ReportSettings
from real_data import read_trec8
from report_cases import HOSTILE, campaign_and_settings

SIMULATED = simulate(systems=4, topics=6, seed=3)
TWO_TOPICS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
TWO_RUNS = {"r": {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 1.0}}, "s": {"q1": {"b": 1.0}, "q2": {"a": 2.0, "c": 1.0}}}
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "some runs": (SIMULATED.qrels, list(SIMULATED.runs), {}),
    "one run": (TWO_TOPICS, {"r": TWO_RUNS["r"]}, {}),
    "one run, topic and measure": ({"q": {"a": 1}}, {"r": {"q": {"a": 1.0}}}, {"measures": ("AP",)}),
    "two topics": (TWO_TOPICS, TWO_RUNS, {}),
    "one topic": ({"q": {"a": 1, "b": 0}}, {"r": {"q": {"a": 1.0, "b": 2.0}}, "s": {"q": {"b": 1.0}}}, {}),
    "no relevant documents": ({"q": {"a": 0}, "p": {"b": 0}}, {"r": {"q": {"a": 1.0}}, "s": {"q": {"b": 1.0}}}, {}),
    "nothing defined": ({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}, "s": {"q": {"b": 1.0}}}, {"undefined": "exclude"}),
    "negative grades": ({"q": {"a": -1}}, {"r": {"q": {"a": 1.0}}, "s": {"q": {"b": 1.0}}}, {}),
    "nothing relevant retrieved": (
        {"q": {"a": 1}, "p": {"b": 1}},
        {"r": {"q": {"x": 1.0}}, "s": {"q": {"y": 1.0}}},
        {},
    ),
    "the same run three times": (SIMULATED.qrels, [SIMULATED.runs[0].with_name(name) for name in "abc"], {}),
    "hostile names": (
        {HOSTILE: {HOSTILE: 1, "b": 0}, "q2": {"a": 1}},
        {HOSTILE: {HOSTILE: {HOSTILE: 1.0, "b": 2.0}}, "</title>\"'&<!--": {HOSTILE: {"b": 1.0}}},
        {"title": HOSTILE},
    ),
    "long names": (
        {("topic " * 30).strip(): {"a": 1}, "ünï": {"b": 1}},
        {"名前" * 40: {"ünï": {"b": 1.0}}, "r\u202e\u2028x": {"ünï": {"c": 1.0}}},
        {},
    ),
    "names of columns": (SIMULATED.qrels, dict(zip(("all", "run", "measure", "1"), SIMULATED.runs, strict=True)), {}),
    "measures of cost": (SIMULATED.qrels, list(SIMULATED.runs), {"measures": ("NumUnjudgedRet", "BalancePoint")}),
    "counts and geometric means": (SIMULATED.qrels, list(SIMULATED.runs), {"measures": ("NumRelRet", "gm_map")}),
    "only common topics": (
        TWO_TOPICS,
        {"r": {"q1": {"a": 1.0}}, "s": {"q2": {"a": 2.0}}, "t": TWO_RUNS["s"]},
        {"missing": "exclude"},
    ),
    "condensed": (SIMULATED.qrels, list(SIMULATED.runs), {"unjudged": "condensed"}),
    "tukey": (SIMULATED.qrels, list(SIMULATED.runs), {"test": "tukey", "alpha": 0.01}),
    "resampling test": (SIMULATED.qrels, list(SIMULATED.runs), {"test": "bootstrap", "resamples": 50}),
    "real grades": ({"q": {"a": 3, "b": -2, "c": 0.5}, "p": {"a": 1}}, {"r": {"q": {"a": 1.0}, "p": {"c": 1.0}}}, {}),
}


class Outline(HTMLParser):
    """Parser that checks the nesting of elements and collects ids, links, headings and the visible text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        self.links += [attributes["href"] or ""] if "href" in attributes else []
        self.headings += [tag] if tag in ("h1", "h2", "h3") else []
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.text += data


def parse_outline(page: bytes) -> Outline:
    outline = Outline()
    outline.feed(page.decode())
    outline.close()
    outline.text = " ".join(outline.text.split())
    return outline


@pytest.mark.parametrize("case", CASES)
def test_reports_of_unusual_campaigns(case: str) -> None:
    qrels, runs, settings = CASES[case]
    result = build_report(*campaign_and_settings(qrels, runs, settings))
    outline = parse_outline(result.html)
    assert outline.open == []
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.headings[0] == "h2", "the heading of the table of contents"
    assert outline.headings.count("h1") == 1
    for target in outline.links:
        assert target.removeprefix("#") in outline.ids, "every link has a target"
    for section in set(SECTIONS) - set(SLICE_SECTIONS):
        assert section in outline.ids
    assert not re.search(r"\b(nan|NaN|None|inf|null)\b(?! of )", outline.text), "undefined numbers are not shown"
    assert " ." not in outline.text
    assert " ," not in outline.text
    assert HOSTILE.encode() not in result.html
    assert re.search(r"(?<![\d,.])1 (runs|topics|points|rankings|others|notes)\b", outline.text) is None


def test_the_same_inputs_give_the_same_bytes() -> None:
    first, second = (report(read(SIMULATED.qrels, list(SIMULATED.runs))) for _ in range(2))
    assert first == second


def test_sections_can_be_omitted() -> None:
    campaign = read(SIMULATED.qrels, list(SIMULATED.runs))
    omitted = ("systems", "leaderboard", "effort", "cases", "robustness", "uncertainty")
    outline = parse_outline(build_report(campaign, ReportSettings(without=omitted)).html)
    assert not set(omitted) & set(outline.ids)
    assert "topics" in outline.ids
    for target in outline.links:
        assert target.removeprefix("#") in outline.ids


def test_progress_is_reported() -> None:
    steps: list[tuple[str, int, int]] = []
    report(read(TWO_TOPICS, TWO_RUNS), "AP", watch=lambda *step: steps.append(step))
    assert [completed for _, completed, _ in steps] == list(range(len(SECTIONS) - len(SLICE_SECTIONS) + 1))
    assert steps[0][0] == "Verdict"


def test_path_instead_of_a_campaign_is_rejected() -> None:
    files: Any = "qrels.txt"
    with pytest.raises(AssayError, match=r"source must be a campaign \(assay\.read\) or Results, got str"):
        report(files)


def test_report_contains_notes_and_inputs() -> None:
    result = build_report(read({**TWO_TOPICS, "q3": {"a": 1}}, TWO_RUNS), ReportSettings(measures=("AP",)))
    assert any("lacks 1 of the 3 topics" in note for note in result.notes)
    assert [source.role for source in result.provenance.inputs] == ["qrels", "run", "run"]


def test_missing_altair_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(DependencyError, match=r"assay-ir\[plots\]"):
        check_report()
    with pytest.raises(DependencyError, match=r"assay-ir\[plots\]"):
        report(read(TWO_TOPICS, TWO_RUNS))


def test_report_of_many_runs_is_small() -> None:
    collection = simulate(systems=25, topics=20, seed=1)
    result = report(read(collection.qrels, collection.runs, keep="judgments"), ["AP", "P@10"])
    assert len(result.html) < 3_000_000


def test_report_of_trec8() -> None:
    result = report(read_trec8())
    outline = parse_outline(result.html)
    assert len(result.html) < 8_000_000
    assert "READWARE2 has the highest AP (0.469), but 37 other runs are not significantly different." in outline.text
    assert "READWARE2 leads with AP 0.469 (95 % interval 0.41 to 0.53, over 50 topics)." in outline.text
    assert "86,830, of which 4,728 are relevant; grades 0, 1" in outline.text
    assert "Details of the best 20 of 129 runs by AP; the other 109 are omitted" in outline.text


FLOAT_QRELS = {"1": {"a": 0.9, "b": 0.1, "c": 0.0}, "2": {"a": 0.7, "d": 0.2}}
FLOAT_RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"d": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}


@pytest.mark.parametrize("measures", [MEASURES, ("nDCG@10",)])
def test_float_grades_need_a_threshold(measures: tuple[str, ...]) -> None:
    with pytest.raises(AssayError, match=r"the highest is 0\.9\).*AP\(rel=0\.5\)"):
        report(read(FLOAT_QRELS, FLOAT_RUNS), measures)


def test_relevance_threshold_follows_the_measures() -> None:
    page = report(read(FLOAT_QRELS, FLOAT_RUNS), ["nDCG@10", "AP(rel=0.5)"]).html.decode()
    assert "5, of which 2 are relevant (a grade of at least 0.5)" in page
