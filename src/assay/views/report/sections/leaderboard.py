"""Leaderboard: which run is best, how surely, and by which of the measures."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.measures import Measure
from assay.views.compare import how
from assay.views.leaderboards import leaderboard
from assay.views.plots.leaderboard import shaped
from assay.views.report.figures import Figures
from assay.views.report.linking import run_cell, run_name
from assay.views.report.markup import Html, fold, joined, paragraph, said, table
from assay.views.report.material import Material
from assay.views.report.rivals import Rivals
from assay.views.report.section import Section
from assay.views.report.words import FEW_TOPICS, between, every, known, level, listed, many, name, number, sentence

NAME, TITLE = "leaderboard", "Leaderboard"
MOST = 60
"""Runs of a figure; the table has all."""
ENOUGH = 5
"""Topics for an interval that is worth a sentence."""
_LETTERS = 16  # that can be read


def section(material: Material, figures: Figures) -> Section:
    """The runs, best first."""
    frame = shaped(material.results, material.confidence, MOST)
    caption = f"Mean {material.first} over topics with its {level(material.confidence)} interval"
    caption += f", the best {MOST} of {len(material.runs)} runs" if len(material.runs) > MOST else ""
    figure = figures.add(
        "leaderboard", frame, f"{caption}.", description=f"{caption}. The table below has the numbers."
    )
    return Section(
        NAME,
        TITLE,
        tuple(sentence for sentence in (leader(material), told_apart(material)) if sentence),
        (
            paragraph(elsewhere(material), alike(material)),
            paragraph(caution(material), class_="caution"),
            figure if known_values(material) else Html(""),
            *_tables(material),
        ),
        _made(material),
    )


def known_values(material: Material) -> bool:
    """Whether any run has a value of the first measure."""
    return bool((~np.isnan(material.overall[:, 0])).any())


# Sentences -----------------------------------------------------------------------------------------------------


def leader(material: Material) -> Html:
    """Which run is first, with what value and interval."""
    measure, first = name(str(material.first)), _first(material, 0)
    if not first:
        return said("No run has a value of {measure}.", measure=measure)
    value = number(float(material.overall[first[0], 0]))
    if len(material.runs) == 1:
        parts = {"run": run_name(material, 0), "measure": measure, "value": value, "interval": _interval(material, 0)}
        return said("{run} reaches {measure} {value}{interval}.", **parts)
    if len(first) == len(material.runs):
        runs = sentence(every(len(first), "run"))
        return said("{runs} have the same {measure}, {value}.", runs=runs, measure=measure, value=value)
    if len(first) > 1:
        names = listed([run_name(material, run) for run in first])
        return said("{names} lead together, with {measure} {value}.", names=names, measure=measure, value=value)
    lowest = "the lowest " if material.first.lower_is_better else ""
    return said(
        "{run} leads with {lowest}{measure} {value}{interval}.",
        run=run_name(material, first[0]),
        lowest=lowest,
        measure=measure,
        value=value,
        interval=_interval(material, first[0]),
    )


def _first(material: Material, measure: int) -> list[int]:
    """The runs that are first by a measure; none if no run has a value."""
    known_ones = ~np.isnan(material.overall[:, measure])
    return np.flatnonzero((material.places[:, measure] == 1) & known_ones).tolist()


def _interval(material: Material, run: int) -> str:
    """The interval, if there are enough topics for one that tells something, and how many topics there are."""
    row = material.means.row(run * len(material.measures), named=True)
    topics = f"over {many(row['topics'], 'topic')}"
    if row["topics"] < ENOUGH or not (known(row["low"]) and known(row["high"])):
        return f" ({topics})"
    return f" ({level(material.confidence)} interval {between(row['low'], row['high'])}, {topics})"


def told_apart(material: Material) -> Html | None:
    """How many runs cannot be told from the first, by which test."""
    rivals = Rivals.of(material)
    if rivals is None or len(_first(material, 0)) in (0, len(material.runs)):
        return None
    if rivals.none_tested:
        return said("Whether runs differ could not be tested: there are too few topics.")
    test = f"{how(rivals.comparison)}, alpha {rivals.comparison.alpha:g}"
    others = len(material.runs) - 1
    if not rivals.tied:
        each = "the other run" if others == 1 else f"each of the other {others} runs"
        whom = "It" if len(_first(material, 0)) == 1 else run_name(material, rivals.best)
        return said("{whom} can be told from {each} ({test}).", whom=whom, each=each, test=test)
    cannot = "The other run cannot" if others == 1 else "None of the other runs can"
    if len(rivals.tied) == others:
        return said("{cannot} be told from {whom} ({test}).", cannot=cannot, whom=_whom(material, rivals), test=test)
    several = f"{many(len(rivals.tied), 'other run')} cannot be told from"
    return said("{several} {whom} ({test}).", several=several, whom=_whom(material, rivals), test=test)


def _whom(material: Material, rivals: Rivals) -> Html:
    return Html("it") if len(_first(material, 0)) == 1 else run_name(material, rivals.best)


def elsewhere(material: Material) -> Html | None:
    """Which runs are first by the other measures."""
    leaders = _first(material, 0)
    if len(material.runs) < 2 or len(material.measures) < 2 or len(leaders) != 1:
        return None
    too: list[Measure] = []
    groups: dict[tuple[int, ...], list[tuple[int, Measure]]] = {}
    for column, measure in enumerate(material.measures[1:], 1):
        first = tuple(_first(material, column))
        if leaders[0] in first:
            too.append(measure)
        elif first:
            groups.setdefault(first, []).append((column, measure))
    pieces = [_too(too, len(material.measures) - 1), *(_others(material, *group) for group in list(groups.items())[:3])]
    return joined([piece for piece in pieces if piece], " ") or None


def _too(measures: list[Measure], others: int) -> Html | None:
    if not measures:
        return None
    if len(measures) == others > 1:
        return said("It is also first by {others}.", others=every(others, "other measure"))
    return said("It is also first by {names}.", names=listed([name(str(measure)) for measure in measures]))


def _others(material: Material, first: tuple[int, ...], measures: list[tuple[int, Measure]]) -> Html:
    values = [
        joined([name(str(measure)), f" ({number(float(material.overall[first[0], column]))})"])
        for column, measure in measures
    ]
    return said(
        "By {values}, {runs} {comes} first.",
        values=listed(values),
        runs=listed([run_name(material, run) for run in first], 3),
        comes="comes" if len(first) == 1 else "come",
    )


def alike(material: Material) -> Html | None:
    """Runs that have the same values on every topic by every measure."""
    same: dict[bytes, list[int]] = {}
    for run in range(len(material.runs)):
        same.setdefault(material.results.values[:, run].tobytes(), []).append(run)
    groups = [runs for runs in same.values() if len(runs) > 1]
    if not groups:
        return None
    named = [listed([run_name(material, run) for run in runs]) for runs in groups]
    does = "does" if len(groups) == 2 else "do"
    more = f", and so {does} {many(len(groups) - 1, 'other group')} of runs" if len(groups) > 1 else ""
    return said("{runs} have the same values on every topic{more}.", runs=named[0], more=more)


def caution(material: Material) -> Html | None:
    """That few topics show little."""
    topics = int((~np.isnan(material.results.values[0])).any(axis=0).sum())
    if topics >= FEW_TOPICS:
        return None
    if topics < 2:
        chance = "" if len(material.runs) == 1 else ": the order may be owed to chance"
        with_them = many(topics, "topic")
        return said("With {topics} there is no interval and no test{chance}.", topics=with_them, chance=chance)
    tests = "" if len(material.runs) == 1 else ", and tests can show little"
    return said("With only {topics}, intervals are wide{tests}.", topics=many(topics, "topic"), tests=tests)


# Tables --------------------------------------------------------------------------------------------------------


def _tables(material: Material) -> list[Html]:
    order = list(material.order)
    columns = {f"m{i}": str(measure) for i, measure in enumerate(material.measures)}
    wide = pl.DataFrame(
        {
            "run": order,
            "place": material.places[order, 0],
            **{column: pl.Series(material.overall[order, i]) for i, column in enumerate(columns)},
            "interval": _intervals(material),
        }
    )
    heads = {**columns, "interval": f"{level(material.confidence)} interval"}
    first, others = ["run", "place", "m0", "interval"], list(columns)[1:]
    show = {"run": run_cell(material)}
    if material.comparison is None:
        caption = f"Means over topics, best {material.first} first."
        return [table(wide.select(*first, *others), caption, heads=heads, show=show)]
    board = leaderboard(material.comparison).tidy
    of_first = board.filter(pl.col("measure") == str(material.first))
    readable = max(map(len, of_first["groups"].to_list())) <= _LETTERS
    more = [*["groups"] * readable, "better_than", "worse_than"]
    heads |= {"better_than": "better than", "worse_than": "worse than"}
    caption = (
        f"Means over topics, best {material.first} first. "
        + "Runs that share a letter cannot be told apart by it. " * readable
        + f"Better and worse than so many runs, significantly by {material.first}."
    )
    shown = wide.hstack(of_first.select(more)).select(*first, *more, *others)
    return [table(shown, caption, heads=heads, show=show), _every(material, board, readable)]


def _intervals(material: Material) -> pl.Series:
    """The interval of the first measure as a text, best run first."""
    means = material.means.gather_every(len(material.measures))
    low, high = (means[end].gather(list(material.order)).to_list() for end in ("low", "high"))
    texts = [between(a, b, 3) if known(a) and known(b) else "–" for a, b in zip(low, high, strict=True)]
    return pl.Series("interval", texts, dtype=pl.String)


def _every(material: Material, board: pl.DataFrame, readable: bool) -> Html:
    columns = ["run", "measure", "place", "value", "low", "high", "topics", *["groups"] * readable]
    shown = board.select(columns).with_columns(
        pl.col("run").replace_strict({run: i for i, run in enumerate(material.runs)}, return_dtype=pl.Int64)
    )
    caption = f"Every measure: the mean, its {level(material.confidence)} interval and the place of each run."
    return fold("Intervals and places by every measure", table(shown, caption, show={"run": run_cell(material)}))


def _made(material: Material) -> Html:
    means = "Values are means over topics (geometric means and counts where a measure says so)"
    intervals = (
        f"intervals hold the mean with a confidence of {level(material.confidence)} by Student's t over the topics"
    )
    overlap = "that two intervals overlap does not say that runs do not differ"
    tests = (
        ""
        if material.comparison is None
        else f" Groups and counts are from the {how(material.comparison)}, alpha {material.settings.alpha:g}."
    )
    return said("{text}", text=f"{means}; {intervals}; {overlap}.{tests}")
