"""Code blocks: add file names as titles, and mark Python sessions as such."""

from __future__ import annotations

import re

_NAMED = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
_SESSION = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def on_page_markdown(markdown: str, **_: object) -> str:
    """Rewrite the first lines of code blocks for the site."""
    return _SESSION.sub("```pycon\n", _NAMED.sub(lambda match: opening_line(match[1], match[2]), markdown))


def opening_line(kind: str, word: str) -> str:
    """Return the first line of a block, with a file name as its title.

    >>> opening_line("file", "bm25"), opening_line("python", "src/assay/measures/dcg.py"), opening_line("sh", "run")
    ('```text title="bm25"', '```python title="src/assay/measures/dcg.py"', '```sh')
    """
    title = f' title="{word}"' if kind == "file" or re.search("[./]", word) else ""
    return f"```{'text' if kind == 'file' else kind}{title}"
