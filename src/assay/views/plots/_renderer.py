"""Run vl-convert in a separate process: its JavaScript engine reserves tens of gigabytes or aborts the process."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from threading import Lock
from typing import Any

from assay.errors import AssayError
from assay.memory import address_space_limit, format_size

VEGA_LITE = "6.4"
_REQUIRED_BYTES = 72 << 30  # measured address space that V8 reserves
_ENDED_MESSAGE = "the process that draws figures ended, perhaps for lack of memory; try again, or write json or csv"
_HEADER_BYTES = 9
# The worker reads one JSON request per line. A response is a status byte (0, or 1 for an error), the length of the
# payload in 8 bytes, and the payload.
_WORKER = """\
import json, sys
def answer(request):
    import vl_convert
    form = request.pop("form")
    if form == "bundle":
        return vl_convert.javascript_bundle(**request).encode()
    output = getattr(vl_convert, "vegalite_to_" + form)(**request)
    return output.encode() if isinstance(output, str) else bytes(output)
for line in sys.stdin.buffer:
    try:
        failed, data = 0, answer(json.loads(line))
    except Exception as error:
        failed, data = 1, str(error).encode()
    sys.stdout.buffer.write(bytes([failed]) + len(data).to_bytes(8, "big") + data)
    sys.stdout.buffer.flush()
"""


def require_address_space() -> None:
    """Raise an error if V8 would abort for lack of address space; commands call this before reading any input."""
    limit = address_space_limit()
    if limit is not None and limit < _REQUIRED_BYTES:
        needed = f"figures need {format_size(_REQUIRED_BYTES)} of address space, ulimit -v allows {format_size(limit)}"
        raise AssayError(f"{needed}; raise the limit, or write tables, or figures as json or csv")


class _Renderer:
    """A worker process that starts at the first request and keeps running, because starting V8 takes a second."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def __call__(self, **request: Any) -> bytes:
        """Return the picture or script that vl-convert produces for a request."""
        line = json.dumps(request).encode() + b"\n"
        with self._lock:
            try:
                failed, data = self._answer(line)
            except BaseException as error:
                self.stop()
                if isinstance(error, OSError | EOFError):
                    require_address_space()
                    raise AssayError(_ENDED_MESSAGE) from None
                raise
        if failed:
            raise AssayError(f"the figure cannot be drawn ({data.decode().splitlines()[0]})")
        return data

    def _answer(self, line: bytes) -> tuple[int, bytes]:
        process = self._start()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        process.stdin.write(line)
        process.stdin.flush()
        header = process.stdout.read(_HEADER_BYTES)
        size = int.from_bytes(header[1:], "big")
        data = process.stdout.read(size)
        if len(header) < _HEADER_BYTES or len(data) < size:
            raise EOFError
        return header[0], data

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():  # a forked child must not use the pipes of its parent
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
