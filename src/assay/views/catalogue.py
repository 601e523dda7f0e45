"""List of all measures and explanation of a single measure, both generated from the measure classes."""

from __future__ import annotations

import dataclasses
import inspect

import polars as pl

from assay.measures import Additive, Measure, catalogue, measure
from assay.measures._facets import describe_facet
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
        """Return the number of measures and the command that explains one."""
        return f"{len(catalogue())} measures; assay measures NAME explains one."

    def _show_table(self) -> Table:
        """Return the table of measures: notation, summary and names in trec_eval."""
        rows = [
            {
                "measure": name,
                "example": cls.examples[0] if cls.examples else name,  # a user-defined measure may have no examples
                "trec_eval": " ".join(notation.partition("=")[0] for notation in cls.trec_eval),
                "description": summary_of(cls),
            }
            for name, cls in catalogue().items()
        ]
        frame = pl.DataFrame(rows)
        return Table(frame, frame.select("measure", "description"))


def summary_of(cls: type[Measure]) -> str:
    """Return the first line of the docstring of a measure."""
    return _docstring(cls)[0]


def _docstring(cls: type[Measure]) -> list[str]:
    """Return the lines of the docstring of a measure."""
    text = inspect.cleandoc(cls.__doc__ or "")
    # If a dataclass has no docstring, Python uses its signature as docstring; a signature explains nothing.
    return text.splitlines() if text and not text.startswith(f"{cls.__name__}(") else ["defined by the user"]


def explain(text: str) -> str:
    """Return the formula, parameters, properties and reference of a measure, given by its name or its full notation."""
    cls = measure_class(text)
    description = [line.replace(".. math::", "   ") for line in _docstring(cls)]
    lines = [f"{cls.name}", "", *description, "", "Parameters", "----------"]
    lines += parameters(cls) or ["none"]
    lines += ["", "Properties", "----------", *properties(cls), "", "Written", "-------"]
    lines += [f"  {example}" for example in cls.examples or [cls.name]]
    names = [*cls.aliases, *(name.partition("=")[0] for name in cls.trec_eval)]
    lines += ["", f"Also known as: {', '.join(names)}"] if names else []
    if "(" in text or "@" in text:
        lines += ["", f"{text} reads as {measure(text)}"]
    return "\n".join(lines) + "\n"


def parameters(cls: type[Measure]) -> list[str]:
    """Return one line for each parameter: its meaning, its allowed values and its default."""
    lines = []
    for field in parameters_of(cls):
        metadata = field.metadata
        default = "" if field.default is dataclasses.MISSING else f", default {field.default}"
        default = default.replace("default None", "default none")
        notation = " (written @)" if metadata["at"] else ""
        lines.append(f"  {field.name}{notation}: {metadata['doc']}{_limits(dict(metadata))}{default}")
    return lines


def _limits(metadata: dict[str, object]) -> str:
    """Return the limits and choices of a parameter in brackets; an empty text if there are none."""
    words = {"low": "at least", "above": "above", "high": "at most", "below": "below"}
    limits = [f"{word} {metadata[name]:,.16g}" for name, word in words.items() if metadata[name] is not None]
    choices = metadata["choices"]
    if isinstance(choices, tuple) and choices:
        limits.append("one of " + ", ".join(map(str, choices)))
    return f" ({', '.join(limits)})" if limits else ""


def properties(cls: type[Measure]) -> list[str]:
    """Return the properties of a measure, one per line."""
    low, high = (f"{bound:g}".replace("inf", "infinity") for bound in cls.bounds)
    aggregate = {"mean": "mean", "sum": "sum", "geometric": "geometric mean"}[cls.aggregate]
    base = "uses the recall base (undefined for a topic without relevant documents)"
    return [
        *(f"  needs {describe_facet(facet)}" for facet in cls.facets),
        f"  values from {low} to {high}",
        f"  aggregated over topics by the {aggregate}",
        f"  {base if cls.uses_recall_base else 'does not use the recall base'}",
        f"  {'a sum of weight(rank) x gain(grade)' if issubclass(cls, Additive) else 'not a weighted sum over ranks'}",
        f"  {_extremes(cls)}",
        f"  {_axioms(cls)}",
    ]


def _axioms(cls: type[Measure]) -> str:
    """Describe which axioms the measure declares to satisfy; ``assay theory axioms`` checks them."""
    words = {True: "holds", False: "fails", None: "is not declared"}
    return f"swap {words[cls.swap]}, replacement {words[cls.replacement]} (see assay theory axioms)"


def _extremes(cls: type[Measure]) -> str:
    """Describe how ``assay uncertainty ties`` finds the lowest and highest value over all orders of tied documents."""
    if cls.facets:
        return "lowest and highest value over all orders of tied documents are not available"
    if not cls.order_matters:
        return "does not depend on the order of documents"
    has_inner_measure = any(field.metadata["kind"] == "measure" for field in parameters_of(cls))
    exactness = "are exact" if cls.swap_monotone else "are sampled"
    method = "are found as for the inner measure" if has_inner_measure else exactness
    return f"lowest and highest value over all orders of tied documents {method}"
