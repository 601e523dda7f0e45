"""Where real collections are: ``ASSAY_DATA``, else ``../shared/data`` beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def real(*parts: str) -> Path:
    """A path inside the real data; the test is skipped, saying so, where there is none."""
    given = os.environ.get("ASSAY_DATA")
    root = Path(given) if given else Path(__file__).parent.parent.parent / "shared" / "data"
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no real data at {path} (set ASSAY_DATA to the folder that holds {parts[0]})")
    return path
