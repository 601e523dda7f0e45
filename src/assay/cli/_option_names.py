"""Names of options in messages.

The Python functions behind the commands name their arguments (``unequal 'pad'``, ``tail=False``). On the command line
the same messages name the options that the user typed (``--unequal pad``, ``--no-tail``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from assay.errors import AssayError

# In messages these words are nouns ("run 'bm25': ...") rather than names of arguments.
_NOUNS = frozenset({"measure", "measures", "qrels", "run", "runs", "topic", "topics"})


def flag_of(name: str) -> str:
    """Return the option of a parameter.

    >>> flag_of("max_rel")
    '--max-rel'
    """
    return f"--{name.replace('_', '-')}"


def write_options(message: str, names: Iterable[str]) -> str:
    """Write the arguments that a message names as options; *names* are the parameters of the command.

    >>> write_options("unequal 'padd': choose one of incomparable, pad", ["unequal"])
    '--unequal padd: choose one of incomparable, pad'
    >>> write_options("qmax must be a grade of at least qmin=3, got 1", ["qmin", "qmax"])
    '--qmax must be a grade of at least --qmin 3, got 1'
    >>> write_options("tail=False: assume none", ["tail"])
    '--no-tail: assume none'
    >>> write_options("RBP(p=0.8) has no value", ["p"])
    'RBP(p=0.8) has no value'
    """
    words = "|".join(sorted(map(re.escape, set(names) - _NOUNS)))
    if not words:
        return message
    message = re.sub(rf"^({words})(?= must |: )", lambda match: flag_of(match[1]), message)
    message = re.sub(rf"(?<![\w-])({words}) '([^']*)'", lambda match: f"{flag_of(match[1])} {match[2]}", message)
    # Parameters of a measure also look like arguments; they follow a parenthesis or a comma, as in RBP(p=0.8, rel=2).
    message = re.sub(
        rf"(?<![\w(-])(?<!, )({words})=(\w[\w.-]*\w|\w)", lambda match: _write_value(*match.groups()), message
    )
    return re.sub(r"(--[\w-]+) or \1(?![\w-])", r"\1", message)


def _write_value(name: str, value: str) -> str:
    if value in ("True", "False"):
        return flag_of(name if value == "True" else f"no_{name}")
    return f"{flag_of(name)} {value}"


@contextmanager
def name_options(names: Iterable[str]) -> Iterator[None]:
    """Name options instead of arguments in the user errors that the block raises."""
    try:
        yield
    except AssayError as error:
        error.args = (write_options(str(error), names), *error.args[1:])
        raise
