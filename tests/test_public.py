"""The public surface: what commands do, each name documented, each loaded on first use."""

from __future__ import annotations

import ast
import inspect
import pickle
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import assay
from assay import cli

BEHIND = {
    "axioms": "check_axioms",
    "balance": "balance_report",
    "compare": "compare",
    "correlate": "correlate",
    "curve": "curve",
    "depth": "depth_plans",
    "effort": "effort_report",
    "effort-gain": "effort_gain",
    "eval": "evaluate",
    "judge-next": "judge_next",
    "judgments": "judgment_report",
    "leaderboard": "compare",
    "measures": "catalogue",
    "med": "med",
    "order": "order_report",
    "plot": "plot",
    "pool-depth": "pool_depth",
    "power": "discriminative_power",
    "rbo": "overlap",
    "residual": "residual_curves",
    "robustness": "robustness",
    "significance-counts": "significance_counts",
    "simulate": "simulate",
    "study": "study",
    "ties": "tie_report",
}
"""What Python calls what a command does."""
FOR_THE_SHELL = {"completion", "demo", "explore", "report", "trec_eval"}


def test_public_names_are_sorted_and_all_there() -> None:
    assert assay.__all__ == sorted(assay.__all__)
    assert dir(assay) == assay.__all__
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_public_names_are_documented() -> None:
    for name in assay.__all__:
        thing = getattr(assay, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name


def test_what_a_command_does_has_a_public_name() -> None:
    assert set(cli.names()) == BEHIND.keys() | FOR_THE_SHELL
    assert set(BEHIND.values()) <= set(assay.__all__)


ANALYSES = ("effort", "uncertainty", "distance", "theory", "significance", "meta")


def test_analyses_say_where_they_come_from_and_show_an_example() -> None:
    functions = [getattr(assay, name) for name in BEHIND.values()]
    for function in functions:
        package = function.__module__.split(".")[1]
        if package in ANALYSES and function is not assay.study:
            said = inspect.getdoc(function) or ""
            assert "References\n----------" in said, function
            assert ">>> " in said, function


def test_type_checkers_see_every_public_name() -> None:
    """A stub exports a name only if it is imported under an alias, even the same one."""
    tree = ast.parse(Path(assay.__file__).with_suffix(".pyi").read_text())
    exported = [alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(map(str, exported)) == assay.__all__


def test_a_star_import_brings_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from assay import *", names)
    assert names.keys() - {"__builtins__"} == set(assay.__all__)


def test_public_names_can_be_pickled() -> None:
    for name in assay.__all__:
        thing = getattr(assay, name)
        assert pickle.loads(pickle.dumps(thing)) is thing


def test_unknown_names_are_refused() -> None:
    assert not hasattr(assay, "metrics")
    with pytest.raises(AttributeError, match="metrics"):
        assay.metrics  # noqa: B018 - the access is the test
    with pytest.raises(ImportError, match="metrics"):
        exec("from assay import metrics", {})


def test_the_spark_extra_excludes_a_pandas_that_pyspark_does_not_support() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    requirements = [Requirement(text) for text in project["optional-dependencies"]["spark"]]
    (pandas,) = [one for one in requirements if one.name == "pandas"]
    assert pandas.specifier.contains("2.3.3")
    assert not pandas.specifier.contains("3.0.0")
