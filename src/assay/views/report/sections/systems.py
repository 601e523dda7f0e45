"""Systems: what there is to say of each run by itself, folded until it is asked for."""

from __future__ import annotations

import numpy as np
import polars as pl

from assay.effort.archetypes import NAMES
from assay.effort.indicators import MAIN
from assay.model.arrays import Floats, subtract
from assay.views.plots.crp_aggregate import shaped
from assay.views.report.figures import Figures
from assay.views.report.markup import Html, paragraph, said, table, tag
from assay.views.report.material import LOOKED_AT, Material
from assay.views.report.section import Section
from assay.views.report.words import known, level, listed, many, name, number, ordinal, percent, sentence

NAME, TITLE = "systems", "Each system"
ENDS = 5
"""Topics at each end of a table."""
_RANKS = 10


def section(material: Material, figures: Figures) -> Section:
    """A page for each of the best runs."""
    shown = material.order[: material.settings.most]
    return Section(
        NAME,
        TITLE,
        (which(material),),
        tuple(_system(material, figures, run) for run in shown),
        "Places are by the mean over topics; equal runs share one. The median of a topic is that of all "
        f"{many(len(material.runs), 'run')}. Documents count as unjudged if they are not among the judgments or have a "
        "negative grade.",
    )


# Sentences -----------------------------------------------------------------------------------------------------


def which(material: Material) -> Html:
    """Which runs have a page."""
    runs, most = len(material.runs), material.settings.most
    if runs == 1:
        return said("What there is to say of the run by itself.")
    if runs <= most:
        return said(
            "A page for each of {runs}, best {first} first.", runs=f"the {runs} runs", first=name(str(material.first))
        )
    left = runs - most
    return said(
        "Pages of the best {most} of {runs} runs by {first}; {left} left out (--most {runs} shows all).",
        most=most,
        runs=runs,
        first=name(str(material.first)),
        left="the other one is" if left == 1 else f"the other {left} are",
    )


def placed(material: Material, run: int) -> Html:
    """The place by the first measure, and by the others."""
    runs = len(material.runs)
    value, measure = float(material.overall[run, 0]), name(str(material.first))
    if not known(value):
        return said("It has no value of {measure}.", measure=measure)
    if runs == 1:
        return said("{measure} {value}.", measure=measure, value=number(value))
    there = [
        int(place)
        for place, of in zip(material.places[run, 1:], material.overall[run, 1:], strict=True)
        if known(float(of))
    ]
    first = said(
        "{place} of {runs} by {measure} ({value})",
        place=sentence(where(material, run)),
        runs=runs,
        measure=measure,
        value=number(value),
    )
    if not there:
        return said("{first}.", first=first)
    low, high = min(there), max(there)
    others = "the other measure" if len(there) == 1 else "the other measures"
    span = ordinal(low) if low == high else f"{ordinal(low)} to {ordinal(high)}"
    return said("{first}; {span} by {others}.", first=first, span=span, others=others)


def where(material: Material, run: int) -> str:
    """The place of a run by the first measure; that of runs with equal values is tied."""
    place = int(material.places[run, 0])
    return "tied for " * bool((material.places[:, 0] == place).sum() > 1) + ordinal(place)


def against_median(material: Material, run: int) -> Html | None:
    """On how many topics it is better than the median run, and on how many worse."""
    if len(material.runs) < 3:
        return None
    better, worse, counted = above_median(material, run)
    if not counted:
        return None
    return said(
        "It is better than the median run on {better} of {topics} and worse on {worse}.",
        better=better,
        topics=many(counted, "topic"),
        worse=worse,
    )


def above_median(material: Material, run: int) -> tuple[int, int, int]:
    """Topics on which a run is above the median of all runs, below it, and those that count."""
    difference = differences(material, run)
    counted = ~np.isnan(difference)
    return int((difference[counted] > 0).sum()), int((difference[counted] < 0).sum()), int(counted.sum())


def differences(material: Material, run: int) -> Floats:
    """By how much a run is better than the median run, topic by topic; NaN where it has no value."""
    sign = -1.0 if material.first.lower_is_better else 1.0
    return np.asarray(sign * subtract(material.results.values[0, run], material.medians))


def shapes(material: Material, run: int) -> Html | None:
    """Which archetypes its rankings are of."""
    kinds = material.effort.archetypes[run]
    counts = [(int((kinds == number_of).sum()), kind) for number_of, kind in enumerate(NAMES)]
    there = sorted((one for one in counts if one[0]), key=lambda one: -one[0])
    if not there:
        return None
    if len(there) == 1:
        return (
            said("Its rankings are all {kind}.", kind=name(there[0][1]))
            if there[0][0] > 1
            else said("Its ranking is {kind}.", kind=name(there[0][1]))
        )
    pieces = [said("{count} {kind}", count=count, kind=name(kind)) for count, kind in there]
    return (
        said(
            "Of its rankings, {first} are {kind}, {rest}.",
            first=there[0][0],
            kind=name(there[0][1]),
            rest=listed(pieces[1:], 8),
        )
        if there[0][0] > 1
        else said("Its rankings are {pieces}.", pieces=listed(pieces, 8))
    )


def lacking(material: Material, run: int) -> Html | None:
    """How much of its first ranks is unjudged."""
    shares = [row[~np.isnan(row)] for row in material.unjudged[run].T[:2]]
    if not len(shares[0]):
        return said("It has retrieved nothing.")
    ten, hundred = (float(row.mean()) for row in shares)
    if hundred == 0:
        return said("Its first {deep} documents are all judged.", deep=LOOKED_AT[1])
    return said(
        "Unjudged are {share} of its first {ten} documents, and {more} of its first {deep}.",
        ten=LOOKED_AT[0],
        share=percent(ten) if ten else "none",
        deep=LOOKED_AT[1],
        more=percent(hundred),
    )


# What is shown -------------------------------------------------------------------------------------------------


def _system(material: Material, figures: Figures, run: int) -> Html:
    value = float(material.overall[run, 0])
    place = "" if len(material.runs) == 1 else f"{where(material, run)}, "
    brief = f"{place}{material.first} {number(value)}" if known(value) else f"no value of {material.first}"
    return tag(
        "details",
        tag("summary", tag("h3", material.runs[run]), " ", tag("span", brief, class_="muted")),
        paragraph(placed(material, run), against_median(material, run), shapes(material, run), lacking(material, run)),
        _numbers(material, run),
        *_figure(material, figures, run),
        *_topics(material, run),
        *_unjudged(material, run),
        id=f"system-{run}",
        class_="system",
    )


def _numbers(material: Material, run: int) -> Html:
    size = len(material.measures)
    frame = material.means[run * size : (run + 1) * size].select("measure", "value", "low", "high", "topics")
    top = material.overall[[material.places[:, i].argmin() for i in range(size)], range(size)]
    if len(material.runs) > 1:
        more = {"place": pl.Series(material.places[run]), "best": pl.Series(top).fill_nan(None)}
        frame = frame.with_columns(**more).select("measure", "value", "place", "best", "low", "high", "topics")
    caption = f"Means over topics with their {level(material.confidence)} intervals."
    return table(frame, caption, heads={"place": f"place of {len(material.runs)}", "best": "best run"})


def _figure(material: Material, figures: Figures, run: int) -> list[Html]:
    frame = shaped(material.effort, material.runs[run])
    caption = "Indicators of the curves of cumulated relative position: a line for each topic."
    described = f"{caption} Run {material.runs[run]}."
    return [figures.add("crp-aggregate", frame, caption, description=described)]


def _topics(material: Material, run: int) -> list[Html]:
    """The topics on which it stands out: the best and the worst, against the median if there are several runs."""
    values, difference = material.results.values[0, run], differences(material, run)
    single = len(material.runs) == 1
    key = values if single else difference
    counted = np.flatnonzero(~np.isnan(key))
    if not len(counted):
        return []
    order = counted[np.argsort(-key[counted], kind="stable")]
    few = len(order) <= 2 * ENDS
    twist = material.effort.results.values[list(MAIN).index("twist"), run]
    kinds = [*NAMES, None]
    archetypes = [kinds[kind % len(kinds)] for kind in material.effort.archetypes[run]]

    def made(chosen: np.ndarray, caption: str) -> Html:
        columns = {
            "topic": [material.topics[at] for at in chosen],
            "relevant": material.judgments.relevant[chosen, 0],
            "value": values[chosen],
            "median": material.medians[chosen],
            "difference": difference[chosen],
            "twist": twist[chosen],
            "archetype": pl.Series([archetypes[at] for at in chosen], dtype=pl.String),
        }
        frame = pl.DataFrame(columns).drop(*(("median", "difference") if single else ()))
        heads = {"value": str(material.first), "median": "median", "difference": "better by", "twist": "Twist"}
        return table(frame, caption, heads=heads, show={"topic": topic_cell})

    against = "" if single else ", against the median of all runs"
    if few:
        return [made(order, f"Its topics, best first{against}.")]
    return [made(order[:ENDS], f"Its best topics{against}."), made(order[::-1][:ENDS], f"Its worst topics{against}.")]


def topic_cell(topic: object) -> Html:
    """The name of a topic in a table."""
    return tag("span", topic, class_="cut", title=topic)


def _unjudged(material: Material, run: int) -> list[Html]:
    shares = np.nan_to_num(material.unjudged[run, :, 0], nan=0.0)
    chosen = [at for at in np.argsort(-shares, kind="stable")[:ENDS].tolist() if shares[at] > 0]
    if not chosen:
        return []
    found = [[rank for rank in material.unjudged_ranks(run, at, _RANKS) if rank <= LOOKED_AT[0]] for at in chosen]
    frame = pl.DataFrame(
        {
            "topic": [material.topics[at] for at in chosen],
            "unjudged": list(map(len, found)),
            "ranks": [", ".join(map(str, ranks)) for ranks in found],
        }
    )
    caption = f"Topics with the most unjudged documents among its first {LOOKED_AT[0]}, and their ranks."
    return [table(frame, caption, show={"topic": topic_cell})]
