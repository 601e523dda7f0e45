"""The distribution is called assay-ir, because assay is another project on the package index."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

import pytest

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
    ours = [(path, word) for path, word in words if re.match(r"assay|\.", word)]
    assert len(ours) > 5
    assert not [pair for pair in ours if not re.fullmatch(r"(\.|assay-ir)(\[[\w,]+\])?['\"]*", pair[1])]


def test_the_citation_and_the_package_have_the_same_version() -> None:
    """``make release-check`` also needs a section of the changelog, which is written for the release."""
    version = re.search(r'VERSION = "(.+)"', (ROOT / "src/assay/_version.py").read_text())
    assert version is not None
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"version={version[1]}" in (ROOT / "packaging/conda/recipe.yaml").read_text().replace(": ", "=").replace(
        '"', ""
    )


def test_actions_are_pinned_by_commit() -> None:
    workflows = [*(ROOT / ".github").rglob("*.yml")]
    used = [line for path in workflows for line in re.findall(r"uses: (\S+.*)", path.read_text(encoding="utf-8"))]
    assert len(used) > 10
    assert not [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", line)]


def test_workflows_call_targets_that_exist() -> None:
    workflows = [*(ROOT / ".github" / "workflows").glob("*.yml")]
    targets = {
        name for path in workflows for name in re.findall(r"run: make ([a-z-]+) ", path.read_text(encoding="utf-8"))
    }
    assert {"quick", "test", "floors", "smoke", "docs"} <= targets
    assert targets <= set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_a_large_loss_of_speed_fails_the_benchmark() -> None:
    spec = importlib.util.spec_from_file_location("benchmark", ROOT / "benchmarks" / "run.py")
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "benchmark", benchmark)
        spec.loader.exec_module(benchmark)
    committed = (ROOT / "benchmarks" / "results.md").read_text(encoding="utf-8")
    ratios = benchmark.read_ratios(committed)
    assert {case[1] for case, _ in ratios} >= {"b", "d"}
    assert benchmark.find_regressions(committed, committed) == []
    (case, tool), ratio = next(iter(ratios.items()))
    slower = f"| {case} | {tool} | 1.0 | {0.4 * ratio:.2f}x | 1.0 | 1.00x | 50 |"
    [message] = benchmark.find_regressions(committed, slower)
    assert message.startswith(case)


def test_llms_txt_links_to_pages_of_the_site() -> None:
    text = (ROOT / "docs" / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 15
    sources = [link.replace(".html", ".md").replace("changelog", "../CHANGELOG") for link in links]
    assert not [source for source in sources if not (ROOT / "docs" / source).is_file()]
