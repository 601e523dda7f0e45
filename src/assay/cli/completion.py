"""Print a script that completes commands and options in bash, zsh or fish."""

from __future__ import annotations

import argparse

TASK = "to begin"
EXAMPLES = """\
  eval "$(assay completion bash)"
  assay completion zsh > ~/.zfunc/_assay
  assay completion fish > ~/.config/fish/completions/assay.fish
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(args: argparse.Namespace) -> None:
    """Print the script."""
    from assay.cli import parser
    from assay.views.completion import script

    top = parser()
    subparsers = next(a for a in top._actions if isinstance(a, argparse._SubParsersAction))
    options = {
        name: [option for action in sub._actions for option in action.option_strings if option.startswith("--")]
        for name, sub in subparsers.choices.items()
    }
    print(script(args.shell, options), end="")
