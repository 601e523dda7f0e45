"""Policies: explicit choices where evaluation tools differ, reported with every result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from numbers import Integral

from assay.errors import PolicyError, suggestion
from assay.io.problems import format_value

TIES = {
    "trec_eval-10": "score as a double, then document id descending",
    "trec_eval-9": "score as a 32-bit float, then document id descending",
    "score-file": "score as a double, then the order of the input",
    "score-id": "score as a double, then document id ascending",
    "rank": "the rank column; scores are ignored",
    "file": "the order of the input; scores are ignored",
    "expected": "score as a double; the value is the mean over all orders of the tied documents",
}
IGNORING_SCORES = {"rank": "the rank column", "file": "the order of the input"}
"""Tie policies that ignore scores, and the order that they use instead."""
MISSING = {
    "empty": "a topic that a run lacks counts as an empty ranking",
    "exclude": "a topic that a run lacks is excluded from the mean of the run",
}
UNDEFINED = {
    "zero": "a topic without relevant documents has the value 0 if the measure needs them",
    "exclude": "a topic without relevant documents is excluded if the measure needs them",
}
UNJUDGED = {
    "nonrelevant": "unjudged documents count as non-relevant",
    "condensed": "unjudged documents are removed and later documents move up",
}
_CHOICES = {"ties": TIES, "missing": MISSING, "undefined": UNDEFINED, "unjudged": UNJUDGED}


def reject_expected_ties(ties: str, reason: str) -> None:
    """Raise an error for ``ties="expected"`` in an analysis that needs one order of the documents."""
    if ties == "expected":
        raise PolicyError(f"ties 'expected': {reason}; choose another tie policy")


@dataclass(frozen=True)
class Policies:
    """Policies on ties, missing topics, undefined values and unjudged documents.

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
        for policy, choices in _CHOICES.items():
            value = getattr(self, policy)
            if not isinstance(value, str) or value not in choices:
                text = value if isinstance(value, str) else format_value(value)
                prefixed = [name for name in choices if name.startswith(text)]  # "trec_eval" means trec_eval-10
                hint = suggestion(text, prefixed[:1] or choices)
                raise PolicyError(f"{policy} {format_value(value)}: choose one of {', '.join(choices)}{hint}")
        for name, minimum in (("samples", 2), ("seed", 0)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, Integral):
                raise PolicyError(f"{name} must be a whole number, got {number!r}")
            if number < minimum:
                raise PolicyError(f"{name} must be at least {minimum}, got {number}")

    def as_dict(self) -> dict[str, str | int]:
        """Return the policies by name, for reports."""
        return asdict(self)
