"""A simulated test collection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.io import trec
from assay.io.writing import stage_directory, write_file
from assay.model.arguments import check_arguments
from assay.model.qrels import Qrels
from assay.model.run import Run
from assay.simulation.directory import refuse_taken
from assay.simulation.documents import draw_documents
from assay.simulation.gathering import Gathered
from assay.simulation.parameters import Parameters
from assay.simulation.pooling import pooled
from assay.simulation.ranking import Field, retrieve
from assay.simulation.readme import readme
from assay.simulation.systems import System, draw_systems
from assay.simulation.world import draw_topic

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated test collection.

    Attributes
    ----------
    qrels
        What was judged: the pool, with true grades.
    runs
        One run for each system.
    truth
        Every relevant document, judged or not; what is not in it has the grade 0.
    systems
        The systems that made the runs, in the same order.
    parameters
        What was asked for.
    readme
        What was drawn, as Markdown.
    """

    qrels: Qrels
    runs: tuple[Run, ...]
    truth: Qrels
    systems: tuple[System, ...]
    parameters: Parameters
    readme: str

    def write(self, directory: str | Path, *, force: bool = False, progress: Progress | None = None) -> None:
        """Write ``qrels.txt``, ``runs/NAME.run`` and ``README.md``, all of them or nothing.

        Parameters
        ----------
        directory
            Where to; made when it is not there, with the directories above it.
        force
            Replace a collection that was written there before; other files in the directory stay as they are.
        progress
            Called with how many runs were written and how many there are.
        """
        refuse_taken(directory, force)
        with stage_directory(directory) as root:
            write_file(root / "README.md", self.readme.encode())
            frame = self.qrels.frame()
            trec.write_qrels(root / "qrels.txt", frame["topic"], frame["doc"], frame["grade"].to_numpy())
            (root / "runs").mkdir()
            for done, run in enumerate(self.runs, start=1):
                path = root / "runs" / f"{run.name}.run"
                trec.write_run(path, run.topic, run.doc, rank=run.rank, score=run.score, tag=run.name)
                if progress is not None:
                    progress(done, len(self.runs))


@check_arguments
def simulate(
    systems: int = 40,
    topics: int = 50,
    depth: int = 1000,
    grades: int = 4,
    pool: int = 100,
    *,
    seed: int = 1,
    progress: Progress | None = None,
) -> Collection:
    """Draw a test collection that looks like what a TREC campaign leaves behind.

    Parameters
    ----------
    systems
        How many runs; from 10 on, some of them do not contribute to the pool or miss a topic.
    topics
        How many topics, numbered from 401. The first topics of a larger collection are those of a smaller one.
    depth
        How many documents a run retrieves for a topic, at most.
    grades
        How many degrees of relevance; with 4 they are 0, 1, 2 and 3.
    pool
        How many documents at the top of each contributing run are judged.
    seed
        The same seed gives the same collection.
    progress
        Called with how many topics are done and how many there are.

    Examples
    --------
    >>> collection = simulate(systems=6, topics=2, depth=20, pool=5)
    >>> [run.name for run in collection.runs]
    ['alpha1', 'alpha2', 'alpha3', 'alpha4', 'birch1', 'birch2']
    >>> collection.qrels.topics
    ('401', '402')
    """
    parameters = Parameters(systems, topics, depth, grades, pool, seed)
    documents = draw_documents(parameters.documents, _stream(seed, 0))
    drawn = draw_systems(parameters, _stream(seed, 1))
    field = Field.of(drawn)
    gathered = Gathered(parameters)
    for index in range(topics):
        rng = _stream(seed, 2, index)
        topic = draw_topic(index, parameters, documents, rng)
        rankings = retrieve(topic, index, field, parameters, rng)
        gathered.add(index, topic, rankings, pooled(rankings, field.pooled, documents.place[topic.doc], pool))
        if progress is not None:
            progress(index + 1, topics)
    return Collection(
        qrels=gathered.qrels(documents),
        runs=tuple(gathered.run(number, system, documents) for number, system in enumerate(drawn)),
        truth=gathered.true_qrels(documents),
        systems=drawn,
        parameters=parameters,
        readme=readme(parameters, drawn, gathered),
    )


def _stream(seed: int, *key: int) -> np.random.Generator:
    """Random numbers that depend on the seed and the key alone, so that topics do not touch each other."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
