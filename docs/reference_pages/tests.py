"""Significance tests, corrections for multiple comparisons, effect sizes, equivalence, and topics needed."""

from __future__ import annotations

from dataclasses import fields

from assay.significance import topic_set_size
from assay.significance._compare import COLUMNS, FAMILIES, Comparison
from assay.significance.base import SignificanceTest, significance_tests
from assay.significance.corrections import CORRECTIONS, adjust_p_values
from assay.significance.effect import hedges_g
from assay.significance.equivalence import tost
from assay.significance.groups import find_groups
from reference_pages._docstrings import read_summary, render_docstring
from reference_pages._markdown import format_code, format_code_list, render_table

TITLE = "Significance tests and corrections"
ABOUT = "the tests of `assay compare`: statistics, assumptions, and corrections of p"

_HEAD = """\
Which significance tests are there, and how are they computed? [Compare systems](../guide/compare.md) explains how to
choose a test. Select a test by its name: `assay compare --test wilcoxon` or
`assay.compare(results, test="wilcoxon")`.
"""
_GROUPS = """\
Which runs do not differ significantly? Leaderboards show groups of such runs.
"""


def render_page() -> str:
    """Return the page."""
    tests = significance_tests()
    rows = [
        (f"[{name}](#{name})", cls.title, read_summary(cls), *_format_properties(cls)) for name, cls in tests.items()
    ]
    test_table = render_table(("test", "full name", "description", "corrects for all pairs", "random"), rows)
    corrections = render_docstring(adjust_p_values, omit=("Examples",))
    parts = [
        _HEAD,
        test_table,
        *(f"## {name}\n\n{_render_test(cls)}" for name, cls in tests.items()),
        f"## Corrections\n\n{format_code_list(CORRECTIONS)} (`--correction`). {corrections}",
        "`--family` selects the comparisons that are corrected together:\n",
        render_table(("family", "comparisons"), ((format_code(name), about) for name, about in FAMILIES.items())),
        f"## Effect sizes\n\n{_render_result_description(hedges_g)}",
        f"## Equivalence\n\n{_render_result_description(tost)}",
        f"## Topics needed\n\n{render_docstring(topic_set_size)}",
        f"## Groups\n\n{_GROUPS}",
        _render_result_description(find_groups).partition("\n\n")[2],
        f"## The table\n\nColumns: {format_code_list(('measure', 'run_a', 'run_b', *COLUMNS, 'test'))}.\n",
        render_docstring(Comparison.frame).partition("\n\n")[2],
    ]
    return "\n".join(parts)


def _render_result_description(function: object) -> str:
    """Return the docstring of a function as the description of its result."""
    text = render_docstring(function, omit=("Examples", "Parameters")).removeprefix("Return ")
    return text[:1].upper() + text[1:]


def _format_properties(cls: type[SignificanceTest]) -> tuple[str, str]:
    return "yes" if cls.corrected else "no", "yes" if "resamples" in {field.name for field in fields(cls)} else "no"


def _render_test(cls: type[SignificanceTest]) -> str:
    return render_docstring(cls, omit=("Examples",))
