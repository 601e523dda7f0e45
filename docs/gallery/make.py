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
from reference_pages.plots import cited

HERE = Path(__file__).parent
CHOSEN: dict[str, dict[str, object]] = {
    "crp": {"topic": "418"},
    "crp-dcg": {"topic": "418"},
    "leaderboard": {"most": 20},
}
"""Options of figures for which the defaults are not the best example."""


def written(name: str, options: dict[str, object]) -> str:
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
        "All figures of `assay plot`, for a simulated campaign of 40 runs and 50 topics (`assay simulate mycampaign`).",
        "The [reference](../reference/plots.md) lists the options and the data of each. `make gallery` writes it.\n",
        f"{index}\n",
    ]
    for name, figure in known.items():
        parts += [
            f"## {name}\n",
            f"{figure.title}.{cited(figure)} {figure.about}\n".replace("``", "`"),
            f"![{figure.title}]({name}.png)\n",
            f"```sh\n{written(name, CHOSEN.get(name, {}))}\n```\n",
        ]
    return "\n".join(parts)


def main(only: list[str]) -> None:
    """Draw all figures, or some."""
    collection = simulate()
    campaign = read(collection.qrels, collection.runs, keep="documents")
    known = figures()
    for name, figure in known.items():
        if only and name not in only:
            continue
        sources = [campaign] if figure.needs and not figure.optional else []
        data = figure.data(*sources, **CHOSEN.get(name, {}))
        (HERE / f"{name}.png").write_bytes(export_chart(figure.draw(data.frame, Style()), data, "png", scale=1.5))
    (HERE / "README.md").write_text(page(known))


if __name__ == "__main__":
    main(sys.argv[1:])
