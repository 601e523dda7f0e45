"""The distribution is called assay-ir, because assay is another project on the package index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]
EXTRAS = "|".join(PROJECT["optional-dependencies"])
FILES = [
    ROOT / "Makefile",
    ROOT / "pyproject.toml",
    *ROOT.glob("*.md"),
    *(path for path in (ROOT / "docs").rglob("*.md")),
    *(path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".html", ".js")),
]


def test_names_of_the_distribution_and_the_script() -> None:
    assert PROJECT["name"] == "assay-ir"
    assert PROJECT["scripts"] == {"assay": "assay.cli:command"}


def test_the_distribution_includes_the_stub() -> None:
    """Public names are loaded lazily from the stub at run time."""
    assert "*.pyi" in SETTINGS["tool"]["setuptools"]["package-data"]["assay"]


def test_extras_use_the_name_of_the_distribution() -> None:
    wrong = [str(path) for path in FILES if re.search(rf"\bassay\[({EXTRAS})\b", path.read_text())]
    assert not wrong, "write assay-ir[...]"


def test_install_commands_use_the_name_of_the_distribution() -> None:
    words = [
        (str(path), word.strip("'\""))
        for path in FILES
        for options in re.findall(r"\b(?:pip3?|pipx|uv pip) install ([^\n`#;)]*)", path.read_text())
        for word in options.split()
        if not word.startswith("-")
    ]
    assert len(words) > 5
    assert not [pair for pair in words if not re.fullmatch(r"(\.|assay-ir)(\[[\w,]+\])?['\"]*", pair[1])]
