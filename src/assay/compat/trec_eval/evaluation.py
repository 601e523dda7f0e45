"""Runs against qrels, as trec_eval evaluates them: values in blocks, so that any number of topics can be printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np

from assay.compat.trec_eval.measure_spec import FlaggedRankings
from assay.compat.trec_eval.options import TrecEvalOptions
from assay.compat.trec_eval.parameters import EVALUATION, LARGEST, NO_TOPICS, RefusedError
from assay.compat.trec_eval.reading import read_qrels, read_runs
from assay.compat.trec_eval.report import Block
from assay.compat.trec_eval.selection import Item
from assay.compat.trec_eval.zscores import Zscores, read_zscores
from assay.engine.joining import join_sources
from assay.engine.sources import find_sources
from assay.engine.workers import Progress
from assay.model.arrays import Bools, Floats, Ints
from assay.model.joined import JoinedRun
from assay.model.judged import Judged
from assay.model.notes import join_names, no_shared_topic, pluralize
from assay.model.policies import Policies
from assay.model.qrels import Qrels

_BLOCK = 1 << 14  # rankings whose values are computed together


def tie_policy(profile: str) -> str:
    """Return the tie policy of a version."""
    return "trec_eval-9" if profile == "9.0.8" else "trec_eval-10"


def evaluated_topics(topics: Sequence[str], answered: Bools, options: TrecEvalOptions) -> Bools:
    """Return a mask of the topics to evaluate for a run that has the *answered* ones."""
    wanted = np.ones(len(topics), dtype=bool)
    if options.topic is not None:
        wanted = np.array([topic == options.topic for topic in topics], dtype=bool)
    return answered & wanted if options.profile == "9.0.8" else wanted


def refuse_missing(
    source: str, topics: Sequence[str], answered: Bools, foreign: Iterable[str], options: TrecEvalOptions
) -> None:
    """Refuse a run where trec_eval stops because of its topics."""
    counts = evaluated_topics(topics, answered, options)
    missing = counts & ~answered
    if options.topic is not None and options.topic not in topics:
        raise RefusedError(f"-D: the qrels have no topic {options.topic}; they have {join_names(topics)}", NO_TOPICS)
    if not answered.any() and not options.complete:
        code = NO_TOPICS if options.profile == "9.0.8" else EVALUATION
        raise RefusedError(no_shared_topic(source, foreign, topics), code)
    if missing.any() and not options.complete:
        names = join_names([topics[i] for i in np.flatnonzero(missing)[:6]])
        raise RefusedError(
            f"{source}: lacks {pluralize(int(missing.sum()), 'topic')} of the qrels ({names}), "
            "where trec_eval 10.0 stops; add -c to count them 0, or --profile 9.0.8 to leave them out",
            EVALUATION,
        )
    if not counts.any():
        raise RefusedError(f"{source}: shares no topic with the qrels that is to be evaluated", NO_TOPICS)


@dataclass
class QrelsValues:
    """Runs joined with the qrels, and their values."""

    qrels: Qrels
    runs: Sequence[JoinedRun]
    judged: Judged
    items: Sequence[Item]
    options: TrecEvalOptions
    zscores: Zscores | None = None

    def __post_init__(self) -> None:
        self._kept: tuple[int, list[Block]] = (-1, [])

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the qrels."""
        return self.qrels.notes

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the qrels, in the order in which they are printed."""
        return self.qrels.topics

    @property
    def relevant(self) -> int:
        """What trec_eval prints as num_rel with ``-c``: grades above 0, whatever ``-l`` says."""
        return int(self.qrels.counts[:, self.qrels.levels > 0].sum())

    def counted(self, run: int) -> Bools:
        """The topics that count for a run."""
        return evaluated_topics(self.topics, self.runs[run].answered, self.options)

    def check(self) -> None:
        """Refuse what trec_eval refuses, before anything is printed."""
        negative = self._all_negative()
        for number, run in enumerate(self.runs):
            refuse_missing(run.source, self.topics, run.answered, run.unjudged_topics, self.options)
            # trec_eval counts grades in memory that it reserves at the first topic with a grade of 0 or more. Before
            # that there is none to count in, and it stops; afterwards it goes on, and such a topic has the value 0.
            first = int(np.argmax(self.counted(number)))
            if negative[first] and self.judged_is_read:
                raise RefusedError(
                    f"{self.qrels.source}: topic {self.topics[first]}, the first to be evaluated, has only negative "
                    "grades, where trec_eval stops; leave its judgments out, or use assay eval",
                    EVALUATION,
                )

    @property
    def judged_is_read(self) -> bool:
        """Whether any measure looks at judgments."""
        return any(item.spec.family is not None for item in self.items)

    def _all_negative(self) -> Bools:
        return np.asarray(self.qrels.counts[:, self.qrels.levels >= 0].sum(axis=1) == 0)

    def blocks(self, run: int) -> Iterator[Block]:
        """The values of a run, some topics at a time; of small runs several are computed together."""
        topics = len(self.topics)
        if topics > _BLOCK:
            for begin in range(0, topics, _BLOCK):
                yield self._block(run, begin, min(begin + _BLOCK, topics))
            return
        together = max(1, _BLOCK // topics)
        group = run // together
        if self._kept[0] != group:
            last = min((group + 1) * together, len(self.runs))
            self._kept = group, self._of_runs(group * together, last)
        yield self._kept[1][run - group * together]

    def _of_runs(self, first: int, last: int) -> list[Block]:
        topics = len(self.topics)
        values, strings = self._computed(np.arange(first * topics, last * topics))
        places = [slice(run * topics, (run + 1) * topics) for run in range(last - first)]
        pairs = zip(range(first, last), places, strict=True)
        return [self._made(run, 0, topics, values[:, place], strings[place]) for run, place in pairs]

    def _block(self, run: int, begin: int, end: int) -> Block:
        first = run * len(self.topics)
        values, strings = self._computed(np.arange(first + begin, first + end))
        return self._made(run, begin, end, values, strings)

    def _made(self, run: int, begin: int, end: int, values: Floats, strings: Sequence[str]) -> Block:
        topics = self.topics[begin:end]
        if self.zscores is not None:
            values = self.zscores(topics, [column.label for item in self.items for column in item.columns], values)
        return Block(topics, values, strings, self.counted(run)[begin:end])

    def _computed(self, rankings: Ints) -> tuple[Floats, list[str]]:
        """The values of every column, and the strings of grades."""
        seen = apply_flags(self.judged.select_rankings(rankings).drop_unused_topics(), self.options)
        lengths = [item.spec.parse(item.text)[0] for item in self.items if item.spec.name == "relstring"]
        strings = relstrings(seen.judged, int(min(lengths[0], LARGEST))) if lengths else [""] * len(rankings)
        reset = seen.missing & any(item.spec.name == "relstring" and item.is_reset for item in self.items)
        strings = ["" if gone else text for text, gone in zip(strings, reset, strict=True)]
        return score_columns(seen, self.items), strings


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
    judged = _fill(judged, missing)
    if options.most is not None:
        judged = judged.top(options.most)
    if options.judged_only:
        judged = judged.condense()
    raised = judged.replace_levels(np.where(judged.levels >= 0, judged.levels + 1, judged.levels))
    return FlaggedRankings(judged, raised if options.level == 0 else judged, judged.length == 0, missing)


def _fill(judged: Judged, missing: Bools) -> Judged:
    """Put one unjudged document into each ranking that is *missing*, as trec_eval 10 does."""
    if not missing.any():
        return judged
    start = np.concatenate([[0], np.cumsum(judged.length + missing)])
    code = np.zeros(start[-1], dtype=judged.code.dtype)
    code[np.delete(np.arange(len(code)), start[:-1][missing])] = judged.code
    return replace(judged, code=code, start=start, depth=max(judged.max_depth, 1))


def relstrings(judged: Judged, most: int) -> list[str]:
    """The grades of the first documents of each ranking, one character for each."""
    first = judged.top(max(most, 0))
    shown = [f"{int(grade)}" if 0 <= grade <= 9 else ">" if grade > 9 else "." for grade in judged.levels.tolist()]
    characters = np.array([ord(character) for character in ["-", *shown]], dtype=np.uint8)
    line = characters[first.code].tobytes().decode("ascii")
    ends = first.start.tolist()
    return [line[begin:end] for begin, end in pairwise(ends)]


def evaluate_qrels(options: TrecEvalOptions, items: Sequence[Item], progress: Progress | None = None) -> QrelsValues:
    """Read and join everything that the options name."""
    missing = "exclude" if options.profile == "9.0.8" and not options.complete else "empty"
    policies = Policies(ties=tie_policy(options.profile), missing=missing)
    # A run that shares no topic with the qrels is refused by check, with the exit code of trec_eval.
    judgments = read_qrels(options.qrels)
    read = partial(read_runs, topics=judgments.topics, items=items, options=options)
    sources = find_sources(list(options.runs), read=read)
    joined = join_sources(lambda: judgments, sources, policies, any_topics=True, progress=progress)
    judged = cast("Judged", joined.judged)  # there are judgments, and documents are not kept
    values = QrelsValues(judgments, joined.runs, judged, items, options, read_zscores(options.zscores))
    values.check()
    return values
