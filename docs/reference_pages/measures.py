"""Every measure: definition, parameters, properties, names, reference."""

from __future__ import annotations

from assay.measures import Measure, catalogue
from assay.measures._parameters import parameters_of
from assay.model.gains import NAMED_GAINS
from assay.views.catalogue import parameters, properties
from reference_pages._docstrings import parsed, prose, quoted
from reference_pages._markdown import code, listed, table

TITLE = "Measures"
ABOUT = "every measure with its formula, parameters, properties, names and reference"

_GAINS = """\
Gains by name (`gains=`), where *top* is the top of the scale (the largest grade of the qrels, or `max_rel`); other
gains are written as `{grade:gain,...}`:
"""


def page() -> str:
    """The page."""
    found = catalogue()
    index = " · ".join(f"[{name}](#{_anchor(cls)})" for name, cls in found.items())
    gains = table(("gains", "a document is worth"), ((code(name), text) for name, (text, _) in NAMED_GAINS.items()))
    return "\n".join([f"{index}\n", _GAINS, gains, *map(_section, found.values())])


def _anchor(cls: type[Measure]) -> str:
    """Return an anchor; names would not do, since those of AP and AP* become the same."""
    return f"measure-{cls.__name__.lower()}"


def _section(cls: type[Measure]) -> str:
    doc = parsed(cls)
    names = [*cls.aliases, *(name.partition("=")[0] for name in cls.trec_eval)]
    lines = [f'<a id="{_anchor(cls)}"></a>', "", f"## {cls.name}", "", prose(doc.body)]
    lines += [quoted(doc.sections["References"]), f"Written {listed(cls.examples)}."]
    lines += [f"Also known as {listed(names)}."] if names else []
    if parameters_of(cls):
        lines += ["", *(f"- {line.strip()}" for line in parameters(cls))]
    lines += ["", _sentence(properties(cls)), ""]
    return "\n".join(lines)


def _sentence(lines: list[str]) -> str:
    text = "; ".join(line.strip() for line in lines)
    return text[0].upper() + text[1:] + "."
