"""A request that remembers which parameters it was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from assay.views.explorer.parameters import LONGEST_TEXT, MOST_MEASURES, Query
from assay.views.explorer.state import ExplorerState
from reference_pages._markdown import code, listed, table

HEADER = ("parameter", "what it can be", "default")
NEEDED = "must be given"
_TOLD: dict[str, Callable[..., tuple[str, str, object]]] = {
    "text": lambda name, default="", longest=LONGEST_TEXT: (name, f"a text of at most {longest} characters", default),
    "choice": lambda name, known, default: (name, f"one of {listed(known)}", default),
    "some": lambda name, known: (name, f"some of {listed(known)}; may be repeated", ""),
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
"""What each way to ask for a parameter says of it: its name, what it can be, its default."""


def _several(most: int) -> str:
    return f"; up to {most} can be given" if most > 1 else ""


class Request(Query):
    """A request with all required parameters that records which parameters are read."""

    def __init__(self, state: ExplorerState) -> None:
        first, second = state.campaign.runs[:2]
        given = {"run": first, "a": first, "b": second, "topic": state.campaign.topics[1]}
        super().__init__(urlencode(given).encode(), state)
        self.found: dict[str, tuple[str, str]] = {}

    def note(self, name: str, kind: str, default: object) -> None:
        """Take note; what is asked for first is meant, as asking for a measure asks for a text in turn."""
        text = str(default)
        self.found.setdefault(name, (kind, text if text in ("", NEEDED) else code(text)))

    def end(self) -> None:
        """Ignore unused parameters."""

    def shown(self) -> str:
        """The parameters as a table."""
        rows = [(code(name), kind, default) for name, (kind, default) in self.found.items()]
        return table(HEADER, rows) if rows else "It has no parameters.\n"


def _noting(way: str) -> Callable[..., Any]:
    def ask(request: Request, *given: Any, **named: Any) -> Any:
        request.note(*_TOLD[way](*given, **named))
        return getattr(Query, way)(request, *given, **named)

    return ask


for _way in _TOLD:
    setattr(Request, _way, _noting(_way))
