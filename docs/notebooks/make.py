"""Run the notebooks and store their outputs; convert a notebook to Markdown.

Usage: ``python docs/notebooks/make.py``. It needs the package with the extra ``test``.
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
    """Read a notebook."""
    import nbformat

    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def execute(path: str | Path, folder: str | Path) -> Any:
    """Run a notebook in *folder* and return it with its outputs; a failing cell raises an error."""
    from nbclient import NotebookClient

    notebook = read(path)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    # Do not read or write the IPython settings and history of the user.
    client.execute(env={**os.environ, "IPYTHONDIR": str(Path(folder) / ".ipython")})
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # The times at which cells ran.
    return notebook


def notebook_page(path: str | Path) -> str:
    """Return a notebook as Markdown: text, code, outputs and figures."""
    cells = json.loads(Path(path).read_text())["cells"]
    return "\n\n".join(part for cell in cells for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> list[str]:
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    figure = re.search(r'plot\(\s*"([\w-]+)"', source)
    alt = f"figure {figure[1]}" if figure else "figure"
    return [f"```py\n{source}\n```", *(part for output in cell["outputs"] for part in _format_output(output, alt))]


def _text(lines: str | list[str]) -> str:
    """Return text that the notebook format stores as one string or as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def _format_output(output: dict[str, Any], alt: str) -> list[str]:
    """Return an output as Markdown: an image, a table, a report, or printed text."""
    if output["output_type"] == "stream":
        return _separate_tables(_text(output["text"]))
    data = output["data"]
    if "image/png" in data:
        return [f"![{alt}](data:image/png;base64,{''.join(_text(data['image/png']).split())})"]
    plain = _text(data["text/plain"])
    if "text/html" in data and not plain.startswith("|"):  # A report; frames are printed as Markdown tables.
        return [_text(data["text/html"]).strip()]
    return _separate_tables(plain)


def _separate_tables(text: str) -> list[str]:
    """Split text into Markdown tables, which are kept, and other lines, which become text blocks."""
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
            nbformat.write(execute(path, folder), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
