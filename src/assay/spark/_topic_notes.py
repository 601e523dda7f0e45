"""What is said of the topics that runs and judgments share, or do not."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import InputError
from assay.model.notes import Note, no_shared_topic, order_notes, topic_notes
from assay.model.policies import IGNORING_SCORES
from assay.spark._distributed_campaign import DistributedCampaign

_SHOWN = 6  # topics that a note names, and one more


def refuse_strangers(campaign: DistributedCampaign, sources: Sequence[str]) -> None:
    """Refuse a run that has nothing to do with the judgments."""
    for source, name, own in zip(sources, campaign.names, campaign.standing, strict=True):
        if own.unjudged and not own.answered:
            theirs = campaign.topic_names(_SHOWN)
            raise InputError(no_shared_topic(source, campaign.foreign(_SHOWN)[name], theirs))


def notes_of_runs(
    campaign: DistributedCampaign, sources: Sequence[str], *, left_out: bool, ties: str
) -> list[list[Note]]:
    """Return notes for each run: on topics without judgments, missing topics, an order that contradicts the scores."""
    foreign = campaign.foreign(_SHOWN)
    against = campaign.contradicted() if ties in IGNORING_SCORES else {}
    return [
        topic_notes(source, own, campaign.topics, foreign.get(name, []), left_out)
        + order_notes(source, against.get(name, 0), ties)
        for source, name, own in zip(sources, campaign.names, campaign.standing, strict=True)
    ]
