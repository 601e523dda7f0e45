"""Write the reference pages into ``docs/reference``."""

from __future__ import annotations

from pathlib import Path

from assay.views.reference import names, page

if __name__ == "__main__":
    for name in names():
        (Path(__file__).parents[4] / "docs" / "reference" / name).write_text(page(name))
