"""Evaluation of runs against qrels, as in trec_eval; values are computed in blocks, to bound memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np

from assay.compat.trec_eval.measure_spec import FlaggedRankings
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.parameters import EVALUATION, LARGEST, NO_TOPICS, RefusedError
from assay.compat.trec_eval.reading import read_qrels, read_runs
from assay.compat.trec_eval.selection import Item
from assay.engine.joining import join_sources
from assay.engine.sources import find_sources
from assay.engine.workers import Progress
from assay.model.arrays import Bools, Floats
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.notes import join_names, no_shared_topic_message, pluralize
from assay.model.policies import Policies
from assay.model.qrels import Qrels

_BLOCK = 1 << 14  # rankings whose values are computed together


class Block(NamedTuple):
    """The values of some topics of one run.

    Attributes
    ----------
    topics
        The topics.
    values
        Output columns x topics.
    strings
        The string that relstring prints for each topic.
    evaluated
        Mask of the topics that are printed and averaged.
    """

    topics: Sequence[str]
    values: Floats
    strings: Sequence[str]
    evaluated: Bools


def tie_policy(profile: str) -> str:
    """Return the tie policy of a version of trec_eval."""
    return "trec_eval-9" if profile == "9.0.8" else "trec_eval-10"


def evaluated_topics(topics: Sequence[str], answered: Bools, options: TrecEvalOptions) -> Bools:
    """Return a mask of the topics to evaluate for a run; *answered* is a mask of the topics that the run contains.

    Version 9.0.8 evaluates only topics of the run; version 10 evaluates all topics of the qrels.
    """
    mask = np.ones(len(topics), dtype=bool)
    if options.topic is not None:
        mask = np.array([topic == options.topic for topic in topics], dtype=bool)
    return answered & mask if options.profile == "9.0.8" else mask


def refuse_missing(
    source: str, topics: Sequence[str], answered: Bools, unjudged_topics: Iterable[str], options: TrecEvalOptions
) -> None:
    """Raise an error if trec_eval would stop because of the topics of a run."""
    evaluated = evaluated_topics(topics, answered, options)
    missing = evaluated & ~answered
    if options.topic is not None and options.topic not in topics:
        raise RefusedError(f"-D: the qrels have no topic {options.topic}; they have {join_names(topics)}", NO_TOPICS)
    if not answered.any() and not options.complete:
        code = NO_TOPICS if options.profile == "9.0.8" else EVALUATION
        raise RefusedError(no_shared_topic_message(source, unjudged_topics, topics), code)
    if missing.any() and not options.complete:
        names = join_names([topics[i] for i in np.flatnonzero(missing)[:6]])
        raise RefusedError(
            f"{source}: lacks {pluralize(int(missing.sum()), 'topic')} of the qrels ({names}), "
            "and trec_eval 10.0 would stop; add -c to count them as 0, or --profile 9.0.8 to omit them",
            EVALUATION,
        )
    if not evaluated.any():
        raise RefusedError(f"{source}: contains none of the topics to evaluate", NO_TOPICS)


@dataclass
class QrelsValues:
    """Runs joined with the qrels, and their values, which are computed on demand."""

    qrels: Qrels
    runs: Sequence[JoinedRun]
    judged: Judged
    items: Sequence[Item]
    options: TrecEvalOptions

    def __post_init__(self) -> None:
        # The rankings, values and strings that were computed last.
        self._last: tuple[range, Floats, list[str]] = range(0), np.zeros((0, 0)), []

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the qrels."""
        return self.qrels.notes

    @property
    def relevant_count(self) -> int:
        """Number of documents with a grade above 0: the num_rel that ``-c`` prints, whatever the value of ``-l``."""
        return int(self.qrels.counts[:, self.qrels.levels > 0].sum())

    def check(self) -> None:
        """Refuse input that trec_eval refuses, before anything is printed."""
        topics = self.qrels.topics
        has_only_negative = np.asarray(self.qrels.counts[:, self.qrels.levels >= 0].sum(axis=1) == 0)
        reads_judgments = any(item.spec.family is not None for item in self.items)
        for run in self.runs:
            refuse_missing(run.source, topics, run.answered, run.unjudged_topics, self.options)
            # trec_eval allocates the array in which it counts grades at the first topic with a grade of at least 0. If
            # a topic with only negative grades comes earlier, trec_eval stops. If it comes later, its value is 0.
            first = int(np.argmax(evaluated_topics(topics, run.answered, self.options)))
            if has_only_negative[first] and reads_judgments:
                raise RefusedError(
                    f"{self.qrels.source}: topic {topics[first]}, the first to be evaluated, has only negative "
                    "grades, and trec_eval would stop; remove its judgments, or use assay eval",
                    EVALUATION,
                )

    def blocks(self, run: int) -> Iterator[Block]:
        """Yield the values of a run in blocks of topics; several small runs are computed together."""
        topics = self.qrels.topics
        count = len(topics)
        evaluated = evaluated_topics(topics, self.runs[run].answered, self.options)
        runs_per_group = max(1, _BLOCK // count)
        first = run - run % runs_per_group
        last = min(first + runs_per_group, len(self.runs)) - 1
        for begin in range(0, count, _BLOCK):
            end = min(begin + _BLOCK, count)
            # The rankings of a run are consecutive. A group of several runs has a single block with all topics.
            computed, values, strings = self._compute(range(first * count + begin, last * count + end))
            rows = slice(run * count + begin - computed.start, run * count + end - computed.start)
            yield Block(topics[begin:end], values[:, rows], strings[rows], evaluated[begin:end])

    def _compute(self, rankings: range) -> tuple[range, Floats, list[str]]:
        """Return the rankings, the values of every column (columns x rankings), and the strings of relstring."""
        if self._last[0] != rankings:
            selected = self.judged.select_rankings(np.arange(rankings.start, rankings.stop)).drop_unused_topics()
            flagged = apply_flags(selected, self.options)
            self._last = rankings, score_columns(flagged, self.items), relstrings(flagged, self.items)
        return self._last


def score_columns(rankings: FlaggedRankings, items: Sequence[Item]) -> Floats:
    """Return the values of every column: columns x rankings."""
    columns = [(column, item.is_reset) for item in items for column in item.columns]
    values = np.array([column.values(rankings) for column, _ in columns], dtype=np.float64)
    values = values.reshape(len(columns), len(rankings.judged))
    reset = np.array([is_reset for _, is_reset in columns], dtype=bool)
    return np.where(reset[:, None] & rankings.missing, 0.0, values)


def apply_flags(judged: Judged, options: TrecEvalOptions) -> FlaggedRankings:
    """Apply the flags -M, -J and -l 0 to judged rankings."""
    missing = ~judged.answered & (options.profile != "9.0.8")
    judged = _add_placeholders(judged, missing)
    if options.max_documents is not None:
        judged = judged.top(options.max_documents)
    if options.judged_only:
        judged = judged.condense()
    with_raised_grades = judged.replace_levels(np.where(judged.levels >= 0, judged.levels + 1, judged.levels))
    return FlaggedRankings(judged, with_raised_grades if options.level == 0 else judged, judged.length == 0, missing)


def _add_placeholders(judged: Judged, missing: Bools) -> Judged:
    """Add one unjudged document to each *missing* ranking, as trec_eval 10 does."""
    if not missing.any():
        return judged
    start = np.concatenate([[0], np.cumsum(judged.length + missing)])
    code = np.zeros(start[-1], dtype=judged.code.dtype)
    code[np.delete(np.arange(len(code)), start[:-1][missing])] = judged.code
    return replace(judged, code=code, start=start, depth=max(judged.max_depth, 1))


def relstrings(rankings: FlaggedRankings, items: Sequence[Item]) -> list[str]:
    """Return the grades of the first documents of each ranking, one character each, if relstring is selected.

    ``-`` means unjudged, ``.`` means a negative grade, and ``>`` means a grade above 9.
    """
    item = next((item for item in items if item.spec.name == "relstring"), None)
    if item is None:
        return [""] * len(rankings.judged)
    length = int(min(item.spec.parse(item.text)[0], LARGEST))
    top, levels = rankings.judged.top(max(length, 0)), rankings.judged.levels.tolist()
    grades = [f"{int(grade)}" if 0 <= grade <= 9 else ">" if grade > 9 else "." for grade in levels]
    characters = np.array([ord(character) for character in ["-", *grades]], dtype=np.uint8)
    line = characters[top.code].tobytes().decode("ascii")
    reset = rankings.missing & item.is_reset
    ranges = zip(pairwise(top.start.tolist()), reset, strict=True)
    return ["" if is_reset else line[begin:end] for (begin, end), is_reset in ranges]


def evaluate_qrels(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> QrelsValues:
    """Read the qrels and the runs named by the options, and join them."""
    missing = "exclude" if options.profile == "9.0.8" and not options.complete else "empty"
    policies = Policies(ties=tie_policy(options.profile), missing=missing)
    # Runs that share no topic with the qrels are accepted here; ``check`` refuses them with the exit code of trec_eval.
    judgments = read_qrels(options.qrels)
    read = partial(read_runs, topics=judgments.topics, items=items, options=options)
    sources = find_sources(list(options.runs), read=read)
    joined = join_sources(lambda: judgments, sources, policies, any_topics=True, progress=progress)
    judged = cast("Judged", joined.judged)  # not None: there are judgments, and document ids were not requested
    values = QrelsValues(judgments, joined.runs, judged, items, options)
    values.check()
    return values
