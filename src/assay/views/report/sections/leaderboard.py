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
        tuple(sentence for sentence in (leader(material), separated(material)) if sentence),
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
    """Which run is first, with what value and interval; runs with equal values are tied, and none of them leads."""
    measure, first = name(str(material.first)), material.first_by(0)
    if not first:
        return said("No run has a value of {measure}.", measure=measure)
    value = number(float(material.overall[first[0], 0]))
    if len(material.runs) == 1:
        parts = {"run": run_name(material, 0), "measure": measure, "value": value, "interval": _interval(material, 0)}
        return said("{run} reaches {measure} {value}{interval}.", **parts)
    if len(first) == len(material.runs):
        runs = sentence(every(len(first), "run"))
        return said("{runs} are tied: they have the same {measure}, {value}.", runs=runs, measure=measure, value=value)
    if len(first) > 1:
        names = listed([run_name(material, run) for run in first])
        return said("{names} are tied for first, with {measure} {value}.", names=names, measure=measure, value=value)
    lowest = "the lowest " if material.first.lower_is_better else ""
    return said(
        "{run} leads with {lowest}{measure} {value}{interval}.",
        run=run_name(material, first[0]),
        lowest=lowest,
        measure=measure,
        value=value,
        interval=_interval(material, first[0]),
    )


def _interval(material: Material, run: int) -> str:
    """The interval, if there are enough topics for one that tells something, and how many topics there are."""
    row = material.means.row(run * len(material.measures), named=True)
    topics = f"over {many(row['topics'], 'topic')}"
    if row["topics"] < ENOUGH or not (known(row["low"]) and known(row["high"])):
        return f" ({topics})"
    return f" ({level(material.confidence)} interval {between(row['low'], row['high'])}, {topics})"


def separated(material: Material) -> Html | None:
    """How many runs do not differ significantly from the first, by which test and within which family."""
    found = material.separation
    if found is None or len(material.first_by(0)) in (0, len(material.runs)):
        return None
    others = len(material.runs) - 1
    if len(found.untested) == others:
        return said("Whether runs differ could not be tested: there are too few topics.")
    alone = len(material.first_by(0)) == 1
    it = Html("it") if alone else run_name(material, material.runs.index(found.reference))
    return said(
        "{which} significantly from {it}{untested} ({test}).",
        which=_which(len(found.tied), others - len(found.untested)),
        it=it,
        untested=_untested(len(found.untested)),
        test=_test(material),
    )


def _which(tied: int, tested: int) -> str:
    """Say how many of the other runs differ, or do not."""
    if tested == 1:
        return "The other run does not differ" if tied else "The other run differs"
    if not tied:
        return f"Each of the other {tested:,} runs differs"
    if tied == tested:
        return "None of the other runs differs"
    return "1 other run does not differ" if tied == 1 else f"{tied:,} other runs do not differ"


def _untested(runs: int) -> str:
    return f"; {many(runs, 'run')} could not be compared with it" if runs else ""


def _test(material: Material) -> str:
    """The test, its correction and family, and alpha."""
    return "" if material.comparison is None else f"{how(material.comparison)}, alpha {material.settings.alpha:g}"


def elsewhere(material: Material) -> Html | None:
    """Which runs are first by the other measures."""
    leaders = material.first_by(0)
    if len(material.runs) < 2 or len(material.measures) < 2 or len(leaders) != 1:
        return None
    alone: list[Measure] = []
    groups: dict[tuple[int, ...], list[tuple[int, Measure]]] = {}
    for column, measure in enumerate(material.measures[1:], 1):
        first = tuple(material.first_by(column))
        if first == (leaders[0],):
            alone.append(measure)
        elif first:
            groups.setdefault(first, []).append((column, measure))
    pieces = [_too(alone, len(material.measures) - 1), *(_others(material, *one) for one in list(groups.items())[:3])]
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
    if len(first) == len(material.runs):
        return said("By {values}, {runs} are tied.", values=listed(values), runs=every(len(first), "run"))
    return said(
        "By {values}, {runs} {first}.",
        values=listed(values),
        runs=listed([run_name(material, run) for run in first], 3),
        first="comes first" if len(first) == 1 else "are tied for first",
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
        + "Runs that share a letter do not differ significantly. " * readable
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
        f"intervals hold the mean of one run with a confidence of {level(material.confidence)} by Student's t over the "
        "topics, and do not decide whether two runs differ"
    )
    tests = "" if material.comparison is None else f" Groups and counts are from the {_test(material)}."
    return said("{text}", text=f"{means}; {intervals}.{tests}")
