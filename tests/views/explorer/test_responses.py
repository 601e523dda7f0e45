"""Responses: plain JSON, computed once, cached within limits."""

from __future__ import annotations

import asyncio
import json
import math
import threading

import numpy as np
import polars as pl
import pytest
from starlette.exceptions import HTTPException

from assay.errors import InputError
from assay.views.explorer.responses import CRASHED, JSON, Content, ResponseCache, error_json, to_http_error, to_json
from assay.views.explorer.workers import Workers


def test_plain_values() -> None:
    value = {
        "whole": np.int64(3),
        "number": np.float64(0.5),
        "flag": np.bool_(True),
        "array": np.array([[1, 2], [3, 4]]),
        "frame": pl.DataFrame({"a": [1, None], "b": ["x", "<y>"]}),
        "tuple": (1, "é\u2028"),
    }
    assert json.loads(to_json(value)) == {
        "whole": 3,
        "number": 0.5,
        "flag": True,
        "array": [[1, 2], [3, 4]],
        "frame": [{"a": 1, "b": "x"}, {"a": None, "b": "<y>"}],
        "tuple": [1, "é\u2028"],
    }


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_no_number_is_null(odd: float) -> None:
    frame = pl.DataFrame({"a": [1.0, odd]})
    value = {"a": odd, "b": [1.5, odd], "c": np.array([odd, 2.0]), "d": frame, "e": {"f": (odd,)}}
    assert json.loads(to_json(value)) == {
        "a": None,
        "b": [1.5, None],
        "c": [None, 2.0],
        "d": [{"a": 1.0}, {"a": None}],
        "e": {"f": [None]},
    }


def test_numbers_are_not_rounded() -> None:
    number = 0.1 + 0.2
    assert json.loads(to_json([number, pl.DataFrame({"a": [number]})])) == [number, [{"a": number}]]


def test_what_cannot_be_told() -> None:
    with pytest.raises((TypeError, ValueError)):
        to_json({"a": object()})


def test_errors_have_one_shape() -> None:
    error = HTTPException(400, "no <run> \x00")
    assert json.loads(error_json(error)) == {"error": {"status": 400, "message": "no <run> \x00"}}


def test_a_fault_reveals_nothing() -> None:
    error = to_http_error(ZeroDivisionError("secret"))
    assert (error.status_code, error.detail) == (500, CRASHED)
    refused = to_http_error(InputError("no such run"))
    assert (refused.status_code, refused.detail) == (400, "no such run")
    own = HTTPException(404, "none")
    assert to_http_error(own) is own


def test_compressed_if_it_is_worth_it() -> None:
    short, long = Content.of(b"{}", JSON), Content.of(b"[" + b"1," * 5000 + b"1]", JSON)
    assert not short.compressed
    assert long.compressed
    assert len(long.body) < 200
    assert len(long.plain()) == 10003
    assert short.plain() == b"{}"
    assert short.tag != long.tag
    assert Content.of(b"{}", JSON).tag == short.tag


def content(text: str) -> Content:
    return Content.of(text.encode(), JSON)


def test_made_once_though_many_wait() -> None:
    made = []
    go = threading.Event()

    def make() -> Content:
        made.append(1)
        go.wait(10)
        return content("done")

    async def ask() -> list[Content]:
        responses = ResponseCache()
        waiting = [asyncio.create_task(responses.get("key", make)) for _ in range(20)]
        await asyncio.sleep(0)
        go.set()
        found = await asyncio.gather(*waiting)
        assert await responses.get("key", make) == found[0]
        responses.close()
        return found

    assert {found.body for found in asyncio.run(ask())} == {b"done"}
    assert len(made) == 1


def test_errors_are_not_kept() -> None:
    tried = []

    def make() -> Content:
        tried.append(1)
        raise InputError("no")

    async def ask() -> None:
        responses = ResponseCache()
        for _ in range(2):
            with pytest.raises(InputError, match="no"):
                await responses.get("key", make)
        assert len(responses.contents) == 0
        assert len(responses.workers) == 0
        responses.close()

    asyncio.run(ask())
    assert len(tried) == 2


def test_never_more_than_so_many_bytes() -> None:
    async def ask() -> None:
        responses = ResponseCache(max_bytes=20_000)
        for number in range(100):
            await responses.get(number, lambda: content("x" * 900))
            assert responses.contents.currsize <= 20_000
        assert 5 < len(responses.contents) < 20
        responses.close()

    asyncio.run(ask())


def test_what_is_larger_than_the_cache_is_not_cached() -> None:
    async def ask() -> None:
        responses = ResponseCache(max_bytes=2_000)
        assert await responses.get("small", lambda: content("small")) == content("small")
        random = np.random.default_rng(1).bytes(4_000).hex()
        assert await responses.get("large", lambda: content(random)) == content(random)
        assert list(responses.contents) == ["small"]
        responses.close()

    asyncio.run(ask())


def test_the_least_recently_used_response_is_dropped_first() -> None:
    async def ask() -> None:
        responses = ResponseCache(max_bytes=3_000)
        for key in ("a", "b", "a", "c"):
            await responses.get(key, lambda: content("x" * 900))
        assert sorted(map(str, responses.contents)) == ["a", "c"]
        responses.close()

    asyncio.run(ask())


def test_an_overdue_response_is_cached() -> None:
    go = threading.Event()

    def compute() -> Content:
        go.wait(30)
        return content("late")

    async def ask() -> None:
        responses = ResponseCache(workers=Workers(1, timeout=0.05))
        with pytest.raises(HTTPException, match="too long"):
            await responses.get("key", compute)
        go.set()
        async with asyncio.timeout(30):
            while len(responses.workers):
                await asyncio.sleep(0.005)
        assert responses.contents["key"] == content("late")
        responses.close()

    asyncio.run(ask())
