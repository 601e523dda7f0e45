"""Convert formulas from TeX to MathML, which browsers display without a script."""

from __future__ import annotations

import re
from html import unescape

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(div|span) class="arithmatex">\s*\\[\[(](.*?)\\[\])]\s*</\1>', re.DOTALL)


def on_page_content(html: str, **_: object) -> str:
    """Replace TeX by MathML."""
    return _FORMULA.sub(_mathml, html)


def _mathml(match: re.Match[str]) -> str:
    kind = "block" if match[1] == "div" else "inline"
    formula = convert(unescape(match[2]).strip(), display=kind)
    return f'<div class="formula">{formula}</div>' if kind == "block" else formula
