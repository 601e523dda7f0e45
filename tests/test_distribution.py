"""The distribution is called assay-ir; on the package index, assay is another project."""

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


def test_the_name() -> None:
    assert PROJECT["name"] == "assay-ir"
    assert PROJECT["scripts"] == {"assay": "assay.cli:command"}


def test_the_stub_is_distributed() -> None:
    """Public names are loaded from it at run time."""
    assert "*.pyi" in SETTINGS["tool"]["setuptools"]["package-data"]["assay"]


def test_extras_belong_to_our_distribution() -> None:
    wrong = [str(path) for path in FILES if re.search(rf"\bassay\[({EXTRAS})\b", path.read_text())]
    assert not wrong, "write assay-ir[...]"


def test_pages_and_messages_install_our_distribution() -> None:
    words = [
        (str(path), word.strip("'\""))
        for path in FILES
        for options in re.findall(r"\b(?:pip3?|pipx|uv pip) install ([^\n`#;)]*)", path.read_text())
        for word in options.split()
        if not word.startswith("-")
    ]
    assert len(words) > 5
    assert not [found for found in words if not re.fullmatch(r"(\.|assay-ir)(\[[\w,]+\])?['\"]*", found[1])]
