"""What a chart holds, wherever it stands in its specification: marks, data, titles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.views.plots._export import specification


def views(chart: Any) -> list[dict[str, Any]]:
    """The parts of a chart that have a mark."""
    return [node for node in _nodes(specification(chart)) if "mark" in node]


def marks(chart: Any) -> list[str]:
    """The kinds of marks, in the order in which they are drawn."""
    return [_kind(view) for view in views(chart)]


def drawn(chart: Any, kind: str) -> list[dict[str, Any]]:
    """The rows of all views with this kind of mark."""
    data = specification(chart).get("datasets", {})
    return [row for view in views(chart) if _kind(view) == kind for row in _rows(view.get("data"), data)]


def texts(chart: Any) -> list[str]:
    """What text marks say, in their order; what is written twice to be legible is told once."""
    found = []
    data = specification(chart).get("datasets", {})
    for view in views(chart):
        if _kind(view) == "text":
            field = view["encoding"]["text"]["field"]
            found += [str(row[field]) for row in _rows(view.get("data"), data)]
    return list(dict.fromkeys(found))


def titles(chart: Any) -> list[Any]:
    """The titles of panels, each in one line, and their subtitles."""
    found = []
    for node in _nodes(specification(chart)):
        title = node.get("title")
        if isinstance(title, str):
            found.append(title)
        elif isinstance(title, dict):
            text = title["text"]
            found.append(text if isinstance(text, str) else " ".join(text))
            found += [title["subtitle"]] if "subtitle" in title else []
    return found


def _kind(view: dict[str, Any]) -> str:
    mark = view["mark"]
    return str(mark["type"] if isinstance(mark, dict) else mark)


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """A chart and the charts in it, which have its data unless they have others."""
    yield node
    for key in ("layer", "concat", "hconcat", "vconcat"):
        for part in node.get(key, ()):
            yield from _nodes({"data": node.get("data"), **part})


def _rows(data: Any, named: dict[str, Any]) -> list[dict[str, Any]]:
    if not data:
        return []
    return list(data["values"] if "values" in data else named[data["name"]])
