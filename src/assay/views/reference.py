"""The reference pages of the documentation, written from what the code says about itself.

``python -m assay.views.reference`` writes them again.
"""

from __future__ import annotations

import inspect
from pathlib import Path

from assay.measures import Measure, catalogue
from assay.measures._base import parameters_of
from assay.model.gains import NAMED
from assay.views.catalogue import parameters, properties


def measures_page() -> str:
    """Every measure: definition, parameters, properties, names, reference."""
    found = catalogue()
    index = " · ".join(f"[{name}](#{_anchor(cls)})" for name, cls in found.items())
    gains = "".join(f"| `{name}` | {text} |\n" for name, (text, _) in NAMED.items())
    return (
        "# Measures\n\nThis page is written from the code (`python -m assay.views.reference`).\n\n"
        f"{index}\n\n"
        "Gains by name (`gains=`), where *top* is the top of the scale (the largest grade of the qrels, or\n"
        "`max_rel`); other gains are written as `{grade:gain,...}`:\n\n"
        f"| gains | a document is worth |\n|---|---|\n{gains}\n" + "\n".join(map(_section, found.values()))
    )


def _anchor(cls: type[Measure]) -> str:
    """The module of the measure: names such as AP and AP* would fall together."""
    return f"measure-{cls.__module__.rpartition('.')[2]}"


def _section(cls: type[Measure]) -> str:
    lines = [f'<a id="{_anchor(cls)}"></a>', "", f"## {cls.name}", "", *_prose(cls), ""]
    names = [*(f"`{alias}`" for alias in cls.aliases), *(f"`{name.partition('=')[0]}`" for name in cls.trec_eval)]
    lines += [f"Written {', '.join(f'`{example}`' for example in cls.examples)}."]
    lines += [f"Also known as {', '.join(names)}."] if names else []
    if parameters_of(cls):
        lines += ["", *(f"- {line.strip()}" for line in parameters(cls))]
    lines += ["", _sentence(properties(cls)), ""]
    return "\n".join(lines)


def _sentence(lines: list[str]) -> str:
    text = "; ".join(line.strip() for line in lines)
    return text[0].upper() + text[1:] + "."


def _prose(cls: type[Measure]) -> list[str]:
    """The docstring as Markdown: formulas as TeX blocks, the reference as a quotation, examples left out."""
    text = inspect.cleandoc(cls.__doc__ or "").partition("\nExamples\n")[0]
    body, _, reference = text.partition("\nReferences\n----------\n")
    lines: list[str] = []
    formula: list[str] | None = None
    for line in body.splitlines():
        if line.startswith(".. math::"):
            formula = [line.removeprefix(".. math::").strip()]
        elif formula is not None and line.startswith("   "):
            formula.append(line.strip())
        else:
            if formula is not None:
                lines += ["$$", *formula, "$$"]
                formula = None
            lines.append(_inline(line).replace("``", "`"))
    return [*lines, "", *(f"> {line}" for line in reference.strip().splitlines())]


def _inline(line: str) -> str:
    """Inline formulas of reStructuredText as TeX."""
    head, *rest = line.split(":math:`")
    return head + "".join("${}${}".format(*piece.split("`", 1)) for piece in rest)


def main() -> None:
    """Write the pages."""
    folder = Path(__file__).parents[3] / "docs" / "reference"
    (folder / "measures.md").write_text(measures_page())


if __name__ == "__main__":
    main()
