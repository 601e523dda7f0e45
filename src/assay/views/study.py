"""The summary of a study: its main tables, in Markdown."""

from __future__ import annotations

import polars as pl

from assay.meta.study import Study
from assay.views.tables import Table, render

_MOST = {"scores": 40}
_SHOWN = {
    "scores": "Means, the largest of the first measure first",
    "judgments-summary": "Judgments",
    "correlation-best": "Kendall's tau between measures, over the best runs",
    "pool-depth": "Pools of several depths, against all judgments",
    "groups-summary": "Pools without the judgments of one group",
    "significance-counts": "Pairs that differ significantly (each pair alone, not corrected), of all runs",
    "significance-counts-best": "Pairs that differ significantly (each pair alone, not corrected), of the best runs",
    "power": "Discriminative power, over the best runs",
    "robustness": "Samples of the judgments: tau with the order by all of them, over the best runs",
}


def summary(study: Study) -> str:
    """Render the main tables of a study, rounded, under headings."""
    settings = study.provenance["settings"]
    runs = [one for one in study.provenance["inputs"] if one["role"] == "run"]
    lines = [
        "# Study of measures",
        "",
        f"{len(runs)} runs, seed {settings['seed']}; *the best runs* are the best {settings['best']:.0%} by MAP.",
        "All tables are beside this file as Parquet and CSV; study.json has the settings and the inputs.",
        "",
    ]
    for step in study.steps:
        for name, title in _SHOWN.items():
            if name == step.name or name.startswith(f"{step.name}-"):
                lines += [f"## {title}", "", *_markdown(name, _arrange(name, study.table(name))), ""]
    return "\n".join(lines).rstrip() + "\n"


def _arrange(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    if name == "scores":
        wide = frame.pivot("measure", index="run", values="value")
        return wide.sort(wide.columns[1], descending=True, nulls_last=True, maintain_order=True)
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


def _markdown(name: str, frame: pl.DataFrame) -> list[str]:
    most = _MOST.get(name, len(frame))
    whole = [c for c in frame.columns if frame[c].dtype.is_float() and c in ("ratio", "grade", "depth")]
    shown = frame.head(most).with_columns(pl.col(whole).cast(pl.Int64, strict=False))
    text = render(Table(shown, shown), "markdown").decode().splitlines()
    return [*text, *([f"… and {len(frame) - most} more rows"] if len(frame) > most else [])]
