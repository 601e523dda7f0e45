"""Rendering of tables in every format."""

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
TABLE = Table(TIDY, WIDE, highest_is_best=("AP",))


class SingleTableReport(Report):
    """Report with one table."""

    name = "tabulated"
    notes = ("a note",)
    provenance = Provenance((Input("qrels", "q", "q.txt", None),), version="x")

    def __init__(self, table: Table, sentences: str = "") -> None:
        self._table, self._sentences = table, sentences

    def summary(self) -> str:
        return self._sentences

    def _show_table(self) -> Table:
        return self._table


def render(table: Table, format_name: str, digits: int | None = None, **layout: object) -> bytes:
    return render_report(SingleTableReport(table), format_name, layout=TableLayout(digits=digits, **layout))  # type: ignore[arg-type]


def test_text_is_aligned_and_rounded() -> None:
    assert render(TABLE, "table").decode() == (
        "run      AP   n\n"
        "───  ──────  ──\n"
        "a|b  0.1235   3\n"
        "c_d  0.1000  12\n"
    )  # fmt: skip


def test_text_is_bold_for_the_best_value() -> None:
    assert "\033[1m0.1235\033[0m" in render(TABLE, "table", bold=True).decode()


def test_values_with_the_same_digits_are_marked_alike() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "AP": [0.12341, 0.12342]})
    assert render(Table(wide, wide, highest_is_best=("AP",)), "markdown").decode().count("**0.1234**") == 2


def test_zero_has_no_sign() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "difference": [-0.00001, -0.5]})
    assert render(Table(wide, wide), "table").decode().splitlines()[2:] == ["a        0.0000", "b       -0.5000"]


def test_separated_values_have_all_digits_and_empty_missing_values() -> None:
    assert render(TABLE, "tsv") == b"run\tmeasure\ttopic\tvalue\na|b\tAP\tall\t0.3333333333333333\nc_d\tAP\tall\t\n"
    assert render(TABLE, "csv", 2) == b"run,measure,topic,value\na|b,AP,all,0.33\nc_d,AP,all,\n"


def test_csv_quotes_commas() -> None:
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


def test_markdown_escapes_text_and_marks_the_best() -> None:
    assert render(TABLE, "markdown").decode() == (
        "| run | AP | n |\n| --- | ---: | ---: |\n| a\\|b | **0.1235** | 3 |\n| c_d | 0.1000 | 12 |\n"
    )


def test_latex_escapes_text_and_marks_the_best() -> None:
    text = render(TABLE, "latex", 2).decode()
    assert r"c\_d & 0.10 & 12 \\" in text
    assert r"a|b & \textbf{0.12} & 3 \\" in text
    assert "\\begin{tabular}{lrr}\n\\toprule" in text


def test_parquet_reads_back() -> None:
    assert pl.read_parquet(io.BytesIO(render(TABLE, "parquet"))).equals(TIDY)
    assert pl.read_parquet(io.BytesIO(render(TABLE, "parquet", 1)))["value"].to_list() == [0.3, None]


def test_missing_values_are_printed_as_a_dash() -> None:
    wide = pl.DataFrame({"run": ["a"], "AP": [None]}, schema={"run": pl.String, "AP": pl.Float64})
    assert render(Table(wide, wide, highest_is_best=("AP",)), "table").decode().endswith("a     -\n")


def test_empty_tables_render_in_every_format() -> None:
    empty = WIDE.clear()
    for format_name in FORMATS:
        assert render(Table(empty, empty, highest_is_best=("AP",)), format_name)


def test_unknown_format_raises() -> None:
    with pytest.raises(InputError, match=r"format 'jsn': choose one of table, tsv, .*did you mean json"):
        render(TABLE, "jsn")


def test_json_distinguishes_infinite_from_missing_values() -> None:
    frame = pl.DataFrame({"value": [float("inf"), -float("inf"), None, 1.5]})
    rows = json.loads(render(Table(frame, frame), "json"))["rows"]
    assert [row["value"] for row in rows] == ["inf", "-inf", None, 1.5]


MARKED = Table(
    WIDE,
    WIDE.with_columns(cost=pl.Series([0.5, 0.25]), p=pl.Series([0.0, 0.00004])),
    highest_is_best=("AP",),
    lowest_is_best=("cost",),
    probability_columns={"p": 0.001},
    marks={"AP": ["†*", ""]},
    caption="* and † and 5% < 6% of c_d & <b>",
)


def test_marks_and_caption_in_text() -> None:
    assert render(MARKED, "table").decode() == (
        "run        AP   n    cost        p\n"
        "───  ────────  ──  ──────  ───────\n"
        "a|b  0.1235†*   3  0.5000  <0.0010\n"
        "c_d  0.1000    12  0.2500  <0.0001\n"
        "\n"
        "* and † and 5% < 6% of c_d & <b>\n"
    )
    assert "\033[1m0.1235\033[0m†*  " in render(MARKED, "table", bold=True).decode()
    assert "  \033[1m0.2500\033[0m  " in render(MARKED, "table", bold=True).decode()


def test_marks_and_caption_in_markdown() -> None:
    lines = render(MARKED, "markdown").decode().splitlines()
    assert lines[2] == r"| a\|b | **0.1235**†\* | 3 | 0.5000 | <0.0010 |"
    assert lines[3] == "| c_d | 0.1000 | 12 | **0.2500** | <0.0001 |"
    assert lines[4:] == ["", r"\* and † and 5% < 6% of c_d & \<b>"]


HOSTILE = ["\x1b[31mred", "line\nbreak", "\u202eevil", "<img src=x>", "=1+1", "[a](b)", "&lt;", "\x9b2J"]


@pytest.mark.parametrize("format_name", ["table", "markdown", "latex", "html"])
def test_display_formats_escape_control_sequences_and_markup(format_name: str) -> None:
    frame = pl.DataFrame({"run": HOSTILE, HOSTILE[0]: range(len(HOSTILE))})
    text = render(Table(frame, frame), format_name).decode()
    assert not set("\x1b\u202e\x9b") & set(text)
    assert "\\x1b[31mred" in text or "x1b" in text
    assert "line\nbreak" not in text
    if format_name in ("html", "markdown"):
        assert not re.search(r"(?<!\\)<img", text)
    if format_name == "markdown":
        assert r"\[a\](b)" in text
        assert r"\&lt;" in text


@pytest.mark.parametrize("format_name", ["tsv", "csv", "json", "parquet"])
def test_data_formats_preserve_text_exactly(format_name: str) -> None:
    frame = pl.DataFrame({"run": HOSTILE})
    data = io.BytesIO(render(Table(frame, frame), format_name))
    read = {
        "tsv": lambda: pl.read_csv(data, separator="\t"),
        "csv": lambda: pl.read_csv(data),
        "json": lambda: pl.DataFrame(json.load(data)["rows"]),
        "parquet": lambda: pl.read_parquet(data),
    }[format_name]()
    assert read["run"].to_list() == HOSTILE


def test_spreadsheet_option_disables_formulas() -> None:
    frame = pl.DataFrame({"run": ["=1+1", "+a", "-b", "@c", "d", "\te", None], "value": [-1.0] * 7})
    rows = pl.read_csv(render(Table(frame, frame), "csv", spreadsheet=True))
    assert rows["run"].to_list() == ["'=1+1", "'+a", "'-b", "'@c", "d", "'\te", None]
    assert rows["value"].to_list() == [-1.0] * 7


def test_marks_and_caption_in_latex() -> None:
    lines = render(MARKED, "latex", 3).decode().splitlines()
    assert lines[:4] == [
        r"\begin{table}",
        r"\centering",
        r"\caption{* and $^{\dagger}$ and 5\% $<$ 6\% of c\_d \& $<$b$>$}",
        r"\begin{tabular}{lrrrr}",
    ]
    assert r"a|b & \textbf{0.123}\rlap{$^{\dagger*}$} & 3 & 0.500 & $<$0.001 \\" in lines
    assert lines[-2:] == [r"\end{tabular}", r"\end{table}"]
    wide = WIDE.with_columns(run=pl.lit("x"))
    several_marks = Table(wide, wide, marks={"n": ["†‡§", "¶"]})
    assert r"3\rlap{$^{\dagger\ddagger\S}$} \\" in render(several_marks, "latex").decode()


def test_html_escapes_text_and_loads_no_resources() -> None:
    wide = pl.DataFrame({"<run>": ["<i>&", "b"], "AP": [0.5, 0.25]})
    page = render(
        Table(wide, wide, highest_is_best=("AP",), marks={"AP": ["<", ""]}, caption="<script>"), "html"
    ).decode()
    assert page.startswith(
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>assay tabulated</title>\n'
    )
    assert '<tr><td>&lt;i&gt;&amp;</td><td class="n"><strong>0.5000</strong><sup>&lt;</sup></td></tr>\n' in page
    assert '<tr><td>b</td><td class="n">0.2500</td></tr>\n' in page
    assert '<thead><tr><th>&lt;run&gt;</th><th class="n">AP</th></tr></thead>' in page
    assert '<p class="legend">&lt;script&gt;</p>' in page
    assert "color-scheme:light dark" in page
    for fragment in ("<script>", "http", "src=", "url(", "<i>"):
        assert fragment not in page
    assert "<p>" not in render(Table(wide, wide), "html").decode()


@pytest.mark.parametrize(
    ("p", "digits", "expected"),
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
def test_probabilities_are_never_printed_as_0(p: float | None, digits: int, expected: str) -> None:
    frame = pl.DataFrame({"p": [p]}, schema={"p": pl.Float64})
    assert (
        render(Table(frame, frame, probability_columns={"p": 0.001}), "table", digits).decode().split()[-1] == expected
    )


def test_missing_values_are_never_marked_as_best() -> None:
    wide = pl.DataFrame({"run": ["a", "b"], "cost": [float("nan"), 0.5], "none": [None, None]})
    text = render(Table(wide, wide, lowest_is_best=("cost", "none")), "markdown").decode()
    assert "| b | **0.5000** | - |" in text
    assert "| a | - | - |" in text


NAMES = [f"a-long-name-of-a-retrieval-system-with-seed-{seed}" for seed in (1, 2, 3)]


def render_lines(table: Table, width: int) -> list[str]:
    return render(table, "table", width=width).decode().splitlines()


def test_long_names_are_shortened_to_fit_the_width() -> None:
    frame = pl.DataFrame({"run": NAMES, "AP": [0.1, 0.2, 0.3], "RR": [0.5, 0.6, 0.7]})
    wide, narrow = render_lines(Table(frame, frame), 80), render_lines(Table(frame, frame), 40)
    assert [line.split()[0] for line in wide[2:]] == NAMES
    assert max(map(len, narrow)) <= 40
    assert len({line.split()[0] for line in narrow[2:]}) == 3
    assert narrow[0].split() == ["run", "AP", "RR"]


def test_columns_that_do_not_fit_form_another_panel() -> None:
    frame = pl.DataFrame({"run": ["a", "b"], **{f"measure{i}": [0.1 * i, 0.2] for i in range(8)}})
    lines = render_lines(Table(frame, frame), 40)
    headers = [line.split() for line in lines if line.startswith("run")]
    assert [header[0] for header in headers] == ["run"] * len(headers)
    assert [name for header in headers for name in header[1:]] == frame.columns[1:]
    assert max(map(len, lines)) <= 40


def test_a_wide_table_has_all_columns_of_the_frame() -> None:
    text = render(TABLE, "table", wide=True, width=10).decode()
    assert text.splitlines()[0].split() == TIDY.columns


def test_heading_divides_a_table() -> None:
    frame = pl.DataFrame({"measure": ["AP", "AP", "RR"], "run": ["a", "b", "a"], "value": [0.5, 0.25, 1.0]})
    table = Table(frame, frame, heading="measure", highest_is_best=("value",))
    lines = render_lines(table, 80)
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
    highest_is_best=("AP",),
    intervals={"AP": ([0.05, None], [0.2, None])},
    marks={"AP": ["†", ""]},
    rows_above_rule=1,
)


def test_intervals_and_separated_rows() -> None:
    lines = render_lines(INTERVAL, 80)
    assert lines[0].split() == ["run", "AP", "95", "%", "CI"]
    assert lines[2].split() == ["a|b", "0.1235†", "[0.0500,", "0.2000]"]
    assert lines[3] == lines[1]
    assert lines[4].split() == ["c_d", "0.1000"]


def test_latex_intervals_have_no_leading_zero() -> None:
    lines = render(INTERVAL, "latex", 3, label="tab:x", caption="Five % of runs").decode().splitlines()
    assert r"\caption{Five \% of runs}" in lines
    assert r"\label{tab:x}" in lines
    assert r"a|b & \textbf{0.123}\makebox[1.2em][l]{$^{\dagger}$} [.05, .20] \\" in lines
    assert lines.count(r"\midrule") == 2


def test_terminal_columns_appear_only_in_text() -> None:
    table = Table(WIDE, WIDE, terminal_only=("n",))
    assert render_lines(table, 80)[0].split() == ["run", "AP", "n"]
    assert "| run | AP |" in render(table, "markdown").decode()


def test_writing_and_displaying_a_report(tmp_path: Path) -> None:
    report = SingleTableReport(TABLE, "c_d is low.")
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


def test_notebooks_show_the_first_rows_of_long_tables() -> None:
    frame = pl.DataFrame({"run": [f"r{i}" for i in range(200)], "AP": [0.1] * 200})
    page = SingleTableReport(Table(frame, frame, marks={"AP": ["*"] * 200}))._repr_html_()
    assert page.count("<tr>") == 61
    assert "The table shows the first 60 of 200 rows." in page
