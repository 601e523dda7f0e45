"""Every public name of the packages: how it is called, and what it says of itself."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any

from reference_pages._docstrings import markdown, parsed, summary
from reference_pages._markdown import block, inline, table
from reference_pages._signatures import signature

TITLE = "Python names"
ABOUT = "every public name of `assay`, `assay.spark` and `assay.compat.pytrec_eval`, with signature and docstring"
_HEAD = """\
What is not on this page may change without notice. A function that returns something of its own names the class,
which follows the functions; such classes are not made by hand.
"""
MODULES = ("assay", "assay.spark", "assay.compat.pytrec_eval")


def page() -> str:
    """The page."""
    return "\n".join([_HEAD, *(_module(import_module(name)) for name in MODULES)])


def _module(module: ModuleType) -> str:
    things = public(module)
    own = {f"{module.__name__}.{name}": thing for name, thing in things.items()}
    rows = [
        (f"[{name.rpartition('.')[2]}](#{_anchor(name)})", _short(module, name, thing)) for name, thing in own.items()
    ]
    parts = [f"## {module.__name__}\n", markdown(module), table(("name", "what it is"), rows)]
    parts += [f"### {name}\n\n{_thing(module, name, thing)}" for name, thing in own.items()]
    parts += [f"### {cls.__name__}\n\n{_class(cls.__name__, cls)}" for cls in returned(things)]
    return "\n".join(parts)


def public(module: ModuleType) -> dict[str, Any]:
    """The public names of a module and what they name, functions first."""
    names = sorted(module.__all__, key=lambda name: (name[:1].isupper(), name))
    return {name: getattr(module, name) for name in names if not name.startswith("__")}


def returned(things: dict[str, Any]) -> list[type]:
    """The classes of assay that the functions among *things* return, but for those that are public by themselves."""
    functions = [thing for thing in things.values() if inspect.isfunction(thing)]
    named = {(one.__module__, str(inspect.signature(one).return_annotation)) for one in functions}
    found = {getattr(sys.modules[module], name, None) for module, name in named}
    classes = [cls for cls in found if inspect.isclass(cls) and cls.__module__.startswith("assay.")]
    return sorted((cls for cls in classes if cls not in things.values()), key=lambda cls: cls.__name__)


def members(cls: type) -> dict[str, Any]:
    """The public methods and properties of a class."""
    kinds = (classmethod, property, cached_property)
    own = {name: thing for name, thing in vars(cls).items() if not name.startswith("_")}
    return {name: thing for name, thing in own.items() if inspect.isfunction(thing) or isinstance(thing, kinds)}


def _anchor(heading: str) -> str:
    return heading.lower().replace(".", "")


def _short(module: ModuleType, name: str, thing: Any) -> str:
    told = explained(module).get(name.rpartition(".")[2])
    return told.splitlines()[0] if told else summary(thing)


def _thing(module: ModuleType, name: str, thing: Any) -> str:
    if inspect.isclass(thing):
        return _class(name, thing)
    if callable(thing):
        return f"{block(signature(name, thing), 'python')}\n{markdown(thing)}"
    return f"{explained(module)[name.rpartition('.')[2]]}\n\n{block(f'{name}: {type(thing).__name__}', 'python')}"


def _class(name: str, cls: type) -> str:
    """What a class says of itself, its attributes, and its methods; how it is made, if that is told."""
    parts = [markdown(cls)]
    if "Parameters" in parsed(cls).sections:
        parts = [block(signature(name, cls), "python"), *parts]
    parts += [f"- `{attribute}`: {inline(' '.join(text.split()))}" for attribute, text in explained(cls).items()]
    parts += [
        "",
        *(f"#### {cls.__name__}.{member}\n\n{_member(cls, member, one)}" for member, one in members(cls).items()),
    ]
    return "\n".join(parts)


def _member(cls: type, name: str, member: Any) -> str:
    if isinstance(member, property | cached_property):
        return markdown(member)
    function = member.__func__ if isinstance(member, classmethod) else member
    return f"{block(signature(f'{cls.__name__}.{name}', function, method=True), 'python')}\n{markdown(function)}"


def explained(thing: ModuleType | type) -> dict[str, str]:
    """What the texts behind assignments say of the names, in a module or in a class."""
    tree = ast.parse(inspect.getsource(thing))
    body = tree.body if isinstance(thing, ModuleType) else tree.body[0].body  # type: ignore[attr-defined]
    found = {}
    for before, after in pairwise(body):
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            for target in [before.target] if isinstance(before, ast.AnnAssign) else getattr(before, "targets", []):
                found[ast.unparse(target)] = inspect.cleandoc(after.value.value)
    return found
