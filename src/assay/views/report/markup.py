"""Pieces of HTML, in which every text is escaped unless it is markup already."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from html import escape, unescape
from typing import Any

import polars as pl

NOTHING = "–"
"""What stands in the cell of a table where there is no number."""


class Html(str):
    """Text that is markup: it goes into a page as it is, where other text is escaped."""

    __slots__ = ()


def escaped(thing: object) -> Html:
    """A text as markup; markup stays as it is.

    >>> escaped("<script>"), escaped(Html("<b>"))
    ('&lt;script&gt;', '<b>')
    """
    return thing if isinstance(thing, Html) else Html(escape(str(thing)))


def joined(parts: Iterable[object], between: str = "") -> Html:
    """Pieces one after the other."""
    return Html(escaped(between).join(escaped(part) for part in parts))


def tag(name: str, *inside: object, **attributes: object) -> Html:
    """An element; an attribute that is None is left out, one that is True has no value.

    >>> tag("a", "R&D", href="#r", class_="name", hidden=None)
    '<a href="#r" class="name">R&amp;D</a>'
    """
    given = [
        f" {_attribute(key)}" if value is True else f' {_attribute(key)}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    ]
    opened = f"<{name}{''.join(given)}>"
    return Html(opened if name in ("br", "meta") else f"{opened}{joined(inside)}</{name}>")


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def said(template: str, **parts: object) -> Html:
    """A sentence with names and numbers put in, each escaped.

    >>> said("{run} leads.", run="<b>")
    '&lt;b&gt; leads.'
    """
    return Html(template.format(**{key: escaped(part) for key, part in parts.items()}))


def plain(markup: str) -> str:
    """What a reader sees of some markup, such as for a description.

    >>> plain(tag("p", "a < ", tag("b", "b")))
    'a < b'
    """
    return unescape(re.sub(r"<[^>]*>", "", markup))


def paragraph(*sentences: Html | None, class_: str | None = None) -> Html:
    """Sentences as a paragraph; those that are None are not said."""
    there = [sentence for sentence in sentences if sentence]
    return tag("p", joined(there, " "), class_=class_) if there else Html("")


def fold(summary: object, *inside: object) -> Html:
    """Something that is shown when it is asked for."""
    return tag("details", tag("summary", summary), *inside)


Show = Callable[[Any], object]


def table(
    frame: pl.DataFrame,
    caption: object,
    *,
    heads: Mapping[str, str] | None = None,
    show: Mapping[str, Show] | None = None,
    digits: int = 3,
    texts: tuple[str, ...] = ("run",),
    class_: str = "",
) -> Html:
    """A table of numbers, in a box of its own that scrolls if it is too wide or too long.

    Parameters
    ----------
    frame
        What it shows; the first column names the rows.
    caption
        What it is.
    heads
        What stands above columns, if not their names.
    show
        How the values of columns are written, if not as numbers with *digits* behind the point.
    texts
        Columns whose numbers stand for names, and are written so.
    """
    heads, show = heads or {}, show or {}
    kinds = ["n" if frame[name].dtype.is_numeric() and name not in texts else None for name in frame.columns]
    writes = [show.get(name) or (lambda value: written(value, digits)) for name in frame.columns]
    head = [
        tag("th", heads.get(name, name), scope="col", class_=kind)
        for name, kind in zip(frame.columns, kinds, strict=True)
    ]
    body = [
        tag(
            "tr",
            *(
                _cell(i, write(value), kind)
                for i, (value, write, kind) in enumerate(zip(row, writes, kinds, strict=True))
            ),
        )
        for row in frame.rows()
    ]
    inside = tag("table", tag("thead", tag("tr", *head)), tag("tbody", joined(body, "\n")))
    box = tag(
        "div", inside, class_=f"scroll {class_}".strip(), tabindex=0, role="region", aria_label=plain(escaped(caption))
    )
    return tag("figure", tag("figcaption", caption), box, class_="table")


def _cell(place: int, content: object, kind: str | None) -> Html:
    if place == 0:
        return tag("th", content, scope="row", class_=kind)
    return tag("td", content, class_=kind)


def written(value: object, digits: int = 3) -> str:
    """A value in a cell.

    >>> written(0.25), written(None), written(12345), written(True), written(-0.0001)
    ('0.250', '–', '12,345', 'yes', '0.000')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if not isinstance(value, float):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    text = f"{value:,.{digits}f}"
    return text if float(text.replace(",", "")) else text.removeprefix("-")
