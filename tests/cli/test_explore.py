"""Tests of ``assay explore``."""

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
    directory = tmp_path_factory.mktemp("campaign") / "c"
    simulate(systems=3, topics=4, depth=30, pool=10, seed=1).write(str(directory))
    return directory


def files(campaign: Path) -> list[str]:
    return [str(campaign / "qrels.txt"), str(campaign / "runs")]


@contextmanager
def start_explorer(*args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command in a separate process, which can be interrupted; yield it with the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", "explore", *args, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://\S+", line)
        assert match, line + (process.communicate()[1] if process.poll() is not None else "")
        yield process, match[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.mark.posix
def test_serves_until_interrupted(campaign: Path) -> None:
    with start_explorer(*files(campaign)) as (process, address):
        assert address.startswith("http://127.0.0.1:")
        with urlopen(f"{address}api/campaign") as response:
            assert json.load(response)["counts"]["runs"] == 3
        with urlopen(f"{address}static/vega.js") as response:
            assert b"vegaEmbed" in response.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out == ""
    assert err == "assay: stopped\n"


def test_policies_are_applied(campaign: Path) -> None:
    args = ("--unjudged", "condensed", "--undefined", "exclude")
    with start_explorer(*files(campaign), *args) as (_, address), urlopen(f"{address}api/campaign") as response:
        policies = json.load(response)["policies"]
    assert (policies["unjudged"], policies["undefined"]) == ("condensed", "exclude")


def test_replaced_grades_and_lenient_reading(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 0.5\n1 0 b 0\nbroken\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n")
    args = (str(tmp_path / "qrels.txt"), str(tmp_path / "x.run"), "--grades", "0.5=2", "--lenient")
    with start_explorer(*args) as (_, address), urlopen(f"{address}api/campaign") as response:
        campaign = json.load(response)
    assert [row["grade"] for row in campaign["grades"]] == [0, 2]
    assert any("1 " in note and "qrels.txt" in note for note in campaign["notes"])


def read_error(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """Run the command, which must fail, and return its error message of one line."""
    assert main(["explore", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("assay: ")
    return captured.err


def test_missing_files_are_reported(capsys, campaign: Path) -> None:
    assert "no-such-qrels" in read_error(capsys, "no-such-qrels", files(campaign)[1], "--port", "0")
    assert "no-such-run" in read_error(capsys, files(campaign)[0], "no-such-run", "--port", "0")


def test_port_in_use_is_reported_before_reading(capsys, campaign: Path) -> None:
    with server.listen("127.0.0.1", 0) as listener:
        port = str(listener.getsockname()[1])
        assert f"port {port} is in use" in read_error(capsys, "no-such-qrels", "no-such-run", "--port", port)


def test_invalid_ports_and_hosts_are_rejected(capsys, campaign: Path) -> None:
    assert "port must be from 0 to 65535, got 65536" in read_error(capsys, *files(campaign), "--port", "65536")
    assert "port must be from 0 to 65535, got -1" in read_error(capsys, *files(campaign), "--port", "-1")
    assert "is not an address of this machine" in read_error(capsys, *files(campaign), "--host", "192.0.2.1")


def test_invalid_policies_are_rejected(capsys, campaign: Path) -> None:
    assert "a curve needs an order" in read_error(capsys, *files(campaign), "--port", "0", "--ties", "expected")
    assert "did you mean" in read_error(capsys, *files(campaign), "--port", "0", "--unjudged", "condense")


class FakeServer:
    """Replacement for the server that records hosts and opened addresses, then stops."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[str] = []
        self.hosts: list[str] = []
        monkeypatch.setattr(server, "serve", self.serve)
        monkeypatch.setattr("webbrowser.open", self.opened.append)
        monkeypatch.setattr("assay.views.explorer.files._PRINT_RUNTIME", "print('vega')")

    def serve(self, app, listener, host, ready) -> None:
        self.hosts.append(host)
        ready(server.browser_address(host, listener.getsockname()[1]))
        listener.close()
        raise KeyboardInterrupt


def test_open_opens_the_browser(capsys, campaign: Path, monkeypatch) -> None:
    fake_server = FakeServer(monkeypatch)
    assert main(["explore", *files(campaign), "--port", "0", "--open"]) == 0
    [opened] = fake_server.opened
    out = capsys.readouterr().out
    assert out == f"assay: the explorer is at {opened} (press Ctrl-C to stop)\n"
    assert main(["explore", *files(campaign), "--port", "0"]) == 0
    assert len(fake_server.opened) == 1


def test_public_host_prints_a_note(capsys, campaign: Path, monkeypatch) -> None:
    fake_server = FakeServer(monkeypatch)
    assert main(["explore", *files(campaign), "--port", "0", "--host", "0.0.0.0"]) == 0
    err = capsys.readouterr().err
    assert "note: --host 0.0.0.0: everyone who can reach this address can read the runs and judgments" in err
    assert fake_server.hosts == ["0.0.0.0"]
    for host in ("127.0.0.1", "localhost"):
        assert main(["explore", *files(campaign), "--port", "0", "--host", host]) == 0
        assert capsys.readouterr().err == "assay: stopped\n"


def test_interrupt_while_reading_exits_with_130(campaign: Path, monkeypatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli._command.Command.read", interrupt)
    assert main(["explore", *files(campaign), "--port", "0"]) == 130


def test_missing_package_is_reported(capsys, campaign: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setattr("assay.views.explorer.files._PRINT_RUNTIME", "print('vega')")
    assert read_error(capsys, *files(campaign), "--port", "0") == (
        "assay: the explorer needs uvicorn; pip install 'assay-ir[explore]'\n"
    )


def test_no_server_is_loaded_for_help() -> None:
    code = "from assay.cli import main\nmain(['explore', '--help'])\n"
    code += "import sys; print(sorted({'starlette', 'uvicorn', 'altair'} & set(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ)
    assert process.stdout.splitlines()[-1] == "[]"
