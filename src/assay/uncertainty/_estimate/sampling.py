"""Random completions: values with grades that are drawn from the prior.

The draws in which a document has a positive grade are found by random gaps with a geometric distribution, because most
documents have grade 0 in most draws. The random numbers depend only on the seed, the topic and the document. A document
therefore has the same random numbers in every run, and the value of a run does not depend on the other runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.measures._base import Additive, ratio
from assay.measures._possible_grades import tabulate_gains
from assay.model.arrays import Floats, Ints
from assay.model.judged import Judged
from assay.model.random_orders import draw
from assay.uncertainty._estimate.expectation import RandomGrades

_BLOCK = 1 << 21  # documents of completed rankings that are scored together
_GRADE = 1 << 40  # number of the random number that determines the grade of a relevant document; gaps have smaller ones


class Hits(NamedTuple):
    """Positive grades in random draws.

    *document* is the index among the ungraded documents, *draw* the number of the draw, and *grade* the index of the
    grade.
    """

    document: Ints
    draw: Ints
    grade: Ints


def draw_grades(probabilities: Floats, key: np.ndarray, samples: int, seed: int) -> Hits:
    """Draw the grades of documents.

    Parameters
    ----------
    probabilities
        Documents x grades; the first grade is 0.
    key
        A hash of the topic and the id of each document.
    samples, seed
        Number of draws, and the seed.
    """
    positive = np.clip(1 - probabilities[:, 0], 0, 1)
    rows = np.flatnonzero(positive > 0)
    expected = samples * float(positive[rows].mean()) if len(rows) else 0.0
    size = int(np.ceil(expected + 2 * np.sqrt(expected))) + 2
    last, parts, first = np.full(len(positive), -1, dtype=np.int64), [np.zeros((2, 0), dtype=np.int64)], 0
    while len(rows):
        uniform = draw(seed, 0, key[rows, None], np.arange(first, first + size)[None])
        with np.errstate(divide="ignore"):
            gap = np.floor(np.log1p(-uniform) / np.log1p(-positive[rows])[:, None])
        number = last[rows, None] + np.cumsum(1 + np.minimum(gap, samples).astype(np.int64), axis=1)
        row, column = np.nonzero(number < samples)
        parts.append(np.stack([rows[row], number[row, column]]))
        last[rows] = number[:, -1]
        rows, first = rows[number[:, -1] < samples - 1], first + size
    document, sample = np.concatenate(parts, axis=1)
    grade = np.ones(len(document), dtype=np.int64)
    if probabilities.shape[1] > 2:
        among = np.cumsum(probabilities[:, 1:], axis=1) / np.maximum(positive, 1e-300)[:, None]
        uniform = draw(seed, 0, key[document], _GRADE + sample)
        for level in range(among.shape[1] - 1):
            grade += uniform >= among[document, level]
    return Hits(document, sample, grade)


def sample_values(random: RandomGrades, hits: Hits, samples: int) -> Floats:
    """Return samples x rankings: values with random grades; 0 where the measure is undefined.

    *hits* are the draws of all ungraded documents of the rankings.
    """
    measure = random.measure
    if isinstance(measure, Additive) and measure.is_plain_sum and np.ndim(measure.depth(random.judged)) == 0:
        return _sample_sums(random, measure, hits, samples)
    values = np.repeat(random.score_current()[None], samples, axis=0)
    random, keep = random.drop_below_depth()
    number = np.cumsum(keep) - 1
    selected = np.flatnonzero(keep[hits.document])
    selected = selected[np.argsort(hits.draw[selected], kind="stable")]
    hits = Hits(number[hits.document[selected]], hits.draw[selected], hits.grade[selected])
    step = max(1, _BLOCK // max(len(random.judged.code), 1))
    for begin in range(0, samples, step):
        end = min(begin + step, samples)
        within = slice(*np.searchsorted(hits.draw, [begin, end]).tolist())
        block = Hits(hits.document[within], hits.draw[within] - begin, hits.grade[within])
        values[begin:end] = _score(random, block, end - begin)
    return values


def _sample_sums(random: RandomGrades, measure: Additive, hits: Hits, samples: int) -> Floats:
    """Return values of a weighted sum: the sum over graded documents, plus the terms of the hits, over the scale."""
    judged = random.judged
    by_code, by_grade = tabulate_gains(measure, judged.levels, random.grades)
    position = np.flatnonzero(random.problem.ungraded)
    ranking, rank = judged.ranking(), judged.rank()
    gain = by_code[judged.code]
    gain[position] = by_grade[0]
    evaluated = rank <= float(measure.depth(judged))
    used = evaluated & (gain != 0)
    total = judged.total(ranking[used], measure.weighted_gain(gain[used], rank[used]))
    hit_position = position[hits.document]
    shown = evaluated[hit_position]
    hit_position, hit_draw = hit_position[shown], hits.draw[shown]
    growth = measure.weighted_gain(by_grade[hits.grade[shown]] - by_grade[0], rank[hit_position])
    cell = hit_draw * len(judged) + ranking[hit_position]
    totals = total + np.bincount(cell, weights=growth, minlength=samples * len(judged)).reshape(samples, len(judged))
    scales = judged
    if random.depends_on_base:
        no_documents = np.zeros(samples * len(judged) + 1, dtype=np.int64)
        scales = _complete(random, hits, samples, code=judged.code[:0], start=no_documents)
    scale = np.broadcast_to(np.asarray(measure.scale(scales), dtype=np.float64), (len(scales),)).reshape(
        -1, len(judged)
    )
    defined = measure.is_defined(scales).reshape(-1, len(judged))
    return np.where(defined, ratio(totals, np.broadcast_to(scale, totals.shape)), 0.0)


def _score(random: RandomGrades, hits: Hits, samples: int) -> Floats:
    """Return samples x rankings; *hits* are numbered from the first of these samples."""
    judged = random.judged
    code = judged.code.astype(np.uint8 if len(judged.levels) < 255 else np.int32)
    position = np.flatnonzero(random.problem.ungraded)
    code[position] = random.codes[0]
    codes = np.repeat(code[None], samples, axis=0)
    codes[hits.draw, position[hits.document]] = random.codes[hits.grade]
    start = np.concatenate([[0], np.cumsum(np.tile(judged.length, samples))])
    completed = _complete(random, hits, samples, code=codes.ravel(), start=start)
    return random.problem.score_or_zero(completed).reshape(samples, len(judged))


def _complete(random: RandomGrades, hits: Hits, samples: int, *, code: np.ndarray, start: Ints) -> Judged:
    """Return samples x rankings with these documents; with random grades, each has its own number of grades."""
    judged = random.judged
    answered = np.tile(judged.answered, samples)
    completed = replace(judged, code=code, start=start, answered=answered, topic=np.tile(judged.topic, samples))
    if not random.completed:
        return completed
    levels, rankings = len(judged.levels), len(judged)
    base = random.problem.graded_counts.copy()
    base[:, random.codes[0] - 1] += random.problem.num_ungraded
    owner = judged.ranking()[random.problem.ungraded][hits.document]
    row = hits.draw * rankings + owner
    counts = np.tile(base, (samples, 1)).ravel()
    counts += np.bincount(row * levels + random.codes[hits.grade] - 1, minlength=len(counts))
    counts -= np.bincount(row * levels + random.codes[0] - 1, minlength=len(counts))
    # Rankings with equal counts share a topic, so that ideal rankings are built once.
    distinct, topic = np.unique(counts.reshape(-1, levels), axis=0, return_inverse=True)
    return replace(completed, counts=distinct, topic=topic.ravel())
