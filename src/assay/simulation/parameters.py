"""What a simulated campaign is made of: how many systems, topics, documents and grades."""

from __future__ import annotations

from dataclasses import dataclass, fields

from assay.errors import InputError

MOST = {"systems": 10_000, "topics": 1_000_000, "depth": 100_000, "grades": 100, "pool": 100_000, "seed": 2**64 - 1}
LEAST = {"systems": 1, "topics": 1, "depth": 1, "grades": 2, "pool": 1, "seed": 0}
MOST_RESULTS = 200_000_000


@dataclass(frozen=True)
class Parameters:
    """The size of a simulated campaign, and the seed that everything in it is drawn from.

    Parameters
    ----------
    systems
        How many runs there are.
    topics
        How many topics each run answers.
    depth
        How many documents a run retrieves for a topic, at most.
    grades
        How many degrees of relevance there are; with 4 they are 0, 1, 2 and 3.
    pool
        How many documents at the top of each contributing run are judged.
    seed
        Where the random numbers start; the same seed gives the same collection.

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
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not (whole and LEAST[name] <= value <= MOST[name]):
                raise InputError(f"{name} must be a whole number from {LEAST[name]} to {MOST[name]}, got {value}")
        if self.results > MOST_RESULTS:
            raise InputError(
                f"systems x topics x depth must be at most {MOST_RESULTS} results, got {self.results}; "
                "simulate fewer systems, fewer topics or less depth"
            )

    @property
    def results(self) -> int:
        """How many results there are when every run answers every topic to the full depth."""
        return self.systems * self.topics * self.depth

    @property
    def candidates(self) -> int:
        """How many documents of a topic the systems choose from."""
        return 8 * self.depth + 400

    @property
    def documents(self) -> int:
        """How many documents there are. It does not depend on the topics: fewer topics leave the rest as they are."""
        return max(min(20 * self.candidates, 1_000_000), 2 * self.candidates)
