"""The campaign: judgments and runs, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assay.engine.budget import parse_memory
from assay.engine.joining import JoinedSources, Limits, describe, join_sources
from assay.engine.run_store import RunStore
from assay.engine.sources import (
    RunSource,
    SourceOptions,
    as_qrels,
    check_standard_input,
    find_sources,
    source_options,
    weigh_subtopics,
)
from assay.engine.workers import Progress
from assay.errors import InputError, check_choice
from assay.io.source import note_ignored_entries
from assay.io.table import RowTable
from assay.io.texts.fields import Document
from assay.io.texts.texts import Texts, no_docs, no_queries
from assay.model.arguments import check_arguments
from assay.model.arrays import Bools, Floats, Ints
from assay.model.checks import find_positions
from assay.model.document_costs import DocumentCosts
from assay.model.joined import KEEP
from assay.model.judged import Judged
from assay.model.notes import pluralize, run_notes
from assay.model.policies import Policies
from assay.model.provenance import Input, Provenance
from assay.model.qrels import Qrels
from assay.model.rankings import Rankings
from assay.model.subtopics import DocumentFacets

Result = TypeVar("Result")
BLOCK = (1 << 21, 1 << 16)
"""Maximum number of documents and of rankings in a block; small blocks keep intermediate arrays small."""


@dataclass(frozen=True, eq=False)
class Campaign:
    """Judgments and runs, read once. Derived campaigns share arrays and sources.

    Create one with :func:`assay.read`.

    Attributes
    ----------
    qrels
        The judgments; None if there are none.
    runs
        The names of the runs; empty if only judgments were read.
    topics
        The topics of the qrels, or the topics of the runs if there are no qrels.
    policies
        The policies on ties, missing topics, undefined values and unjudged documents.
    notes
        Notes on data that was ignored, skipped or assumed while reading.
    provenance
        The inputs with their digests, the policies, and the steps by which the campaign was derived.
    lenient
        Whether bad lines and duplicates were skipped.
    queries
        The text of each topic; empty if none was given. Texts are read when they are requested.
    docs
        The title and the text of each document; empty if none was given. ``docs.fetch(ids)`` returns many at once.
    costs
        The costs of documents; None if none were given.
    """

    qrels: Qrels | None
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    policies: Policies
    notes: tuple[str, ...]
    provenance: Provenance
    lenient: bool = False
    queries: Texts[str] = field(default_factory=no_queries)
    docs: Texts[Document] = field(default_factory=no_docs)
    costs: DocumentCosts | None = None
    _whole: Judged | None = None
    _store: RunStore | None = None
    _rankings: Ints | None = None  # indices of the selected rankings of the store; None: all
    _rows: Bools | None = None  # mask of the selected judgments of the store; None: all

    def __repr__(self) -> str:
        judgments = "no judgments" if self.qrels is None else pluralize(self._count_judgments(), "judgment")
        return f"Campaign({pluralize(len(self.runs), 'run')} x {pluralize(len(self.topics), 'topic')}, {judgments})"

    def _count_judgments(self) -> int:
        return len(self.judgments) if self._whole is None else int(self._whole.counts.sum())

    # Judgments and judged rankings ------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Number of runs and of topics."""
        return len(self.runs), len(self.topics)

    @property
    def judgments(self) -> Qrels:
        """The judgments; an error if the campaign has none."""
        if self.qrels is None:
            raise InputError("qrels: this needs judgments; read the campaign with qrels")
        return self.qrels

    @property
    def whole(self) -> Judged:
        """The judged rankings before the policy on unjudged documents is applied; bounds and pools use them."""
        if self._whole is None:
            raise InputError("qrels: this needs judgments; read the campaign with qrels")
        return self._whole

    @cached_property
    def judged(self) -> Judged:
        """The judged rankings with the policies applied: the input of measures."""
        return self.whole.with_policies(self.policies)

    def blocks(self) -> Iterator[tuple[slice, Judged]]:
        """Divide the judged rankings into blocks of bounded size; yield the slice of rankings and the block.

        The rankings are those of :attr:`judged`: run by run, and within a run topic by topic.
        """
        for rows, block in self.whole.blocks(*BLOCK):
            yield rows, block.with_policies(self.policies)

    # Documents --------------------------------------------------------------------------------------------------

    def rankings(
        self,
        *,
        depth: int | None = None,
        runs: Iterable[str] | None = None,
        topics: str = "judged",
        tie_flags: bool = False,
    ) -> Rankings:
        """Return the rankings with their documents, read from the sources on first use.

        Parameters
        ----------
        depth
            Number of documents of each ranking to return; by default all.
        runs
            Names of the runs; by default all.
        topics
            ``judged``: the topics of the campaign; ``all``: all topics of the runs, including those without judgments.
        tie_flags
            Whether to mark documents with equal scores, if the tie policy orders documents by score.
        """
        store = self._require_store()
        names = self.runs if runs is None else tuple(runs)
        selected = None if topics == "all" else self.topics
        rankings = store.rankings_of([store.names.index(name) for name in names]).select(None, selected, depth)
        rankings = rankings.drop_empty_topics() if topics == "all" else rankings
        rankings = rankings if self._rows is None else rankings.with_qrels(self.judgments)
        keep_ties = tie_flags or self.policies.ties == "expected"
        return rankings if keep_ties or rankings.tied is None else replace(rankings, tied=None)

    def each_run(self, work: Callable[[RowTable], Result], progress: Progress | None = None) -> list[Result]:
        """Apply *work* to the rows of each run; the source is read again unless the campaign keeps runs."""
        results = self._require_store().each_run(work, progress)
        return [results[self._require_store().names.index(name)] for name in self.runs]

    def _require_store(self) -> RunStore:
        """Return the store; raise an error if the campaign has no documents."""
        if self._store is None:
            raise InputError("runs: this needs the documents of the runs, which this campaign does not have")
        return self._store

    # Derived campaigns ------------------------------------------------------------------------------------------

    def select(self, runs: str | Iterable[str] | None = None, topics: str | Iterable[str] | None = None) -> Campaign:
        """Return a campaign with some of the runs, in the given order, and some of the topics.

        Rankings keep the maximum depth of the original campaign, so the values of a run do not depend on the selection
        of other runs.
        """
        run = find_positions(self.runs, runs, "run")
        topic = np.unique(find_positions(self.topics, topics, "topic"))
        ranking = (run[:, None] * len(self.topics) + topic).ravel()
        whole = None if self._whole is None else self._whole.select_rankings(ranking)
        qrels, rows = self.qrels, self._rows
        if topics is not None and whole is not None and qrels is not None:
            keep = qrels.rows_of(topic)
            rows = self._to_store_mask(keep)
            whole, qrels = whole.select_topics(topic), qrels.select(topic)
            whole = _renumber_facets(whole, qrels, keep)
        run_names = tuple(self.runs[i] for i in run)
        topic_names = tuple(self.topics[i] for i in topic)
        return replace(
            self,
            qrels=qrels,
            runs=run_names,
            topics=topic_names,
            provenance=self.provenance.derive(
                f"{len(run_names)} of {len(self.runs)} runs, {len(topic_names)} of {len(self.topics)} topics"
            ),
            _whole=whole,
            _rankings=ranking if self._rankings is None else self._rankings[ranking],
            _rows=rows,
        )

    def _to_store_mask(self, keep: Bools) -> Bools:
        """Convert a mask over the judgments of the campaign to a mask over the judgments of the store."""
        if self._rows is None:
            return keep
        rows = self._rows.copy()
        rows[rows] = keep
        return rows

    def with_policies(self, **changes: Any) -> Campaign:
        """Return the campaign with other policies; a change of the tie policy reads the runs again."""
        policies = replace(self.policies, **changes)
        if policies.ties != self.policies.ties:
            sources = self._require_store().sources
            joined = join_sources(lambda: self.qrels, sources, policies)
            campaign = assemble(joined, sources, policies, lenient=self.lenient).with_texts(self.queries, self.docs)
            campaign = replace(campaign, costs=self.costs)
            return campaign if campaign.runs == self.runs else campaign.select(self.runs)
        provenance = replace(self.provenance, policies=policies)
        whole_policies = replace(policies, unjudged="nonrelevant")
        whole = None if self._whole is None else replace(self._whole, policies=whole_policies)
        return replace(self, policies=policies, provenance=provenance, _whole=whole)

    def with_grades(self, grades: Mapping[float, float]) -> Campaign:
        """Return the campaign with some grades replaced by others, such as ``{4: 3, -2: 0}``."""
        old, new = self.judgments, self.judgments.with_grades(grades)
        levels = [grades.get(level, level) for level in old.levels.tolist()]
        table = np.concatenate([[0], 1 + np.searchsorted(new.levels, levels)]).astype(self.whole.code.dtype)
        facets = self.whole.facets
        code = table[self.whole.code]
        if facets is not None and facets.judgment is not None:
            # Collapsed grades are the grades of several subtopics, so they are not replaced one by one.
            code, facets = new.codes_of(facets.judgment), replace(facets, subtopics=new.subtopics)
        return replace(
            self,
            qrels=new,
            provenance=self.provenance.derive_grades(grades),
            _whole=replace(self.whole, levels=new.levels, counts=new.counts, code=code, facets=facets),
            _store=None if self._store is None else self._store.with_grades(grades),
        )

    def with_judgments(self, keep: Bools) -> Campaign:
        """Return the campaign with some of its judgments; *keep* is a mask over the rows of ``qrels.frame()``.

        Other documents become unjudged. Topics and levels remain those of all judgments.
        """
        code, counts = self.judgments.code_table(keep)
        numbers = self._judgment_numbers()
        step = f"{int(counts.sum())} of {len(self.judgments)} judgments"
        qrels = self.judgments.keep(keep)
        whole = replace(self.whole, code=code[numbers], counts=counts)
        return replace(
            self,
            qrels=qrels,
            provenance=self.provenance.derive(step),
            _whole=_renumber_facets(whole, qrels, keep),
            _rows=self._to_store_mask(keep),
        )

    def best_rank(self, runs: Sequence[int] | Ints | None = None) -> Floats:
        """Return for each judgment the best rank of its document over *runs*, given by index (default: all).

        The rank is infinite if no run retrieved the document.
        """
        run, rank, judgment = self._judged_documents
        rows = slice(None) if runs is None else np.isin(run, np.asarray(runs))
        best = np.full(len(self.judgments), np.inf)
        np.minimum.at(best, judgment[rows], rank[rows])
        return best

    def pool(self, depth: float, runs: Sequence[int] | Ints | None = None) -> Campaign:
        """Return the campaign with only the judgments of documents in the pool of *runs* (default: all) to *depth*."""
        return self.with_judgments(self.best_rank(runs) <= depth)

    def _judgment_numbers(self) -> Ints:
        """Return for each document of ``whole`` 1 + the row of its judgment, or 0 if it is unjudged."""
        store_numbers = self._require_store().judgment_numbers
        selected = store_numbers if self._rankings is None else store_numbers.select_rankings(self._rankings)
        numbers = selected.code
        if self._rows is None:
            return numbers
        # Renumber the judgments of the store to those of this campaign; 0 for judgments that were not selected.
        return np.concatenate([[0], np.where(self._rows, np.cumsum(self._rows), 0)])[numbers]

    @cached_property
    def _judged_documents(self) -> Ints:
        """For each retrieved judged document: the index of the run, the rank, and the row of the judgment."""
        numbers = self._judgment_numbers()
        position = np.flatnonzero(numbers)
        start = self.whole.start
        ranking = np.searchsorted(start, position, side="right") - 1
        return np.stack([ranking // len(self.topics), position - start[ranking] + 1, numbers[position] - 1])

    def with_qrels(self, qrels: Any, *, any_topics: bool = False) -> Campaign:
        """Return the campaign with other judgments; the documents of the runs are read if necessary.

        With *any_topics*, runs that share no topic with the judgments are accepted.
        """
        judgments = as_qrels(qrels, SourceOptions(self.lenient))
        store = self._require_store().with_qrels(judgments)
        old_notes = run_notes(self.notes, () if self.qrels is None else self.qrels.notes)
        notes = (*judgments.notes, *old_notes, *([] if any_topics else store.topic_notes(self.policies)))
        runs = tuple(item for item in self.provenance.inputs if item.role == "run")
        qrels_input = Input("qrels", judgments.source, judgments.source, judgments.digest)
        provenance = replace(self.provenance, inputs=(qrels_input, *runs))
        campaign = from_rankings(store, self.policies, self.lenient, provenance, notes)
        campaign = replace(campaign.with_texts(self.queries, self.docs), costs=self.costs)
        return campaign if campaign.runs == self.runs else campaign.select(self.runs)

    def with_texts(self, queries: Any = None, docs: Any = None) -> Campaign:
        """Return the campaign with the texts of queries and documents, given as in :func:`assay.read`."""
        queries, docs = _open_texts(
            self.queries if queries is None else queries, self.docs if docs is None else docs, self.lenient
        )
        others = [item for item in self.provenance.inputs if item.role not in ("queries", "docs")]
        inputs = [
            Input(texts.kind, source.name, source.name, None) for texts in (queries, docs) for source in texts.sources
        ]
        return replace(self, queries=queries, docs=docs, provenance=replace(self.provenance, inputs=(*others, *inputs)))

    def with_costs(self, costs: Any, default: float | None = None) -> Campaign:
        """Return the campaign with costs of documents: a path, ``{document: cost}`` or a frame.

        *default* is the cost of other documents; without it, every retrieved document needs a cost.
        """
        if default is not None and not 0 < default < np.inf:
            raise InputError(f"default_cost: must be above 0, got {default:g}")
        from assay.io.document_tables import read_costs

        table = read_costs(costs, self.lenient)
        chosen = DocumentCosts(table.frame.rename({"value": "cost"}), table.source, table.digest, default)
        inputs = (*self.provenance.inputs, Input("costs", table.source, table.source, table.digest))
        provenance = replace(self.provenance, inputs=inputs)
        return replace(self, costs=chosen, notes=(*self.notes, *table.notes), provenance=provenance)

    def load_costs(self) -> Campaign:
        """Return the campaign whose judged rankings have the costs of their documents, for measures of cost."""
        if self.costs is None:
            raise InputError("costs: this needs costs of documents; name them with --costs FILE (costs=...)")
        rankings = self.rankings()
        cost = self.costs.of(rankings.doc)
        facets = replace(self.whole.facets or DocumentFacets(), cost=cost)
        return replace(self, _whole=replace(self.whole, facets=facets))

    def top(self, depth: int) -> Campaign:
        """Return the campaign with the first *depth* documents of each ranking, after the policies are applied.

        Document ids are no longer available.
        """
        provenance = self.provenance.derive(f"the first {depth} documents of each ranking")
        return replace(self, provenance=provenance, _whole=self.judged.top(depth), _store=None)

    def without_cache(self) -> Campaign:
        """Return the campaign without the cached intermediate arrays of measures."""
        return replace(self, _whole=replace(self.whole))


@check_arguments
def read(
    qrels: Any = None,
    runs: Any = None,
    *,
    topics: str | Iterable[str] | None = None,
    grades: Mapping[float, float] | None = None,
    queries: Any = None,
    docs: Any = None,
    ties: str = "trec_eval-10",
    missing: str = "empty",
    undefined: str = "zero",
    unjudged: str = "nonrelevant",
    samples: int = 100,
    seed: int = 0,
    lenient: bool = False,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    qrels_format: str = "qrels",
    collapse: str = "max",
    merge: str | Sequence[str] | None = None,
    subtopic_weights: Any = None,
    costs: Any = None,
    default_cost: float | None = None,
    name_by: str = "tag",
    keep: str = "grades",
    memory: str | int | None = None,
    temporary: str | Path | None = None,
    progress: Progress | None = None,
) -> Campaign:
    """Read judgments and runs once, for all analyses.

    Parameters
    ----------
    qrels
        A path, a :class:`Qrels`, a dict of dicts, tuples, a frame, or ``"irds:…"`` for a dataset of ir_datasets. None
        for analyses that need no judgments (rank-biased overlap, MED).
    runs
        A path, a :class:`Run`, a dict of dicts or a frame; a list of these; or a dict from names to these. Paths may be
        directories and globs; ``"NAME=FILE"`` names the run of a file. None for analyses of the judgments alone.
    topics
        The topics to keep; by default all.
    grades
        Grades to replace by others, such as ``{4: 3, -2: 0}``.
    queries
        Texts of the topics: a path, a dict from topic to text, a frame, or ``"irds:…"``; a list for several. Files
        contain a topic and a text in each line, separated by a tab, a table with a header, JSON Lines, or TREC topics.
    docs
        Titles and texts of the documents, given as *queries* are; files may also contain TREC documents. A large file
        is indexed when the first text is requested, in 8 bytes of memory per document.
    ties
        The order of documents. Most policies sort documents by score. They sort tied documents by descending id
        (``trec_eval-10``; ``trec_eval-9`` with 32-bit scores), by ascending id (``score-id``) or in input order
        (``score-file``).
        ``expected`` takes the mean over all orders of tied documents. ``rank`` and ``file`` use the rank column or
        the input order and ignore the scores.
    missing
        Treatment of topics that a run lacks: ``empty`` (an empty ranking) or ``exclude`` (excluded from the mean).
    undefined
        The value of a topic without relevant documents: ``zero`` or ``exclude``.
    unjudged
        ``nonrelevant`` or ``condensed`` (unjudged documents are removed).
    samples, seed
        Number of sampled orders of tied documents and their seed, for ``expected`` and measures without a closed form.
    lenient
        Skip bad lines and duplicates; ``Campaign.notes`` counts them.
    columns
        Names of columns in CSV, JSON, Parquet and frames, such as ``{"doc": "product_id"}``. The roles are topic, doc,
        score, grade, rank and run, and the facets of judgments: subtopic, judge, stratum, probability and groups. Of a
        list of names, the first that a table contains is used.
    qrels_format
        The format of the judgments: ``qrels``, or ``subtopics``, ``judges``, ``groups``, ``prels`` or ``strata`` for
        judgments with facets. Several of these have the same number of columns, so the format is never guessed. Tables
        and frames need a column for the facet.
    collapse
        The grade of a document for measures without subtopics: its highest grade over the subtopics (``max``), the
        grade for the ``first`` subtopic of the topic, or the ``mean``.
    merge
        Merge the grades of several judges by their ``mean``, ``median`` or ``majority`` (of equally frequent grades,
        the lowest), or by names of judges in the order of preference. By default, documents with several judges are an
        error.
    subtopic_weights
        Weights of subtopics: a file with topic, subtopic and weight in each line, a table, or
        ``{topic: {subtopic: weight}}``. By default all subtopics of a topic weigh the same.
    costs, default_cost
        Costs of documents: a file with document and cost in each line, a table, or ``{document: cost}``; and the cost
        of other documents.
    name_by
        Name runs after their ``tag``, or after their ``file``.
    keep
        Data to keep for each retrieved document. ``grades`` keeps its grade. ``judgments`` also keeps the judgment that
        it matches, for studies of pools. ``documents`` also keeps its id. ``runs`` keeps the runs as they were read.
        The runs are read again if an analysis needs other data.
    memory
        Approximate limit on memory, such as ``"1G"``; by default half of the machine's memory; ``"all"`` for no limit.
        Runs in TREC text (also compressed) and Parquet may be larger; files of other formats are read as a whole.
        Grades that do not fit are stored in temporary files. :func:`assay.evaluate` respects the limit; other analyses
        of a large campaign may need more memory.
    temporary
        The directory for temporary files; by default the temporary directory of the system.
    progress
        Called with the number of bytes read and their total.

    Examples
    --------
    >>> read({"q1": {"d1": 1, "d2": 0}}, {"bm25": {"q1": {"d1": 0.2, "d2": 0.8}}})
    Campaign(1 run x 1 topic, 2 judgments)
    """
    policies = Policies(ties, missing, undefined, unjudged, samples, seed)
    texts = _open_texts(queries, docs, lenient, temporary, progress)
    check_choice(f"keep {keep!r}", keep, (*KEEP, "runs"))
    limits = Limits(parse_memory(memory), 0, temporary)
    options = source_options(lenient, columns, name_by, qrels_format=qrels_format, collapse=collapse, merge=merge)
    campaign = read_campaign(
        qrels,
        runs,
        policies,
        grades=grades,
        options=options,
        keep=keep,
        limits=limits,
        progress=progress,
        subtopic_weights=subtopic_weights,
    )
    campaign = campaign.with_texts(*texts)
    campaign = add_costs(campaign, costs, default_cost)
    return campaign if topics is None else campaign.select(topics=topics)


def _open_texts(
    queries: Any, docs: Any, lenient: bool, temporary: str | Path | None = None, progress: Progress | None = None
) -> tuple[Texts[str], Texts[Document]]:
    """Return the texts of queries and documents; the readers are imported only if there are texts to open."""
    texts = no_queries() if queries is None else queries, no_docs() if docs is None else docs
    if all(isinstance(one, Texts) for one in texts):
        return texts
    from assay.io.texts.open_texts import open_docs, open_queries

    options: Any = {"lenient": lenient, "temporary": temporary, "progress": progress}
    return open_queries(texts[0], **options), open_docs(texts[1], **options)


def add_costs(campaign: Campaign, costs: Any, default: float | None) -> Campaign:
    """Return the campaign with costs of documents, if there are any."""
    if costs is None and default is not None:
        raise InputError("default_cost: needs costs; name them with --costs FILE (costs=...)")
    return campaign if costs is None else campaign.with_costs(costs, default)


def _renumber_facets(whole: Judged, qrels: Qrels, keep: Bools) -> Judged:
    """Return judged rankings whose facets are those of *qrels*, the judgments that the mask *keep* selects."""
    facets = whole.facets
    if facets is None or facets.judgment is None:
        return whole
    number = np.concatenate([[0], np.where(keep, np.cumsum(keep), 0)])
    judgment = number[facets.judgment]
    return replace(whole, facets=replace(facets, judgment=judgment, subtopics=qrels.subtopics, topics=None))


def read_campaign(
    qrels: Any,
    runs: Any,
    policies: Policies,
    *,
    grades: Mapping[float, float] | None = None,
    options: SourceOptions = SourceOptions(),
    keep: str = "grades",
    limits: Limits = Limits(),
    progress: Progress | None = None,
    subtopic_weights: Any = None,
) -> Campaign:
    """Read judgments and runs within limits; see :func:`read`."""
    if qrels is None and runs is None:
        raise InputError("read: name qrels, runs or both")
    check_standard_input(qrels, runs)
    sources = [] if runs is None else find_sources(runs, options)
    sources = [source.retain() for source in sources] if keep == "runs" else sources

    def read_qrels() -> Qrels | None:
        judgments = None if qrels is None else as_qrels(qrels, options)
        if judgments is not None and subtopic_weights is not None:
            judgments = weigh_subtopics(judgments, subtopic_weights, options.lenient)
        return judgments.with_grades(grades) if judgments is not None and grades else judgments

    join_keep = "documents" if qrels is None else "grades" if keep == "runs" else keep
    joined = join_sources(read_qrels, sources, policies, keep=join_keep, limits=limits, progress=progress)
    campaign = assemble(joined, sources, policies, lenient=options.lenient, notes=note_ignored_entries(runs))
    if options.columns:
        pairs = (f"{role}={name}" for role, names in options.columns.items() for name in names)
        campaign = replace(campaign, provenance=campaign.provenance.derive("columns " + ", ".join(pairs)))
    if joined.qrels is None or not grades:
        return campaign
    return replace(campaign, provenance=campaign.provenance.derive_grades(grades))


def assemble(
    joined: JoinedSources,
    sources: Sequence[RunSource],
    policies: Policies,
    *,
    lenient: bool = False,
    notes: Iterable[str] = (),
) -> Campaign:
    """Build a campaign from joined judgments and runs."""
    qrels = joined.qrels
    names, provenance, all_notes = describe(qrels, joined.runs, policies, notes)
    store = RunStore(sources, qrels, policies.ties, names, [(run.source, run.digest) for run in joined.runs])
    store.add(joined)
    if joined.judged is None and joined.runs:
        return from_rankings(store, policies, lenient, provenance, all_notes)
    topics = () if qrels is None else qrels.topics
    return Campaign(qrels, names, topics, policies, all_notes, provenance, lenient, _whole=joined.judged, _store=store)


def from_rankings(
    store: RunStore, policies: Policies, lenient: bool, provenance: Provenance, notes: tuple[str, ...] = ()
) -> Campaign:
    """Build a campaign from rankings with documents."""
    qrels = store.qrels
    judged, topics = None, store.rankings.topics
    if qrels is not None:
        topics = qrels.topics
        rankings = store.rankings.select(topics=topics)
        judged = rankings.to_judged(replace(policies, unjudged="nonrelevant"), qrels.streams)
        if qrels.facets:
            judged = replace(judged, facets=DocumentFacets.of(qrels, rankings.judgment_numbers(qrels)))
    return Campaign(qrels, store.names, topics, policies, notes, provenance, lenient, _whole=judged, _store=store)
