"""Public API: a function for each command, documentation of each name, and lazy loading."""

from __future__ import annotations

import ast
import inspect
import pickle
import pydoc
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import assay
from assay.cli import list_commands, load_module

ROOT = {
    *(
        "AssayError",
        "Campaign",
        "Results",
        "catalogue",
        "check",
        "collections",
        "compare",
        "evaluate",
        "explore",
        "gate",
        "leaderboard",
        "measure",
    ),
    *("plot", "read", "read_collections", "report", "simulate", "topics"),
}
NAMESPACES = {
    "distance",
    "effort",
    "judges",
    "measures",
    "meta",
    "model",
    "significance",
    "spark",
    "theory",
    "uncertainty",
}
ANALYSES = ("effort", "uncertainty", "distance", "theory", "meta", "judges")
NO_FUNCTION = {("completion",), ("demo",), ("measures",), ("plot",), ("trec_eval",)}
"""Commands that call no public function, or several."""


def test_the_package_has_exactly_these_names() -> None:
    assert set(dir(assay)) == ROOT | NAMESPACES
    for name in dir(assay):
        assert getattr(assay, name) is not None


def test_help_fits_a_screen() -> None:
    text = pydoc.render_doc(assay, renderer=pydoc.plaintext)
    assert len(text.splitlines()) < 70
    assert all(name in str(assay.__doc__) for name in ROOT | NAMESPACES)


@pytest.mark.parametrize("space", sorted(NAMESPACES - {"measures", "spark"}))
def test_public_names_have_docstrings(space: str) -> None:
    names = dir(getattr(assay, space))
    assert names
    for name in names:
        assert inspect.getdoc(getattr(getattr(assay, space), name)), name


def public_functions() -> dict[tuple[str, ...], str]:
    """Return the public function of each command."""
    return {words: load_module(*words).COMMAND.function for words in list_commands() if words not in NO_FUNCTION}


@pytest.mark.parametrize(("words", "function"), public_functions().items(), ids=str)
def test_commands_are_named_after_their_functions(words: tuple[str, ...], function: str) -> None:
    expected = {"eval": "evaluate", "judge": "JudgingQueue"}.get(words[-1], words[-1].replace("-", "_"))
    assert function == ".".join(["assay", *words[:-1], expected])


@pytest.mark.parametrize("words", [words for words in list_commands() if words not in NO_FUNCTION], ids=" ".join)
def test_options_are_named_after_parameters_and_use_their_defaults(words: tuple[str, ...]) -> None:
    """Defaults are defined once: an omitted option is not passed to the function."""
    command = load_module(*words).COMMAND
    parser = command.parser("assay", "")
    needed = ["-o", "x"] if words == ("meta", "study") else []
    inputs = [*(["x"] * len(command.inputs)), *(["x"] if words == ("simulate",) else [])]
    args = parser.parse([*inputs, *needed])
    required = {name: default for name, default in command.parameters.items() if default is inspect.Parameter.empty}
    optional = {name: default for name, default in command.parameters.items() if name not in required}
    assert command.read_options(args, optional) == {}
    assert command.read_options(args, command.read_parameters) == {}
    shown = {flag for one in parser.option_help for flag in one.flags}
    for name, default in command.parameters.items():
        flag = f"--{'no-' if default is True else ''}{name.rstrip('_').replace('_', '-')}"
        assert flag in shown, name


@pytest.mark.parametrize("space", ANALYSES)
def test_docstrings_of_analyses_have_references_and_examples(space: str) -> None:
    names = {words[-1].replace("-", "_") for words in list_commands() if words[0] == space}
    for name in names - {"study", "judge"}:
        text = inspect.getdoc(getattr(getattr(assay, space), name)) or ""
        assert "References\n----------" in text, name
        assert ">>> " in text, name


def stubs() -> list[Path]:
    root = Path(assay.__file__).parent
    return sorted(root.rglob("__init__.pyi"))


@pytest.mark.parametrize("stub", stubs(), ids=lambda path: path.parent.name)
def test_type_checkers_see_every_public_name(stub: Path) -> None:
    """A stub exports a name only if it is imported with ``as``, even under the same name."""
    tree = ast.parse(stub.read_text())
    exported = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    module = assay if stub.parent.name == "assay" else getattr(assay, stub.parent.name)
    assert sorted(map(str, exported)) == sorted(dir(module))


def test_public_names_can_be_pickled() -> None:
    for name in ROOT:
        value = getattr(assay, name)
        assert pickle.loads(pickle.dumps(value)) is value


def test_unknown_names_raise_an_error() -> None:
    assert not hasattr(assay, "metrics")
    with pytest.raises(AttributeError, match="metrics"):
        assay.metrics  # noqa: B018 - the access is the test
    with pytest.raises(ImportError, match="metrics"):
        exec("from assay import metrics", {})


def test_the_spark_extra_excludes_unsupported_versions_of_pandas() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    requirements = [Requirement(text) for text in project["optional-dependencies"]["spark"]]
    (pandas,) = [one for one in requirements if one.name == "pandas"]
    assert pandas.specifier.contains("2.3.3")
    assert not pandas.specifier.contains("3.0.0")
