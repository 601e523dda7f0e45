"""Print the oldest supported version of every run-time dependency, one requirement per line (``numpy==2.0``)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
EXTRAS = ("plots", "explore", "datasets")
FLOOR = re.compile(r"([\w-]+)>=([\d.]+)")


def floors() -> list[str]:
    """Return a requirement for each dependency of the package and of the extras that need no external program."""
    requirements = [
        *PROJECT["dependencies"],
        *(one for extra in EXTRAS for one in PROJECT["optional-dependencies"][extra]),
    ]
    matches = [FLOOR.match(requirement) for requirement in requirements]
    return [f"{match[1]}=={match[2]}" for match in matches if match is not None]


if __name__ == "__main__":
    print("\n".join(floors()))
