"""The application: pages, files and answers under their addresses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, DependencyError
from assay.views.explorer import about, effort, figures, lab, overview, pairs, systems, topics
from assay.views.explorer.answers import JSON, Answer, Answers, as_json, failed
from assay.views.explorer.campaign import Campaign
from assay.views.explorer.files import RUNTIME, here, static
from assay.views.explorer.pages import PAGES, Page, Pages
from assay.views.explorer.parameters import Query
from assay.views.explorer.security import CRASHED, Guard, Hosts
from assay.views.explorer.working import Failure

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    Endpoint = Callable[[Request], Awaitable[Response]]

API: Mapping[str, Callable[[Campaign, Query], Any]] = {
    "campaign": about.campaign,
    "census": overview.census,
    "correlation": overview.correlation,
    "curve": effort.curve,
    "deciding": pairs.deciding,
    "effort-gain": effort.effort_gain,
    "lab": lab.lab,
    "leaderboard": overview.leaderboard,
    "med": pairs.med,
    "pair": pairs.pair,
    "separation": pairs.separation,
    "system": systems.system,
    "themes": figures.themes,
    "topic": topics.topic,
}
"""What is answered under ``/api/``: plain values of a campaign and the parameters of a request."""
SLOW = ("med", "pair", "separation")
"""What may take seconds."""
HTML = "text/html; charset=utf-8"
AGAIN = "no-cache"  # a browser may keep it, but asks whether it is still so
FOR_EVER = "public, max-age=31536000, immutable"


def application(
    campaign: Campaign, host: str = "127.0.0.1", port: int = 8765, *, runtime: bytes | None = None
) -> Guard:
    """The explorer of a campaign, as an ASGI application that answers to a host and port.

    *runtime* is the drawing library, if it is there already.
    """
    try:
        import jinja2  # noqa: F401
        from starlette.applications import Starlette
        from starlette.exceptions import HTTPException
        from starlette.routing import Route
    except ImportError as error:
        raise DependencyError(f"the explorer needs {error.name}; pip install 'assay-ir[explore]'") from None
    made = Explorer(campaign, here() if runtime is None else runtime)
    routes = [
        *(Route(page.path, made.page(page)) for page in PAGES),
        *(Route(f"/api/{name}", made.api(name)) for name in API),
        Route("/api/figures/{figure}", made.figure),
        Route("/static/{name}", made.file),
        Route("/favicon.ico", made.icon),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={HTTPException: made.no_such, Failure: made.failure, Exception: made.crashed},
    )
    app.router.redirect_slashes = False
    return Guard(app, Hosts(host, port), made.answers.close)


class Explorer:
    """Answers requests; what takes long is done in threads, so that others do not wait for it."""

    def __init__(self, campaign: Campaign, runtime: bytes) -> None:
        self.campaign = campaign
        self.answers = Answers()
        self._files = static(runtime)
        self._pages = Pages(self._files[RUNTIME].tag)

    def page(self, page: Page) -> Endpoint:
        """Answers with a page."""

        async def respond(request: Request) -> Response:
            return respond_with(request, Answer.of(self._pages.page(page), HTML))

        return respond

    def api(self, name: str) -> Endpoint:
        """Answers with what a function of ``API`` gives."""

        def make(query: Query) -> Answer:
            return Answer.of(as_json(API[name](self.campaign, query)), JSON)

        async def respond(request: Request) -> Response:
            return await self._respond(request, make, name in SLOW)

        return respond

    async def figure(self, request: Request) -> Response:
        """Answers with a figure or its data."""
        name = request.path_params["figure"]
        slow = name.removesuffix(".csv") in figures.SLOW
        return await self._respond(request, lambda query: figures.answer(self.campaign, name, query), slow)

    async def _respond(self, request: Request, make: Callable[[Query], Answer], slow: bool) -> Response:
        query: bytes = request.scope["query_string"]
        key = sha256(ascii((request.scope["path"], query)).encode()).digest()  # short, however long the query is
        try:
            asking = self.answers.get(key, lambda: make(Query(query, self.campaign)), slow=slow)
            found = await (unless_gone(request, asking) if slow else asking)
        except AssayError as error:
            raise Failure(400, str(error)) from None
        return respond_with(request, found)

    async def file(self, request: Request) -> Response:
        """Answers with one of the files of the pages."""
        found = self._files.get(request.path_params["name"])
        if found is None:
            raise Failure(404, "there is no such file")
        same = request.query_params.get("v") == found.tag
        return respond_with(request, found, FOR_EVER if same else AGAIN)

    async def icon(self, request: Request) -> Response:
        """What browsers ask for by themselves."""
        from starlette.responses import Response

        icon = self._files.get("icon.svg")
        return respond_with(request, icon) if icon is not None else Response(status_code=204)

    async def no_such(self, request: Request, error: Exception) -> Response:
        """There is nothing under an address."""
        status = int(getattr(error, "status_code", 404))
        message = "there is nothing under this address" if status == 404 else str(getattr(error, "detail", error))
        return await self.failure(request, Failure(status, message))

    async def crashed(self, request: Request, _error: Exception) -> Response:
        """A fault of the explorer: a reader of pages gets a page of ours; the guard logs the error."""
        return await self.failure(request, Failure(500, CRASHED))

    async def failure(self, request: Request, error: Exception) -> Response:
        """An error: for a reader of pages a page, else JSON."""
        from starlette.responses import Response

        status, message = int(getattr(error, "status", 500)), str(error)
        reader = "text/html" in request.headers.get("accept", "")
        page = reader and not request.scope["path"].startswith(("/api/", "/static/"))
        body, kind = (self._pages.error(status, message), HTML) if page else (failed(status, message), JSON)
        headers = {"cache-control": "no-store", **({"retry-after": "1"} if status == 503 else {})}
        return Response(body, status, headers, media_type=kind)


async def unless_gone(request: Request, asking: Coroutine[Any, Any, Answer]) -> Answer:
    """An answer; if its reader goes before it is there, nobody waits for it any more."""
    answering, leaving = asyncio.create_task(asking), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not answering.done() and leaving.result():
            raise Failure(503, "nobody waits for this answer any more")
        return await answering
    finally:
        for task in (answering, leaving):
            task.cancel()
        await asyncio.wait((answering, leaving))


async def _gone(request: Request) -> bool:
    """Wait until the reader has gone; False if that cannot be known."""
    more = True
    while more:
        message = await request.receive()
        more = bool(message.get("more_body"))
    return bool((await request.receive())["type"] == "http.disconnect")


def respond_with(request: Request, answer: Answer, caching: str = AGAIN) -> Response:
    """An answer as a response: compressed if that is wanted, and empty if the browser has it already."""
    from starlette.responses import Response

    headers = {"etag": f'"{answer.tag}"', "cache-control": caching, "vary": "accept-encoding"}
    known = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if headers["etag"] in known:
        return Response(status_code=304, headers=headers)
    if answer.name is not None:
        headers["content-disposition"] = f'attachment; filename="{answer.name}"'
    zipped = answer.compressed and "gzip" in request.headers.get("accept-encoding", "")
    if zipped:
        headers["content-encoding"] = "gzip"
    return Response(answer.body if zipped else answer.plain(), headers=headers, media_type=answer.kind)
