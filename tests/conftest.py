"""Settings of all tests: deterministic hypothesis examples, the marker ``slow``, threads and temporary files."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "assay", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("assay")

if "PYTEST_XDIST_WORKER" in os.environ and "POLARS_MAX_THREADS" not in os.environ:
    # There is a worker for each core, and handing a small frame to other threads takes longer than the work itself.
    # Tests without workers (make threads) and all child processes use several threads.
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl

    pl.thread_pool_size()  # creates the thread pool
    del os.environ["POLARS_MAX_THREADS"]

SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().split())


def pytest_collection_finish() -> None:
    """Exclude all collected tests and imported modules from garbage collection, which otherwise scans them often."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests listed in slow.txt, which ``make quick`` skips; skip tests of POSIX on other systems."""
    for item in items:
        name = item.nodeid.partition("[")[0]
        if os.name != "posix" and item.get_closest_marker("posix"):
            item.add_marker(pytest.mark.skip(reason="needs POSIX"))
        if name in SLOW or name.partition("::")[0] in SLOW:
            item.add_marker("slow")


@pytest.fixture(autouse=True, scope="session")
def _no_sync() -> Iterator[None]:
    """Do not wait for the disk: a file that is not synced is lost only if the machine stops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield
