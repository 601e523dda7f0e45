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
from reference_pages._docstrings import parse_docstring, read_summary, render_docstring
from reference_pages._markdown import convert_inline, render_block, render_table
from reference_pages._signatures import format_signature

TITLE = "Python names"
ABOUT = "every public name of `assay` and its namespaces, with signature and docstring"
_HEAD = """\
Which Python names can programs use? This page lists all public names. Other names are internal and may change without
notice; see [Stability](stability.md). Each section describes the functions first, and then the classes that these
functions return. Do not create instances of these classes yourself.
"""
_REPORTS = """\
## Reports

Every analysis returns a report. All reports have the methods of this section and two attributes. `notes` lists what was
ignored, skipped or assumed, and `provenance` is a `Provenance`. A notebook displays a report as a table with its
summary and notes.
"""
NAMESPACES = (
    *("effort", "uncertainty", "distance", "theory", "significance", "judges", "meta", "measures", "model", "spark"),
)
MODULES = ("assay", *(f"assay.{name}" for name in NAMESPACES), "assay.compat.pytrec_eval")


def render_page() -> str:
    """Return the page."""
    parts = [_HEAD]
    documented: dict[int, str] = {}
    public_ids = {id(value) for name in MODULES for value in list_public_objects(import_module(name)).values()}
    for name in MODULES:
        parts.append(_render_module(import_module(name), documented, public_ids))
        if name == "assay":
            parts.append("\n".join([_REPORTS, *_render_members(Report)]))
    return "\n".join(parts)


def _render_module(module: ModuleType, documented: dict[int, str], public_ids: set[int]) -> str:
    """Return the section of a module.

    *documented* maps the ids of objects to the names under which earlier sections document them; such objects are only
    linked. The section ends with the classes that functions of the module return, except public ones (*public_ids*).
    """
    objects = list_public_objects(module)
    qualified = {f"{module.__name__}.{name}": value for name, value in objects.items()}
    new_objects = {name: value for name, value in qualified.items() if documented.setdefault(id(value), name) == name}
    rows = [
        (f"[{name.rpartition('.')[2]}](#{_make_anchor(documented[id(value)])})", _summarize(module, name, value))
        for name, value in qualified.items()
    ]
    parts = [f"## {module.__name__}\n", _render_introduction(module), render_table(("name", "purpose"), rows)]
    parts += [f"### {name}\n\n{_render_object(module, name, value)}" for name, value in new_objects.items()]
    for cls in list_returned_classes(objects):
        if id(cls) not in public_ids and documented.setdefault(id(cls), module.__name__) == module.__name__:
            parts.append(f"### {cls.__name__}\n\n{_render_class(cls.__name__, cls)}")
    return "\n".join(parts)


def _render_introduction(module: ModuleType) -> str:
    """Return the docstring of a module. For ``assay``, return only the first line, without the list of names."""
    if module.__name__ != "assay":
        return render_docstring(module)
    return f"{read_summary(module)}\n"


def list_public_objects(module: ModuleType) -> dict[str, Any]:
    """Return the public objects of a module by name, functions first. Modules are omitted; they have own sections."""
    listed = getattr(module, "__all__", None) or dir(module)
    names = sorted(listed, key=lambda name: (name[:1].isupper(), name))
    objects = {name: getattr(module, name) for name in names if not name.startswith("_")}
    return {name: value for name, value in objects.items() if not inspect.ismodule(value)}


def list_returned_classes(objects: dict[str, Any]) -> list[type]:
    """Return the classes of assay that the functions among *objects* return and that have no public name."""
    functions = [inspect.unwrap(value) for value in objects.values() if inspect.isfunction(value)]
    annotations = {(function.__module__, str(inspect.signature(function).return_annotation)) for function in functions}
    returned = {getattr(sys.modules[module], name, None) for module, name in annotations}
    classes = [cls for cls in returned if inspect.isclass(cls) and cls.__module__.startswith("assay.")]
    return sorted((cls for cls in classes if cls not in objects.values()), key=lambda cls: cls.__name__)


def list_members(cls: type) -> dict[str, Any]:
    """Return the public methods and properties of a class."""
    kinds = (classmethod, property, cached_property)
    attributes = {name: value for name, value in vars(cls).items() if not name.startswith("_")}
    return {name: value for name, value in attributes.items() if inspect.isfunction(value) or isinstance(value, kinds)}


def _make_anchor(heading: str) -> str:
    return heading.lower().replace(".", "")


def _summarize(module: ModuleType, name: str, value: Any) -> str:
    if is_alias(value):
        return "Array type for annotations."
    docstring = read_attribute_docstrings(module).get(name.rpartition(".")[2])
    return docstring.splitlines()[0] if docstring else read_summary(value)


def is_alias(value: Any) -> bool:
    """Return whether a public object is a type alias for annotations."""
    return isinstance(value, GenericAlias)


def _render_object(module: ModuleType, name: str, value: Any) -> str:
    if is_alias(value):
        return render_block(f"{name} = {value}", "python")
    if inspect.isclass(value):
        return _render_class(name, value)
    if callable(value):
        return f"{render_block(format_signature(name, value), 'python')}\n{render_docstring(value)}"
    docstring = read_attribute_docstrings(module)[name.rpartition(".")[2]]
    return f"{docstring}\n\n{render_block(f'{name}: {type(value).__name__}', 'python')}"


def _render_class(class_name: str, cls: type) -> str:
    """Return the docstring, attributes and methods of a class, and its signature if its parameters are documented."""
    parts = [render_docstring(cls)]
    if "Parameters" in parse_docstring(cls).sections:
        parts = [render_block(format_signature(class_name, cls), "python"), *parts]
    attributes = read_attribute_docstrings(cls)
    parts += [f"- `{name}`: {convert_inline(' '.join(text.split()))}" for name, text in attributes.items()]
    if issubclass(cls, Report):
        tables = (f"`{table}`: {convert_inline(about)}" for table, about in cls.tables.items())
        parts.append(f"\nThis class is a [report](#reports) with these tables: {'; '.join(tables)}.")
    return "\n".join([*parts, "", *_render_members(cls)])


def _render_members(cls: type) -> list[str]:
    members = list_members(cls)
    return [f"#### {cls.__name__}.{name}\n\n{_render_member(cls, name, member)}" for name, member in members.items()]


def _render_member(cls: type, name: str, member: Any) -> str:
    if isinstance(member, property | cached_property):
        return render_docstring(member)
    function = member.__func__ if isinstance(member, classmethod) else member
    signature = format_signature(f"{cls.__name__}.{name}", function, method=True)
    return f"{render_block(signature, 'python')}\n{render_docstring(function)}"


def read_attribute_docstrings(owner: ModuleType | type) -> dict[str, str]:
    """Return the docstrings that follow assignments in a module or class, by the name of the variable."""
    tree = ast.parse(inspect.getsource(owner))
    body = tree.body if isinstance(owner, ModuleType) else tree.body[0].body  # type: ignore[attr-defined]
    docstrings = {}
    for before, after in pairwise(body):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            for target in [before.target] if isinstance(before, ast.AnnAssign) else getattr(before, "targets", []):
                docstrings[ast.unparse(target)] = inspect.cleandoc(after.value.value)
    return docstrings
