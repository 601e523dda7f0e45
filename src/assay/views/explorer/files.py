"""The files of the pages: those that are there when the server starts, and no others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from assay.views.explorer.answers import Answer

STATIC = Path(__file__).parent / "static"
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
RUNTIME = "vega.js"
_PRINT = """\
import sys
from assay.views.plots._saving import runtime
sys.stdout.buffer.write(runtime().encode())
"""


def static(runtime: bytes) -> dict[str, Answer]:
    """The files by their names, with the drawing library among them."""
    found = {
        path.name: Answer.of(path.read_bytes(), KINDS[path.suffix])
        for path in sorted(STATIC.iterdir())
        if path.suffix in KINDS and path.is_file()
    }
    return {**found, RUNTIME: Answer.of(runtime, KINDS[".js"])}


class Runtime:
    """The drawing library, made by another process while this one reads.

    It takes a second and a half and 130 megabytes that would not be given back.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PRINT],  # -P: import nothing from the current directory
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def text(self) -> bytes:
        """The library; made here if the other process could not."""
        made, _ = self._process.communicate()
        return made if self._process.returncode == 0 and made else here()


def here() -> bytes:
    """The library, made by this process."""
    from assay.views.plots._saving import runtime

    return runtime().encode()
