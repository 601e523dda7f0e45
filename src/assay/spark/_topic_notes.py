"""Notes and errors on topics that runs and judgments do not share."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import InputError
from assay.model.notes import Note, no_shared_topic_message, order_notes, topic_notes
from assay.model.policies import IGNORING_SCORES
from assay.spark._distributed_campaign import DistributedCampaign

_LISTED = 6  # one topic more than a note lists, so that the note ends with an ellipsis if there are more topics


def refuse_disjoint_runs(campaign: DistributedCampaign, sources: Sequence[str]) -> None:
    """Refuse a run that shares no topic with the judgments."""
    for source, name, coverage in zip(sources, campaign.names, campaign.coverage, strict=True):
        if coverage.unjudged_topic_count and not coverage.judged_topic_count:
            judged_topics = campaign.first_topics(_LISTED)
            raise InputError(no_shared_topic_message(source, campaign.unjudged_topics(_LISTED)[name], judged_topics))


def build_run_notes(
    campaign: DistributedCampaign, sources: Sequence[str], *, exclude_missing: bool, ties: str
) -> list[list[Note]]:
    """Return the notes of each run on topics without judgments, missing topics, and ranks that contradict scores.

    *exclude_missing* is True if missing topics are excluded instead of counted as empty rankings.
    """
    unjudged = campaign.unjudged_topics(_LISTED)
    contradicted = campaign.count_contradicted_topics() if ties in IGNORING_SCORES else {}
    return [
        topic_notes(source, coverage, campaign.topic_count, unjudged.get(name, []), exclude_missing)
        + order_notes(source, contradicted.get(name, 0), ties)
        for source, name, coverage in zip(sources, campaign.names, campaign.coverage, strict=True)
    ]
