"""Topics of TREC: ``<top>`` with ``<num>`` and ``<title>``, or XML with ``<topic number="1">`` and ``<query>``."""

from __future__ import annotations

import re
from html import unescape

from assay.io.problems import Problems
from assay.io.texts.fields import Document

_TOPIC = re.compile(r"<(top|topic)\b([^>]*)>(.*?)(?=</\1\s*>|<\1\b|\Z)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"""\b(number|num|id|qid)\s*=\s*["']\s*([^"']*?)\s*["']""", re.IGNORECASE)
# Elements of classic topics are not closed: they end where a line begins with the next one.
_ELEMENT = re.compile(
    r"<(\w+)\b[^>]*>(?:\s*(.*?)\s*</\1\s*>|\s*(.*?)\s*(?=\n\s*<|<(?:title|desc|narr)\b|\Z))", re.IGNORECASE | re.DOTALL
)
_NUMBERS = ("num", "number", "id", "qid")
_TEXTS = ("title", "query", "question", "desc", "description", "summary")
_LABEL = re.compile(r"(number|topic|title|description)\s*:\s*", re.IGNORECASE)


def matches(text: str) -> bool:
    """Return True if the text contains topics."""
    return re.search(r"<(top|topic)\b", text[:65_536], re.IGNORECASE) is not None


def read_topics(text: str, problems: Problems) -> dict[str, Document]:
    """Return the text of each topic: the first element that is present of title, query, question and description.

    The label ``Number:`` of classic topics is removed, with zeros that follow it: ``Number: 051`` is topic 51.
    """
    topics: dict[str, Document] = {}
    for match in _TOPIC.finditer(text):
        place = f"{problems.source}:{text.count(chr(10), 0, match.start()) + 1}"
        elements: dict[str, str] = {}
        for name, closed, unclosed in _ELEMENT.findall(match[3]):
            elements.setdefault(name.lower(), closed or unclosed)
        number = _read_number(match[2], elements)
        if not number:
            problems.report(place, "a topic without number; add <num>", "skipped topics without number")
        elif number in topics:
            problems.report(
                place, f"topic {number} occurs twice; keep one", "skipped repeated topics, keeping the first"
            )
        else:
            topics[number] = Document("", next((_clean(elements[name]) for name in _TEXTS if elements.get(name)), ""))
    return topics


def _read_number(attributes: str, elements: dict[str, str]) -> str:
    attribute = _ATTRIBUTE.search(attributes)
    if attribute is not None:
        return attribute[2]
    number = next((elements[name] for name in _NUMBERS if elements.get(name)), "")
    unlabelled = _LABEL.sub("", number, count=1).strip()
    return unlabelled.lstrip("0") or unlabelled if unlabelled != number and unlabelled.isdecimal() else unlabelled


def _clean(text: str) -> str:
    """Remove a label, markup, entities and line breaks."""
    label = _LABEL.match(text)
    return " ".join(unescape(re.sub(r"<[^<>]*>", " ", text[label.end() :] if label else text)).split())
