"""A copy of the explorer as files for any web server, with the pages that need no further computation.

The answers that the scripts of a page request are stored in JSON files: ``index.json``, and a file for each figure,
topic and run. Each file is an object; its keys are requests, and its values are the answers of the server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from assay.errors import AssayError
from assay.views.explorer import effort, figures, metadata, overview, pairs, rankings, systems, texts, topics
from assay.views.explorer.files import VEGA, load_static_files
from assay.views.explorer.pages import PAGES, load_templates
from assay.views.explorer.parameters import Query
from assay.views.explorer.responses import error_json, to_http_error, to_json
from assay.views.explorer.state import CONFIDENCE, DEFAULT_MEASURES, ExplorerState

COPIED_PAGES = tuple(page for page in PAGES if page.path in ("/", "/effort-gain", "/topic", "/system"))
ANSWERS = {
    "campaign": metadata.campaign,
    "census": overview.census,
    "correlation": overview.correlation,
    "document": texts.document,
    "effort-gain": effort.effort_gain,
    "leaderboard": overview.leaderboard,
    "rankings": rankings.rankings,
    "separation": pairs.separation,
    "system": systems.system,
    "themes": figures.themes,
    "topic": topics.topic,
}
Request = tuple[str, Mapping[str, Any]]
"""The path of a request under ``/api/``, and its parameters."""


def build_files(state: ExplorerState, runtime: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the copy: paths and contents; *runtime* is the JavaScript of Vega."""
    files = load_static_files(runtime)
    for name, content in files.items():
        yield f"static/{name}", content.plain()
    templates = load_templates(files[VEGA].tag, COPIED_PAGES)
    for page in COPIED_PAGES:
        text = templates.get_template(page.template).render(page=page.path, title=page.title)
        yield page.file_name, text.encode()
    requests: dict[str, list[Request]] = {}
    for path, params in index_requests(state):
        requests.setdefault(file_of(path, params), []).append((path, params))
    for name, group in requests.items():
        yield f"data/{name}.json", bundle(state, group)
    for number, topic in enumerate(state.campaign.topics):
        yield f"data/topic-{number}.json", bundle(state, topic_requests(state, topic))
    for number, run in enumerate(state.campaign.runs):
        yield f"data/run-{number}.json", bundle(state, run_requests(run))


def index_requests(state: ExplorerState) -> Iterator[Request]:
    """Yield the requests of the pages about the whole campaign."""
    measures = [str(one) for one in state.values(DEFAULT_MEASURES).measures]
    main, confidence = measures[0], str(CONFIDENCE)
    yield "campaign", {}
    yield "themes", {}
    yield "leaderboard", {"measure": main}
    yield "census", {}
    yield "figures/census", {"most": 12}
    yield "correlation", {"measure": measures}
    yield "figures/correlation", {"measure": measures}
    yield "leaderboard", {"measure": measures, "confidence": confidence}
    for measure in measures:
        one = {"measure": measure, "confidence": confidence}
        yield "leaderboard", {"measure": measures, "confidence": confidence, "sort": measure}
        yield "separation", one
        yield "figures/leaderboard", one
        yield "figures/significance", one
        yield "figures/heatmap", {"measure": measure}
    yield "effort-gain", {"measure": main, "points": 0}
    yield "figures/effort-gain", {"measure": main}


def topic_requests(state: ExplorerState, topic: str) -> Iterator[Request]:
    """Yield the requests of the page of a topic, by the default measure, with the two best runs."""
    main = DEFAULT_MEASURES[0]
    runs = state.values(main).best(main)[: rankings.DEFAULT_RUNS]
    yield "topic", {"topic": topic, "measure": main}
    yield "rankings", {"topic": topic, "measure": main, "run": runs}
    yield "figures/crp-topic", {"topic": topic, "order": main}
    first = answer(state, "rankings", {"topic": topic, "measure": main, "run": runs})
    misplaced = answer(state, "topic", {"topic": topic, "measure": main})["misplaced"]["document"].to_list()
    documents = [row["document"] for run in first["runs"] for row in run["documents"]]
    for document in dict.fromkeys([*documents, *misplaced]):
        yield "document", {"topic": topic, "doc": document}


def run_requests(run: str) -> Iterator[Request]:
    """Yield the requests of the page of a run, by the default measure."""
    main = DEFAULT_MEASURES[0]
    yield "system", {"run": run, "measure": main}
    yield "figures/crp-aggregate", {"run": run}
    yield "figures/topic-spread", {"run": run, "measure": main}


def bundle(state: ExplorerState, requests: Iterable[Request]) -> bytes:
    """Return the answers to requests as one JSON object; an answer may be an error."""
    entries = []
    for path, params in requests:
        try:
            content = to_bytes(state, path, params)
        except AssayError as error:
            content = error_json(to_http_error(error))
        entries.append(json.dumps(key_of(path, params), ensure_ascii=False).encode() + b":" + content)
    return b"{" + b",\n".join(entries) + b"}\n"


def to_bytes(state: ExplorerState, path: str, params: Mapping[str, Any]) -> bytes:
    """Return the answer to a request as JSON."""
    if path.startswith("figures/"):
        return figures.render(state, path.removeprefix("figures/"), to_query(state, params)).plain()
    return to_json(answer(state, path, params))


def answer(state: ExplorerState, path: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a request."""
    return ANSWERS[path](state, to_query(state, params))


def to_query(state: ExplorerState, params: Mapping[str, Any]) -> Query:
    """Return the parameters of a request, as the server reads them."""
    return Query(urlencode(params, doseq=True).encode(), state)


def file_of(path: str, params: Mapping[str, Any]) -> str:
    """Return the name of the file for a request about the whole campaign; `fileNameOf` of api.js returns the same.

    Figures may be large, so each has its own file.
    """
    measure = params.get("measure")
    suffix = re.sub("[^A-Za-z0-9]", "-", measure) if isinstance(measure, str) else ""
    return f"{path.replace('/', '-')}-{suffix}" if path.startswith("figures/") else "index"


def key_of(path: str, params: Mapping[str, Any]) -> str:
    """Return the key of a request; the function ``keyOf`` of api.js returns the same."""
    pairs = [[name, str(one)] for name in sorted(params) for one in _as_list(params[name])]
    return json.dumps([path, pairs], ensure_ascii=False, separators=(",", ":"))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
