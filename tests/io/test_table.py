from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import polars as pl
import pytest

from assay.io.table import RowTable


def test_table_is_immutable() -> None:
    table = RowTable("f", pl.DataFrame({"topic": ["q"]}), np.zeros(1, dtype=np.uint64), str)
    assert (table.tag, table.digest, table.notes) == (None, None, ())
    with pytest.raises(FrozenInstanceError):
        table.source = "g"  # type: ignore[misc]
