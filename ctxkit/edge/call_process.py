"""Run a command for a caller of a server: its variables, its directory, and the token of a network."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import CtxkitError, MissingInputError, UsageError
from ctxkit.core.serve import Caller
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import say, source
from ctxkit.edge.setting_definitions import KEYS

if TYPE_CHECKING:
    from ctxkit.edge.settings import Settings

PREFIX = "CTXKIT_"
OTHER_VARIABLES = ("CTXKIT_DEBUG", "CTXKIT_DISABLE")
"""Variables of ctxkit that are no settings."""
DEFAULTS = {"XDG_CACHE_HOME": "~/.cache", "XDG_CONFIG_HOME": "~/.config", "XDG_DATA_HOME": "~/.local/share"}
"""Variables that move the store or the settings, and the directories that hold without them."""
_SERVER_KEY = "server"
"""Setting that says which server is asked: it is of no use to the server."""
_NOWHERE = "/"
"""Directory of a process between calls, and of a caller that names none."""


def run_for_caller(caller: Caller, run: Callable[[], int]) -> int:
    """Return the status of ``run`` in the place of the caller, with descriptors 0, 1 and 2 as its files.

    The variables of ctxkit are those of the caller, all others those of the server.
    """
    with open_streams():
        try:
            with _enter_place(caller):
                return run()
        except CtxkitError as error:
            say.error(str(error), error.hint)
            return int(error.status)


@contextmanager
def open_streams() -> Iterator[None]:
    """Open stdin, stdout and stderr anew, without what earlier calls buffered."""
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8", "surrogateescape")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), "utf-8", "surrogateescape")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), "utf-8", "backslashreplace", line_buffering=True
    )
    say.reset()
    source.reset()
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()


@contextmanager
def _enter_place(caller: Caller) -> Iterator[None]:
    """Take the directory and the variables of the caller; raise UsageError for a variable that it may not set."""
    check_variables(caller.variables)
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        del os.environ[name]
    os.environ.update(caller.variables)
    try:
        os.chdir(caller.directory or _NOWHERE)
    except OSError as error:
        raise MissingInputError(f"{caller.directory}: {error.strerror}", hint="the directory of the caller") from error
    try:
        yield
    finally:
        os.chdir(_NOWHERE)


def explain_refusal(name: str, value: str) -> str:
    """Return why a request may not set a variable, "" if it may."""
    if name in OTHER_VARIABLES:
        return ""
    definition = KEYS.get(name.removeprefix(PREFIX).lower()) if name.startswith(PREFIX) else None
    if definition is None or definition.user_file_only:
        return "is not a variable that a request may set"
    return "names a file, a directory, a program or an address" if value and names_place(name, value) else ""


def names_place(name: str, value: str) -> bool:
    """Return whether the value of a setting's variable names a place; one that cannot be read does where others do."""
    definition = KEYS[name.removeprefix(PREFIX).lower()]
    try:
        return definition.names_place(definition.read(value))
    except ValueError:
        return definition.names_place(value)


def check_variables(variables: Iterable[tuple[str, str]]) -> None:
    """Raise UsageError for the first variable that a request may not set."""
    for name, value in variables:
        if reason := explain_refusal(name, value):
            raise UsageError(f"{name}: {reason}", hint="set it in the settings of the server's user")


def list_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a request of this process carries."""
    return {
        name: value
        for name, value in environ.items()
        if name.startswith(PREFIX) and name != f"{PREFIX}{_SERVER_KEY.upper()}" and not explain_refusal(name, value)
    }


def has_own_place(environ: Mapping[str, str], settings: Settings) -> bool:
    """Return whether a variable or a project names a place, so that the server would use another one."""
    return any(_is_moved(environ.get(name, ""), default) for name, default in DEFAULTS.items()) or any(
        _is_set_outside_file(settings, key, definition) for key, definition in KEYS.items() if key != _SERVER_KEY
    )


def _is_moved(path: str, default: str) -> bool:
    """Return whether a directory is another than the default; one that is not absolute does not count."""
    return os.path.isabs(path) and path.rstrip(os.sep) != os.path.expanduser(default)


def _is_set_outside_file(settings: Settings, key: str, definition: Any) -> bool:
    """Return whether a setting names a place, and whether its source is not the user's own file."""
    from ctxkit.edge.user_dirs import settings_file

    setting = settings.lookup(key)
    if setting.source == "default" or setting.source.startswith(f"{settings_file()}:"):
        return False
    return bool(definition.names_place(setting.value))


_SHORTEST, LONGEST = 16, 4_096
"""Minimum and maximum characters of a token."""
_HINT = "as in: head -c 24 /dev/urandom | base64 > FILE; chmod 600 FILE"


def read_token(path: str) -> str:
    """Return the token in a file; raise UsageError if it is too short, or if other users can read the file."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            data = file.read(LONGEST + 1)
    except OSError as error:
        raise MissingInputError(f"{path}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is not a regular file")
    if status.st_mode & 0o077:
        raise UsageError(f"{path}: other users can read the token", hint=f"chmod 600 {quote_path(path)}")
    token = data.decode("utf-8", "replace").strip()
    if not _SHORTEST <= len(token) <= LONGEST or not token.isascii() or not token.isprintable():
        raise UsageError(f"{path} is not a token of {_SHORTEST} or more printable ASCII characters", hint=_HINT)
    return token
