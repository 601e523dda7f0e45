"""A small campaign with hostile texts for the judging page, and a process that serves it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOSTILE_DOCUMENT = "<img/src=x/onerror=alert(1)>"
HOSTILE_TEXT = "<script>alert(2)</script> & <b>bold</b>\nsecond line"
HOSTILE_QUERY = '"><img src=x onerror=alert(3)> & cheap flights'
TOPICS, DEPTH = 4, 20


def write_files(directory: Path) -> list[str]:
    """Write qrels, runs and texts; return the arguments of the command."""
    documents = {topic: [f"{topic}-{i:02}" for i in range(DEPTH)] for topic in "1234"}
    documents["1"][0] = HOSTILE_DOCUMENT
    (directory / "qrels.txt").write_text("".join(f"{topic} 0 {docs[-1]} 3\n" for topic, docs in documents.items()))
    for name, step in (("one", 1), ("two", -1)):
        lines = [
            f"{topic} Q0 {doc} {rank} {100 - rank} {name}\n"
            for topic, docs in documents.items()
            for rank, doc in enumerate(docs[::step], 1)
        ]
        (directory / f"{name}.run").write_text("".join(lines))
    queries = {topic: f"query {topic}" for topic in documents} | {"1": HOSTILE_QUERY}
    (directory / "queries.tsv").write_text("".join(f"{topic}\t{text}\n" for topic, text in queries.items()))
    records = [
        {
            "id": doc,
            "title": f"Title of {doc}",
            "text": HOSTILE_TEXT if doc == HOSTILE_DOCUMENT else f"Text of {doc}. " * 80,
        }
        for docs in documents.values()
        for doc in docs
    ]
    (directory / "docs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return [
        *("qrels.txt", "one.run", "two.run", "--queries", "queries.tsv", "--docs", "docs.jsonl", "-o", "judged.qrels")
    ]


@contextmanager
def start_judging(directory: Path, *args: str, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command in another process; yield it with the address that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", "uncertainty", "judge", *args, "--port", str(port)],
        cwd=directory,
        env={**os.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.search(r"http://\S+", line)
        assert match, line + (process.communicate()[1] if process.poll() is not None else "")
        yield process, match[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def read_judgments(path: Path) -> dict[tuple[str, str], int]:
    """Return the judgments in a file, which must have whole lines and no duplicates."""
    text = path.read_text()
    assert text == "" or text.endswith("\n")
    rows = [line.split() for line in text.splitlines()]
    judgments = {(topic, doc): int(grade) for topic, _, doc, grade in rows}
    assert len(judgments) == len(rows)
    return judgments
