"""Arrays of the rankings and judgments of all topics, from which runs and qrels are built."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from assay.io.checks import Kind, check_rows
from assay.io.problems import Problems
from assay.io.table import RowTable
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.simulation.documents import SimulatedDocuments
from assay.simulation.parameters import Parameters
from assay.simulation.ranking import SimulatedRankings
from assay.simulation.scoring import SCALES
from assay.simulation.systems import System
from assay.simulation.topics import FIRST_TOPIC, Topic


class Judgments(NamedTuple):
    """Document numbers of the judged documents of one topic, and their grades."""

    doc: np.ndarray
    grade: np.ndarray


class CampaignArrays:
    """Rankings and judgments of a campaign, filled topic by topic.

    Attributes
    ----------
    doc, units
        Document number, and score as a multiple of its last digit, by system, topic and line.
    length, tied, judged_retrieved
        Number of retrieved documents, of tied documents and of retrieved judged documents, by system and topic.
    judged, truth
        For each topic, the documents of the pool, and all relevant documents, with their grades.
    ease
        Ease of each topic.
    """

    def __init__(self, parameters: Parameters) -> None:
        shape = (parameters.systems, parameters.topics)
        self.doc = np.empty((*shape, parameters.depth), dtype=np.int32)
        self.units = np.empty((*shape, parameters.depth), dtype=np.int64)
        self.length, self.tied, self.judged_retrieved = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        self.ease = np.zeros(parameters.topics)
        self.judged: list[Judgments] = []
        self.truth: list[Judgments] = []

    def add(self, index: int, topic: Topic, rankings: SimulatedRankings, pool: np.ndarray) -> None:
        """Add the topic with this index; *pool* contains its judged candidates."""
        self.doc[:, index] = topic.doc[rankings.candidate]
        self.units[:, index] = rankings.units
        self.length[:, index] = rankings.length
        self.tied[:, index] = rankings.count_tied()
        is_judged = np.zeros(len(topic.doc), dtype=bool)
        is_judged[pool] = True
        self.judged_retrieved[:, index] = (is_judged[rankings.candidate] & rankings.retrieved_mask()).sum(axis=1)
        self.ease[index] = topic.ease
        self.judged.append(Judgments(topic.doc[pool], topic.grade[pool]))
        self.truth.append(Judgments(topic.doc[topic.relevant], topic.grade[topic.relevant]))

    def run(self, number: int, system: System, documents: SimulatedDocuments) -> Run:
        """Return the run of the system with this number; its lines are in the order of the arrays."""
        retrieved = np.arange(self.doc.shape[2]) < self.length[number][:, None]
        topic, line = np.nonzero(retrieved)
        frame = pl.DataFrame(
            {
                "topic": self._topics().gather(topic),
                "doc": documents.ids.gather(self.doc[number][retrieved]),
                "value": self.units[number][retrieved] / 10.0 ** SCALES[system.scale].digits,
                "rank": line if system.ranks == "from 0" else line + 1,
            }
        )
        return Run(_table(frame, "run", system.name), system.name)

    def _topics(self) -> pl.Series:
        return pl.Series("topic", np.arange(FIRST_TOPIC, FIRST_TOPIC + len(self.ease))).cast(pl.String)

    def qrels(self, judgments: list[Judgments], documents: SimulatedDocuments, name: str) -> Qrels:
        """Return the judgments of all topics, ``judged`` or ``truth``, as qrels; *name* is for error messages."""
        doc, grade = (np.concatenate(columns) for columns in zip(*judgments, strict=True))
        topic = np.repeat(np.arange(len(judgments)), [len(one.doc) for one in judgments])
        frame = pl.DataFrame(
            {
                "topic": self._topics().gather(topic),
                "doc": documents.ids.gather(doc),
                "value": grade.astype(np.float64),
            }
        )
        return Qrels(_table(frame.sort("topic", "doc"), "qrels", name))


def _table(frame: pl.DataFrame, kind: Kind, name: str) -> RowTable:
    source = f"simulated {name}"
    return check_rows(frame, kind, lambda row: f"{source}:{row + 1}", Problems(source))
