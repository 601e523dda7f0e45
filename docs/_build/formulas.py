"""Formulas: what pages write as TeX is MathML in the site, which browsers show without a script."""

from __future__ import annotations

import re
from html import unescape

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(div|span) class="arithmatex">\s*\\[\[(](.*?)\\[\])]\s*</\1>', re.DOTALL)


def on_page_content(html: str, **_: object) -> str:
    """Put MathML in the place of TeX."""
    return _FORMULA.sub(_mathml, html)


def _mathml(found: re.Match[str]) -> str:
    kind = "block" if found[1] == "div" else "inline"
    made = convert(unescape(found[2]).strip(), display=kind)
    return f'<div class="formula">{made}</div>' if kind == "block" else made
