"""Run a command for a caller in a process that has run others before: with its directory, variables and files."""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ctxkit.core.errors import CtxkitError, MissingInputError
from ctxkit.core.serve.caller import Caller, is_variable_of_caller
from ctxkit.edge import say, source

NOWHERE = "/"
"""Directory of a process between calls, and of a caller that names none."""


def run_for_caller(caller: Caller, own: dict[str, str], run: Callable[[], int]) -> int:
    """Return the status of ``run`` in the place of the caller, with descriptors 0, 1 and 2 as its files.

    ``own`` are the variables of the server, which hold where the caller names none.
    """
    with _open_streams():
        try:
            with _enter_place(caller, own):
                return run()
        except CtxkitError as error:
            say.error(str(error), error.hint)
            return int(error.status)


@contextmanager
def _open_streams() -> Iterator[None]:
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
def _enter_place(caller: Caller, own: dict[str, str]) -> Iterator[None]:
    """Take the directory and the variables of the caller."""
    variables = dict(caller.variables)
    for name in [name for name in os.environ if is_variable_of_caller(name) and name not in variables]:
        del os.environ[name]
    os.environ.update(own | variables)
    try:
        os.chdir(caller.directory or NOWHERE)
    except OSError as error:
        raise MissingInputError(f"{caller.directory}: {error.strerror}", hint="the directory of the caller") from error
    try:
        yield
    finally:
        os.chdir(NOWHERE)


def list_own_variables() -> dict[str, str]:
    """Return the variables of this process that a caller may replace, without the settings of ctxkit."""
    return {
        name: value
        for name, value in os.environ.items()
        if is_variable_of_caller(name) and not name.startswith("CTXKIT_")
    }
