"""The discounts of DCG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.measures._base import Additive, param
from assay.model.arrays import Floats, Ints


def base() -> Any:
    """The base of the logarithm of Järvelin and Kekäläinen."""
    return param("divide by max(1, log_base(rank)) instead of log2(1 + rank)", None, above=1)


def discount(rank: Ints, base: float | None) -> Floats:
    """What gains are divided by: log2(1 + rank), or max(1, log_base(rank))."""
    if base is None:
        return np.asarray(np.log2(rank + 1.0))
    if base in (2, 10):
        return np.maximum(1.0, np.log2(rank) if base == 2 else np.log10(rank))
    return np.asarray(np.maximum(1.0, np.log(rank) / np.log(base)))


class Discounted(Additive):
    """A sum of gains, each divided by the discount of its rank."""

    if TYPE_CHECKING:
        base: float | None

    def weight(self, rank: Ints) -> Floats:
        return 1 / discount(rank, self.base)

    def weighed(self, gain: Floats, rank: Ints) -> Floats:
        return gain / discount(rank, self.base)
