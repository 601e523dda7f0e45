"""Print a script for command completion in bash, zsh or fish."""

from __future__ import annotations

import argparse

from assay.cli._parse import Parser
from assay.errors import check_choice

EXAMPLES = """\
  eval "$(assay completion bash)"
  assay completion zsh > ~/.zfunc/_assay
  assay completion fish > ~/.config/fish/completions/assay.fish
"""
SHELLS = ("bash", "zsh", "fish")
_BASH = """\
_assay() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} choices=""
    case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{cases}
    esac
    case $COMP_CWORD in
        1) choices="{top}" ;;
        *) if [[ $current != -* ]]; then
               case "$COMP_CWORD ${{COMP_WORDS[1]}}" in
{groups}
                   *) COMPREPLY=(); return ;;
               esac
           fi ;;
    esac
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
}}
complete -o default -F _assay assay
"""


class CompletionCommand:
    """The command ``assay completion``; its argument is a shell."""

    def parser(self, prog: str, about: str) -> Parser:
        """Return the parser of the command."""
        parser = Parser(prog, "SHELL", about, EXAMPLES)
        parser.add_input("shell", "SHELL", None, "bash, zsh or fish")
        return parser

    def run(self, args: argparse.Namespace) -> None:
        """Print the script."""
        check_choice(f"completion {args.shell}", args.shell, SHELLS)
        print(write_script(args.shell, _options()), end="")


COMMAND = CompletionCommand()


def _options() -> dict[tuple[str, ...], list[str]]:
    """Return the long options of each command."""
    from assay.cli import list_commands, load_module, plot, trec_eval

    options: dict[tuple[str, ...], list[str]] = {}
    for words in list_commands():
        module = load_module(*words)
        if hasattr(module, "COMMAND"):
            flags = module.COMMAND.parser("assay", "").flags
        else:
            flags = {plot: plot.general_parser().flags, trec_eval: trec_eval.flags()}[module]
        options[words] = list(dict.fromkeys(flag for flag in flags if flag.startswith("--")))
    return options


def write_script(shell: str, options: dict[tuple[str, ...], list[str]]) -> str:
    """Return the completion script of a shell; *options* maps each command, as a tuple of words, to its options."""
    groups: dict[str, list[str]] = {}
    for words in options:
        groups.setdefault(words[0], []).extend(words[1:])
    if shell == "fish":
        return _write_fish(groups, options)
    cases = "\n".join(
        f'        "{" ".join(words)}"{"" if words[1:] else "*"}) choices="{" ".join(flags)}" ;;'
        for words, flags in options.items()
    )
    inner = "\n".join(
        f'                   "2 {name}") choices="{" ".join(names)}" ;;' for name, names in groups.items() if names
    )
    bash = _BASH.format(top=" ".join(groups), cases=cases, groups=inner)
    return bash if shell == "bash" else f"#compdef assay\nautoload -U +X bashcompinit && bashcompinit\n{bash}"


def _write_fish(groups: dict[str, list[str]], options: dict[tuple[str, ...], list[str]]) -> str:
    """Return the completion script of fish; *groups* maps each top-level name to the commands of its group."""
    lines = [f"complete -c assay -n __fish_use_subcommand -f -a '{' '.join(groups)}'"]
    for name, names in groups.items():
        if names:
            condition = f"__fish_seen_subcommand_from {name}; and not __fish_seen_subcommand_from {' '.join(names)}"
            lines.append(f"complete -c assay -n '{condition}' -f -a '{' '.join(names)}'")
    for words, flags in options.items():
        condition = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in words)
        lines += [f"complete -c assay -n '{condition}' -l {flag.removeprefix('--')}" for flag in flags]
    return "\n".join(lines) + "\n"
