"""Topics that runs have in common, for comparisons without judgments to name the topics."""

from __future__ import annotations

from assay.engine.campaign import Campaign
from assay.errors import SkippableError
from assay.model.notes import Note, join_names, pluralize
from assay.model.rankings import Rankings


def refuse_lonely_runs(campaign: Campaign, rankings: Rankings) -> None:
    """Refuse a run that shares no topic with another one, unless the campaign was read leniently."""
    has = rankings.length > 0
    shared = has.sum(axis=0) > 1
    for name, own in zip(rankings.runs, has, strict=True):
        if not (own & shared).any() and not campaign.lenient:
            ours = join_names(topic for topic, there in zip(rankings.topics, own, strict=True) if there)
            theirs = join_names(topic for topic, there in zip(rankings.topics, own, strict=True) if not there)
            raise SkippableError(
                f"{_source(campaign, name)}: shares no topic with another run (it has {ours}; the others have {theirs})"
            )


def missing_topic_notes(campaign: Campaign, rankings: Rankings, consequence: str) -> list[str]:
    """Note the runs that lack topics which others have, and the *consequence*."""
    topics = pluralize(len(rankings.topics), "topic")
    missing = len(rankings.topics) - (rankings.length > 0).sum(axis=1)
    notes: list[str] = []
    for name, number in zip(rankings.runs, missing.tolist(), strict=True):
        if number:
            source = _source(campaign, name)
            text = f"{source}: lacks {number} of the {topics} of all runs; {consequence}"
            notes.append(Note(text, kind="missing topics", source=source, number=number))
    return notes


def _source(campaign: Campaign, run: str) -> str:
    return next(one.source for one in campaign.provenance.inputs if one.role == "run" and one.name == run)
