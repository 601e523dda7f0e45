"""The discounts of DCG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.measures._base import Additive, param


def base() -> Any:
    """The base of the logarithm of Järvelin and Kekäläinen."""
    return param("divide by max(1, log_base(rank)) instead of log2(1 + rank)", None, above=1)


def discount(rank: np.ndarray, base: float | None) -> np.ndarray:
    """What gains are divided by: log2(1 + rank), or max(1, log_base(rank))."""
    if base is None:
        return np.asarray(np.log2(rank + 1.0))
    if base in (2, 10):
        return np.maximum(1.0, np.log2(rank) if base == 2 else np.log10(rank))
    return np.maximum(1.0, np.log(rank) / np.log(base))


class Discounted(Additive):
    """A sum of gains, each divided by the discount of its rank."""

    if TYPE_CHECKING:
        base: float | None

    def weight(self, rank: np.ndarray) -> np.ndarray:
        return 1 / discount(rank, self.base)

    def weighed(self, gain: np.ndarray, rank: np.ndarray) -> np.ndarray:
        return gain / discount(rank, self.base)
