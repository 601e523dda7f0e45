"""The discounts of DCG."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.measures._base import param


def base() -> Any:
    """The base of the logarithm of Järvelin and Kekäläinen."""
    return param("divide by max(1, log_base(rank)) instead of log2(1 + rank)", None, above=1)


def discount(rank: np.ndarray, base: float | None) -> np.ndarray:
    """What gains are divided by: log2(1 + rank), or max(1, log_base(rank))."""
    if base is None:
        return np.log2(rank + 1.0)
    logarithm = {2: np.log2, 10: np.log10}.get(base, lambda x: np.log(x) / np.log(base))
    return np.maximum(1.0, logarithm(np.asarray(rank, dtype=np.float64)))
