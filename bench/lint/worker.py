"""Many runs of ctxkit from one warm process, a fork each: ``python -m bench.lint.worker`` reads jobs as JSON lines."""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn


class _Left(BaseException):
    """Stand for the end of the process."""


def _leaves(status: int) -> NoReturn:
    raise _Left(status)


def warm() -> None:
    """Run once in this process, so that whatever a run imports is there for all that follow."""
    from ctxkit.main import main

    leave = os._exit
    os._exit = _leaves
    out, err = os.dup(1), os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    with tempfile.TemporaryDirectory() as empty, suppress(_Left):
        try:
            os.dup2(null, 1)
            os.dup2(null, 2)
            with open(os.path.join(empty, "AGENTS.md"), "w", encoding="ascii") as file:
                file.write("# Rules\n\n- One rule of many words stands here\n- One rule of many words stands here\n")
            main(["dedupe", "--fix", empty])
        finally:
            sys.stdout.flush()
            os.dup2(out, 1)
            os.dup2(err, 2)
            os._exit = leave


def ran(folder: str, args: Sequence[str]) -> tuple[int, str]:
    """Run ctxkit in a folder; return its status and the end of what it said on stderr."""
    from ctxkit.main import main

    with tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            os.chdir(folder)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(err.fileno(), 2)
            main(list(args))
        _, ended = os.waitpid(child, 0)
        err.seek(0)
        return os.waitstatus_to_exitcode(ended), err.read()[-300:].decode(errors="replace")


def serve() -> None:
    """Answer jobs ``[folder, [argument, ...]]`` with ``[status, said]`` until there are no more."""
    warm()
    for line in sys.stdin:
        folder, args = json.loads(line)
        print(json.dumps(ran(folder, args)), flush=True)


if __name__ == "__main__":
    serve()
