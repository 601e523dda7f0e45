"""The ASGI application: routes of pages, static files and the JSON API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from hashlib import sha256
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from assay.errors import AssayError
from assay.views.explorer import (
    effort,
    figures,
    lab,
    metadata,
    overview,
    pairs,
    rankings,
    systems,
    texts,
    topics,
    what_if,
)
from assay.views.explorer.files import VEGA, load_static_files, vega_runtime
from assay.views.explorer.pages import ERROR_PAGE, PAGES, Page, load_templates
from assay.views.explorer.parameters import Query
from assay.views.explorer.responses import (
    HTML,
    JSON,
    REVALIDATE,
    Content,
    ResponseCache,
    build_response,
    error_response,
    to_http_error,
    to_json,
)
from assay.views.explorer.security import AllowedHosts, SecurityMiddleware
from assay.views.explorer.state import ExplorerState
from assay.views.explorer.workers import unavailable

API: Mapping[str, Callable[[ExplorerState, Query], Any]] = {
    "campaign": metadata.campaign,
    "census": overview.census,
    "correlation": overview.correlation,
    "curve": effort.curve,
    "deciding": pairs.deciding,
    "document": texts.document,
    "effort-gain": effort.effort_gain,
    "lab": lab.lab,
    "leaderboard": overview.leaderboard,
    "med": pairs.med,
    "pair": pairs.pair,
    "rankings": rankings.rankings,
    "separation": pairs.separation,
    "system": systems.system,
    "themes": figures.themes,
    "topic": topics.topic,
    "what-if": what_if.what_if,
}
"""Functions of the routes under ``/api/``: they return plain values for the state and the parameters of a request."""
SLOW_ROUTES = ("med", "pair", "separation")
"""Routes that may take seconds."""
NO_PAGE = "there is no page at this address"
IMMUTABLE = "public, max-age=31536000, immutable"


def application(
    state: ExplorerState, host: str = "127.0.0.1", port: int = 8765, *, runtime: bytes | None = None
) -> SecurityMiddleware:
    """Build the ASGI application of the explorer, for requests to a host and port.

    *runtime* is the JavaScript of Vega; it is built if it is not given.
    """
    explorer = Explorer(state, vega_runtime() if runtime is None else runtime)
    app = Starlette(
        routes=[
            *(Route(page.path, explorer.send_page) for page in PAGES),
            Route("/api/{name}", explorer.send_values),
            Route("/api/figures/{figure}", explorer.send_figure),
            Route("/static/{name}", explorer.send_file),
            Route("/favicon.ico", explorer.send_icon),
        ],
        exception_handlers=dict.fromkeys((HTTPException, AssayError, Exception), explorer.send_error),
    )
    app.router.redirect_slashes = False
    app.router.default = raise_not_found
    return SecurityMiddleware(app, AllowedHosts(host, port), explorer.responses.close)


async def raise_not_found(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """Raise an error for an address without a route."""
    raise HTTPException(404, NO_PAGE)


class Explorer:
    """Endpoints of the application; values and figures are computed in threads."""

    def __init__(self, state: ExplorerState, runtime: bytes) -> None:
        self.state = state
        self.responses = ResponseCache()
        self._files = load_static_files(runtime)
        self._templates = load_templates(self._files[VEGA].tag)
        self._pages = {page.path: Content.of(self._render(page), HTML) for page in PAGES}

    def _render(self, page: Page, **values: str) -> bytes:
        text = self._templates.get_template(page.template).render(page=page.path, title=page.title, **values)
        return text.encode()

    async def send_page(self, request: Request) -> Response:
        """Send a page."""
        return build_response(request, self._pages[request.scope["path"]])

    async def send_values(self, request: Request) -> Response:
        """Send the values that a function of ``API`` returns."""
        name = request.path_params["name"]
        if name not in API:
            raise HTTPException(404, NO_PAGE)

        def compute(query: Query) -> Content:
            return Content.of(to_json(API[name](self.state, query)), JSON)

        return await self._send(request, compute, name in SLOW_ROUTES)

    async def send_figure(self, request: Request) -> Response:
        """Send a figure or its data."""
        name = request.path_params["figure"]
        slow = name.removesuffix(".csv") in figures.SLOW_FIGURES
        return await self._send(request, lambda query: figures.render(self.state, name, query), slow)

    async def _send(self, request: Request, compute: Callable[[Query], Content], slow: bool) -> Response:
        query: bytes = request.scope["query_string"]
        # The digest is short, even if the query is long.
        key = sha256(ascii((request.scope["path"], query)).encode()).digest()
        response = self.responses.get(key, lambda: compute(Query(query, self.state)), slow=slow)
        return build_response(request, await (run_while_connected(request, response) if slow else response))

    async def send_file(self, request: Request) -> Response:
        """Send a static file; a browser may store it for ever if the request contains the tag of its content."""
        content = self._files.get(request.path_params["name"])
        if content is None:
            raise HTTPException(404, "there is no such file")
        tagged = request.query_params.get("v") == content.tag
        return build_response(request, content, IMMUTABLE if tagged else REVALIDATE)

    async def send_icon(self, request: Request) -> Response:
        """Send the icon, which browsers request by default."""
        return build_response(request, self._files["icon.svg"])

    async def send_error(self, request: Request, error: Exception) -> Response:
        """Send an error: an HTML page if a browser opens an address, otherwise JSON."""
        http_error = to_http_error(error)
        accepts_html = "text/html" in request.headers.get("accept", "")
        if not accepts_html or request.scope["path"].startswith(("/api/", "/static/")):
            return error_response(http_error)
        return error_response(http_error, self._render(ERROR_PAGE, message=http_error.detail), HTML)


async def run_while_connected(request: Request, response: Coroutine[Any, Any, Content]) -> Content:
    """Await a response, but cancel it as soon as the client disconnects."""
    tasks = running, disconnected = asyncio.create_task(response), asyncio.create_task(_wait_for_disconnect(request))
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not running.done() and disconnected.result():
            raise unavailable("the client disconnected")
        return await running
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _wait_for_disconnect(request: Request) -> bool:
    """Wait until the client disconnects; return False if the server does not report it."""
    has_body = True
    while has_body:
        message = await request.receive()
        has_body = bool(message.get("more_body"))
    return bool((await request.receive())["type"] == "http.disconnect")
