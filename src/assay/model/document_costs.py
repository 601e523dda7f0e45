"""Costs of documents, such as reading times; unjudged documents have costs, too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.model.arrays import Floats


@dataclass(frozen=True, eq=False)
class DocumentCosts:
    """Costs of documents.

    Attributes
    ----------
    frame
        The columns doc and cost; each document occurs once.
    source, digest
        The file or other source, and the SHA-256 of the file.
    default
        The cost of documents that *frame* lacks; None if they are an error.
    notes
        Notes on lines that were skipped.
    """

    frame: pl.DataFrame
    source: str
    digest: str | None = None
    default: float | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.frame)

    def of(self, docs: pl.Series) -> Floats:
        """Return the cost of each document."""
        rows = pl.DataFrame({"doc": docs}).join(self.frame, on="doc", how="left", maintain_order="left")
        cost = rows["cost"]
        if cost.null_count() and self.default is None:
            row = int(cost.is_null().arg_max() or 0)
            raise InputError(
                f"{self.source}: no cost for document {docs[row]}, and for {cost.null_count() - 1} more retrieved "
                "documents; add them, or choose --default-cost"
            )
        filled = cost if self.default is None else cost.fill_null(self.default)
        return np.asarray(filled.to_numpy(), dtype=np.float64)
