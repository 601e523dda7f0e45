"""Names for the arrays that everything is made of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.float64] | NDArray[np.int64]
Bools = NDArray[np.bool_]
Codes = NDArray[Any]

ROUNDING = 1e-12
"""What is no further apart than this, or than this share of it, is equal: sums of other orders round in other ways."""
