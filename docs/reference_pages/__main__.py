"""Write the reference pages into ``docs/reference``."""

from __future__ import annotations

from pathlib import Path

from reference_pages import names, page

if __name__ == "__main__":
    for name in names():
        (Path(__file__).parents[1] / "reference" / name).write_text(page(name))
