"""The pages of docs/reference and the gallery match the code."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import assay
from assay import spark
from assay.cli import list_commands
from assay.compat.trec_eval.options import FLAGS, WITH_VALUE
from assay.views.explorer.app import API
from assay.views.explorer.figures import FIGURES
from assay.views.plots._figures import figures
from gallery.make import page as gallery_page
from reference_pages import WRITTEN_BY_HAND, list_pages, render_page
from reference_pages._docstrings import parse_docstring, render_docstring
from reference_pages._parsers import build_parser, group_commands
from reference_pages.commands import join_words
from reference_pages.python import (
    MODULES,
    NAMESPACES,
    is_alias,
    list_members,
    list_public_objects,
    list_returned_classes,
    read_attribute_docstrings,
)
from reference_pages.tables import find_report_class, list_table_commands

DOCS = Path(__file__).parent.parent / "docs"
AGAIN = "update it with make docs"


def read_page(name: str) -> str:
    return (DOCS / "reference" / name).read_text()


@pytest.mark.parametrize("name", list_pages())
def test_a_page_matches_the_code(name: str) -> None:
    assert read_page(name) == render_page(name), AGAIN


def test_there_are_no_outdated_pages() -> None:
    assert {path.name for path in (DOCS / "reference").iterdir()} == {*list_pages(), *WRITTEN_BY_HAND, "schemas"}


def test_every_command_lists_its_options() -> None:
    text = read_page("commands.md")
    assert sorted(words for group in group_commands().values() for words in group) == sorted(list_commands())
    for words in list_commands():
        section = re.split(r"\n##+ ", text.split(f"\n### {join_words(words)}\n")[1])[0]
        parser = build_parser(words)
        if parser is None:
            options = [option for name in (*FLAGS, *WITH_VALUE) for option in name]
        else:
            options = [argument.flags[-1] for argument in parser.option_help if "--help" not in argument.flags]
        for option in options:
            assert option in section, f"{join_words(words)} {option}"


def test_every_command_lists_its_tables_and_its_schema() -> None:
    text = read_page("tables.md")
    assert len(list_table_commands()) > 20
    for words in list_table_commands():
        section = text.split(f"\n### {join_words(words)}\n")[1].split("\n### ")[0]
        report = find_report_class(words)
        assert report is not None
        assert f"schema [`{report.name}`](schemas/{report.name}.json), version {report.version}." in section
        tables = re.findall(r"^\| `([\w-]+)` \| [^|]+ \| `\w+` \(.+ \|$", section, re.MULTILINE)
        assert [name for name in tables if name != "chain"] == list(report.tables)


def test_every_route_has_a_section() -> None:
    text = read_page("api.md")
    for route in [*API, *(f"figures/{name}" for name in FIGURES)]:
        assert f"# /api/{route}\n" in text


PUBLIC = {
    f"{module}.{name}": value
    for module in MODULES
    for name, value in list_public_objects(import_module(module)).items()
}
FIRST_NAME = {id(value): name for name, value in reversed(PUBLIC.items())}
CLASSES = {value for value in PUBLIC.values() if inspect.isclass(value)} | set(list_returned_classes(PUBLIC))


def test_every_namespace_has_a_section() -> None:
    assert set(NAMESPACES) == {name for name in dir(assay) if inspect.ismodule(getattr(assay, name))}
    assert all(f"\n## assay.{name}\n" in read_page("python.md") for name in NAMESPACES)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_an_explanation(name: str) -> None:
    value = PUBLIC[name]
    module, _, short = name.rpartition(".")
    if not is_alias(value):
        text = (
            " ".join(parse_docstring(value).body)
            if callable(value)
            else read_attribute_docstrings(import_module(module))[short]
        )
        assert len(text) > 30, f"{name} has no description"
    assert f"\n### {FIRST_NAME[id(value)]}\n" in read_page("python.md")


@pytest.mark.parametrize("name", [name for name, value in PUBLIC.items() if inspect.isfunction(value)])
def test_the_section_parameters_lists_every_parameter(name: str) -> None:
    """A function that explains its parameters in the text may omit the section."""
    value = PUBLIC[name]
    sections = parse_docstring(value).sections
    if "Parameters" not in sections:
        return
    documented_names = {
        word.strip() for line in sections["Parameters"] if line and line[0] != " " for word in line.split(",")
    }
    assert documented_names == {name.lstrip("*") for name in inspect.signature(value).parameters}


@pytest.mark.parametrize("cls", sorted(CLASSES, key=lambda cls: cls.__name__))
def test_members_of_public_classes_have_docstrings(cls: type) -> None:
    for name, member in list_members(cls).items():
        assert inspect.getdoc(member), f"{cls.__name__}.{name}"


def test_the_gallery_shows_every_figure() -> None:
    folder = DOCS / "gallery"
    assert (folder / "README.md").read_text() == gallery_page(figures()), "update it with make gallery"
    for name in figures():
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert {path.stem for path in folder.glob("*.png")} == set(figures())


def test_code_in_a_docstring_keeps_its_indentation() -> None:
    def example() -> None:
        """Do something.

        ::

            with something():
                work()
        """

    assert "with something():\n    work()\n" in render_docstring(example)


def test_the_scale_page_names_existing_functions() -> None:
    text = (DOCS / "guide" / "scale.md").read_text()
    named = set(re.findall(r"\bon\.(\w+)", text))
    assert {"evaluate", "bounds", "effort", "compare", "bootstrap", "med"} <= named
    assert named <= set(spark.__all__)
    local = set(re.findall(r"`assay\.(\w+)\.(\w+)[`(]", text))
    assert ("meta", "power") in local
    assert all(hasattr(getattr(assay, namespace), name) for namespace, name in local if namespace != "spark")
