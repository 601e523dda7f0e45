"""The summary of a study: its main tables, in Markdown."""

from __future__ import annotations

import polars as pl

from assay.analyses.meta.study import Finished
from assay.views.tables import Table, render

_MOST = 40
_SHOWN = {
    "scores": "The best runs by the first measure",
    "judgments-summary": "Judgments",
    "correlation-best": "Kendall's tau between measures, over the best runs",
    "pool-depth": "Pools of several depths, against all judgments",
    "groups-summary": "Pools without the judgments of one group",
    "significance-counts": "Pairs that differ significantly",
    "robustness": "Samples of the judgments: tau with the order by all of them",
}


def summary(finished: Finished) -> str:
    """The main tables of a study, rounded, under headings that say what they tell."""
    settings = finished.provenance["settings"]
    runs = [one for one in finished.provenance["inputs"] if one["role"] == "run"]
    lines = [
        "# Study of measures",
        "",
        f"{len(runs)} runs, seed {settings['seed']}; *the best runs* are the best {settings['best']:.0%} by MAP.",
        "All tables are beside this file as Parquet and CSV; study.json has the settings and the inputs.",
        "",
        *_power(finished),
    ]
    for step in finished.steps:
        for name, title in _SHOWN.items():
            if name == step.name or name.startswith(f"{step.name}-"):
                lines += [f"## {title}", "", *_markdown(_shaped(name, finished.table(name))), ""]
    return "\n".join(lines).rstrip() + "\n"


def _power(finished: Finished) -> list[str]:
    """Discriminative power has a table for each measure: here they stand together, the strongest first."""
    names = sorted(path.stem for path in finished.folder.glob("power-*.parquet"))
    if not names:
        return []
    frame = pl.concat([finished.table(name) for name in names]).sort("test", "dp", descending=[False, True])
    return ["## Discriminative power, over the best runs", "", *_markdown(frame), ""]


def _shaped(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    if name == "scores":
        wide = frame.pivot("measure", index="run", values="value")
        return wide.sort(wide.columns[1], descending=True, nulls_last=True)
    if name == "correlation-best":
        both = pl.concat(
            [
                frame.select("measure", "other", "tau"),
                frame.select(pl.col("other").alias("measure"), pl.col("measure").alias("other"), "tau"),
            ]
        )
        order = list(dict.fromkeys([*frame["measure"], *frame["other"]]))
        return both.pivot("other", index="measure", values="tau").select("measure", *order)
    return frame


def _markdown(frame: pl.DataFrame) -> list[str]:
    text = render(Table(frame, frame.head(_MOST)), "markdown").decode().splitlines()
    return [*text, *([f"… and {len(frame) - _MOST} more rows"] if len(frame) > _MOST else [])]
