"""The catalogue of measures, and one measure explained: all from what each class says about itself."""

from __future__ import annotations

import dataclasses
import inspect
import math

import polars as pl

from assay.measures import Additive, Measure, catalogue, measure
from assay.measures._notation import measure_class
from assay.measures._parameters import parameters_of
from assay.model.provenance import Provenance
from assay.results.report import Report
from assay.results.tables import Table


class MeasureList(Report):
    """Every measure with its one-line summary and its names in trec_eval."""

    name = "measures"
    notes = ()
    provenance = Provenance()

    def __repr__(self) -> str:
        return f"MeasureList({len(catalogue())} measures)"

    def summary(self) -> str:
        """Return how to learn more."""
        return f"{len(catalogue())} measures; assay measures NAME explains one."

    def _show_table(self) -> Table:
        rows = [
            {
                "measure": name,
                "example": cls.examples[0] if cls.examples else name,  # one of the user may have none
                "trec_eval": " ".join(written.partition("=")[0] for written in cls.trec_eval),
                "description": summary_of(cls),
            }
            for name, cls in catalogue().items()
        ]
        frame = pl.DataFrame(rows)
        return Table(frame, frame.select("measure", "description"))


def summary_of(cls: type[Measure]) -> str:
    """The first line of the docstring."""
    return _about(cls)[0]


def _about(cls: type[Measure]) -> list[str]:
    """The lines of the docstring; a dataclass without one has its signature there, which says nothing."""
    text = inspect.cleandoc(cls.__doc__ or "")
    return text.splitlines() if text and not text.startswith(f"{cls.__name__}(") else ["defined by the user"]


def explain(text: str) -> str:
    """Formula, parameters, properties and reference of a measure, written as a name or in full."""
    cls = measure_class(text)
    about = [line.replace(".. math::", "   ") for line in _about(cls)]
    lines = [f"{cls.name}", "", *about, "", "Parameters", "----------"]
    lines += parameters(cls) or ["none"]
    lines += ["", "Properties", "----------", *properties(cls), "", "Written", "-------"]
    lines += [f"  {example}" for example in cls.examples or [cls.name]]
    names = [*cls.aliases, *(name.partition("=")[0] for name in cls.trec_eval)]
    lines += ["", f"Also known as: {', '.join(names)}"] if names else []
    if "(" in text or "@" in text:
        lines += ["", f"{text} reads as {measure(text)}"]
    return "\n".join(lines) + "\n"


def parameters(cls: type[Measure]) -> list[str]:
    """One line for each parameter: what it means, what it may be, its default."""
    lines = []
    for field in parameters_of(cls):
        about = field.metadata
        default = "" if field.default is dataclasses.MISSING else f", default {field.default}"
        default = default.replace("default None", "default none")
        lines.append(
            f"  {field.name}{' (written @)' if about['at'] else ''}: {about['doc']}{_limits(dict(about))}{default}"
        )
    return lines


def _limits(about: dict[str, object]) -> str:
    words = {"low": "at least", "above": "above", "high": "at most", "below": "below"}
    limits = [f"{word} {about[name]:,.16g}" for name, word in words.items() if about[name] is not None]
    choices = about["choices"]
    if isinstance(choices, tuple) and choices:
        limits.append("one of " + ", ".join(map(str, choices)))
    return f" ({', '.join(limits)})" if limits else ""


def properties(cls: type[Measure]) -> list[str]:
    """What is known of the measure, one line each."""
    low, high = ("no limit" if math.isinf(bound) else f"{bound:g}" for bound in cls.bounds)
    together = {"mean": "the mean", "sum": "the sum", "geometric": "the geometric mean"}[cls.aggregate]
    base = "uses the number of relevant documents (undefined for a topic without any)"
    return [
        f"  lowest value {low}, highest {high}",
        f"  over topics: {together}",
        f"  {base if cls.uses_recall_base else 'does not need to know all relevant documents'}",
        f"  {'a sum of weight(rank) x gain(grade)' if issubclass(cls, Additive) else 'not a plain sum over ranks'}",
        f"  {_extremes(cls)}",
        f"  {_axioms(cls)}",
    ]


def _axioms(cls: type[Measure]) -> str:
    """Return which axioms the measure satisfies, as ``assay theory axioms`` checks."""
    words = {True: "holds", False: "fails", None: "is not stated"}
    return f"swap {words[cls.swap]}, replacement {words[cls.replacement]} (see assay theory axioms)"


def _extremes(cls: type[Measure]) -> str:
    """Return what assay uncertainty ties can say about it."""
    if not cls.order_matters:
        return "does not look at the order of documents"
    inner = any(field.metadata["kind"] == "measure" for field in parameters_of(cls))
    exact = "are as those of the measure inside" if inner else "are exact" if cls.swap_monotone else "are sampled"
    return f"the extremes over all orders of tied documents {exact}"
