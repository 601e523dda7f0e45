"""Tests of messages on the command line: they name options, not arguments of Python functions."""

from __future__ import annotations

import pytest

from assay.cli import main
from assay.cli._option_names import name_options, write_options
from assay.errors import InputError

QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 2.0 {tag}\n1 Q0 b 2 1.0 {tag}\n"


@pytest.fixture
def files(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS)
    for name in ("one", "two"):
        (tmp_path / f"{name}.run").write_text(RUN.format(tag=name))


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["eval", "--ties", "random"], "assay: --ties random: choose one of "),
        (["compare", "--test", "z"], "assay: --test z: choose one of "),
        (["compare", "--alpha", "5"], "assay: --alpha must "),
        (["theory", "order", "--unequal", "fill"], "assay: --unequal fill: choose one of "),
    ],
)
def test_errors_name_the_option(args: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    group = args[:-2]
    assert main([*group, "qrels.txt", "one.run", "two.run", *args[-2:]]) == 2
    assert capsys.readouterr().err.startswith(expected)


def test_nouns_and_parameters_of_measures_are_not_options() -> None:
    options = {"topic": ["401"], "p": ["0.5"], "rel": None}
    for message in ("topic '401': has no judgments", "RBP(p=0.8, rel=2) has no value", "no grade reaches rel=9"):
        assert write_options(message, options) == message


def test_alternatives_that_become_equal_are_written_once() -> None:
    assert write_options("(tail=False or --no-tail: assume none)", {"tail": True}) == "(--no-tail: assume none)"


def test_other_messages_stay() -> None:
    with pytest.raises(InputError, match=r"^qrels\.txt: no such file$"), name_options({"depth": None}):
        raise InputError("qrels.txt: no such file")
