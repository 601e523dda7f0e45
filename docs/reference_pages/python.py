"""Every public name of the packages: signature and docstring."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from types import GenericAlias, ModuleType
from typing import Any

from assay.results.report import Report
from reference_pages._docstrings import markdown, parse_docstring, summary
from reference_pages._markdown import block, inline, table
from reference_pages._signatures import signature

TITLE = "Python names"
ABOUT = "every public name of `assay` and its namespaces, with signature and docstring"
_HEAD = """\
This page lists all public names. Other names are internal and may change without notice; see
[Stability](stability.md). Classes that functions return are described after the functions; do not construct them
yourself.
"""
_REPORTS = """\
## Reports

Every analysis returns a report. All reports have the methods below and the attributes `notes` (what was ignored,
skipped or assumed) and `provenance` (a `Provenance`). A notebook displays a report as a table with summary and notes.
"""
NAMESPACES = ("effort", "uncertainty", "distance", "theory", "significance", "meta", "measures", "model", "spark")
MODULES = ("assay", *(f"assay.{name}" for name in NAMESPACES), "assay.compat.pytrec_eval")


def page() -> str:
    """Return the page."""
    parts = [_HEAD]
    documented: dict[int, str] = {}
    everywhere = {id(thing) for name in MODULES for thing in public(import_module(name)).values()}
    for name in MODULES:
        parts.append(_module(import_module(name), documented, everywhere))
        if name == "assay":
            parts.append("\n".join([_REPORTS, *_members(Report)]))
    return "\n".join(parts)


def _module(module: ModuleType, documented: dict[int, str], everywhere: set[int]) -> str:
    """Return the section of a module; objects that another section has *documented* are linked.

    Classes that functions return follow, unless a module lists them: *everywhere* holds the ids of public objects.
    """
    things = public(module)
    own = {f"{module.__name__}.{name}": thing for name, thing in things.items()}
    new = {name: thing for name, thing in own.items() if documented.setdefault(id(thing), name) == name}
    rows = [
        (f"[{name.rpartition('.')[2]}](#{_anchor(documented[id(thing)])})", _short(module, name, thing))
        for name, thing in own.items()
    ]
    parts = [f"## {module.__name__}\n", _about(module), table(("name", "purpose"), rows)]
    parts += [f"### {name}\n\n{_thing(module, name, thing)}" for name, thing in new.items()]
    for cls in returned_classes(things):
        if id(cls) not in everywhere and documented.setdefault(id(cls), module.__name__) == module.__name__:
            parts.append(f"### {cls.__name__}\n\n{_class(cls.__name__, cls)}")
    return "\n".join(parts)


def _about(module: ModuleType) -> str:
    """Return the docstring of a module; that of ``assay`` without its list of names."""
    if module.__name__ != "assay":
        return markdown(module)
    return f"{summary(module)}\n"


def public(module: ModuleType) -> dict[str, Any]:
    """Return the public names of a module and the objects they name, functions first; namespaces have own sections."""
    listed = getattr(module, "__all__", None) or dir(module)
    names = sorted(listed, key=lambda name: (name[:1].isupper(), name))
    things = {name: getattr(module, name) for name in names if not name.startswith("_")}
    return {name: thing for name, thing in things.items() if not inspect.ismodule(thing)}


def returned_classes(things: dict[str, Any]) -> list[type]:
    """Return the classes of assay that the functions among *things* return and that have no public name."""
    functions = [inspect.unwrap(thing) for thing in things.values() if inspect.isfunction(thing)]
    named = {(one.__module__, str(inspect.signature(one).return_annotation)) for one in functions}
    objects = {getattr(sys.modules[module], name, None) for module, name in named}
    classes = [cls for cls in objects if inspect.isclass(cls) and cls.__module__.startswith("assay.")]
    return sorted((cls for cls in classes if cls not in things.values()), key=lambda cls: cls.__name__)


def members(cls: type) -> dict[str, Any]:
    """Return the public methods and properties of a class."""
    kinds = (classmethod, property, cached_property)
    own = {name: thing for name, thing in vars(cls).items() if not name.startswith("_")}
    return {name: thing for name, thing in own.items() if inspect.isfunction(thing) or isinstance(thing, kinds)}


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "")


def _short(module: ModuleType, name: str, thing: Any) -> str:
    if is_alias(thing):
        return "Array type for annotations."
    docstring = attribute_docstrings(module).get(name.rpartition(".")[2])
    return docstring.splitlines()[0] if docstring else summary(thing)


def is_alias(thing: Any) -> bool:
    """Return whether a public object is a type alias for annotations."""
    return isinstance(thing, GenericAlias)


def _thing(module: ModuleType, name: str, thing: Any) -> str:
    if is_alias(thing):
        return block(f"{name} = {thing}", "python")
    if inspect.isclass(thing):
        return _class(name, thing)
    if callable(thing):
        return f"{block(signature(name, thing), 'python')}\n{markdown(thing)}"
    docstring = attribute_docstrings(module)[name.rpartition(".")[2]]
    return f"{docstring}\n\n{block(f'{name}: {type(thing).__name__}', 'python')}"


def _class(name: str, cls: type) -> str:
    """Return the docstring, attributes and methods of a class, and its signature if its parameters are documented."""
    parts = [markdown(cls)]
    if "Parameters" in parse_docstring(cls).sections:
        parts = [block(signature(name, cls), "python"), *parts]
    parts += [
        f"- `{attribute}`: {inline(' '.join(text.split()))}" for attribute, text in attribute_docstrings(cls).items()
    ]
    if issubclass(cls, Report):
        tables = (f"`{table}`: {inline(about)}" for table, about in cls.tables.items())
        parts.append(f"\nA [report](#reports). Tables: {'; '.join(tables)}.")
    return "\n".join([*parts, "", *_members(cls)])


def _members(cls: type) -> list[str]:
    return [f"#### {cls.__name__}.{member}\n\n{_member(cls, member, one)}" for member, one in members(cls).items()]


def _member(cls: type, name: str, member: Any) -> str:
    if isinstance(member, property | cached_property):
        return markdown(member)
    function = member.__func__ if isinstance(member, classmethod) else member
    return f"{block(signature(f'{cls.__name__}.{name}', function, method=True), 'python')}\n{markdown(function)}"


def attribute_docstrings(thing: ModuleType | type) -> dict[str, str]:
    """Return the docstrings that follow assignments in a module or class, by name."""
    tree = ast.parse(inspect.getsource(thing))
    body = tree.body if isinstance(thing, ModuleType) else tree.body[0].body  # type: ignore[attr-defined]
    docstrings = {}
    for before, after in pairwise(body):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            for target in [before.target] if isinstance(before, ast.AnnAssign) else getattr(before, "targets", []):
                docstrings[ast.unparse(target)] = inspect.cleandoc(after.value.value)
    return docstrings
