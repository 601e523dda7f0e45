"""--lenient: what it accepts, what it still refuses, and where errors mention it."""

from pathlib import Path

import pytest

from assay.cli import list_commands, load_module, main

QRELS = "".join(f"{topic} 0 {doc} {doc == 'a':d}\n" for topic in ("1", "2") for doc in "abc")
RUN = "".join(f"{topic} Q0 {doc} {rank} {9 - rank} one\n" for topic in ("1", "2") for rank, doc in enumerate("abc", 1))
MORE = {"meta study": ["-o", "study"], "explore": ["--port", "0"]}
FIGURES = ("plot leaderboard", "plot crp", "plot deciding")


def takes_runs(words: tuple[str, ...]) -> bool:
    """Whether the command evaluates several runs against judgments."""
    command = getattr(load_module(*words), "COMMAND", None)
    inputs = getattr(command, "inputs", ())
    return (inputs == ("qrels", "runs") and words[-1] != "curve") or words[-1] == "med"


COMMANDS = [*(" ".join(words) for words in list_commands() if takes_runs(words)), *FIGURES]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text(QRELS)
    Path("one.run").write_text(RUN)
    Path("other.run").write_text(RUN.replace("1 Q0", "8 Q0").replace("2 Q0", "9 Q0").replace("one", "other"))


def words(command: str, *runs: str) -> list[str]:
    judged = ["--qrels", "qrels.txt"] if command == "distance med" else ["qrels.txt"]
    return [*command.split(), *judged, *runs, *MORE.get(command, [])]


def test_there_are_commands_to_check() -> None:
    assert {"eval", "compare", "leaderboard", "report", "explore", "effort indicators"} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_that_shares_no_topic_with_the_qrels_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words(command, "other.run", "one.run"), "--lenient"]) == 2
    assert "other.run: shares no topic with the qrels" in capsys.readouterr().err


def test_a_curve_of_a_run_that_shares_no_topic_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["effort", "curve", "qrels.txt", "other.run", "--topic", "1", "--lenient"]) == 2
    assert "other.run: shares no topic with the qrels" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS)
def test_strict_errors_name_the_option(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.run").write_text(RUN + "2 Q0 a 9 0.5 one\n")
    assert main(words(command, "one.run", "other.run")) == 2
    error = capsys.readouterr().err
    assert "one.run:7: document a was already retrieved for topic 2" in error
    assert error.endswith("--lenient\n")


def test_the_drop_in_has_no_such_option(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.run").write_text(RUN + "2 Q0 x\n")
    assert main(["trec_eval", "qrels.txt", "one.run"]) != 0
    error = capsys.readouterr().err
    assert "one.run:7" in error
    assert "lenient" not in error
