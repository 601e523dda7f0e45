"""Entry point of ``python -m assay``."""

from assay.cli import command

command()
