"""Input files for the tests of ``assay effort``."""

from __future__ import annotations

from pathlib import Path

import pytest

QRELS = "301 0 a 2\n301 0 b 1\n301 0 c 1\n302 0 a 1\n302 0 e 4\n303 0 a 0\n304 0 q 1\n"
RUN = "301 Q0 b 1 9 t\n301 Q0 a 2 8 t\n301 Q0 x 3 7 t\n302 Q0 y 1 9 t\n302 Q0 e 2 8 t\n302 Q0 z 3 7 t\n302 Q0 a 4 6 t\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
