"""Make the gallery again: every figure from a simulated campaign, and the page that shows them.

``make gallery`` runs it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay import read, simulate
from assay.views.plots._figures import Figure, figures
from assay.views.plots._saving import saved
from assay.views.plots._style import Style
from reference_pages.plots import cited

HERE = Path(__file__).parent
CHOSEN: dict[str, dict[str, object]] = {
    "crp": {"topic": "418"},
    "crp-dcg": {"topic": "418"},
    "leaderboard": {"most": 20},
}
"""What is chosen for a figure, where its defaults would not show it best."""


def written(name: str, options: dict[str, object]) -> str:
    """The command that draws it."""
    figure = figures()[name]
    inputs = {"qrels": "mycampaign/qrels.txt", "runs": "mycampaign/runs"}
    words = [inputs[need] for need in figure.needs if not figure.optional]
    for option, value in options.items():
        words += [f"--{option}", *(map(str, value) if isinstance(value, list | tuple) else [str(value)])]
    return " ".join(["assay plot", name, *words, "-o", f"{name}.png"])


def page(known: dict[str, Figure]) -> str:
    """The gallery in Markdown."""
    index = " · ".join(f"[{name}](#{name})" for name in known)
    parts = [
        "# Gallery\n",
        "Every figure that `assay plot` draws, of a simulated campaign of 40 runs and 50 topics, which `assay simulate",
        "mycampaign` writes. What can be chosen of a figure, and the data behind it, is in the",
        "[reference](../reference/plots.md). This page and its pictures are made by `make gallery`.\n",
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
    """Draw all, or those that are named."""
    collection = simulate()
    campaign = read(collection.qrels, collection.runs, keep="documents")
    known = figures()
    for name, figure in known.items():
        if only and name not in only:
            continue
        sources = [campaign] if figure.needs and not figure.optional else []
        data = figure.data(*sources, **CHOSEN.get(name, {}))
        (HERE / f"{name}.png").write_bytes(saved(figure.draw(data.frame, Style()), data, "png", scale=1.5))
    (HERE / "README.md").write_text(page(known))


if __name__ == "__main__":
    main(sys.argv[1:])
