"""Fixtures: in-process clients of explorers of a simulated and of a small hand-written campaign."""

from __future__ import annotations

import pytest

from explorer_cases import Client, client_of, simulated_state, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(simulated_state())


@pytest.fixture(scope="module")
def small_client() -> Client:
    return client_of(small_state())
