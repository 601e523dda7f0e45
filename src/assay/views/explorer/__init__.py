"""The explorer: a local, read-only web server that shows a campaign in the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import DependencyError, InputError
from assay.io.writing import write_files

if TYPE_CHECKING:
    from assay.engine.campaign import Campaign

PACKAGES = ("starlette", "jinja2", "uvicorn", "cachetools", "altair", "vl_convert")


def require_packages() -> None:
    """Raise an error if a package that the explorer needs is missing.

    Call this before importing a module of this package, because its modules import these packages.
    """
    for name in PACKAGES:
        try:
            import_module(name)
        except ImportError:
            raise DependencyError(f"the explorer needs {name}; pip install 'assay-ir[explore]'") from None


def explore(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    open: bool = False,  # noqa: A002
    export: str | None = None,
) -> None:
    """Start the explorer, a local web server with pages about a campaign, and serve until interrupted.

    With *export*, write a copy of the pages as files instead.

    Parameters
    ----------
    campaign
        Judgments and runs, best read with ``keep="documents"``; ties cannot be ``expected``.
    host, port
        Address to listen on; port 0 chooses a free port. By default only this machine can read the pages.
    open
        If True, open the explorer in the browser.
    export
        A new directory: write the pages that need no further computation as files for any web server, and return.
    """
    if export is not None:
        export_campaign(lambda: campaign, export)
        return

    def ready(address: str) -> None:
        if open:
            import webbrowser

            webbrowser.open(address)

    serve_campaign(lambda: campaign, host, port, ready)


def serve_campaign(read: Callable[[], Campaign], host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the campaign that *read* returns; a port in use is reported before *read* is called."""
    if not 0 <= port <= 65535:
        raise InputError(f"port must be from 0 to 65535, got {port}")
    require_packages()
    from assay.views.explorer.app import application
    from assay.views.explorer.figures import prepare
    from assay.views.explorer.files import VegaProcess
    from assay.views.explorer.server import listen, serve
    from assay.views.explorer.state import ExplorerState

    with listen(host, port) as listener:
        with VegaProcess() as vega:
            state = ExplorerState(read())
            prepare(state)
            runtime = vega.result()
        with suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to stop the server.
            app = application(state, host, listener.getsockname()[1], runtime=runtime)
            serve(app, listener, host, ready)


def export_campaign(read: Callable[[], Campaign], directory: str) -> int:
    """Write the explorer of the campaign that *read* returns as files to a new directory; return the number of bytes.

    An existing directory is reported before *read* is called.
    """
    if Path(directory).exists():
        raise InputError(f"{directory}: already exists; choose a new directory")
    require_packages()
    from assay.views.explorer.files import VegaProcess
    from assay.views.explorer.state import ExplorerState
    from assay.views.explorer.static_copy import build_files

    size = 0

    def count_bytes(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        nonlocal size
        for name, data in files:
            size += len(data)
            yield name, data

    with VegaProcess() as vega:
        state = ExplorerState(read())
        state.prepare()
        runtime = vega.result()
    write_files(directory, count_bytes(build_files(state, runtime)))
    return size


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
