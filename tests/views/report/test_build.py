"""Whole reports, of whatever there is to report on."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from assay import read, simulate
from assay.errors import AssayError, DependencyError
from assay.views.report.build import build_report, check_report, report
from assay.views.report.sections import SECTIONS
from assay.views.report.settings import MEASURES, ReportSettings
from real_data import real
from report_cases import HOSTILE, campaign_and_settings

SIMULATED = simulate(systems=4, topics=6, seed=3)
TWO = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}}
BOTH = {"r": {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 1.0}}, "s": {"q1": {"b": 1.0}, "q2": {"a": 2.0, "c": 1.0}}}
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "some runs": (SIMULATED.qrels, list(SIMULATED.runs), {}),
    "one run": (TWO, {"r": BOTH["r"]}, {}),
    "one run, topic and measure": ({"q": {"a": 1}}, {"r": {"q": {"a": 1.0}}}, {"measures": ("AP",)}),
    "two topics": (TWO, BOTH, {}),
    "one topic": ({"q": {"a": 1, "b": 0}}, {"r": {"q": {"a": 1.0, "b": 2.0}}, "s": {"q": {"b": 1.0}}}, {}),
    "no relevant documents": ({"q": {"a": 0}, "p": {"b": 0}}, {"r": {"q": {"a": 1.0}}, "s": {"q": {"b": 1.0}}}, {}),
    "nothing defined": ({"q": {"a": 0}}, {"r": {"q": {"a": 1.0}}, "s": {"q": {"b": 1.0}}}, {"undefined": "exclude"}),
    "negative grades": ({"q": {"a": -1}}, {"r": {"q": {"a": 1.0}}, "s": {"q": {"b": 1.0}}}, {}),
    "nothing found": ({"q": {"a": 1}, "p": {"b": 1}}, {"r": {"q": {"x": 1.0}}, "s": {"q": {"y": 1.0}}}, {}),
    "the same run thrice": (SIMULATED.qrels, [SIMULATED.runs[0].named(name) for name in "abc"], {}),
    "hostile names": (
        {HOSTILE: {HOSTILE: 1, "b": 0}, "q2": {"a": 1}},
        {HOSTILE: {HOSTILE: {HOSTILE: 1.0, "b": 2.0}}, "</title>\"'&<!--": {HOSTILE: {"b": 1.0}}},
        {"title": HOSTILE},
    ),
    "long names": (
        {"topic " * 30: {"a": 1}, "ünï": {"b": 1}},
        {"名前" * 40: {"ünï": {"b": 1.0}}, "r\u202e\u2028x": {"ünï": {"c": 1.0}}},
        {},
    ),
    "names of columns": (SIMULATED.qrels, dict(zip(("all", "run", "measure", "1"), SIMULATED.runs, strict=True)), {}),
    "measures of cost": (SIMULATED.qrels, list(SIMULATED.runs), {"measures": ("NumUnjudgedRet", "BalancePoint")}),
    "counts and geometric means": (SIMULATED.qrels, list(SIMULATED.runs), {"measures": ("NumRelRet", "gm_map")}),
    "only common topics": (
        TWO,
        {"r": {"q1": {"a": 1.0}}, "s": {"q2": {"a": 2.0}}, "t": BOTH["s"]},
        {"missing": "exclude"},
    ),
    "condensed": (SIMULATED.qrels, list(SIMULATED.runs), {"unjudged": "condensed"}),
    "tukey": (SIMULATED.qrels, list(SIMULATED.runs), {"test": "tukey", "alpha": 0.01}),
    "drawn at random": (SIMULATED.qrels, list(SIMULATED.runs), {"test": "bootstrap", "resamples": 50}),
    "real grades": ({"q": {"a": 3, "b": -2, "c": 0.5}, "p": {"a": 1}}, {"r": {"q": {"a": 1.0}, "p": {"c": 1.0}}}, {}),
}


class Outline(HTMLParser):
    """Whether elements are closed as they were opened; their ids, their headings and the visible text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        self.headings += [tag] if tag in ("h1", "h2", "h3") else []
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.text += data


def outline(page: bytes) -> Outline:
    found = Outline()
    found.feed(page.decode())
    found.close()
    found.text = " ".join(found.text.split())
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_report_of(case: str) -> None:
    qrels, runs, settings = CASES[case]
    made = build_report(*campaign_and_settings(qrels, runs, settings))
    found = outline(made.html)
    assert found.open == []
    assert len(found.ids) == len(set(found.ids))
    assert found.headings[0] == "h2", "that of the contents"
    assert found.headings.count("h1") == 1
    for target in found.links:
        assert target.removeprefix("#") in found.ids, "links lead somewhere"
    for section in SECTIONS:
        assert section in found.ids
    assert not re.search(r"\b(nan|NaN|None|inf|null)\b(?! of )", found.text), "what is no number is not shown as one"
    assert " ." not in found.text
    assert " ," not in found.text
    assert HOSTILE.encode() not in made.html
    assert re.search(r"(?<![\d,.])1 (runs|topics|points|rankings|others|notes)\b", found.text) is None


def test_the_same_inputs_give_the_same_bytes() -> None:
    first, second = (report(read(SIMULATED.qrels, list(SIMULATED.runs))) for _ in range(2))
    assert first == second


def test_sections_can_be_left_out() -> None:
    campaign = read(SIMULATED.qrels, list(SIMULATED.runs))
    made = build_report(campaign, ReportSettings(without=("systems", "leaderboard", "effort")))
    found = outline(made.html)
    assert not {"systems", "leaderboard", "effort"} & set(found.ids)
    assert "topics" in found.ids
    for target in found.links:
        assert target.removeprefix("#") in found.ids


def test_the_steps_are_told() -> None:
    told: list[tuple[str, int, int]] = []
    report(read(TWO, BOTH), "AP", watch=lambda *step: told.append(step))
    assert [done for _, done, _ in told] == list(range(len(SECTIONS) + 1))
    assert told[0][0] == "Leaderboard"


def test_files_are_no_campaign() -> None:
    files: Any = "qrels.txt"
    with pytest.raises(AssayError, match=r"campaign must be a campaign \(assay\.read\), got str"):
        report(files)


def test_notes_and_inputs_come_with_it() -> None:
    made = build_report(read({**TWO, "q3": {"a": 1}}, BOTH), ReportSettings(measures=("AP",)))
    assert any("lacks 1 of the 3 topics" in note for note in made.notes)
    assert [one.role for one in made.provenance.inputs] == ["qrels", "run", "run"]


def test_without_the_package_that_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(DependencyError, match=r"assay-ir\[plots\]"):
        check_report()
    with pytest.raises(DependencyError, match=r"assay-ir\[plots\]"):
        report(read(TWO, BOTH))


def test_a_page_of_many_runs_stays_small() -> None:
    collection = simulate(systems=40, topics=50, seed=1)
    made = report(read(collection.qrels, collection.runs, keep="judgments"))
    assert len(made.html) < 8_000_000


def test_trec8() -> None:
    qrels, runs = real("trec8-adhoc", "qrels.trec8.adhoc.txt.gz"), real("trec8-adhoc", "runs")
    made = report(read(qrels, runs, keep="judgments"))
    found = outline(made.html)
    assert len(made.html) < 8_000_000
    assert "READWARE2 leads with AP 0.469 (95 % interval 0.41 to 0.53, over 50 topics)." in found.text
    assert "86,830, of which 4,728 are relevant; grades 0, 1" in found.text
    assert "Details of the best 50 of 129 runs by AP; the other 79 are omitted" in found.text


FLOATS = {"1": {"a": 0.9, "b": 0.1, "c": 0.0}, "2": {"a": 0.7, "d": 0.2}}
FLOAT_RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}, "2": {"d": 1.0}}, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}


@pytest.mark.parametrize("measures", [MEASURES, ("nDCG@10",)])
def test_float_grades_need_a_threshold(measures: tuple[str, ...]) -> None:
    with pytest.raises(AssayError, match=r"the highest is 0\.9\).*AP\(rel=0\.5\)"):
        report(read(FLOATS, FLOAT_RUNS), measures)


def test_relevant_documents_of_a_report_are_those_of_its_measures() -> None:
    page = report(read(FLOATS, FLOAT_RUNS), ["nDCG@10", "AP(rel=0.5)"]).html.decode()
    assert "5, of which 2 are relevant (a grade of at least 0.5)" in page
