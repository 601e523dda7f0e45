"""Clients of an explorer in process: of a simulated campaign, and of one written by hand."""

from __future__ import annotations

import pytest

from explorer_cases import Client, client_of, simulated_state, small_state


@pytest.fixture(scope="module")
def client() -> Client:
    return client_of(simulated_state())


@pytest.fixture(scope="module")
def by_hand() -> Client:
    return client_of(small_state())
