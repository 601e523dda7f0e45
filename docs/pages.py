"""Execute the examples of the documentation and write their outputs into the pages.

``python docs/pages.py`` updates all pages, ``python docs/pages.py docs/guide/med.md`` one of them. Python blocks run as
doctests, and ``$ assay`` lines of console blocks as commands. ``file NAME`` blocks are written to files before the
blocks that follow run. The tests fail if a page differs from the output of this script.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assay.cli import main
from assay.measures._base import CATALOGUE

DOCS = Path(__file__).resolve().parent
FOLDERS = ("guide", "concepts", "coming-from", "papers")
PAGES = sorted(
    [DOCS / "index.md", DOCS / "quickstart.md", *(page for name in FOLDERS for page in DOCS.glob(f"{name}/*.md"))]
)
BLOCK = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def execute(page: Path) -> str:
    """Return the text of a page with the current outputs of its blocks."""
    names: dict[str, object] = {}

    def run(block: re.Match[str]) -> str:
        kind, title, text = block.groups()
        if kind == "file":
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(text)
        elif kind == "python":
            text = _run_python(text, names, page)
        elif kind == "console":
            text = _run_console(text)
        return f"```{f'{kind} {title}'.strip()}\n{text}```"

    text = page.read_text()
    with _in_empty_directory(), _remove_own_measures(), _columns(80):
        return BLOCK.sub(run, text)


class _Recorder(doctest.DocTestRunner):
    """Record the output of each example instead of reporting a failure."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
        self.outputs: dict[int, str] = {}

    def report_failure(self, out: object, test: object, example: doctest.Example, got: str) -> None:
        self.outputs[example.lineno] = got

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: object
    ) -> None:
        raise exc_info[1]  # type: ignore[index]


def _run_python(text: str, names: dict[str, object], page: Path) -> str:
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    if not test.examples:
        raise ValueError(f"{page.name}: a python block has no examples; use py for code that is not executed")
    recorder = _Recorder()
    recorder.run(test, clear_globs=False)
    names.update(test.globs)
    lines = text.splitlines(keepends=True)
    for example in reversed(test.examples):
        if (got := recorder.outputs.get(example.lineno)) is not None:
            first = example.lineno + example.source.count("\n")
            lines[first : first + example.want.count("\n")] = [got]
    return "".join(lines)


def _run_console(text: str) -> str:
    """Run the commands of a console block; standard output comes before standard error."""
    commands = re.findall(r"^\$ (.*)$", text, flags=re.MULTILINE)
    if not text.startswith("$ "):
        raise ValueError(f"a console block must begin with '$ ' and a command: {text[:60]}")
    return "".join(f"$ {command}\n{_run_command(command)}" for command in commands)


def _run_command(command: str) -> str:
    program, *words = shlex.split(command)
    if program != "assay":
        raise ValueError(f"only assay can be executed, not {program}")
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        main(words)
    return "".join(stream.buffer.getvalue().decode() for stream in streams)  # type: ignore[attr-defined]


@contextlib.contextmanager
def _in_empty_directory() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):
        yield


@contextlib.contextmanager
def _remove_own_measures() -> Iterator[None]:
    """Remove the measures that a page defines, so that other pages do not see them."""
    yield
    for name in [name for name, cls in CATALOGUE.items() if not cls.__module__.startswith("assay.")]:
        del CATALOGUE[name]


@contextlib.contextmanager
def _columns(number: int) -> Iterator[None]:
    """Set the width of the terminal, so that pages do not depend on the terminal of the user."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(number)
    try:
        yield
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:] or PAGES):
        if (text := execute(path.resolve())) != path.read_text():
            path.write_text(text)
            print(path)
