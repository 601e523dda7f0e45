"""Run vl-convert in a process of its own: its JavaScript engine reserves tens of gigabytes and aborts without them."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from threading import Lock
from typing import Any

from assay.errors import AssayError
from assay.memory import address_space, shown

VEGA_LITE = "6.4"
_NEEDED = 72 << 30  # bytes of address space that V8 was seen to reserve
_ENDED = "the process that draws figures ended, perhaps for lack of memory; try again, or write json or csv"
_HEADER = 9
# Reads requests as lines of JSON; answers with 0 or 1 (an error), the length of what follows in 8 bytes, and that.
_WORKER = """\
import json, sys
def answer(request):
    import vl_convert
    form = request.pop("form")
    if form == "bundle":
        return vl_convert.javascript_bundle(**request).encode()
    made = getattr(vl_convert, "vegalite_to_" + form)(**request)
    return made.encode() if isinstance(made, str) else bytes(made)
for line in sys.stdin.buffer:
    try:
        failed, data = 0, answer(json.loads(line))
    except Exception as error:
        failed, data = 1, str(error).encode()
    sys.stdout.buffer.write(bytes([failed]) + len(data).to_bytes(8, "big") + data)
    sys.stdout.buffer.flush()
"""


def require_address_space() -> None:
    """Refuse to draw where V8 would abort; commands call this before they read and compute."""
    limit = address_space()
    if limit is not None and limit < _NEEDED:
        needed = f"figures need {shown(_NEEDED)} of address space, ulimit -v allows {shown(limit)}"
        raise AssayError(f"{needed}; raise it; tables, and figures as json or csv, need less")


class _Renderer:
    """The process, started when it is first needed and kept, because starting V8 takes a second."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def __call__(self, **request: Any) -> bytes:
        """Return the picture or script that vl-convert makes for a request."""
        line = json.dumps(request).encode() + b"\n"
        with self._lock:
            try:
                failed, data = self._answer(line)
            except BaseException as error:
                self.stop()
                if isinstance(error, OSError | EOFError):
                    require_address_space()
                    raise AssayError(_ENDED) from None
                raise
        if failed:
            raise AssayError(f"the figure cannot be drawn ({data.decode().splitlines()[0]})")
        return data

    def _answer(self, line: bytes) -> tuple[int, bytes]:
        process = self._started()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        process.stdin.write(line)
        process.stdin.flush()
        header = process.stdout.read(_HEADER)
        size = int.from_bytes(header[1:], "big")
        data = process.stdout.read(size)
        if len(header) < _HEADER or len(data) < size:
            raise EOFError
        return header[0], data

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():  # a forked process must not share the pipes
            self._owner = os.getpid()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _WORKER],  # -P: import nothing from the current directory
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._process

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.communicate()


render = _Renderer()
atexit.register(render.stop)
