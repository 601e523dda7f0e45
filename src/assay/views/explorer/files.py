"""Static files of the pages, read once when the server starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from assay.views.explorer.responses import Content

STATIC = Path(__file__).parent / "static"
MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
VEGA = "vega.js"
_PRINT_RUNTIME = """\
import sys
from assay.views.plots._export import runtime
sys.stdout.buffer.write(runtime().encode())
"""


def load_static_files(runtime: bytes) -> dict[str, Content]:
    """Return the static files by name, including Vega."""
    return {**read_static_files(STATIC), VEGA: Content.of(runtime, MEDIA_TYPES[".js"])}


def read_static_files(directory: Path) -> dict[str, Content]:
    """Return the static files of a directory by name."""
    return {
        path.name: Content.of(path.read_bytes(), MEDIA_TYPES[path.suffix])
        for path in sorted(directory.iterdir())
        if path.suffix in MEDIA_TYPES and path.is_file()
    }


def vega_runtime() -> bytes:
    """Build the JavaScript of Vega in this process."""
    from assay.views.plots._export import runtime

    return runtime().encode()


class VegaProcess:
    """A child process that builds the JavaScript of Vega while the main process reads the runs.

    Building takes about 1.5 s and 130 MB of memory, which the main process would not release.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PRINT_RUNTIME],  # -P: do not import from the current directory.
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> VegaProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def result(self) -> bytes:
        """Wait for the JavaScript and return it; build it in this process if the child process failed."""
        runtime, _ = self._process.communicate()
        return runtime if self._process.returncode == 0 and runtime else vega_runtime()
