"""Blocks of code: files show their names, and sessions of Python are known as such."""

from __future__ import annotations

import re

_NAMED = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_SESSION = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Say of blocks what the site needs to show them."""
    return _SESSION.sub("```pycon\n", _NAMED.sub(lambda found: titled(found[1], found[2]), markdown))


def titled(kind: str, word: str) -> str:
    """The first line of a block; a word that is the name of a file is its title.

    >>> titled("file", "bm25"), titled("python", "src/assay/measures/dcg.py"), titled("sh", "run")
    ('```text title="bm25"', '```python title="src/assay/measures/dcg.py"', '```sh')
    """
    title = f' title="{word}"' if kind == "file" or re.search("[./]", word) else ""
    return f"```{'text' if kind == 'file' else kind}{title}"
