"""Answers: plain JSON, made once, kept within limits."""

from __future__ import annotations

import asyncio
import json
import math
import threading

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.views.explorer.answers import JSON, Answer, Answers, as_json, failed


def test_plain_values() -> None:
    value = {
        "whole": np.int64(3),
        "number": np.float64(0.5),
        "flag": np.bool_(True),
        "array": np.array([[1, 2], [3, 4]]),
        "frame": pl.DataFrame({"a": [1, None], "b": ["x", "<y>"]}),
        "tuple": (1, "é\u2028"),
    }
    assert json.loads(as_json(value)) == {
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
    assert json.loads(as_json(value)) == {
        "a": None,
        "b": [1.5, None],
        "c": [None, 2.0],
        "d": [{"a": 1.0}, {"a": None}],
        "e": {"f": [None]},
    }


def test_numbers_are_not_rounded() -> None:
    number = 0.1 + 0.2
    assert json.loads(as_json([number, pl.DataFrame({"a": [number]})])) == [number, [{"a": number}]]


def test_what_cannot_be_told() -> None:
    with pytest.raises((TypeError, ValueError)):
        as_json({"a": object()})


def test_errors_have_one_shape() -> None:
    assert json.loads(failed(400, "no <run> \x00")) == {"error": {"status": 400, "message": "no <run> \x00"}}


def test_compressed_if_it_is_worth_it() -> None:
    short, long = Answer.of(b"{}", JSON), Answer.of(b"[" + b"1," * 5000 + b"1]", JSON)
    assert not short.compressed
    assert long.compressed
    assert len(long.body) < 200
    assert len(long.plain()) == 10003
    assert short.plain() == b"{}"
    assert short.tag != long.tag
    assert Answer.of(b"{}", JSON).tag == short.tag


def answer(text: str) -> Answer:
    return Answer.of(text.encode(), JSON)


def test_made_once_though_many_wait() -> None:
    made = []
    go = threading.Event()

    def make() -> Answer:
        made.append(1)
        go.wait(10)
        return answer("done")

    async def ask() -> list[Answer]:
        answers = Answers()
        waiting = [asyncio.create_task(answers.get("key", make)) for _ in range(20)]
        await asyncio.sleep(0)
        go.set()
        found = await asyncio.gather(*waiting)
        assert await answers.get("key", make) == found[0]
        answers.close()
        return found

    assert {found.body for found in asyncio.run(ask())} == {b"done"}
    assert len(made) == 1


def test_errors_are_not_kept() -> None:
    tried = []

    def make() -> Answer:
        tried.append(1)
        raise InputError("no")

    async def ask() -> None:
        answers = Answers()
        for _ in range(2):
            with pytest.raises(InputError, match="no"):
                await answers.get("key", make)
        assert len(answers.kept) == 0
        assert len(answers.work) == 0
        answers.close()

    asyncio.run(ask())
    assert len(tried) == 2


def test_never_more_than_so_many_bytes() -> None:
    async def ask() -> None:
        answers = Answers(most_bytes=20_000)
        for number in range(100):
            await answers.get(number, lambda: answer("x" * 900))
            assert answers.kept.total <= 20_000
        assert 5 < len(answers.kept) < 20
        answers.close()

    asyncio.run(ask())
