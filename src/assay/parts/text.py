"""TREC text in pieces that end where a topic ends, from a stream that may be compressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from assay.errors import InputError
from assay.io.problems import Problems
from assay.io.text import numbered, refuse_cr, without_bom
from assay.io.trec import RUN, RUN_WITH_RANK
from assay.parts.chunk import Chunk, Deferred, Place

if TYPE_CHECKING:
    from assay.parts.budget import Budget
    from assay.parts.stream import Stream

_WINDOW = 1 << 17
_NEWLINE = 10
_HEAD = 1 << 16


@dataclass(frozen=True)
class TextPiece:
    """Whole lines; *before* others stand before them in the file."""

    data: bytes
    before: int


def pieces(stream: Stream, budget: Budget) -> Iterator[TextPiece]:
    """Pieces of about the size that the budget allows, each up to the end of a topic."""
    held: list[bytes] = []
    size, wanted, before = 0, budget.piece, 0
    for block in _from_start(stream, budget.piece):
        held.append(block)
        size += len(block)
        if size < wanted:
            continue
        data = b"".join(held)
        cut = stretch_start(data)
        if not cut:
            _refuse_long(stream, data, budget)
            held, wanted = [data], 2 * size
            continue
        piece = TextPiece(data[:cut], before)
        before += lines(piece.data)
        held = [data[cut:]]
        size, wanted = len(held[0]), max(budget.piece, 2 * len(held[0]))
        del data
        yield piece
    if size:
        yield TextPiece(b"".join(held), before)


def _from_start(stream: Stream, most: int) -> Iterator[bytes]:
    """The blocks of a stream, no larger than *most*, without a byte order mark; what is not text is refused."""
    blocks = stream.blocks()
    head = b""
    for block in blocks:
        head += block
        if len(head) >= _HEAD:
            break
    text = without_bom(head, stream.name)
    refuse_cr(text, stream.name)
    for block in chain([text], blocks):
        for begin in range(0, len(block), most):
            yield block[begin : begin + most]


def _refuse_long(stream: Stream, data: bytes, budget: Budget) -> None:
    if len(data) > budget.left // 4:
        topic = (data.split(None, 1) or [b""])[0].decode(errors="replace")
        raise InputError(
            f"{stream.name}: the lines of topic {topic} alone are too many for this memory; give more than "
            f"{-(-4 * len(data) // (1 << 20)) + (budget.memory - budget.left) // (1 << 20)}M"
        )


def lines(data: bytes) -> int:
    """How many lines end in *data*."""
    return int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE))


def stretch_start(data: bytes) -> int:
    r"""Where the lines of the topic of the last line begin; 0 if all are of that topic.

    The last line may not be complete: it counts to the stretch only if it is seen to.

    >>> stretch_start(b"a 1\nb 2\nb 3\nb")
    4
    """
    end = data.rfind(b"\n") + 1
    topic: bytes | None = None
    while end > 0:
        begin = data.rfind(b"\n", 0, max(end - _WINDOW, 0)) + 1
        window = data[begin:end]
        starts = np.flatnonzero(np.frombuffer(window, dtype=np.uint8) == _NEWLINE)[:-1] + 1
        starts = np.concatenate([[0], starts])
        for start in reversed((starts if topic is None else _others(window, starts, topic)).tolist()):
            fields = window[start : window.find(b"\n", start)].split(None, 1)
            if not fields or fields[0].startswith(b"#"):
                continue
            if topic is None:
                topic = fields[0]
                break
            if fields[0] != topic:
                return begin + window.find(b"\n", start) + 1
        else:
            end = begin
    return 0


def _others(window: bytes, starts: np.ndarray, topic: bytes) -> np.ndarray:
    """The lines that do not plainly begin with the topic."""
    text = np.frombuffer(window, dtype=np.uint8)
    wanted = np.frombuffer(topic + b" ", dtype=np.uint8)
    starts_inside = starts[starts + len(wanted) <= len(text)]
    same = np.ones(len(starts_inside), dtype=bool)
    for offset in range(len(topic)):
        same &= text[starts_inside + offset] == wanted[offset]
    behind = text[starts_inside + len(topic)]
    same &= (behind == wanted[-1]) | (behind == ord("\t"))
    return np.concatenate([starts_inside[~same], starts[len(starts_inside) :]])


def reader(name: str, lenient: bool, rank: bool) -> Callable[[TextPiece], Chunk]:
    """What makes rows of a piece."""
    layout = RUN_WITH_RANK if rank else RUN

    def read(piece: TextPiece) -> Chunk:
        met = Deferred(name)
        problems: Problems = _Placed(name, met) if lenient else Problems(name, lenient)
        if piece.data.isspace():
            frame = pl.DataFrame(schema={n: pl.Float64 if n == "value" else pl.String for n in layout.names})
            return Chunk(frame, lambda: np.zeros(0, dtype=np.int64), str, met, complete=True, blank=True)
        frame, numbers = numbered(piece.data, layout, name, problems, piece.before)
        return Chunk(frame, numbers, lambda at: f"{name}:{at}", met, complete=True)

    return read


class _Placed(Problems):
    """Problems of lines, whose number stands at the end of their place."""

    def __init__(self, source: str, met: Deferred) -> None:
        super().__init__(source, lenient=True)
        self._met = met

    def meet(self, where: str, message: str, done: str, count: int = 1) -> None:
        """Remember a problem together with the number of its line."""
        self._met.meet(Place.of(where, int(where.rpartition(":")[2])), message, done, count)
