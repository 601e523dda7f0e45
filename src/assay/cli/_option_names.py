"""Names of options in messages.

The messages of Python functions contain arguments (``unequal 'pad'``, ``tail=False``). On the command line, the same
messages contain the options as the user types them (``--unequal pad``, ``--no-tail``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from assay.errors import AssayError

# In messages these words are nouns ("run 'bm25': ...") rather than names of arguments.
_NOUNS = frozenset({"measure", "measures", "qrels", "run", "runs", "topic", "topics"})


def flag_of(name: str) -> str:
    """Return the option of a parameter.

    >>> flag_of("max_rel")
    '--max-rel'
    >>> flag_of("for_")
    '--for'
    """
    return f"--{name.rstrip('_').replace('_', '-')}"


def typed_flag(name: str) -> str:
    """Return the option of a parameter as users type it: ``-p`` for a single letter, otherwise the long form."""
    return f"-{name}" if len(name) == 1 else flag_of(name)


def write_options(message: str, options: Mapping[str, Any]) -> str:
    """Replace arguments by options in a message.

    *options* maps the options of the command to their values; an option that the user did not give is None.

    >>> write_options("rankings are incomparable; use unequal 'pad' to pad them", {"unequal": None})
    'rankings are incomparable; use --unequal pad to pad them'
    >>> write_options("qmax must be a grade of at least qmin=3", {"qmin": ["3"]})
    'qmax must be a grade of at least --qmin 3'
    >>> write_options("tail=False assumes none", {"tail": True})
    '--no-tail assumes none'
    >>> write_options("RBP(p=0.8) has no value", {"p": ["0.8"]})
    'RBP(p=0.8) has no value'
    """
    names = "|".join(sorted(map(re.escape, set(options) - _NOUNS)))
    if not names:
        return message
    message = re.sub(rf"(?<![\w-])({names}) '([^']*)'", lambda match: f"{typed_flag(match[1])} {match[2]}", message)
    message = re.sub(
        # Parameters of a measure look like arguments, but follow "NAME(" or a comma: RBP(p=0.8, rel=2).
        rf"(?<![\w-])(?<!\w\()(?<!, )({names})=(\w[\w.-]*\w|\w)",
        lambda match: _write_value(*match.groups(), is_given=bool(options[match[1]])) or match[0],
        message,
    )
    return re.sub(r"(--[\w-]+) or \1(?![\w-])", r"\1", message)


def write_subject(message: str, options: Mapping[str, Any]) -> str:
    """Replace the argument at the beginning of an error message by an option.

    The message may use the singular of an argument that takes several values.

    >>> write_subject("max_rel must be above 0, got 0", {"max_rel": ["0"]})
    '--max-rel must be above 0, got 0'
    >>> write_subject("test 'z': choose one of t, sign", {"tests": ["z"]})
    '--tests z: choose one of t, sign'
    """
    flags = {name.removesuffix("s"): typed_flag(name) for name in options if name not in _NOUNS}
    flags |= {name: typed_flag(name) for name in options if name not in _NOUNS}
    match = re.match(r"(\w+)(?: '([^']*)'|(?= must |: ))", message)
    if match is None or match[1] not in flags:
        return message
    value = "" if match[2] is None else f" {match[2]}"
    return f"{flags[match[1]]}{value}{message[match.end() :]}"


def _write_value(name: str, value: str, *, is_given: bool) -> str | None:
    """Return an option with its value; None if the user did not give the option."""
    if value in ("True", "False"):
        return flag_of(name if value == "True" else f"no_{name}")
    return f"{typed_flag(name)} {value}" if is_given else None


@contextmanager
def name_options(options: Mapping[str, Any]) -> Iterator[None]:
    """Replace arguments by options in the user errors that the block raises."""
    try:
        yield
    except AssayError as error:
        error.args = (write_options(write_subject(str(error), options), options), *error.args[1:])
        raise
