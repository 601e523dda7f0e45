"""The page: a head, sections, data and scripts, with a policy by which it runs nothing else and loads nothing."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from string import Template

from assay._version import VERSION
from assay.views.plots._saving import embedded, runtime
from assay.views.plots._style import config
from assay.views.report.figures import Figures
from assay.views.report.markup import Html, escaped, joined, tag
from assay.views.report.section import Section

WITHOUT_SCRIPTS = "Scripts are switched off in this browser: the tables are here, but figures cannot be drawn."


@cache
def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def page(title: str, head: Html, sections: Sequence[Section], figures: Figures) -> bytes:
    """All in one file."""
    style, scripts = _file("page.css"), (runtime(), _file("page.js"))
    themes = {
        "light": config("light", background=False),
        "dark": config("dark", background=False),
        "paper": config("light"),
    }
    data = joined(
        [Html(f'<script type="application/json" id="themes">{embedded(themes)}</script>'), figures.scripts()], "\n"
    )
    content = joined(
        [head, tag("noscript", tag("p", WITHOUT_SCRIPTS, class_="caution")), *(s.html() for s in sections)], "\n"
    )
    return (
        Template(_file("page.html"))
        .substitute(
            policy=policy(style, scripts),
            version=VERSION,
            title=escaped(title),
            style=style,
            contents=_contents(sections),
            content=content,
            data=data,
            runtime=scripts[0],
            script=scripts[1],
        )
        .encode(errors="backslashreplace")
    )


def policy(style: str, scripts: Sequence[str]) -> str:
    """What the page may do: apply this style, run these scripts, show what they draw. It loads nothing."""
    runs = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    rules = (
        "default-src 'none'",
        f"script-src {runs}",
        f"style-src 'sha256-{_digest(style)}'",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _contents(sections: Sequence[Section]) -> Html:
    links = [tag("li", tag("a", section.title, href=f"#{section.name}")) for section in sections]
    return joined([tag("h2", "Contents"), tag("ul", *links)])
