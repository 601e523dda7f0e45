"""The decisions on which evaluation tools disagree, each taken once and reported with every result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Integral

from assay.errors import PolicyError, suggestion
from assay.io.problems import shown

TIES = {
    "trec_eval-10": "score as a double, then document id descending",
    "trec_eval-9": "score as a 32-bit float, then document id descending",
    "score-file": "score as a double, then the order of the input",
    "score-id": "score as a double, then document id ascending",
    "rank": "the rank column, whatever the scores",
    "file": "the order of the input, whatever the scores",
    "expected": "score as a double, and the mean over all orders of the tied documents",
}
IGNORING_SCORES = {"rank": "the rank column", "file": "the order of the input"}
"""Tie policies that order all documents by something else than their scores, and by what."""
MISSING = {
    "empty": "a topic that a run lacks counts as an empty ranking",
    "exclude": "a topic that a run lacks is left out of its values",
}
UNDEFINED = {
    "zero": "a topic without relevant documents counts 0 where a measure needs them",
    "exclude": "a topic without relevant documents is left out where a measure needs them",
}
UNJUDGED = {
    "nonrelevant": "unjudged documents count as not relevant",
    "condensed": "unjudged documents are taken out and the ranks close up",
}
_KNOWN = {"ties": TIES, "missing": MISSING, "undefined": UNDEFINED, "unjudged": UNJUDGED}


def refuse_expected(ties: str, why: str) -> None:
    """Refuse the mean over all orders where one order is needed."""
    if ties == "expected":
        raise PolicyError(f"ties 'expected': {why}; choose another tie policy")


@dataclass(frozen=True)
class Policies:
    """How ties, missing topics, undefined values and unjudged documents are treated.

    >>> Policies(ties="trec_eval")
    Traceback (most recent call last):
    ...
    assay.errors.PolicyError: ties 'trec_eval': choose one of trec_eval-10, trec_eval-9, score-file, score-id, rank, \
file, expected; did you mean trec_eval-10?
    """

    ties: str = "trec_eval-10"
    missing: str = "empty"
    undefined: str = "zero"
    unjudged: str = "nonrelevant"
    samples: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for policy, known in _KNOWN.items():
            chosen = getattr(self, policy)
            if not isinstance(chosen, str) or chosen not in known:
                word = chosen if isinstance(chosen, str) else shown(chosen)
                begins = [name for name in known if name.startswith(word)]
                hint = suggestion(word, begins[:1] or known)
                raise PolicyError(f"{policy} {shown(chosen)}: choose one of {', '.join(known)}{hint}")
        for name, least in (("samples", 2), ("seed", 0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, Integral):
                raise PolicyError(f"{name} must be a whole number, got {number!r}")
            if number < least:
                raise PolicyError(f"{name} must be at least {least}, got {number}")

    def as_dict(self) -> dict[str, str | int]:
        """The policies by name, for reports."""
        return asdict(self)
