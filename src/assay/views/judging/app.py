"""The ASGI application of the judging page: one page, the current task, and four actions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assay._version import VERSION
from assay.errors import AssayError, InputError
from assay.views.explorer.files import STATIC, read_static_files
from assay.views.explorer.responses import HTML, JSON, Content, build_response, error_response, to_http_error, to_json
from assay.views.explorer.security import MAX_BODY, AllowedHosts, SecurityMiddleware
from assay.views.judging import HOST
from assay.views.judging.session import ConflictError, JudgingSession

FOLDER = Path(__file__).parent
SHARED = ("style.css", "theme.js", "display.js", "dom.js", "icon.svg")
"""Static files of the explorer that the page uses."""
BODY_SECONDS = 10.0
ACTIONS = {"/api/judge": "judge", "/api/skip": "skip", "/api/unsure": "mark_unsure", "/api/undo": "undo"}
"""Paths that accept POST, and the methods of the session that they call."""


def application(session: JudgingSession, port: int) -> SecurityMiddleware:
    """Build the ASGI application for a session, for requests to a port of this machine."""
    page = JudgingPage(session)
    app = Starlette(
        routes=[
            Route("/", page.send_page),
            Route("/api/task", page.send_task),
            *(Route(path, page.act, methods=["POST"]) for path in ACTIONS),
            Route("/static/{name}", page.send_file),
            Route("/favicon.ico", page.send_icon),
        ],
        exception_handlers=dict.fromkeys((HTTPException, AssayError, Exception), page.send_error),
    )
    app.router.redirect_slashes = False
    return SecurityMiddleware(app, AllowedHosts(HOST, port), writable=ACTIONS)


class JudgingPage:
    """Endpoints of the application; the session works in threads, because it waits for the disk."""

    def __init__(self, session: JudgingSession) -> None:
        self._session = session
        shared = read_static_files(STATIC)
        self._files = {**{name: shared[name] for name in SHARED}, **read_static_files(FOLDER / "static")}
        loader = FileSystemLoader(FOLDER / "templates")
        environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
        self._page = Content.of(environment.get_template("judge.html").render(version=VERSION).encode(), HTML)

    async def send_page(self, request: Request) -> Response:
        """Send the page, which contains no data."""
        return build_response(request, self._page)

    async def send_task(self, request: Request) -> Response:
        """Send the document to judge now."""
        return await self._send_task()

    async def act(self, request: Request) -> Response:
        """Judge, skip or undo, and send the next task."""
        body = await _read_body(request)
        action: Callable[..., None] = getattr(self._session, ACTIONS[request.scope["path"]])
        await run_in_threadpool(action, **_parse_body(body, with_grade=request.scope["path"] == "/api/judge"))
        return await self._send_task()

    async def _send_task(self) -> Response:
        task = await run_in_threadpool(self._session.task)
        return Response(to_json(task), headers={"cache-control": "no-store"}, media_type=JSON)

    async def send_file(self, request: Request) -> Response:
        """Send a static file."""
        content = self._files.get(request.path_params["name"])
        if content is None:
            raise HTTPException(404, "there is no such file")
        return build_response(request, content)

    async def send_icon(self, request: Request) -> Response:
        """Send the icon, which browsers request by default."""
        return build_response(request, self._files["icon.svg"])

    async def send_error(self, request: Request, error: Exception) -> Response:
        """Send an error as JSON; a conflict has the status 409."""
        if isinstance(error, ConflictError):
            return error_response(HTTPException(409, str(error)))
        return error_response(to_http_error(error))


async def _read_body(request: Request) -> bytes:
    """Return the body of a request; raise an error if it is too long or does not arrive."""
    chunks: list[bytes] = []

    async def collect() -> None:
        async for chunk in request.stream():
            chunks.append(chunk)
            if sum(map(len, chunks)) > MAX_BODY:
                raise HTTPException(413, f"the request has more than {MAX_BODY} bytes")

    try:
        await asyncio.wait_for(collect(), BODY_SECONDS)
    except TimeoutError:
        raise HTTPException(408, "the request did not arrive in time") from None
    return b"".join(chunks)


def _parse_body(body: bytes, *, with_grade: bool) -> dict[str, Any]:
    """Return the topic, the document and the grade in a request."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the request is not JSON") from None
    names = {"topic", "doc", *({"grade"} if with_grade else ())}
    if not isinstance(content, dict) or set(content) != names:
        raise InputError(f"the request needs exactly {', '.join(sorted(names))}")
    if not isinstance(content["topic"], str) or not isinstance(content["doc"], str):
        raise InputError("topic and doc must be text")
    if with_grade and (not isinstance(content["grade"], int) or isinstance(content["grade"], bool)):
        raise InputError("grade must be a whole number")
    return content
