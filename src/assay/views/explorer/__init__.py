"""The explorer: a campaign in the browser, served from this machine, read only."""

from __future__ import annotations

from importlib import import_module

from assay.errors import DependencyError

PACKAGES = ("starlette", "jinja2", "uvicorn", "cachetools", "altair", "vl_convert")


def require_packages() -> None:
    """Raise an error if a package that the explorer needs is missing.

    Call this before importing a module of this package: they import these packages at the top.
    """
    for name in PACKAGES:
        try:
            import_module(name)
        except ImportError:
            raise DependencyError(f"the explorer needs {name}; pip install 'assay-ir[explore]'") from None
