"""Generate the gallery: every figure from a simulated campaign, and the page that shows them.

``make gallery`` runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay import read, simulate
from assay.views.plots._export import export_chart
from assay.views.plots._figures import Figure, figures
from assay.views.plots._style import Style
from reference_pages.plots import format_citation

HERE = Path(__file__).parent
OPTIONS: dict[str, dict[str, object]] = {
    "crp": {"topic": "418"},
    "crp-dcg": {"topic": "418"},
    "leaderboard": {"most": 20},
}
"""Options of figures whose defaults are not the best example."""


def command_line(name: str, options: dict[str, object]) -> str:
    """Return the command that draws a figure."""
    figure = figures()[name]
    inputs = {"qrels": "mycampaign/qrels.txt", "runs": "mycampaign/runs"}
    words = [inputs[need] for need in figure.needs if not figure.optional]
    for option, value in options.items():
        words += [f"--{option}", *(map(str, value) if isinstance(value, list | tuple) else [str(value)])]
    return " ".join(["assay plot", name, *words, "-o", f"{name}.png"])


def page(known: dict[str, Figure]) -> str:
    """Return the gallery in Markdown."""
    index = " · ".join(f"[{name}](#{name})" for name in known)
    parts = [
        "# Gallery\n",
        "Which figures does `assay plot` draw? This page shows all of them for a simulated campaign of 40 runs and 50",
        "topics, written by `assay simulate mycampaign`. The [reference](../reference/plots.md) lists the options and",
        "the data of each figure.\n",
        f"{index}\n",
    ]
    for name, figure in known.items():
        parts += [
            f"## {name}\n",
            f"**{figure.title}.**\n",
            f"{figure.about}{format_citation(figure)}\n".replace("``", "`"),
            f"![{figure.title}]({name}.png)\n",
            f"```sh\n{command_line(name, OPTIONS.get(name, {}))}\n```\n",
        ]
    return "\n".join(parts)


def main(selected: list[str]) -> None:
    """Draw all figures, or those named, and write the page."""
    collection = simulate()
    campaign = read(collection.qrels, collection.runs, keep="documents")
    known = figures()
    for name, figure in known.items():
        if selected and name not in selected:
            continue
        sources = [campaign] if figure.needs and not figure.optional else []
        data = figure.data(*sources, **OPTIONS.get(name, {}))
        (HERE / f"{name}.png").write_bytes(export_chart(figure.draw(data.frame, Style()), data, "png", scale=1.5))
    (HERE / "README.md").write_text(page(known))


if __name__ == "__main__":
    main(sys.argv[1:])
