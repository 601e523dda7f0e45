"""Every measure: definition, parameters, properties, names, reference."""

from __future__ import annotations

from assay.measures import Measure, catalogue
from assay.measures._parameters import parameters_of
from assay.model.gains import NAMED_GAINS
from assay.views.catalogue import parameters, properties
from reference_pages._docstrings import parse_docstring, quote, render_prose
from reference_pages._markdown import format_code, format_code_list, render_table

TITLE = "Measures"
ABOUT = "every measure with its formula, parameters, properties, names and reference"

_HEAD = """\
How is a measure defined, and which parameters does it have? This page describes every measure, in alphabetical order.
"""
_GAINS = """\
Graded measures have the parameter `gains`. Its value is one of these names, or a list such as `{1:1,2:3}`. *top* is the
highest grade of the scale: `max_rel`, or the highest grade of the qrels.
"""


def render_page() -> str:
    """Return the page."""
    measures = catalogue()
    index = " · ".join(f"[{name}](#{_make_anchor(cls)})" for name, cls in measures.items())
    rows = ((format_code(name), text) for name, (text, _) in NAMED_GAINS.items())
    gains = render_table(("gains", "gain of a document"), rows)
    return "\n".join([_HEAD, f"{index}\n", _GAINS, gains, *map(_render_section, measures.values())])


def _make_anchor(cls: type[Measure]) -> str:
    """Return a unique anchor. The default anchors of the headings AP and AP* would be the same."""
    return f"measure-{cls.__name__.lower()}"


def _render_section(cls: type[Measure]) -> str:
    doc = parse_docstring(cls)
    names = [*cls.aliases, *(name.partition("=")[0] for name in cls.trec_eval)]
    lines = [f'<a id="{_make_anchor(cls)}"></a>', "", f"## {cls.name}", "", render_prose(doc.body)]
    lines += [quote(doc.sections["References"]), f"Notation: {format_code_list(cls.examples)}."]
    lines += [f"Other names: {format_code_list(names)}."] if names else []
    if parameters_of(cls):
        lines += ["", "Parameters:", "", *_render_bullets(parameters(cls))]
    lines += ["", "Properties:", "", *_render_bullets(properties(cls)), ""]
    return "\n".join(lines)


def _render_bullets(lines: list[str]) -> list[str]:
    return [f"- {line.strip()}" for line in lines]
