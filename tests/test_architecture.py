"""Layers of the package: imports point only to earlier layers. The files are parsed, not imported."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import assay

SOURCE = Path(__file__).parent.parent / "src" / "assay"
FILES = sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyi")])

# Each layer may import from the layers before it; packages on one line form one layer. Every file may import
# `_version`, which holds one constant.
LAYERS = (
    ("_version",),
    ("errors",),
    ("memory",),
    ("io",),
    ("model",),
    ("simulation",),
    ("engine",),
    ("measures",),
    ("results",),
    ("effort", "uncertainty", "distance", "theory", "significance", "meta", "judges"),
    ("input_check",),
    ("compat", "spark", "views"),
    ("cli",),
    ("__init__", "__main__"),
)
LAYER_INDEX = {name: index for index, names in enumerate(LAYERS) for name in names}


def layer(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(path.suffix)


def imported_layers(path: Path) -> set[str]:
    """Return the layers that a file imports, including imports inside functions."""
    layers = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            # Only stubs, from which names are loaded lazily, have relative imports.
            package = ".".join(["assay", *path.relative_to(SOURCE).parts[:-1]])
            module = f"{package}.{node.module}" if node.level else node.module
            names = [f"assay.{alias.name}" for alias in node.names] if module == "assay" else [module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        layers |= {name.split(".")[1] for name in names if name.startswith("assay.")}
    return layers


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_only_to_earlier_layers(path: Path) -> None:
    own = layer(path)
    assert own in LAYER_INDEX, f"{own} is a new layer: add it to LAYERS"
    later = {name for name in imported_layers(path) - {own, "_version"} if LAYER_INDEX[name] > LAYER_INDEX[own]}
    assert not later, f"{path.relative_to(SOURCE)} imports {sorted(later)}"


def classes() -> list[tuple[str, Path]]:
    return [
        (node.name, path)
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    ]


def test_no_two_classes_share_a_name() -> None:
    homes: dict[str, list[Path]] = {}
    for name, path in classes():
        homes.setdefault(name.lstrip("_"), []).append(path.relative_to(SOURCE))
    shared = {name: [str(path) for path in paths] for name, paths in homes.items() if len(paths) > 1}
    assert not shared


# Functions that read a user's input; only the readers and the engine may call them.
READING = {"scan_parquet", "read_parquet", "read_csv", "read_ndjson", "read_qrels", "read_runs", "read_run", "as_qrels"}
READERS = {"io", "model", "engine", "spark", "compat", "results"}


def test_only_readers_call_reading_functions() -> None:
    for path in SOURCE.rglob("*.py"):
        if layer(path) in READERS:
            continue
        calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
        names = {call.id if isinstance(call, ast.Name) else getattr(call, "attr", "") for call in calls}
        assert not names & READING, f"{path.relative_to(SOURCE)} calls {sorted(names & READING)}"


# Records which module of assay opens each input: the innermost one on the stack.
OPENING = r"""
import sys, traceback
from pathlib import Path
folder = str(Path(sys.argv[1]).resolve())
opened = []

def watch(event, arguments):
    if event == "open" and str(arguments[0]).startswith(folder):
        frames = [frame.filename for frame in traceback.extract_stack()]
        ours = [name.split("/assay/")[-1] for name in frames if "/src/assay/" in name]
        opened.append(f"{Path(str(arguments[0])).name}:{ours[-1]}")

sys.addaudithook(watch)
from assay.cli import main
for command in sys.argv[2:]:
    opened.clear()
    main([word.replace("DATA", folder) for word in command.split()])
    print(f"{command}: {' '.join(opened)}", file=sys.stderr)
"""
COMMANDS = (
    "eval DATA/qrels.txt DATA/runs -m AP",
    "uncertainty bounds DATA/qrels.txt DATA/runs -m AP",
    "compare DATA/qrels.txt DATA/runs -m AP",
    "effort indicators DATA/qrels.txt DATA/runs",
    "effort curve DATA/qrels.txt DATA/runs/alpha1.run --topic 401",
    "meta correlate DATA/qrels.txt DATA/runs -m AP P@5 --depth 5",
    "meta robustness DATA/qrels.txt DATA/runs -m AP --seeds 2",
    "uncertainty judge-next DATA/qrels.txt DATA/runs",
    "uncertainty ties DATA/qrels.txt DATA/runs -m AP",
    "distance med DATA/runs --qrels DATA/qrels.txt -m P@5",
    "distance rbo DATA/runs",
    "meta judgments DATA/qrels.txt",
    "plot crp DATA/qrels.txt DATA/runs --format csv -o -",
    "plot deciding DATA/qrels.txt DATA/runs --format csv -o -",
)


def test_only_readers_open_inputs_and_only_once(tmp_path: Path) -> None:
    assay.simulate(systems=3, topics=6, depth=20, pool=5, seed=2).write(tmp_path / "data")
    words = [sys.executable, "-c", OPENING, str(tmp_path / "data"), *COMMANDS]
    completed_process = subprocess.run(words, check=True, capture_output=True, text=True)
    lines = completed_process.stderr.splitlines()
    for command in COMMANDS:
        [line] = [line for line in lines if line.startswith(f"{command}: ")]
        opened = [entry.split(":") for entry in line.removeprefix(f"{command}: ").split()]
        assert opened, command
        assert {module.split("/")[0] for _, module in opened} == {"io"}, command
        names = [name for name, _ in opened]
        assert len(names) == len(set(names)), (command, names)


def loaded_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter has loaded after running *code*."""
    script = f"import sys\n{code}\nprint(' '.join(sorted({{name.split('.')[0] for name in sys.modules}})))"
    out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return set(out.stdout.splitlines()[-1].split())


HEAVY = {"polars", "numpy", "scipy", "pandas", "pyarrow", "altair", "rich", "ir_datasets", "pyspark"}


def test_importing_assay_loads_nothing_heavy() -> None:
    assert not loaded_by("import assay") & HEAVY


def test_help_loads_nothing_heavy() -> None:
    assert not loaded_by("from assay.cli import main\nmain(['--help'])\nmain(['meta', '--help'])") & HEAVY


def test_evaluating_loads_no_scipy_or_pandas() -> None:
    code = "import assay\nassay.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'AP').frame()"
    assert not loaded_by(code) & (HEAVY - {"polars", "numpy"})


@pytest.mark.parametrize("call", ["os.replace(", "os.rename(", "os.fsync("])
def test_only_one_module_renames_files(call: str) -> None:
    assert [path.name for path in FILES if call in path.read_text()] in ([], ["writing.py"])


def test_every_module_has_a_docstring_and_only_commands_print() -> None:
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        if path.stat().st_size:
            assert ast.get_docstring(tree), f"{path} has no docstring"
        calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert "print" not in calls or layer(path) == "cli", f"{path} prints"
