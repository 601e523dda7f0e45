"""Significance tests, corrections for many comparisons, effect sizes, equivalence, and topics that are needed."""

from __future__ import annotations

from dataclasses import fields

from assay.significance import topic_set_size
from assay.significance._compare import COLUMNS, FAMILIES, Comparison
from assay.significance.base import SignificanceTest, significance_tests
from assay.significance.corrections import CORRECTIONS, adjust_p_values
from assay.significance.effect import hedges_g
from assay.significance.equivalence import tost
from assay.significance.groups import find_groups
from reference_pages._docstrings import markdown, summary
from reference_pages._markdown import code, listed, table

TITLE = "Significance tests and corrections"
ABOUT = "the tests of `assay compare`: statistics, assumptions, and how p is adjusted"

_HEAD = """\
[Compare systems](../guide/compare.md) explains when to use which. Choose a test by its name:
`assay compare --test wilcoxon`, `assay.compare(results, test="wilcoxon")`.
"""


def page() -> str:
    """The page."""
    known = significance_tests()
    rows = [(f"[{name}](#{name})", cls.title, summary(cls), *_kind(cls)) for name, cls in known.items()]
    shown = table(("test", "name in full", "purpose", "p holds for all pairs", "random"), rows)
    parts = [
        _HEAD,
        shown,
        *(f"## {name}\n\n{_test(cls)}" for name, cls in known.items()),
        f"## Corrections\n\n{listed(CORRECTIONS)} (`--correction`). {markdown(adjust_p_values, leave=('Examples',))}",
        "Comparisons that are corrected together (`--family`):\n",
        table(("family", "comparisons"), ((code(name), about) for name, about in FAMILIES.items())),
        f"## Effect sizes\n\n{markdown(hedges_g, leave=('Examples', 'Parameters'))}",
        f"## Equivalence\n\n{markdown(tost, leave=('Examples', 'Parameters'))}",
        f"## Topics needed\n\n{markdown(topic_set_size)}",
        f"## Groups\n\n{markdown(find_groups, leave=('Examples', 'Parameters'))}",
        f"## The table\n\nColumns: {listed(('measure', 'run_a', 'run_b', *COLUMNS, 'test'))}.\n",
        markdown(Comparison.frame).partition("\n\n")[2],
    ]
    return "\n".join(parts)


def _kind(cls: type[SignificanceTest]) -> tuple[str, str]:
    return "yes" if cls.corrected else "no", "yes" if "resamples" in {one.name for one in fields(cls)} else "no"


def _test(cls: type[SignificanceTest]) -> str:
    return markdown(cls, leave=("Examples",))
