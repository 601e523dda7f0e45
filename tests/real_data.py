"""Paths of real collections: below ``ASSAY_DATA`` if it is set, else below ``../shared/data``."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from assay import read
from assay.engine.campaign import Campaign


def real(*parts: str) -> Path:
    """Return a path inside the real data, or skip the test if it does not exist."""
    folder = os.environ.get("ASSAY_DATA")
    root = Path(folder) if folder else Path(__file__).parent.parent.parent / "shared" / "data"
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no real data at {path} (set ASSAY_DATA to the folder that holds {parts[0]})")
    return path


@cache
def read_trec8() -> Campaign:
    """Read the 129 runs of TREC-8 once for all tests."""
    folder = real("trec8-adhoc")
    return read(folder / "qrels.trec8.adhoc.txt.gz", folder / "runs", keep="judgments")
