"""Read for whom a request is answered: the directory and the variables of its caller."""

import re
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote

from ctxkit.core.errors import UsageError

DIRECTORY_HEADER, VARIABLES_HEADER = "ctxkit-directory", "ctxkit-variables"
MAX_VARIABLES, MAX_LENGTH = 200, 100_000
"""Maximum number of variables of a request, and of characters in each header."""
_OWN = re.compile(r"CTXKIT_[A-Z0-9_]{1,80}")


class Caller(NamedTuple):
    """The working directory of a caller ("" if it sends none), and its variables."""

    directory: str = ""
    variables: tuple[tuple[str, str], ...] = ()


def read_caller(directory: str, variables: str, *, is_local: bool) -> Caller:
    """Return the caller of two headers: a percent-encoded path, and variables of ctxkit as in a query string.

    Raise UsageError for a relative path, an unknown variable, and any of them from a caller on another machine.
    """
    if not is_local and (directory or variables):
        raise UsageError(
            "a request over the network carries neither a directory nor variables", hint="use the parameters"
        )
    if max(len(directory), len(variables)) > MAX_LENGTH:
        raise UsageError(f"a header has at most {MAX_LENGTH:,} characters")
    path = unquote(directory, errors="surrogateescape")
    if path and (not path.startswith("/") or "\0" in path):
        raise UsageError(f"{DIRECTORY_HEADER} is not an absolute path")
    return Caller(path, _read_variables(variables))


def _read_variables(text: str) -> tuple[tuple[str, str], ...]:
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), errors="surrogateescape",
            max_num_fields=MAX_VARIABLES,
        )  # fmt: skip
    except ValueError as error:
        raise UsageError(f"{VARIABLES_HEADER}: {error}", hint="as in CTXKIT_MODEL=qwen3&CTXKIT_SESSION=s1") from None
    for name, value in pairs:
        if not _OWN.fullmatch(name):
            raise UsageError(f"{VARIABLES_HEADER}: {name[:80]!r} is not a variable of ctxkit")
        if "\0" in value:
            raise UsageError(f"{VARIABLES_HEADER}: {name} contains a NUL")
    return tuple(pairs)
