"""assay explore."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from assay.cli import main
from assay.simulation import simulate
from assay.views.explorer import server


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("campaign") / "c"
    simulate(systems=3, topics=4, depth=30, pool=10, seed=1).write(str(where))
    return where


def files(campaign: Path) -> list[str]:
    return [str(campaign / "qrels.txt"), str(campaign / "runs")]


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, which can be interrupted, and the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", "explore", *words, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + (process.communicate()[1] if process.poll() is not None else "")
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def test_serves_until_it_is_interrupted(campaign: Path) -> None:
    with started(*files(campaign)) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with urlopen(f"{address}api/campaign") as answer:
            assert json.load(answer)["counts"]["runs"] == 3
        with urlopen(f"{address}static/vega.js") as answer:
            assert b"vegaEmbed" in answer.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert err == "assay: stopped\n"


def test_policies_are_used(campaign: Path) -> None:
    words = ("--unjudged", "condensed", "--undefined", "exclude")
    with started(*files(campaign), *words) as (_, address), urlopen(f"{address}api/campaign") as answer:
        policies = json.load(answer)["policies"]
    assert (policies["unjudged"], policies["undefined"]) == ("condensed", "exclude")


def test_grades_and_lenient_reading(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 0.5\n1 0 b 0\nbroken\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n")
    words = (str(tmp_path / "qrels.txt"), str(tmp_path / "x.run"), "--grades", "0.5=2", "--lenient")
    with started(*words) as (_, address), urlopen(f"{address}api/campaign") as answer:
        campaign = json.load(answer)
    assert [row["grade"] for row in campaign["grades"]] == [0, 2]
    assert any("1 " in note and "qrels.txt" in note for note in campaign["notes"])


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of an error."""
    assert main(["explore", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("assay: ")
    return captured.err


def test_a_wrong_path(capsys, campaign: Path) -> None:
    assert "no-such-qrels" in told(capsys, "no-such-qrels", files(campaign)[1], "--port", "0")
    assert "no-such-run" in told(capsys, files(campaign)[0], "no-such-run", "--port", "0")


def test_a_port_in_use(capsys, campaign: Path) -> None:
    """It is told at once, before anything is read."""
    with server.listen("127.0.0.1", 0) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port} is in use" in told(capsys, "no-such-qrels", "no-such-run", "--port", port)


def test_ports_and_hosts_that_cannot_be(capsys, campaign: Path) -> None:
    assert "port must be from 0 to 65535, got 65536" in told(capsys, *files(campaign), "--port", "65536")
    assert "port must be from 0 to 65535, got -1" in told(capsys, *files(campaign), "--port", "-1")
    assert "is not an address of this machine" in told(capsys, *files(campaign), "--host", "192.0.2.1")


def test_policies_that_cannot_be(capsys, campaign: Path) -> None:
    assert "a curve needs an order" in told(capsys, *files(campaign), "--port", "0", "--ties", "expected")
    assert "did you mean" in told(capsys, *files(campaign), "--port", "0", "--unjudged", "condense")


class Served:
    """In place of a server that runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[str] = []
        self.hosts: list[str] = []
        monkeypatch.setattr(server, "serve", self.serve)
        monkeypatch.setattr("webbrowser.open", self.opened.append)
        monkeypatch.setattr("assay.views.explorer.files._PRINT", "print('vega')")

    def serve(self, campaign, listener, host, ready, runtime=None) -> None:
        self.hosts.append(host)
        assert runtime == b"vega\n"
        ready(server.browser_address(host, listener.getsockname()[1]))
        listener.close()
        raise KeyboardInterrupt


def test_opens_the_browser_if_asked(capsys, campaign: Path, monkeypatch) -> None:
    served = Served(monkeypatch)
    assert main(["explore", *files(campaign), "--port", "0", "--open"]) == 0
    [opened] = served.opened
    out = capsys.readouterr().out
    assert out == f"assay: the explorer is at {opened} (press Ctrl-C to stop)\n"
    assert main(["explore", *files(campaign), "--port", "0"]) == 0
    assert len(served.opened) == 1


def test_warns_if_others_can_reach_it(capsys, campaign: Path, monkeypatch) -> None:
    served = Served(monkeypatch)
    assert main(["explore", *files(campaign), "--port", "0", "--host", "0.0.0.0"]) == 0
    err = capsys.readouterr().err
    assert "note: --host 0.0.0.0: everyone who can reach this address can read the runs and judgments" in err
    assert served.hosts == ["0.0.0.0"]
    for host in ("127.0.0.1", "localhost"):
        assert main(["explore", *files(campaign), "--port", "0", "--host", host]) == 0
        assert capsys.readouterr().err == "assay: stopped\n"


def test_interrupted_while_reading(campaign: Path, monkeypatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli._command.Command.read", interrupted)
    assert main(["explore", *files(campaign), "--port", "0"]) == 130


def test_without_the_packages(capsys, campaign: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setattr("assay.views.explorer.files._PRINT", "print('vega')")
    assert told(capsys, *files(campaign), "--port", "0") == (
        "assay: the explorer needs uvicorn; pip install 'assay-ir[explore]'\n"
    )


def test_no_server_is_loaded_for_help() -> None:
    code = "from assay.cli import main\nmain(['explore', '--help'])\n"
    code += "import sys; print(sorted({'starlette', 'uvicorn', 'altair'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.splitlines()[-1] == "[]"
