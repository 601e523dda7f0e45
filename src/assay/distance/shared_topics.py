"""Topics that runs share, for comparisons without judgments, where no qrels list the topics."""

from __future__ import annotations

from assay.engine.campaign import Campaign
from assay.errors import SkippableError
from assay.model.notes import Note, join_names, pluralize
from assay.model.rankings import Rankings


def refuse_isolated_runs(campaign: Campaign, rankings: Rankings) -> None:
    """Refuse a run that shares no topic with any other run, unless the campaign was read leniently."""
    has_topic = rankings.length > 0
    shared = has_topic.sum(axis=0) > 1
    for name, run_has_topic in zip(rankings.runs, has_topic, strict=True):
        if not (run_has_topic & shared).any() and not campaign.lenient:
            run_topics = join_names(topic for topic, has in zip(rankings.topics, run_has_topic, strict=True) if has)
            others = join_names(topic for topic, has in zip(rankings.topics, run_has_topic, strict=True) if not has)
            raise SkippableError(
                f"{_source(campaign, name)}: shares no topic with another run (it has {run_topics}; "
                f"the other runs have {others})"
            )


def missing_topic_notes(campaign: Campaign, rankings: Rankings, consequence: str) -> list[str]:
    """Return a note for each run that lacks topics of other runs, with the *consequence*."""
    topics = pluralize(len(rankings.topics), "topic")
    missing_topic_counts = len(rankings.topics) - (rankings.length > 0).sum(axis=1)
    notes: list[str] = []
    for name, count in zip(rankings.runs, missing_topic_counts.tolist(), strict=True):
        if count:
            source = _source(campaign, name)
            text = f"{source}: lacks {count} of the {topics} of all runs; {consequence}"
            notes.append(Note(text, kind="missing topics", source=source, number=count))
    return notes


def _source(campaign: Campaign, run: str) -> str:
    return next(entry.source for entry in campaign.provenance.inputs if entry.role == "run" and entry.name == run)
