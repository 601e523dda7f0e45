"""Provenance: the inputs, policies and steps behind a result, so that it can be reproduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay._version import VERSION
from assay.model.policies import Policies


@dataclass(frozen=True)
class Input:
    """One input: its role, its name, where it came from and the SHA-256 of the file (None if not a file)."""

    role: str
    name: str
    source: str
    sha256: str | None


class ReadInput(Protocol):
    """Something that was read."""

    @property
    def source(self) -> str:
        """Where from."""

    @property
    def digest(self) -> str | None:
        """The SHA-256 of the file, if it is one."""


@dataclass(frozen=True)
class Provenance:
    """Everything that a result depends on, so that it can be reproduced.

    Attributes
    ----------
    inputs, policies, version
        The inputs, how they were read and evaluated, and the version of assay.
    derivations
        How the data was derived from the inputs, step by step.
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
        """Return the provenance of judgments (if there are any) and of runs under their names."""
        judgments = [] if qrels is None else [Input("qrels", qrels.source, qrels.source, qrels.digest)]
        read = [Input("run", name, run.source, run.digest) for name, run in zip(names, runs, strict=True)]
        return cls((*judgments, *read), policies)

    @property
    def sources(self) -> list[str]:
        """Where the runs came from, in their order."""
        return [one.source for one in self.inputs if one.role == "run"]

    def with_settings(self, **settings: Any) -> Provenance:
        """Return the provenance of an analysis with these arguments."""
        return replace(self, settings={**self.settings, **settings})

    def derive(self, step: str) -> Provenance:
        """Return the provenance of data that was derived in one more step."""
        return replace(self, derivations=(*self.derivations, step))

    def derive_grades(self, grades: Mapping[float, float]) -> Provenance:
        """Return the provenance of data in which some grades were replaced by others."""
        return self.derive("grades " + ", ".join(f"{before:g}={after:g}" for before, after in grades.items()))

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        inputs = [{"role": i.role, "name": i.name, "source": i.source, "sha256": i.sha256} for i in self.inputs]
        read = {"inputs": inputs, "policies": self.policies.as_dict()} if inputs else {}
        steps = {"derivations": list(self.derivations)} if self.derivations else {}
        settings = {"settings": dict(self.settings)} if self.settings else {}
        return {"assay": self.version, **read, **steps, **settings}
