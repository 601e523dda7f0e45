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
from assay.simulation.campaign_arrays import CampaignArrays
from assay.simulation.directory import check_directory
from assay.simulation.documents import draw_documents
from assay.simulation.parameters import Parameters
from assay.simulation.pooling import select_pool
from assay.simulation.ranking import SystemColumns, retrieve
from assay.simulation.readme import render_readme
from assay.simulation.systems import System, draw_systems
from assay.simulation.topics import draw_topic

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated test collection.

    Attributes
    ----------
    qrels
        The judgments: the documents of the pool with their true grades.
    runs
        One run for each system.
    truth
        All relevant documents, judged or not; all other documents have grade 0.
    systems
        The systems, in the order of the runs.
    parameters
        The parameters of the simulation.
    readme
        Description of the collection in Markdown.
    """

    qrels: Qrels
    runs: tuple[Run, ...]
    truth: Qrels
    systems: tuple[System, ...]
    parameters: Parameters
    readme: str

    def write(self, directory: str | Path, *, force: bool = False, progress: Progress | None = None) -> None:
        """Write ``qrels.txt``, ``runs/NAME.run`` and ``README.md``; after an error nothing is written.

        Parameters
        ----------
        directory
            Output directory; created if necessary, together with its parents.
        force
            Replace an earlier collection in the directory; other files are kept.
        progress
            Function called with the number of runs written and the number of all runs.
        """
        check_directory(directory, force)
        with stage_directory(directory) as root:
            write_file(root / "README.md", self.readme.encode())
            frame = self.qrels.frame()
            trec.write_qrels(root / "qrels.txt", frame["topic"], frame["doc"], frame["grade"].to_numpy())
            (root / "runs").mkdir()
            for count, run in enumerate(self.runs, start=1):
                path = root / "runs" / f"{run.name}.run"
                trec.write_run(path, run.topic, run.doc, rank=run.rank, score=run.score, tag=run.name)
                if progress is not None:
                    progress(count, len(self.runs))


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
    """Simulate a test collection with runs and qrels like those of a TREC campaign.

    Parameters
    ----------
    systems
        Number of runs. If there are at least 10, some skip a topic and some do not contribute to the pool.
    topics
        Number of topics, numbered from 401. A larger collection with the same seed starts with the same topics.
    depth
        Maximum number of documents that a run retrieves for a topic.
    grades
        Number of grades; 4 means the grades 0, 1, 2 and 3.
    pool
        Pool depth: number of top documents of each contributing run that are judged.
    seed
        Seed of the random numbers; the same seed gives the same collection.
    progress
        Function called with the number of completed topics and the total number of topics.

    Examples
    --------
    >>> collection = simulate(systems=6, topics=2, depth=20, pool=5)
    >>> [run.name for run in collection.runs]
    ['alpha1', 'alpha2', 'alpha3', 'alpha4', 'birch1', 'birch2']
    >>> collection.qrels.topics
    ('401', '402')
    """
    parameters = Parameters(systems, topics, depth, grades, pool, seed)
    documents = draw_documents(parameters.documents, _random_stream(seed, 0))
    system_list = draw_systems(parameters, _random_stream(seed, 1))
    columns = SystemColumns.from_systems(system_list)
    arrays = CampaignArrays(parameters)
    for index in range(topics):
        rng = _random_stream(seed, 2, index)
        topic = draw_topic(index, parameters, documents, rng)
        rankings = retrieve(topic, index, columns, parameters, rng)
        judged = select_pool(rankings, columns.pooled, documents.id_rank[topic.doc], pool)
        arrays.add(index, topic, rankings, judged)
        if progress is not None:
            progress(index + 1, topics)
    return Collection(
        qrels=arrays.qrels(arrays.judged, documents, "qrels"),
        runs=tuple(arrays.run(number, system, documents) for number, system in enumerate(system_list)),
        truth=arrays.qrels(arrays.truth, documents, "truth"),
        systems=system_list,
        parameters=parameters,
        readme=render_readme(parameters, system_list, arrays),
    )


def _random_stream(seed: int, *key: int) -> np.random.Generator:
    """Return a random generator that depends on the seed and the key only, so that topics are independent."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
