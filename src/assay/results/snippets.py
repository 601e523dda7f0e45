"""The beginning of a text on one line, and the width of texts on a terminal."""

from __future__ import annotations

from itertools import accumulate
from unicodedata import category, east_asian_width

from assay.errors import escape_control_characters
from assay.results.names import ELLIPSIS

_INVISIBLE = ("Mn", "Me", "Cf")  # combining characters and format characters take no column
_MAX_CHARACTERS = 4  # per column; limits the number of combining characters


def display_width(text: str) -> int:
    """Return the number of terminal columns of a line; Chinese, Japanese and Korean characters take two.

    >>> display_width("nDCG"), display_width("評価")
    (4, 4)
    """
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if category(character) in _INVISIBLE:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Pad a text with blanks to a number of terminal columns; *right* aligns it on the right."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def make_snippet(text: str, width: int = 60) -> str:
    r"""Return the beginning of a text on one line of at most *width* terminal columns.

    White space becomes single blanks. Control characters are escaped, so that the terminal does not interpret them.

    >>> make_snippet("Effects of\n  caffeine\x1b[2J on sleep", 24)
    'Effects of caffeine\\x1b…'
    """
    # Only the beginning of a long text is processed, unless it consists mostly of white space.
    start = text[: _MAX_CHARACTERS * width + 100]
    words = " ".join(start.split())
    if len(words) <= width and len(start) < len(text):
        words = " ".join(text.split())
    line = escape_control_characters(words[: _MAX_CHARACTERS * width + 1])
    if display_width(line) <= width and len(line) <= _MAX_CHARACTERS * width:
        return line
    widths = accumulate(_character_width(character) for character in line[: _MAX_CHARACTERS * width - 1])
    end = sum(columns < width for columns in widths)
    return line[:end].rstrip() + ELLIPSIS
