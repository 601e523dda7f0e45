"""Deterministic hypothesis examples without deadlines, and the marker ``slow`` for the tests in slow.txt."""

import gc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "assay", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("assay")

SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().split())


def pytest_collection_finish() -> None:
    """Exclude all collected tests and imported modules from garbage collection, which otherwise scans them often."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests listed in slow.txt, which ``make quick`` skips."""
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name in SLOW or name.partition("::")[0] in SLOW:
            item.add_marker("slow")
