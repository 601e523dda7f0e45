"""The options --queries and --docs."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl
import pytest

import assay
from assay.cli._command import Command
from assay.cli._parse import Parser
from assay.errors import InputError
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.snippets import make_snippet
from assay.results.tables import Table


@dataclass(frozen=True, eq=False)
class TextsReport(Report):
    frame_of_texts: pl.DataFrame
    notes: tuple[str, ...]
    provenance: Provenance

    name = "texts"

    def summary(self) -> str:
        return ""

    def _show_table(self) -> Table:
        return Table(self.frame_of_texts, self.frame_of_texts)


def show_texts(campaign: assay.Campaign) -> TextsReport:
    rows = [
        (name, make_snippet(document.text, 30) if document else None)
        for name, document in campaign.docs.fetch(["d1", "d2"]).items()
    ]
    rows += [(topic, campaign.queries.get(topic)) for topic in campaign.topics]
    frame = pl.DataFrame(rows, schema=["id", "text"], orient="row")
    return TextsReport(frame, campaign.docs.notes, campaign.provenance)


COMMAND = Command(show_texts, "", texts=True)


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 a\n")
    (tmp_path / "q.tsv").write_text("q1\twhat is \x1b[31mred\n")
    (tmp_path / "c1.tsv").write_text("d1\tone\n")
    (tmp_path / "c2.tsv").write_text("d2\ttwo\n")


def run(*words):
    parser: Parser = COMMAND.parser("assay texts", "")
    COMMAND.run(parser.parse(words))


@pytest.mark.parametrize(
    "words",
    [
        ["qrels.txt", "a.run", "--queries", "q.tsv", "--docs", "c1.tsv", "c2.tsv"],
        ["--docs", "c1.tsv", "c2.tsv", "--queries=q.tsv", "qrels.txt", "a.run"],
        ["qrels.txt", "a.run", "--docs=c1.tsv", "--docs", "c2.tsv", "--queries", "q.tsv"],
    ],
)
def test_texts_are_read(capsys, words):
    run(*words)
    captured = capsys.readouterr()
    assert "d1  one" in captured.out
    assert "d2  two" in captured.out
    assert r"q1  what is \x1b[31mred" in captured.out
    assert captured.err == ""


def test_missing_texts_are_noted(capsys):
    run("qrels.txt", "a.run", "--docs", "c2.tsv")
    assert "note: c2.tsv: contains no text for 1 of 2 documents (d1)" in capsys.readouterr().err


def test_inputs_after_the_documents_are_explained():
    with pytest.raises(InputError, match=r"required: QRELS, RUN; name them before --docs"):
        run("--docs", "c1.tsv", "qrels.txt", "a.run")


def test_the_output_must_not_overwrite_texts():
    with pytest.raises(InputError, match=r"-o c1.tsv: would overwrite an input"):
        run("qrels.txt", "a.run", "--docs", "c1.tsv", "-o", "c1.tsv")
