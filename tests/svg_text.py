"""Texts of an SVG with their positions, to find texts that overlap or are too small."""

from __future__ import annotations

import math
import re
from typing import NamedTuple
from xml.etree import ElementTree

from assay.views.plots._band_axes import text_width

Transform = tuple[float, float, float, float, float, float]
_LETTER_HEIGHT = 0.72  # height of capitals, as a fraction of the font size
_TOLERANCE = 2.0  # pixels


class Label(NamedTuple):
    """A line of text: its font size, and the corners of the box around it, in pixels."""

    text: str
    size: float
    left: float
    top: float
    right: float
    bottom: float


def read_size(svg: str) -> list[float]:
    """Return width and height."""
    return [float(number) for number in re.findall(r'(?:width|height)="([\d.]+)"', svg.partition(">")[0])]


def read_labels(svg: str) -> list[Label]:
    """Return the visible texts."""
    labels: list[Label] = []
    _collect(ElementTree.fromstring(svg), (1, 0, 0, 1, 0, 0), labels)
    return labels


def find_overlaps(labels: list[Label]) -> list[tuple[str, str]]:
    """Return the pairs of texts that overlap; numbers on points of a plot may overlap percentages behind them."""
    return [
        (first.text, second.text)
        for i, first in enumerate(labels)
        for second in labels[:i]
        if _overlap(first, second) and first[0] != second[0] and not (first.size > 11 and first.text.isdigit())
    ]


def _overlap(first: Label, second: Label) -> bool:
    width = min(first.right, second.right) - max(first.left, second.left)
    height = min(first.bottom, second.bottom) - max(first.top, second.top)
    return width > _TOLERANCE and height > _TOLERANCE


def _collect(element: ElementTree.Element, transform: Transform, labels: list[Label]) -> None:
    for name, arguments in re.findall(r"(translate|rotate)\(([^)]*)\)", element.get("transform", "")):
        transform = _apply(transform, name, [float(number) for number in re.split("[ ,]+", arguments)])
    if element.tag.endswith("}text") and element.get("opacity") != "0":
        lines = [part.text or "" for part in element if part.tag.endswith("tspan")] or [element.text or ""]
        labels += [_label(element, line, number, transform) for number, line in enumerate(lines) if line.strip()]
    for part in element:
        _collect(part, transform, labels)


def _apply(transform: Transform, name: str, numbers: list[float]) -> Transform:
    a, b, c, d, e, f = transform
    if name == "translate":
        x, y = (*numbers, 0.0)[:2]
        return a, b, c, d, a * x + c * y + e, b * x + d * y + f
    cos, sin = math.cos(math.radians(numbers[0])), math.sin(math.radians(numbers[0]))
    return a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f


def _label(element: ElementTree.Element, text: str, line: int, transform: Transform) -> Label:
    size = float(element.get("font-size", "11px").removesuffix("px"))
    width = text_width(text) * size / 11
    left = {"start": 0.0, "middle": -width / 2, "end": -width}[element.get("text-anchor", "start")]
    bottom = 1.2 * size * line
    a, b, c, d, e, f = transform
    corners = [(left, bottom - _LETTER_HEIGHT * size), (left + width, bottom)]
    (x1, x2), (y1, y2) = zip(*((a * x + c * y + e, b * x + d * y + f) for x, y in corners), strict=True)
    return Label(text, size, min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
