"""Parameters of a simulated campaign: number of systems, topics, documents and grades."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assay.errors import InputError

MAXIMUM = {"systems": 10_000, "topics": 1_000_000, "depth": 100_000, "grades": 100, "pool": 100_000, "seed": 2**64 - 1}
MINIMUM = {"systems": 1, "topics": 1, "depth": 1, "grades": 2, "pool": 1, "seed": 0}
MAX_RESULTS = 200_000_000


@dataclass(frozen=True)
class Parameters:
    """Size of a simulated campaign, and the seed of its random numbers.

    Parameters
    ----------
    systems
        Number of runs.
    topics
        Number of topics.
    depth
        Maximum number of documents that a run retrieves for a topic.
    grades
        Number of grades; 4 means the grades 0, 1, 2 and 3.
    pool
        Pool depth: number of top documents of each contributing run that are judged.
    seed
        Seed of the random numbers; the same seed gives the same collection.

    Examples
    --------
    >>> Parameters(grades=1)
    Traceback (most recent call last):
    ...
    assay.errors.InputError: grades must be a whole number from 2 to 100, got 1
    """

    systems: int = 40
    topics: int = 50
    depth: int = 1000
    grades: int = 4
    pool: int = 100
    seed: int = 1

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            is_whole = isinstance(value, int) and not isinstance(value, bool)
            if not (is_whole and MINIMUM[name] <= value <= MAXIMUM[name]):
                raise InputError(f"{name} must be a whole number from {MINIMUM[name]} to {MAXIMUM[name]}, got {value}")
        if self.results > MAX_RESULTS:
            raise InputError(
                f"systems x topics x depth must be at most {MAX_RESULTS} results, got {self.results}; "
                "simulate fewer systems, fewer topics or less depth"
            )

    @property
    def results(self) -> int:
        """Maximum number of results: every run answers every topic to the full depth."""
        return self.systems * self.topics * self.depth

    @property
    def candidates(self) -> int:
        """Number of candidate documents of a topic, from which the systems retrieve."""
        return 8 * self.depth + 400

    @property
    def documents(self) -> int:
        """Number of documents of the collection.

        It does not depend on the number of topics, so the first topics of a larger collection are the same.
        """
        return max(min(20 * self.candidates, 1_000_000), 2 * self.candidates)
