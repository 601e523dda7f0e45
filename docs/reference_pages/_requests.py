"""A request that records the parameters which a route of the explorer reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from assay.views.explorer.parameters import MAX_MEASURES, MAX_TEXT_LENGTH, Query
from assay.views.explorer.state import DEFAULT_MEASURES, ExplorerState
from reference_pages._markdown import format_code, format_code_list, render_table

HEADER = ("parameter", "values", "default")
REQUIRED = "required"
_DESCRIBE: dict[str, Callable[..., tuple[str, str, object]]] = {
    "text": lambda name, default="": (name, f"text of at most {MAX_TEXT_LENGTH} characters", default),
    "choice": lambda name, known, default: (name, f"one of {format_code_list(known)}", default),
    "choices": lambda name, known: (name, f"some of {format_code_list(known)}; may be repeated", ""),
    "flag": lambda name, default=False: (name, "`1` or `0`", int(default)),
    "optional_integer": lambda name, low, high: (name, f"whole number from {low} to {high}", ""),
    "integer": lambda name, default, low, high: (name, f"whole number from {low} to {high}", default),
    "fraction": lambda name, default: (name, "number between 0 and 1", default),
    "run": lambda name="run": (name, "name of a run", REQUIRED),
    "runs": lambda name="run", most=100: (name, "name of a run" + _format_limit(most), ""),
    "topic": lambda: ("topic", "a topic", REQUIRED),
    "topics": lambda most=100: ("topic", "a topic" + _format_limit(most), ""),
    "measure": lambda default=DEFAULT_MEASURES[0], name="measure": (name, "a measure", default),
    "measures": lambda default, most=MAX_MEASURES, name="measure": (
        name,
        "a measure" + _format_limit(most),
        " ".join(default),
    ),
}
"""Functions that return the name, values and default of a parameter, by the method of ``Query`` that reads it."""


def _format_limit(most: int) -> str:
    return f"; up to {most}" if most > 1 else ""


class RecordingRequest(Query):
    """A request with all required parameters that records which parameters are read."""

    def __init__(self, state: ExplorerState) -> None:
        first, second = state.campaign.runs[:2]
        parameters = {"run": first, "a": first, "b": second, "topic": state.campaign.topics[1]}
        super().__init__(urlencode(parameters).encode(), state)
        self.recorded: dict[str, tuple[str, str]] = {}

    def record(self, name: str, values: str, default: object) -> None:
        """Record a parameter. Only the first call counts: ``measure`` calls ``text`` for the same parameter."""
        text = str(default)
        self.recorded.setdefault(name, (values, text if text in ("", REQUIRED) else format_code(text)))

    def reject_unknown_parameters(self) -> None:
        """Do nothing: the request contains parameters that most routes do not read."""

    def to_table(self) -> str:
        """Return the recorded parameters as a table."""
        rows = [(format_code(name), values, default) for name, (values, default) in self.recorded.items()]
        return render_table(HEADER, rows) if rows else "No parameters.\n"


def _make_recording_method(method: str) -> Callable[..., Any]:
    """Return a method of ``Query`` that also records the parameter."""

    def read(request: RecordingRequest, *args: Any, **options: Any) -> Any:
        request.record(*_DESCRIBE[method](*args, **options))
        return getattr(Query, method)(request, *args, **options)

    return read


for _method in _DESCRIBE:
    setattr(RecordingRequest, _method, _make_recording_method(_method))
