"""Data goes one way and imports look only left: read from the files, not by importing them."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "assay"
FILES = sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyi")])

# What each layer may import; `_version` holds one constant and is open to all.
MAY_IMPORT = {
    "errors": set(),
    "_version": set(),
    "memory": {"errors"},
    "io": {"errors", "memory"},
    "model": {"errors", "io"},
    "measures": {"errors", "model"},
    "results": {"errors", "io", "model", "measures"},
    "inputs": {"errors", "io", "model"},
    "parts": {"errors", "memory", "io", "inputs", "model", "measures", "results"},
    "evaluation": {"errors", "io", "inputs", "model", "measures", "results", "parts"},
    "simulation": {"errors", "io", "model"},
    "compat": {"errors", "io", "inputs", "model", "measures"},
    "analyses": {"errors", "io", "inputs", "model", "measures", "results", "evaluation"},
    "scale": {"errors", "io", "inputs", "model", "measures", "results", "evaluation", "analyses", "parts"},
    "views": {"errors", "memory", "inputs", "model", "measures", "results", "evaluation", "analyses"},
    "cli": {
        "errors",
        "memory",
        "io",
        "model",
        "measures",
        "results",
        "evaluation",
        "simulation",
        "analyses",
        "views",
        "compat",
        "parts",
        "scale",
    },
    "__init__": {"analyses", "errors", "evaluation", "measures", "model", "results", "simulation", "views"},
    "__main__": {"cli"},
}


def layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(path.suffix)


def imported(path: Path) -> set[str]:
    """The layers that a file imports, wherever in the file it does so."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            # Only the stub of the package, from which names are loaded lazily, has relative imports.
            module = f"assay.{node.module}" if node.level else node.module
            names = [f"assay.{alias.name}" for alias in node.names] if module == "assay" else [module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("assay.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_look_only_left(path: Path) -> None:
    own = layer(path)
    assert own in MAY_IMPORT, f"{own} is a new layer: say in MAY_IMPORT what it may import"
    looks_right = imported(path) - MAY_IMPORT[own] - {own, "_version"}
    assert not looks_right, f"{path.relative_to(SOURCE)} imports {sorted(looks_right)}"


def test_the_table_allows_no_circle() -> None:
    def reach(name: str, seen: tuple[str, ...] = ()) -> None:
        assert name not in seen, f"a circle: {' -> '.join((*seen, name))}"
        for other in MAY_IMPORT[name]:
            reach(other, (*seen, name))

    for name in MAY_IMPORT:
        reach(name)


def loaded_by(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter has loaded after running *code*."""
    script = f"import sys\n{code}\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(out.stdout.splitlines()[-1].split())


HEAVY = {"polars", "numpy", "scipy", "pandas", "pyarrow", "altair", "rich", "ir_datasets", "pyspark"}


def test_importing_assay_loads_nothing_heavy() -> None:
    assert not loaded_by("import assay") & HEAVY


def test_help_loads_nothing_heavy() -> None:
    code = "from assay.cli import main\ntry: main(['eval', '--help'])\nexcept SystemExit: pass"
    assert not loaded_by(code) & HEAVY


def test_evaluating_loads_no_scipy_or_pandas() -> None:
    code = "import assay\nassay.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'AP').frame()"
    assert not loaded_by(code) & (HEAVY - {"polars", "numpy"})


@pytest.mark.parametrize("call", ["os.replace(", "os.rename(", "os.fsync("])
def test_files_get_their_names_in_one_module_only(call: str) -> None:
    assert [path.name for path in FILES if call in path.read_text()] in ([], ["writing.py"])


def test_every_module_has_a_docstring_and_prints_nowhere_but_in_commands() -> None:
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        if path.stat().st_size:
            assert ast.get_docstring(tree), f"{path} has no docstring"
        calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert "print" not in calls or layer(path) == "cli", f"{path} prints"
