"""Gates as Markdown, JUnit XML and annotations of GitHub Actions."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import assay
from assay.measures import measure
from assay.model.provenance import Provenance
from assay.results.results import Results
from assay.significance._gate.markdown import MARK, MAX_LENGTH

HOSTILE = "a|b`c*[x](y)<b>&amp;\n::error::%0A@user\x1b[31m\ufffe\ud800"


def build_gate(shifts, candidates=("new",), topics=30, table=None, on_undecided="undecided", baseline="old"):
    """A gate with one measure for each shift of the mean, and the same values for each candidate."""
    rng = np.random.default_rng(1)
    old = rng.uniform(0.3, 0.7, topics)
    noise = rng.normal(0, 0.04, topics)
    runs = (baseline, *candidates)
    values = [[old, *([old + shift + noise - noise.mean()] * len(candidates))] for shift in shifts]
    names = tuple(f"P@{number}" for number in range(1, len(shifts) + 1))
    results = Results(
        runs=runs,
        topics=tuple(f"q{i:02}" for i in range(topics)),
        measures=tuple(map(measure, names)),
        values=np.array(values),
        errors=np.zeros((len(shifts), len(runs), topics)),
        provenance=Provenance(),
    )
    slices = {} if table is None else {"topics_table": table, "by": "kind"}
    margins = dict.fromkeys(names, 0.02)
    return assay.gate(results, baseline, margins=margins, on_undecided=on_undecided, **slices)


PASS, FAIL, UNDECIDED = 0.0, -0.1, -0.02


def test_markdown_lists_failing_rows_first():
    text = build_gate([PASS, UNDECIDED, FAIL]).markdown()
    lines = text.splitlines()
    assert lines[:2] == [MARK, "### assay gate: fail"]
    assert "`new` against `old`, 30 topics" in lines
    rows = [line.split(" | ") for line in lines if line.startswith("| ")]
    assert [row[0].strip("| ") for row in rows] == ["verdict", "---", "fail", "undecided", "pass"]
    assert rows[2][1:5] == ["P@3", "0.5045", "0.4045", "-0.1000"] or rows[2][4] == "-0.1000"
    assert {len(row) for row in rows} == {8}
    assert "P@3 fell by 0.1000" in text
    assert text.count("<details>") == text.count("</details>") == 1


def test_markdown_is_bounded():
    many = build_gate([PASS] * 18 + [FAIL] * 8).markdown()
    rows = [line for line in many.splitlines() if line.startswith(("| fail", "| pass"))]
    assert len(rows) == 20
    assert [row[:6] for row in rows[:8]] == ["| fail"] * 8
    assert "\nand 6 more\n" in many
    names = [f"{'x' * 5000}{number}" for number in range(60)]
    long = build_gate([FAIL] * 30, candidates=names).markdown()
    assert 20_000 < len(long) <= MAX_LENGTH
    assert re.search(r"and \d+ more candidates\n$", long)


def test_markdown_escapes_names():
    text = build_gate([FAIL], candidates=(HOSTILE,), baseline="old|base").markdown()
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 9 for line in table)
    assert "\x1b" not in text
    assert "\n::error" not in text
    assert "`` a|b`c" in text
    assert "`old|base`" in text


def parse_junit(gate):
    suites = ElementTree.fromstring(gate.junit().encode())
    assert suites.tag == "testsuites"
    for element in (suites, *suites):
        cases = list(element.iter("testcase"))
        kinds = {kind: len(list(element.iter(kind))) for kind in ("failure", "skipped", "error")}
        assert int(element.get("tests")) == len(cases)
        assert int(element.get("failures")) == kinds["failure"]
        assert int(element.get("skipped")) == kinds["skipped"]
        assert int(element.get("errors")) == kinds["error"] == 0
        assert all(len(case) <= 1 for case in cases)
    return suites


def test_junit_has_a_case_for_each_row():
    gate = build_gate([PASS, UNDECIDED, FAIL], candidates=("new", "next"))
    suites = parse_junit(gate)
    assert [suite.get("name") for suite in suites] == ["new", "next"]
    cases = list(suites[0])
    assert [case.get("name") for case in cases] == ["P@1", "P@2", "P@3"]
    assert [[child.tag for child in case] for case in cases] == [[], ["skipped"], ["failure"]]
    assert cases[2][0].get("type") == "inferior"
    assert "more than the 0.0200 tolerated (p < 0.0001)" in cases[2][0].get("message")
    assert "topics" in cases[1][0].get("message")


def test_undecided_is_a_failure_of_junit_if_it_blocks():
    suites = parse_junit(build_gate([PASS, UNDECIDED], on_undecided="fail"))
    [failure] = suites.iter("failure")
    assert failure.get("type") == "undecided"
    assert build_gate([UNDECIDED], on_undecided="fail").exit_code == 1


def test_junit_escapes_names():
    kind = HOSTILE.replace("\ud800", "")
    table = {f"q{i:02}": {"kind": kind if i % 2 else "plain"} for i in range(30)}
    suites = parse_junit(build_gate([FAIL], candidates=(HOSTILE,), table=table))
    assert "a|b`c*[x](y)<b>&amp;" in suites[0].get("name")
    assert [case.get("name")[:8] for case in suites[0]] == ["P@1", "P@1 [kin", "P@1 [kin"]


@pytest.mark.parametrize(
    ("shifts", "on_undecided", "levels"),
    [
        ([PASS, PASS], "undecided", ["notice"]),
        ([PASS, UNDECIDED], "undecided", ["warning"]),
        ([PASS, UNDECIDED], "fail", ["error"]),
        ([UNDECIDED, FAIL], "undecided", ["error", "warning"]),
        ([FAIL] * 12 + [UNDECIDED] * 11, "undecided", ["error"] * 10 + ["warning"] * 10),
    ],
)
def test_annotations(shifts, on_undecided, levels):
    lines = build_gate(shifts, on_undecided=on_undecided).annotations()
    assert [line.split()[0] for line in lines] == [f"::{level}" for level in levels]
    if len(shifts) > 20:
        assert lines[9].endswith("::and 3 more rows")
        assert lines[19].endswith("::and 2 more rows")


def test_annotations_escape_names():
    for line in build_gate([FAIL], candidates=(HOSTILE, "other")).annotations():
        assert not set("\n\r\x1b") & set(line)
        assert line.startswith("::error title=assay gate%3A ")
        title = line.split("::")[1]
        assert "," not in title
        assert "%0A@user" not in line


def test_watched_rows_have_no_warning():
    table = {f"q{i:02}": {"kind": "rare" if i < 5 else "common"} for i in range(30)}
    gate = build_gate([PASS], table=table)
    assert [row.finding for row in gate.rows][1:] != ["non-inferior"] * 2
    assert [line.split()[0] for line in gate.annotations()] == ["::notice"]
    assert "(watched)" in gate.markdown()
