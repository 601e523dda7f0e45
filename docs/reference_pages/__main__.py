"""Write the reference pages and the JSON Schemas into ``docs/reference``."""

from __future__ import annotations

from pathlib import Path

from reference_pages import _schemas, names, page

if __name__ == "__main__":
    folder = Path(__file__).parents[1] / "reference"
    for name in names():
        (folder / name).write_text(page(name))
    (folder / "schemas").mkdir(exist_ok=True)
    for name in _schemas.names():
        (folder / "schemas" / name).write_text(_schemas.schema(name))
