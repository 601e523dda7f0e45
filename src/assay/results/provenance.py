"""How results were made, so that they can be made again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay._version import VERSION
from assay.model.policies import Policies


@dataclass(frozen=True)
class Input:
    """One input: its role, its name, where it came from and the SHA-256 of the file (None if not a file)."""

    role: str
    name: str
    source: str
    sha256: str | None


@dataclass(frozen=True)
class Provenance:
    """The version, the inputs and the policies behind a table of results."""

    inputs: tuple[Input, ...]
    policies: Policies
    version: str = VERSION

    def as_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        inputs = [{"role": i.role, "name": i.name, "source": i.source, "sha256": i.sha256} for i in self.inputs]
        return {"assay": self.version, "inputs": inputs, "policies": self.policies.as_dict()}
