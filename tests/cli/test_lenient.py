"""Tests of ``--lenient``: accepted inputs, rejected inputs and error messages that mention it."""

from pathlib import Path

import pytest

from assay.cli import list_commands, load_module, main

QRELS = "".join(f"{topic} 0 {doc} {doc == 'a':d}\n" for topic in ("1", "2") for doc in "abc")
RUN = "".join(f"{topic} Q0 {doc} {rank} {9 - rank} one\n" for topic in ("1", "2") for rank, doc in enumerate("abc", 1))
EXTRA_ARGS = {
    "meta study": ["-o", "study"],
    "explore": ["--port", "0"],
    "gate": ["--baseline", "one.run", "--margin", "AP=0.1"],
    "uncertainty judge": ["-o", "judged.qrels", "--port", "0"],
}
FIGURES = ("plot leaderboard", "plot crp", "plot deciding")


def evaluates_runs(name: tuple[str, ...]) -> bool:
    """Return whether the command evaluates several runs against judgments; check reports errors in its table."""
    if name == ("check",):
        return False
    command = getattr(load_module(*name), "COMMAND", None)
    inputs = getattr(command, "inputs", ())
    return (inputs == ("qrels", "runs") and name[-1] != "curve") or name[-1] == "med"


COMMANDS = [*(" ".join(name) for name in list_commands() if evaluates_runs(name)), *FIGURES]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("one.run").write_text(RUN)
    Path("other.run").write_text(RUN.replace("1 Q0", "8 Q0").replace("2 Q0", "9 Q0").replace("one", "other"))


def build_args(command: str, *runs: str) -> list[str]:
    qrels = ["--qrels", "qrels.txt"] if command == "distance med" else ["qrels.txt"]
    return [*command.split(), *qrels, *runs, *EXTRA_ARGS.get(command, [])]


def test_there_are_commands_to_check() -> None:
    assert {"eval", "compare", "leaderboard", "report", "explore", "effort indicators"} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_run_without_common_topics_is_rejected(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*build_args(command, "other.run", "one.run"), "--lenient"]) == 2
    assert "other.run: shares no topic with the qrels" in capsys.readouterr().err


def test_curve_of_a_run_without_common_topics_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["effort", "curve", "qrels.txt", "other.run", "--topic", "1", "--lenient"]) == 2
    assert "other.run: shares no topic with the qrels" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_strict_errors_mention_the_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.run").write_text(RUN + "2 Q0 a 9 0.5 one\n")
    assert main(build_args(command, "one.run", "other.run")) == 2
    error = capsys.readouterr().err
    assert "one.run:7: document a was already retrieved for topic 2" in error
    assert error.endswith("--lenient\n")


def test_trec_eval_does_not_mention_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.run").write_text(RUN + "2 Q0 x\n")
    assert main(["trec_eval", "qrels.txt", "one.run"]) != 0
    error = capsys.readouterr().err
    assert "one.run:7" in error
    assert "lenient" not in error
