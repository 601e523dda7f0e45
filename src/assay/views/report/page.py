"""The HTML page: sections, data and scripts in one file, with a security policy that blocks all other content."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from assay._version import VERSION
from assay.views.plots._export import embed_json, runtime
from assay.views.plots._style import config
from assay.views.report.context import ReportContext
from assay.views.report.figures import Figures
from assay.views.report.head import describe
from assay.views.report.section import Section, templates


def render_page(context: ReportContext, sections: Sequence[Section], figures: Figures) -> bytes:
    """Render the whole report as one file."""
    style, scripts = read_asset("page.css"), (runtime(), read_asset("page.js"))
    themes = {
        "light": config("light", background=False),
        "dark": config("dark", background=False),
        "paper": config("light"),
    }
    page = templates().get_template("page.html")
    text = page.render(
        **describe(context, sections),
        sections=sections,
        version=VERSION,
        policy=security_policy(style, scripts),
        style=style,
        data={"themes": embed_json(themes), **{name: json for json, name in figures.store.items()}},
        runtime=scripts[0],
        script=scripts[1],
    )
    return text.encode(errors="backslashreplace")


@cache
def read_asset(name: str) -> str:
    """Read a style sheet or a script of the page."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def security_policy(style: str, scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy of the page: it allows only this style and these scripts, and no requests."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    rules = (
        "default-src 'none'",
        f"script-src {hashes}",
        f"style-src 'sha256-{_digest(style)}'",
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
