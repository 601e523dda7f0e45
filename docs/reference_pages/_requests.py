"""A request that records the parameters that a route reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from assay.views.explorer.parameters import LONGEST_TEXT, MOST_MEASURES, Query
from assay.views.explorer.state import ExplorerState
from reference_pages._markdown import code, code_list, table

HEADER = ("parameter", "values", "default")
NEEDED = "required"
_DESCRIPTIONS: dict[str, Callable[..., tuple[str, str, object]]] = {
    "text": lambda name, default="", longest=LONGEST_TEXT: (name, f"text of at most {longest} characters", default),
    "choice": lambda name, known, default: (name, f"one of {code_list(known)}", default),
    "some": lambda name, known: (name, f"some of {code_list(known)}; may be repeated", ""),
    "flag": lambda name, default=False: (name, "`1` or `0`", int(default)),
    "maybe_whole": lambda name, low, high: (name, f"whole number from {low} to {high}", ""),
    "whole": lambda name, default, low, high: (name, f"whole number from {low} to {high}", default),
    "share": lambda name, default: (name, "number between 0 and 1", default),
    "run": lambda name="run": (name, "name of a run", NEEDED),
    "runs": lambda name="run", most=100: (name, "name of a run" + _several(most), ""),
    "topic": lambda: ("topic", "a topic", NEEDED),
    "topics": lambda most=100: ("topic", "a topic" + _several(most), ""),
    "measure": lambda default, name="measure": (name, "a measure", default),
    "measures": lambda default, most=MOST_MEASURES, name="measure": (
        *(name, "a measure" + _several(most)),
        " ".join(default),
    ),
}
"""Name, values and default of a parameter, for each method of ``Query`` that reads one."""


def _several(most: int) -> str:
    return f"; up to {most}" if most > 1 else ""


class Request(Query):
    """A request with all required parameters that records which parameters are read."""

    def __init__(self, state: ExplorerState) -> None:
        first, second = state.campaign.runs[:2]
        parameters = {"run": first, "a": first, "b": second, "topic": state.campaign.topics[1]}
        super().__init__(urlencode(parameters).encode(), state)
        self.recorded: dict[str, tuple[str, str]] = {}

    def record(self, name: str, values: str, default: object) -> None:
        """Record a parameter; only the first call counts, because ``measure`` calls ``text`` for the same parameter."""
        text = str(default)
        self.recorded.setdefault(name, (values, text if text in ("", NEEDED) else code(text)))

    def end(self) -> None:
        """Ignore unused parameters."""

    def to_table(self) -> str:
        """Return the recorded parameters as a table."""
        rows = [(code(name), values, default) for name, (values, default) in self.recorded.items()]
        return table(HEADER, rows) if rows else "No parameters.\n"


def _recording(method: str) -> Callable[..., Any]:
    """Return a method of ``Query`` that also records the parameter."""

    def read(request: Request, *args: Any, **options: Any) -> Any:
        request.record(*_DESCRIPTIONS[method](*args, **options))
        return getattr(Query, method)(request, *args, **options)

    return read


for _method in _DESCRIPTIONS:
    setattr(Request, _method, _recording(_method))
