"""Write tests/slow.txt, the tests that ``make quick`` skips, from the output of ``pytest --durations=0``.

A test is slow if it takes at least 0.2 seconds, or if a fixture of its file does.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LIMIT = 0.2  # seconds
LINE = re.compile(r"^([\d.]+)s (call|setup) +([^\s\[]+)")


def list_slow_tests(lines: list[str]) -> list[str]:
    """Return the slow tests and files, sorted."""
    timings = [(float(match[1]), match[2], match[3]) for match in map(LINE.match, lines) if match is not None]
    files = {name.split("::")[0] for seconds, phase, name in timings if phase == "setup" and seconds >= LIMIT}
    tests = {name for seconds, _, name in timings if seconds >= LIMIT}
    return sorted(files | {name for name in tests if name.split("::")[0] not in files})


if __name__ == "__main__":
    names = list_slow_tests(sys.stdin.read().splitlines())
    (Path(__file__).parent / "slow.txt").write_text("".join(f"{name}\n" for name in names))
