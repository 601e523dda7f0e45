"""The decisions on which evaluation tools disagree, each taken once and reported with every result."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from assay.errors import PolicyError, suggestion

TIES = {
    "trec_eval-10": "score as a double, then document id descending",
    "trec_eval-9": "score as a 32-bit float, then document id descending",
    "rank": "the rank column",
    "file": "the order of the lines",
    "expected": "the mean over all orders of the tied documents",
}
TOPICS = {
    "qrels": "every topic of the qrels counts; one that a run lacks is an empty ranking",
    "intersection": "for each run, only the topics that it answers",
}
UNDEFINED = {
    "zero": "a topic without relevant documents counts 0 where a measure needs them",
    "exclude": "a topic without relevant documents is left out where a measure needs them",
}
UNJUDGED = {
    "nonrelevant": "unjudged documents count as not relevant",
    "condensed": "unjudged documents are taken out and the ranks close up",
}
_KNOWN = {"ties": TIES, "topics": TOPICS, "undefined": UNDEFINED, "unjudged": UNJUDGED}


@dataclass(frozen=True)
class Policies:
    """How ties, missing topics, undefined values and unjudged documents are treated.

    >>> Policies(ties="trec_eval")
    Traceback (most recent call last):
    ...
    assay.errors.PolicyError: ties 'trec_eval': choose one of trec_eval-10, trec_eval-9, rank, file, expected; \
did you mean trec_eval-10?
    """

    ties: str = "trec_eval-10"
    topics: str = "qrels"
    undefined: str = "zero"
    unjudged: str = "nonrelevant"
    samples: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for policy, known in _KNOWN.items():
            chosen = getattr(self, policy)
            if chosen not in known:
                hint = suggestion(str(chosen), known)
                raise PolicyError(f"{policy} {chosen!r}: choose one of {', '.join(known)}{hint}")
        if self.samples < 2:
            raise PolicyError(f"samples must be at least 2, got {self.samples}")

    def as_dict(self) -> dict[str, str | int]:
        """The policies by name, for reports."""
        return asdict(self)
