"""Shell completion: commands first, then the options of the command; anything else is a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_BASH = """\
_assay() {{
    local current=${{COMP_WORDS[COMP_CWORD]}}
    local choices="{commands}"
    case ${{COMP_WORDS[1]}} in
{cases}
    esac
    if [[ $COMP_CWORD -eq 1 ]]; then choices="{commands}"
    elif [[ $current != -* ]]; then COMPREPLY=(); return; fi
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
}}
complete -o default -F _assay assay
"""


def script(shell: str, options: Mapping[str, Sequence[str]]) -> str:
    """The completion script for *shell*; *options* are the options of each command."""
    if shell == "fish":
        return _fish(options)
    cases = "\n".join(f'        {name}) choices="{" ".join(given)}" ;;' for name, given in options.items())
    bash = _BASH.format(commands=" ".join(options), cases=cases)
    return bash if shell == "bash" else f"#compdef assay\nautoload -U +X bashcompinit && bashcompinit\n{bash}"


def _fish(options: Mapping[str, Sequence[str]]) -> str:
    lines = [f"complete -c assay -n __fish_use_subcommand -f -a '{' '.join(options)}'"]
    for name, given in options.items():
        condition = f"'__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c assay -n {condition} -l {option.removeprefix('--')}" for option in given]
    return "\n".join(lines) + "\n"
