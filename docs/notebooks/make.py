"""Run the notebooks again and store their outputs; convert one to a page of Markdown.

``python docs/notebooks/make.py`` where the package is installed with its extra ``test``.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
NOTEBOOKS = tuple(sorted(HERE.glob("*.ipynb")))


def read(path: str | Path) -> Any:
    """Return the notebook as it is stored."""
    import nbformat

    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: str | Path, folder: str | Path) -> Any:
    """Return the notebook with the outputs of a run in *folder*; a failing cell is an error."""
    from nbclient import NotebookClient

    notebook = read(path)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    # The settings and the history of who runs it are neither read nor written.
    client.execute(env={**os.environ, "IPYTHONDIR": str(Path(folder) / ".ipython")})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when each cell was run
    return notebook


def notebook_page(path: str | Path) -> str:
    """Return the notebook as a page of Markdown: prose, code, outputs and figures."""
    cells = json.loads(Path(path).read_text())["cells"]
    return "\n\n".join(part for cell in cells for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    named = re.search(r'plot\(\s*"([\w-]+)"', source)
    alt = f"figure {named[1]}" if named else "figure"
    return [f"```py\n{source}\n```", *(part for output in cell["outputs"] for part in _shown(output, alt))]


def _text(lines: str | list[str]) -> str:
    """Return a text that the format stores whole or line by line."""
    return lines if isinstance(lines, str) else "".join(lines)


def _shown(output: dict[str, Any], alt: str) -> list[str]:
    """Return an output as Markdown: an image, a table, a report, or printed text."""
    if output["output_type"] == "stream":
        return _tables_apart(_text(output["text"]))
    data = output["data"]
    if "image/png" in data:
        return [f"![{alt}](data:image/png;base64,{''.join(_text(data['image/png']).split())})"]
    plain = _text(data["text/plain"])
    if "text/html" in data and not plain.startswith("|"):  # a report; frames are tables of Markdown
        return [_text(data["text/html"]).strip()]
    return _tables_apart(plain)


def _tables_apart(text: str) -> list[str]:
    """Separate lines of Markdown tables, which stay as they are, from others, which become text blocks."""
    parts: list[tuple[bool, list[str]]] = []
    for line in text.strip("\n").splitlines():
        table = line.startswith("|")
        if not parts or parts[-1][0] != table:
            parts.append((table, []))
        parts[-1][1].append(line)
    filled = [(table, lines) for table, lines in parts if any(lines)]
    return ["\n".join(lines if table else ["```text", *lines, "```"]) for table, lines in filled]


def main() -> None:
    """Run every notebook and store its outputs."""
    import nbformat

    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, folder), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
