"""Write tests/slow.txt, the tests that ``make quick`` leaves out, from what ``pytest --durations=0`` prints.

A test that takes 0.2 seconds or more is slow, and so is every test of a file whose fixtures take as long.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LIMIT = 0.2  # seconds
LINE = re.compile(r"^([\d.]+)s (call|setup) +([^\s\[]+)")


def slow(lines: list[str]) -> list[str]:
    """Return the slow tests and files, sorted."""
    timed = [(float(match[1]), match[2], match[3]) for match in map(LINE.match, lines) if match is not None]
    files = {name.split("::")[0] for seconds, phase, name in timed if phase == "setup" and seconds >= LIMIT}
    tests = {name for seconds, _, name in timed if seconds >= LIMIT}
    return sorted(files | {name for name in tests if name.split("::")[0] not in files})


if __name__ == "__main__":
    names = slow(sys.stdin.read().splitlines())
    (Path(__file__).parent / "slow.txt").write_text("".join(f"{name}\n" for name in names))
