"""Read the marks, data and titles of a chart from its specification, at any nesting depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.views.plots._export import specification


def views(chart: Any) -> list[dict[str, Any]]:
    """Return the parts of a chart that have a mark."""
    return [node for node in _nodes(specification(chart)) if "mark" in node]


def marks(chart: Any) -> list[str]:
    """Return the kinds of marks, in drawing order."""
    return [_kind(view) for view in views(chart)]


def mark_rows(chart: Any, kind: str) -> list[dict[str, Any]]:
    """Return the data rows of all views with this kind of mark."""
    data = specification(chart).get("datasets", {})
    return [row for view in views(chart) if _kind(view) == kind for row in _rows(view.get("data"), data)]


def texts(chart: Any) -> list[str]:
    """Return the texts of text marks in order; a text drawn twice for legibility is listed once."""
    labels = []
    data = specification(chart).get("datasets", {})
    for view in views(chart):
        if _kind(view) == "text":
            field = view["encoding"]["text"]["field"]
            labels += [str(row[field]) for row in _rows(view.get("data"), data)]
    return list(dict.fromkeys(labels))


def titles(chart: Any) -> list[Any]:
    """Return the titles of panels, each in one line, and their subtitles."""
    lines = []
    for node in _nodes(specification(chart)):
        title = node.get("title")
        if isinstance(title, str):
            lines.append(title)
        elif isinstance(title, dict):
            text = title["text"]
            lines.append(text if isinstance(text, str) else " ".join(text))
            lines += [title["subtitle"]] if "subtitle" in title else []
    return lines


def _kind(view: dict[str, Any]) -> str:
    mark = view["mark"]
    return str(mark["type"] if isinstance(mark, dict) else mark)


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Yield a chart and the charts nested in it, which inherit its data unless they have their own."""
    yield node
    for key in ("layer", "concat", "hconcat", "vconcat"):
        for part in node.get(key, ()):
            yield from _nodes({"data": node.get("data"), **part})


def _rows(data: Any, named: dict[str, Any]) -> list[dict[str, Any]]:
    if not data:
        return []
    return list(data["values"] if "values" in data else named[data["name"]])
