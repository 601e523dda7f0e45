"""Provenance: the inputs, policies and derivation steps needed to reproduce a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay._version import VERSION
from assay.model.policies import Policies

RUN_ROLES = ("run", "values")
"""Roles of inputs that are runs: rankings, or values that another tool computed."""


@dataclass(frozen=True)
class Input:
    """An input: its role, name, source and the SHA-256 of its file.

    The SHA-256 is None if the input is not a file, and for texts of queries and documents, which affect no value.
    Values that another tool computed also have the *format* of the file, and their *resolution*: the unit of the last
    printed decimal.
    """

    role: str
    name: str
    source: str
    sha256: str | None
    format: str | None = None
    resolution: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the input as a dict of plain values; *format* and *resolution* are omitted if they are unknown."""
        known = {name: getattr(self, name) for name in ("format", "resolution") if getattr(self, name) is not None}
        return {"role": self.role, "name": self.name, "source": self.source, "sha256": self.sha256, **known}


class ReadInput(Protocol):
    """Source and digest of judgments or of a run."""

    @property
    def source(self) -> str:
        """The file or other source."""

    @property
    def digest(self) -> str | None:
        """The SHA-256 of the file; None if the source is not a file."""


@dataclass(frozen=True)
class Provenance:
    """Everything needed to reproduce a result.

    Attributes
    ----------
    inputs, policies, version
        The inputs, the policies applied to them, and the version of assay.
    derivations
        Steps by which the data was derived from the inputs.
    settings
        The arguments of the analysis.
    """

    inputs: tuple[Input, ...] = ()
    policies: Policies = Policies()
    version: str = VERSION
    derivations: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, qrels: ReadInput | None, runs: Sequence[ReadInput], names: Sequence[str], policies: Policies
    ) -> Provenance:
        """Return the provenance of judgments (unless None) and of runs with their names."""
        judgments = [] if qrels is None else [Input("qrels", qrels.source, qrels.source, qrels.digest)]
        named_runs = [Input("run", name, run.source, run.digest) for name, run in zip(names, runs, strict=True)]
        return cls((*judgments, *named_runs), policies)

    @property
    def only_values(self) -> bool:
        """True if the inputs are values that other tools computed, so that there are no runs and no policies."""
        return bool(self.inputs) and all(item.role == "values" for item in self.inputs)

    @property
    def sources(self) -> list[str]:
        """Sources of the runs, in the order of the runs."""
        return [item.source for item in self.inputs if item.role == "run"]

    def with_settings(self, **settings: Any) -> Provenance:
        """Return a copy with the arguments of an analysis added."""
        return replace(self, settings={**self.settings, **settings})

    def derive(self, step: str) -> Provenance:
        """Return a copy with one more derivation step."""
        return replace(self, derivations=(*self.derivations, step))

    def derive_grades(self, grades: Mapping[float, float]) -> Provenance:
        """Return a copy with the replacement of grades as one more derivation step."""
        return self.derive("grades " + ", ".join(f"{before:g}={after:g}" for before, after in grades.items()))

    def as_dict(self) -> dict[str, Any]:
        """Return the provenance as a dict of plain values, for JSON; empty parts are omitted."""
        inputs: dict[str, Any] = {"inputs": [item.as_dict() for item in self.inputs]} if self.inputs else {}
        if inputs and not self.only_values:
            inputs["policies"] = self.policies.as_dict()
        steps = {"derivations": list(self.derivations)} if self.derivations else {}
        settings = {"settings": dict(self.settings)} if self.settings else {}
        return {"assay": self.version, **inputs, **steps, **settings}
