"""Tests of responses: plain JSON, computed once, cached within limits."""

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


def test_values_are_converted_to_plain_json() -> None:
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


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_nan_and_infinity_become_null(value: float) -> None:
    frame = pl.DataFrame({"a": [1.0, value]})
    value = {"a": value, "b": [1.5, value], "c": np.array([value, 2.0]), "d": frame, "e": {"f": (value,)}}
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


def test_unknown_types_are_rejected() -> None:
    with pytest.raises((TypeError, ValueError)):
        to_json({"a": object()})


def test_error_responses_have_one_structure() -> None:
    error = HTTPException(400, "no <run> \x00")
    assert json.loads(error_json(error)) == {"error": {"status": 400, "message": "no <run> \x00"}}


def test_internal_errors_reveal_no_details() -> None:
    error = to_http_error(ZeroDivisionError("secret"))
    assert (error.status_code, error.detail) == (500, CRASHED)
    input_error = to_http_error(InputError("no such run"))
    assert (input_error.status_code, input_error.detail) == (400, "no such run")
    http_error = HTTPException(404, "none")
    assert to_http_error(http_error) is http_error


def test_only_long_contents_are_compressed() -> None:
    short, long = Content.of(b"{}", JSON), Content.of(b"[" + b"1," * 5000 + b"1]", JSON)
    assert not short.compressed
    assert long.compressed
    assert len(long.body) < 200
    assert len(long.plain()) == 10003
    assert short.plain() == b"{}"
    assert short.tag != long.tag
    assert Content.of(b"{}", JSON).tag == short.tag


def json_content(text: str) -> Content:
    return Content.of(text.encode(), JSON)


def test_concurrent_requests_are_computed_once() -> None:
    calls = []
    release = threading.Event()

    def compute() -> Content:
        calls.append(1)
        release.wait(10)
        return json_content("done")

    async def send_requests() -> list[Content]:
        responses = ResponseCache()
        tasks = [asyncio.create_task(responses.get("key", compute)) for _ in range(20)]
        await asyncio.sleep(0)
        release.set()
        contents = await asyncio.gather(*tasks)
        assert await responses.get("key", compute) == contents[0]
        responses.close()
        return contents

    assert {contents.body for contents in asyncio.run(send_requests())} == {b"done"}
    assert len(calls) == 1


def test_errors_are_not_cached() -> None:
    calls = []

    def compute() -> Content:
        calls.append(1)
        raise InputError("no")

    async def send_requests() -> None:
        responses = ResponseCache()
        for _ in range(2):
            with pytest.raises(InputError, match="no"):
                await responses.get("key", compute)
        assert len(responses.contents) == 0
        assert len(responses.workers) == 0
        responses.close()

    asyncio.run(send_requests())
    assert len(calls) == 2


def test_cache_size_is_limited() -> None:
    async def send_requests() -> None:
        responses = ResponseCache(max_bytes=20_000)
        for number in range(100):
            await responses.get(number, lambda: json_content("x" * 900))
            assert responses.contents.currsize <= 20_000
        assert 5 < len(responses.contents) < 20
        responses.close()

    asyncio.run(send_requests())


def test_responses_larger_than_the_cache_are_not_cached() -> None:
    async def send_requests() -> None:
        responses = ResponseCache(max_bytes=2_000)
        assert await responses.get("small", lambda: json_content("small")) == json_content("small")
        random = np.random.default_rng(1).bytes(4_000).hex()
        assert await responses.get("large", lambda: json_content(random)) == json_content(random)
        assert list(responses.contents) == ["small"]
        responses.close()

    asyncio.run(send_requests())


def test_least_recently_used_response_is_dropped_first() -> None:
    async def send_requests() -> None:
        responses = ResponseCache(max_bytes=3_000)
        for key in ("a", "b", "a", "c"):
            await responses.get(key, lambda: json_content("x" * 900))
        assert sorted(map(str, responses.contents)) == ["a", "c"]
        responses.close()

    asyncio.run(send_requests())


def test_overdue_response_is_cached() -> None:
    release = threading.Event()

    def compute() -> Content:
        release.wait(30)
        return json_content("late")

    async def send_requests() -> None:
        responses = ResponseCache(workers=Workers(1, timeout=0.05))
        with pytest.raises(HTTPException, match="too long"):
            await responses.get("key", compute)
        release.set()
        async with asyncio.timeout(30):
            while len(responses.workers):
                await asyncio.sleep(0.005)
        assert responses.contents["key"] == json_content("late")
        responses.close()

    asyncio.run(send_requests())
