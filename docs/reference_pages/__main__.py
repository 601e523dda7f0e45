"""Write the reference pages and the JSON Schemas into ``docs/reference``."""

from __future__ import annotations

from pathlib import Path

from reference_pages import _json_schemas, list_pages, render_page

if __name__ == "__main__":
    folder = Path(__file__).parents[1] / "reference"
    for name in list_pages():
        (folder / name).write_text(render_page(name))
    (folder / "schemas").mkdir(exist_ok=True)
    for name in _json_schemas.list_schemas():
        (folder / "schemas" / name).write_text(_json_schemas.render_schema(name))
