"""Tables in every format."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import polars as pl
import pytest

from assay.errors import InputError
from assay.model.provenance import Input, Provenance
from assay.results.formats import FORMATS, TableLayout
from assay.results.formats import render as render_report
from assay.results.report import Report
from assay.results.tables import Table

WIDE = pl.DataFrame({"run": ["a|b", "c_d"], "AP": [0.123456, 0.1], "n": [3, 12]})
TIDY = pl.DataFrame({"run": ["a|b", "c_d"], "measure": ["AP", "AP"], "topic": ["all", "all"], "value": [1 / 3, None]})
TABLE = Table(TIDY, WIDE, best=("AP",))


class Tabulated(Report):
    """A report of one table."""

    name = "tabulated"
    notes = ("a note",)
    provenance = Provenance((Input("qrels", "q", "q.txt", None),), version="x")

    def __init__(self, table: Table, sentences: str = "") -> None:
        self._table, self._sentences = table, sentences

    def summary(self) -> str:
        return self._sentences

    def _show_table(self) -> Table:
        return self._table


def render(table: Table, form: str, digits: int | None = None, **layout: object) -> bytes:
    return render_report(Tabulated(table), form, layout=TableLayout(digits=digits, **layout))  # type: ignore[arg-type]


def test_text_is_aligned_and_rounded() -> None:
    assert render(TABLE, "table").decode() == (
        "run      AP   n\n"
        "───  ──────  ──\n"
        "a|b  0.1235   3\n"
        "c_d  0.1000  12\n"
    )  # fmt: skip


def test_text_marks_the_best_on_a_terminal() -> None:
    assert "\033[1m0.1235\033[0m" in render(TABLE, "table", bold=True).decode()


def test_what_prints_the_same_is_marked_the_same() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "AP": [0.12341, 0.12342]})
    assert render(Table(wide, wide, best=("AP",)), "markdown").decode().count("**0.1234**") == 2


def test_what_rounds_to_zero_has_no_sign() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "difference": [-0.00001, -0.5]})
    assert render(Table(wide, wide), "table").decode().splitlines()[2:] == ["a        0.0000", "b       -0.5000"]


def test_separated_values_have_all_digits_and_leave_empty_what_is_missing() -> None:
    assert render(TABLE, "tsv") == b"run\tmeasure\ttopic\tvalue\na|b\tAP\tall\t0.3333333333333333\nc_d\tAP\tall\t\n"
    assert render(TABLE, "csv", 2) == b"run,measure,topic,value\na|b,AP,all,0.33\nc_d,AP,all,\n"


def test_csv_quotes_what_needs_it() -> None:
    tidy = pl.DataFrame({"measure": ["RBP(p1=0.9, p2=0.5)"], "value": [0.5]})
    assert render(Table(tidy, tidy), "csv") == b'measure,value\n"RBP(p1=0.9, p2=0.5)",0.5\n'


def test_ids_with_tabs_are_quoted() -> None:
    tidy = pl.DataFrame({"topic": ["a\tb"], "value": [0.5]})
    assert render(Table(tidy, tidy), "tsv") == b'topic\tvalue\n"a\tb"\t0.5\n'


def test_json_carries_provenance_and_notes() -> None:
    content = json.loads(render(TABLE, "json"))
    assert content["schema"] == {"report": "tabulated", "table": "table", "version": 1}
    assert content["provenance"]["assay"] == "x"
    assert content["provenance"]["inputs"][0]["source"] == "q.txt"
    assert content["notes"] == ["a note"]
    assert content["rows"][0] == {"run": "a|b", "measure": "AP", "topic": "all", "value": 1 / 3}
    assert content["rows"][1]["value"] is None


def test_markdown_escapes_and_marks() -> None:
    assert render(TABLE, "markdown").decode() == (
        "| run | AP | n |\n| --- | ---: | ---: |\n| a\\|b | **0.1235** | 3 |\n| c_d | 0.1000 | 12 |\n"
    )


def test_latex_escapes_and_marks() -> None:
    text = render(TABLE, "latex", 2).decode()
    assert r"c\_d & 0.10 & 12 \\" in text
    assert r"a|b & \textbf{0.12} & 3 \\" in text
    assert "\\begin{tabular}{lrr}\n\\toprule" in text


def test_parquet_reads_back() -> None:
    assert pl.read_parquet(io.BytesIO(render(TABLE, "parquet"))).equals(TIDY)
    assert pl.read_parquet(io.BytesIO(render(TABLE, "parquet", 1)))["value"].to_list() == [0.3, None]


def test_missing_values_are_a_dash() -> None:
    wide = pl.DataFrame({"run": ["a"], "AP": [None]}, schema={"run": pl.String, "AP": pl.Float64})
    assert render(Table(wide, wide, best=("AP",)), "table").decode().endswith("a     -\n")


def test_an_empty_table_is_a_header() -> None:
    empty = WIDE.clear()
    for form in FORMATS:
        assert render(Table(empty, empty, best=("AP",)), form)


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(InputError, match=r"format 'jsn': choose one of table, tsv, .*did you mean json"):
        render(TABLE, "jsn")


def test_json_tells_infinite_from_missing() -> None:
    frame = pl.DataFrame({"value": [float("inf"), -float("inf"), None, 1.5]})
    rows = json.loads(render(Table(frame, frame), "json"))["rows"]
    assert [row["value"] for row in rows] == ["inf", "-inf", None, 1.5]


SIGNED = Table(
    WIDE,
    WIDE.with_columns(cost=pl.Series([0.5, 0.25]), p=pl.Series([0.0, 0.00004])),
    best=("AP",),
    least=("cost",),
    chances={"p": 0.001},
    marks={"AP": ["†*", ""]},
    caption="* and † and 5% < 6% of c_d & <b>",
)


def test_signs_and_a_caption_in_text() -> None:
    assert render(SIGNED, "table").decode() == (
        "run        AP   n    cost        p\n"
        "───  ────────  ──  ──────  ───────\n"
        "a|b  0.1235†*   3  0.5000  <0.0010\n"
        "c_d  0.1000    12  0.2500  <0.0001\n"
        "\n"
        "* and † and 5% < 6% of c_d & <b>\n"
    )
    assert "\033[1m0.1235\033[0m†*  " in render(SIGNED, "table", bold=True).decode()
    assert "  \033[1m0.2500\033[0m  " in render(SIGNED, "table", bold=True).decode()


def test_signs_and_a_caption_in_markdown() -> None:
    lines = render(SIGNED, "markdown").decode().splitlines()
    assert lines[2] == r"| a\|b | **0.1235**†\* | 3 | 0.5000 | <0.0010 |"
    assert lines[3] == "| c_d | 0.1000 | 12 | **0.2500** | <0.0001 |"
    assert lines[4:] == ["", r"\* and † and 5% < 6% of c_d & \<b>"]


HOSTILE = ["\x1b[31mred", "line\nbreak", "\u202eevil", "<img src=x>", "=1+1", "[a](b)", "&lt;", "\x9b2J"]


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_formats_for_people_escape_what_they_would_obey(form: str) -> None:
    frame = pl.DataFrame({"run": HOSTILE, HOSTILE[0]: range(len(HOSTILE))})
    text = render(Table(frame, frame), form).decode()
    assert not set("\x1b\u202e\x9b") & set(text)
    assert "\\x1b[31mred" in text or "x1b" in text
    assert "line\nbreak" not in text
    if form in ("html", "markdown"):
        assert not re.search(r"(?<!\\)<img", text)
    if form == "markdown":
        assert r"\[a\](b)" in text
        assert r"\&lt;" in text


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "parquet"])
def test_formats_for_programs_are_exact(form: str) -> None:
    frame = pl.DataFrame({"run": HOSTILE})
    data = io.BytesIO(render(Table(frame, frame), form))
    read = {
        "tsv": lambda: pl.read_csv(data, separator="\t"),
        "csv": lambda: pl.read_csv(data),
        "json": lambda: pl.DataFrame(json.load(data)["rows"]),
        "parquet": lambda: pl.read_parquet(data),
    }[form]()
    assert read["run"].to_list() == HOSTILE


def test_a_spreadsheet_executes_nothing() -> None:
    frame = pl.DataFrame({"run": ["=1+1", "+a", "-b", "@c", "d", "\te", None], "value": [-1.0] * 7})
    rows = pl.read_csv(render(Table(frame, frame), "csv", spreadsheet=True))
    assert rows["run"].to_list() == ["'=1+1", "'+a", "'-b", "'@c", "d", "'\te", None]
    assert rows["value"].to_list() == [-1.0] * 7


def test_signs_and_a_caption_in_latex() -> None:
    lines = render(SIGNED, "latex", 3).decode().splitlines()
    assert lines[:4] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{* and $^{\dagger}$ and 5\% $<$ 6\% of c\_d \& $<$b$>$}",
        r"\begin{tabular}{lrrrr}",
    ]
    assert r"a|b & \textbf{0.123}\rlap{$^{\dagger*}$} & 3 & 0.500 & $<$0.001 \\" in lines
    assert lines[-2:] == [r"\end{tabular}", r"\end{table}"]
    wide = WIDE.with_columns(run=pl.lit("x"))
    both = Table(wide, wide, marks={"n": ["†‡§", "¶"]})
    assert r"3\rlap{$^{\dagger\ddagger\S}$} \\" in render(both, "latex").decode()


def test_html_escapes_everything_and_loads_nothing() -> None:
    wide = pl.DataFrame({"<run>": ["<i>&", "b"], "AP": [0.5, 0.25]})
    page = render(Table(wide, wide, best=("AP",), marks={"AP": ["<", ""]}, caption="<script>"), "html").decode()
    assert page.startswith(
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>assay tabulated</title>\n'
    )
    assert '<tr><td>&lt;i&gt;&amp;</td><td class="n"><strong>0.5000</strong><sup>&lt;</sup></td></tr>\n' in page
    assert '<tr><td>b</td><td class="n">0.2500</td></tr>\n' in page
    assert '<thead><tr><th>&lt;run&gt;</th><th class="n">AP</th></tr></thead>' in page
    assert '<p class="legend">&lt;script&gt;</p>' in page
    assert "color-scheme:light dark" in page
    for word in ("<script>", "http", "src=", "url(", "<i>"):
        assert word not in page
    assert "<p>" not in render(Table(wide, wide), "html").decode()


@pytest.mark.parametrize(
    ("p", "digits", "shown"),
    [
        (0.0, 4, "<0.0010"),
        (0.0, 2, "<0.01"),
        (0.00004, 4, "<0.0001"),
        (0.00006, 4, "0.0001"),
        (0.5, 4, "0.5000"),
        (None, 4, "-"),
        (float("nan"), 4, "-"),
        (0.2, 0, "<1"),
    ],
)
def test_a_probability_is_never_0(p: float | None, digits: int, shown: str) -> None:
    frame = pl.DataFrame({"p": [p]}, schema={"p": pl.Float64})
    assert render(Table(frame, frame, chances={"p": 0.001}), "table", digits).decode().split()[-1] == shown


def test_what_is_missing_is_never_the_best() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "cost": [float("nan"), 0.5], "none": [None, None]})
    text = render(Table(wide, wide, least=("cost", "none")), "markdown").decode()
    assert "| b | **0.5000** | - |" in text
    assert "| a | - | - |" in text


NAMES = [f"a-long-name-of-a-retrieval-system-with-seed-{seed}" for seed in (1, 2, 3)]


def lines_of(table: Table, width: int) -> list[str]:
    return render(table, "table", width=width).decode().splitlines()


def test_names_lose_their_middle_before_columns_move() -> None:
    frame = pl.DataFrame({"run": NAMES, "AP": [0.1, 0.2, 0.3], "RR": [0.5, 0.6, 0.7]})
    wide, narrow = lines_of(Table(frame, frame), 80), lines_of(Table(frame, frame), 40)
    assert [line.split()[0] for line in wide[2:]] == NAMES
    assert max(map(len, narrow)) <= 40
    assert len({line.split()[0] for line in narrow[2:]}) == 3
    assert narrow[0].split() == ["run", "AP", "RR"]


def test_columns_that_do_not_fit_follow_below_beside_the_names() -> None:
    frame = pl.DataFrame({"run": ["a", "b"], **{f"measure{i}": [0.1 * i, 0.2] for i in range(8)}})
    lines = lines_of(Table(frame, frame), 40)
    heads = [line.split() for line in lines if line.startswith("run")]
    assert [head[0] for head in heads] == ["run"] * len(heads)
    assert [name for head in heads for name in head[1:]] == frame.columns[1:]
    assert max(map(len, lines)) <= 40


def test_a_wide_table_has_all_columns_of_the_frame() -> None:
    text = render(TABLE, "table", wide=True, width=10).decode()
    assert text.splitlines()[0].split() == TIDY.columns


def test_headings_divide_a_table() -> None:
    frame = pl.DataFrame({"measure": ["AP", "AP", "RR"], "run": ["a", "b", "a"], "value": [0.5, 0.25, 1.0]})
    table = Table(frame, frame, heading="measure", best=("value",))
    lines = lines_of(table, 80)
    assert lines[0] == "AP"
    assert lines[5] == ""
    assert lines[6] == "RR"
    markdown = render(table, "markdown").decode()
    assert "**AP**\n\n| run | value |" in markdown
    assert "| a | **0.5000** |" in markdown
    assert r"\multicolumn{2}{l}{\textit{RR}} \\" in render(table, "latex").decode()
    assert '<tr><th colspan="2">RR</th></tr>' in render(table, "html").decode()


INTERVAL = Table(
    WIDE,
    WIDE.select("run", "AP"),
    best=("AP",),
    intervals={"AP": ([0.05, None], [0.2, None])},
    marks={"AP": ["†", ""]},
    apart=1,
)


def test_intervals_and_rows_set_apart() -> None:
    lines = lines_of(INTERVAL, 80)
    assert lines[0].split() == ["run", "AP", "95", "%", "CI"]
    assert lines[2].split() == ["a|b", "0.1235†", "[0.0500,", "0.2000]"]
    assert lines[3] == lines[1]
    assert lines[4].split() == ["c_d", "0.1000"]


def test_intervals_of_a_paper_have_no_zero_before_the_point() -> None:
    lines = render(INTERVAL, "latex", 3, label="tab:x", caption="Five % of runs").decode().splitlines()
    assert r"\caption{Five \% of runs}" in lines
    assert r"\label{tab:x}" in lines
    assert r"a|b & \textbf{0.123}\makebox[1.2em][l]{$^{\dagger}$} [.05, .20] \\" in lines
    assert lines.count(r"\midrule") == 2


def test_columns_of_the_terminal_are_not_printed_elsewhere() -> None:
    table = Table(WIDE, WIDE, terminal=("n",))
    assert lines_of(table, 80)[0].split() == ["run", "AP", "n"]
    assert "| run | AP |" in render(table, "markdown").decode()


def test_a_report_can_be_written_and_shown(tmp_path: Path) -> None:
    report = Tabulated(TABLE, "c_d is low.")
    report.write(tmp_path / "table.csv")
    assert pl.read_csv(tmp_path / "table.csv").equals(TIDY)
    with pytest.raises(InputError, match="unknown file name extension"):
        report.write(tmp_path / "table.docx")
    page = report._repr_html_()
    assert page.startswith('<div class="assay">')
    assert "<p>c_d is low.</p>" in page
    assert "<li>a note</li>" in page
    assert report.to_pandas()["run"].tolist() == ["a|b", "c_d"]
    assert report.to_latex().startswith("\\begin{table}")
    assert report.frame().equals(TIDY)
    with pytest.raises(InputError, match="show tabel: choose one of table; did you mean table"):
        report.table("tabel")


def test_a_notebook_shows_the_first_rows_of_many() -> None:
    frame = pl.DataFrame({"run": [f"r{i}" for i in range(200)], "AP": [0.1] * 200})
    page = Tabulated(Table(frame, frame, marks={"AP": ["*"] * 200}))._repr_html_()
    assert page.count("<tr>") == 61
    assert "The first 60 of 200 rows." in page
