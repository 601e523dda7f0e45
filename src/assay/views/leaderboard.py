"""A leaderboard for the terminal: means, intervals drawn on one axis, and the other measures beside it."""

from __future__ import annotations

import numpy as np

from assay.errors import printable
from assay.results.table import Results

_WIDTH = 28


def leaderboard(results: Results, most: int = 15, colour: bool = False) -> str:
    """The runs by the mean of the first measure, with its 95 % interval over topics drawn as a bar.

    Parameters
    ----------
    results
        What to show; the first measure orders the runs.
    most
        How many runs are shown.
    colour
        Use terminal colours.
    """
    first = str(results.measures[0])
    ranked = results.only(results.best(first)[:most])
    places = np.stack([ranked.places(measure) for measure in ranked.measures], axis=1)
    means = ranked.means()
    spread = means.filter(means["measure"] == first)
    top = max([value for value in spread["high"].to_list() + spread["value"].to_list() if value is not None] or [1.0])
    others = [str(measure) for measure in results.measures[1:]]
    shown = [printable(run) for run in ranked.runs]
    names = max(len("run"), *map(len, shown))
    overall = ranked.overall()
    head = f"{'':>3}  {'run':<{names}}  {first:>7}  {'95 % interval over topics':<{_WIDTH}}"
    lines = [head + "".join(f"  {name:>{max(7, len(name))}}" for name in others), ""]
    for number, (run, row) in enumerate(zip(shown, spread.rows(named=True), strict=True)):
        values = [
            _shown(value, max(7, len(name)), bold=colour and place == 1)
            for name, value, place in zip([first, *others], overall[number], places[number].tolist(), strict=True)
        ]
        bar = _bar(row["value"], row["low"], row["high"], top, colour)
        lines.append(
            f"{places[number, 0]:>3}  {run:<{names}}  {values[0]}  {bar}" + "".join(f"  {v}" for v in values[1:])
        )
    if len(results.runs) > most:
        lines += ["", f"     … and {len(results.runs) - most} more"]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _shown(value: float, width: int, bold: bool) -> str:
    text = f"{'-' if np.isnan(value) else f'{value:.4f}':>{width}}"
    return f"\033[1m{text}\033[0m" if bold else text


def _bar(value: float | None, low: float | None, high: float | None, top: float, colour: bool) -> str:
    """The mean as a dot on a line from *low* to *high*, on an axis from 0 to *top*."""
    cells = [" "] * _WIDTH

    def place(at: float) -> int:
        return int(np.clip(round(at / top * (_WIDTH - 1)), 0, _WIDTH - 1)) if top > 0 else 0

    if low is not None and high is not None:
        for cell in range(place(low), place(high) + 1):
            cells[cell] = "─"
    if value is not None:
        cells[place(value)] = "●"
    bar = "".join(cells)
    return f"\033[36m{bar}\033[0m" if colour else bar
