"""A judging session: the document to judge now, and what is done with it."""

from __future__ import annotations

from threading import Lock
from typing import Any

import polars as pl

from assay.engine.campaign import Campaign
from assay.errors import InputError
from assay.io.judgment_file import UNSURE, JudgmentFile, check_id
from assay.model.notes import pluralize
from assay.uncertainty import JudgingQueue
from assay.uncertainty._stopping import StoppingMonitor

MAX_GRADE = 9
MAX_TEXT = 200_000
"""Maximum number of characters of a document that the page shows."""


class ConflictError(InputError):
    """The request does not fit the state of the session, for example because another tab has judged the document."""


class JudgingSession:
    """Judges the documents of a queue in the order of their benefit, and writes each judgment to the disk.

    Skipped documents are asked again after all others. Documents of which the judge is unsure are written to a second
    file and not asked again. All methods may be called from several threads.

    Attributes
    ----------
    notes
        Notes on the files, and on judgments that they share with the qrels.
    max_grade
        The highest grade that is accepted.
    """

    def __init__(
        self,
        campaign: Campaign,
        queue: JudgingQueue,
        output: str,
        max_grade: int | None = None,
        stop: StoppingMonitor | None = None,
    ) -> None:
        _check_ids(queue)
        self._campaign, self._queue, self._stop = campaign, queue, stop
        self._lock = Lock()
        self._judgments = JudgmentFile(output)
        try:
            self._unsure = JudgmentFile(f"{output}.unsure", UNSURE.__eq__)
        except BaseException:
            self._judgments.close()
            raise
        self._skipped: dict[tuple[str, str], None] = {}
        self._history: list[tuple[str, tuple[str, str], str]] = []  # kind, pair, grade
        self._before = 0.0
        try:
            self.notes = (*self._judgments.notes, *self._unsure.notes, *self._merge())
            self.max_grade = self._choose_max_grade(max_grade)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files; remove the second file if it is empty."""
        with self._lock:
            self._judgments.close()
            self._unsure.remove_if_empty()

    # Start ------------------------------------------------------------------------------------------------------

    def _merge(self) -> list[str]:
        """Record the judgments of earlier sessions in the queue; return notes."""
        earlier, notes = self._judgments.grades, []
        for (topic, doc), grade in earlier.items():
            self._record(topic, doc, float(grade))
        self._before = self._queue.uncertainty
        if earlier:
            notes.append(f"{self._judgments.path}: continues after {pluralize(len(earlier), 'judgment')}")
        shared = self._check_shared()
        if shared:
            notes.append(
                f"{self._judgments.path}: {pluralize(shared, 'judgment')} also in the qrels, with equal grades"
            )
        if self._unsure.grades:
            documents = pluralize(len(self._unsure.grades), "document")
            notes.append(f"{self._unsure.path}: {documents} not asked again; delete the file to be asked again")
        return notes

    def _check_shared(self) -> int:
        """Count the judgments that are also in the qrels; raise an error if the grades differ."""
        if self._campaign.qrels is None or not self._judgments.grades:
            return 0
        pairs = list(self._judgments.grades)
        rows = {"topic": [pair[0] for pair in pairs], "doc": [pair[1] for pair in pairs]}
        written = pl.DataFrame(rows, schema={"topic": pl.String, "doc": pl.String})
        known = self._campaign.qrels.frame().filter(pl.col("grade") >= 0).join(written, on=["topic", "doc"], how="semi")
        for topic, doc, grade in known.iter_rows():
            text = self._judgments.grades[topic, doc]
            if float(text) != grade:
                line = self._judgments.lines[topic, doc]
                raise InputError(
                    f"{self._judgments.path}:{line}: document {doc} of topic {topic} has grade {text}, but grade "
                    f"{grade:g} in the qrels; remove one of the judgments"
                )
        return len(known)

    def _choose_max_grade(self, max_grade: int | None) -> int:
        """Return the highest accepted grade: that of all judgments, or 9 if no document is relevant yet."""
        if max_grade is not None:
            return max_grade
        grades = [float(grade) for grade in self._judgments.grades.values()]
        qrels = self._campaign.qrels
        highest = max([*grades, *([] if qrels is None else qrels.levels.tolist()), 0.0])
        return min(int(highest), MAX_GRADE) or MAX_GRADE

    # Tasks ------------------------------------------------------------------------------------------------------

    def task(self) -> dict[str, Any]:
        """Return the document to judge now with its texts, and the progress."""
        with self._lock:
            pair = self._choose()
            state: dict[str, Any] = {
                "maxGrade": self.max_grade,
                "output": self._judgments.path,
                "last": self._describe_last(),
                "progress": self._describe_progress(),
                "stop": [] if self._stop is None else self._stop.describe(),
            }
        if pair is None:
            return {**state, "done": True}
        topic, doc = pair
        document = self._campaign.docs.get(doc)
        text = "" if document is None else document.text
        return {
            **state,
            "done": False,
            "topic": topic,
            "query": self._campaign.queries.get(topic) or "",
            "doc": doc,
            "title": "" if document is None else document.title,
            "text": text[:MAX_TEXT],
            "cut": max(len(text) - MAX_TEXT, 0),
            "hasText": document is not None,
            "hasTexts": bool(self._campaign.docs),
        }

    def _choose(self) -> tuple[str, str] | None:
        """Return the document to judge now; None if there is none.

        Ranks and runs of the document are not reported, because they could influence the judge.
        """
        frame = self._queue.rank(1, without=(*self._unsure.grades, *self._skipped))
        if not len(frame) and self._skipped:
            self._skipped.pop(next(iter(self._skipped)))  # the document that was skipped first is asked again
            frame = self._queue.rank(1, without=(*self._unsure.grades, *self._skipped))
        return frame.select("topic", "doc").row(0) if len(frame) else None

    def _describe_last(self) -> dict[str, str] | None:
        if not self._history:
            return None
        kind, (topic, doc), grade = self._history[-1]
        return {"kind": kind, "topic": topic, "doc": doc, "grade": grade}

    def _describe_progress(self) -> dict[str, Any]:
        return {
            "session": sum(kind == "judge" for kind, _, _ in self._history),
            "total": len(self._judgments.grades),
            "left": len(self._queue),
            "skipped": len(self._skipped),
            "unsure": len(self._unsure.grades),
            "measure": str(self._queue.measure),
            "pair": list(self._queue.pair),
            "before": self._before,
            "uncertainty": self._queue.uncertainty,
        }

    # Actions ----------------------------------------------------------------------------------------------------

    def judge(self, topic: str, doc: str, grade: int) -> None:
        """Write the grade of a document."""
        if not 0 <= grade <= self.max_grade:
            raise InputError(f"grade {grade}: grades are 0 to {self.max_grade}; see --max-grade")
        with self._lock:
            pair = self._check(topic, doc)
            self._judgments.append(topic, doc, str(grade))
            self._record(topic, doc, grade)
            self._skipped.pop(pair, None)
            self._history.append(("judge", pair, str(grade)))

    def skip(self, topic: str, doc: str) -> None:
        """Ask for a document again after all others."""
        with self._lock:
            pair = self._check(topic, doc)
            self._skipped.pop(pair, None)
            self._skipped[pair] = None
            self._history.append(("skip", pair, ""))

    def mark_unsure(self, topic: str, doc: str) -> None:
        """Write a document to the file of documents of which the judge is unsure, and do not ask for it again."""
        with self._lock:
            pair = self._check(topic, doc)
            self._unsure.append(topic, doc, UNSURE)
            self._skipped.pop(pair, None)
            self._history.append(("unsure", pair, ""))

    def undo(self, topic: str, doc: str) -> None:
        """Undo the last action of this session, which must concern this document; it is then asked again."""
        with self._lock:
            if not self._history or self._history[-1][1] != (topic, doc):
                raise ConflictError("another tab has continued in the meantime; nothing was undone")
            kind, pair, _ = self._history[-1]
            if kind == "judge":
                self._judgments.remove_last()
                self._record(topic, doc, None)
            elif kind == "unsure":
                self._unsure.remove_last()
            self._skipped.pop(pair, None)
            self._history.pop()

    def _record(self, topic: str, doc: str, grade: float | None) -> None:
        """Record a grade in the queues; None withdraws the grade."""
        for queue in (self._queue, *([] if self._stop is None else [self._stop.queue])):
            if grade is None:
                queue.withdraw(topic, doc)
            else:
                queue.judge(topic, doc, grade)

    def _check(self, topic: str, doc: str) -> tuple[str, str]:
        """Return the pair; raise an error if it is already judged or no candidate."""
        pair = (topic, doc)
        if pair in self._judgments.grades:
            grade = self._judgments.grades[pair]
            raise ConflictError(f"document {doc} of topic {topic} already has grade {grade}, which stays unchanged")
        if pair in self._unsure.grades:
            raise ConflictError(f"document {doc} of topic {topic} is already marked as unsure")
        if not self._queue.contains(topic, doc):
            raise InputError(f"document {doc} of topic {topic} is not among the documents to judge")
        return pair


def _check_ids(queue: JudgingQueue) -> None:
    """Raise an error if an id of a candidate cannot be written to qrels."""
    rows = queue.documents.row[queue.documents.weight > 0]
    for name, series in (
        ("topic", pl.Series(queue.rankings.topics, dtype=pl.String)),
        ("doc", queue.rankings.doc[rows]),
    ):
        for text in series.filter(series.str.contains(r"\s") | (series == "")).head(1):
            check_id(name, text)
