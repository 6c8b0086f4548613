"""Run a command for a caller in a process that has run others before: with its directory, variables and files."""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ctxkit.core.errors import CtxkitError, MissingInputError
from ctxkit.core.serve import Caller
from ctxkit.edge import say, source
from ctxkit.edge.request_variables import PREFIX, check_variables

NOWHERE = "/"
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
        os.chdir(caller.directory or NOWHERE)
    except OSError as error:
        raise MissingInputError(f"{caller.directory}: {error.strerror}", hint="the directory of the caller") from error
    try:
        yield
    finally:
        os.chdir(NOWHERE)
