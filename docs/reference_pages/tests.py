"""Significance tests, corrections for multiple comparisons, effect sizes, equivalence, and numbers of topics."""

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
from reference_pages._markdown import code, code_list, table

TITLE = "Significance tests and corrections"
ABOUT = "the tests of `assay compare`: statistics, assumptions, and corrections of p"

_HEAD = """\
[Compare systems](../guide/compare.md) explains when to use which test. Select a test by its name:
`assay compare --test wilcoxon`, `assay.compare(results, test="wilcoxon")`.
"""
_GROUPS = """\
Which runs do not differ significantly? Leaderboards show groups of such runs.
"""


def page() -> str:
    """Return the page."""
    known = significance_tests()
    rows = [(f"[{name}](#{name})", cls.title, summary(cls), *_kind(cls)) for name, cls in known.items()]
    shown = table(("test", "full name", "description", "corrects for all pairs", "random"), rows)
    parts = [
        _HEAD,
        shown,
        *(f"## {name}\n\n{_test(cls)}" for name, cls in known.items()),
        f"## Corrections\n\n{code_list(CORRECTIONS)} (`--correction`). {markdown(adjust_p_values, omit=('Examples',))}",
        "Which comparisons are corrected together (`--family`):\n",
        table(("family", "comparisons"), ((code(name), about) for name, about in FAMILIES.items())),
        f"## Effect sizes\n\n{_describe(hedges_g)}",
        f"## Equivalence\n\n{_describe(tost)}",
        f"## Topics needed\n\n{markdown(topic_set_size)}",
        f"## Groups\n\n{_GROUPS}",
        _describe(find_groups).partition("\n\n")[2],
        f"## The table\n\nColumns: {code_list(('measure', 'run_a', 'run_b', *COLUMNS, 'test'))}.\n",
        markdown(Comparison.frame).partition("\n\n")[2],
    ]
    return "\n".join(parts)


def _describe(function: object) -> str:
    """Return the docstring of a function as the description of its result."""
    text = markdown(function, omit=("Examples", "Parameters")).removeprefix("Return ")
    return text[:1].upper() + text[1:]


def _kind(cls: type[SignificanceTest]) -> tuple[str, str]:
    return "yes" if cls.corrected else "no", "yes" if "resamples" in {one.name for one in fields(cls)} else "no"


def _test(cls: type[SignificanceTest]) -> str:
    return markdown(cls, omit=("Examples",))
