"""Provenance: the inputs, policies and derivation steps needed to reproduce a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay._version import VERSION
from assay.model.policies import Policies


@dataclass(frozen=True)
class Input:
    """An input: its role, name, source and the SHA-256 of its file (None if it is not a file)."""

    role: str
    name: str
    source: str
    sha256: str | None


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
        items = [{"role": i.role, "name": i.name, "source": i.source, "sha256": i.sha256} for i in self.inputs]
        inputs = {"inputs": items, "policies": self.policies.as_dict()} if items else {}
        steps = {"derivations": list(self.derivations)} if self.derivations else {}
        settings = {"settings": dict(self.settings)} if self.settings else {}
        return {"assay": self.version, **inputs, **steps, **settings}
