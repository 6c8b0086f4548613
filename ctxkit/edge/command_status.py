"""Run a command of the root group, and turn its result or its error into an exit status."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import click

from ctxkit.core.errors import CtxkitError, Exit
from ctxkit.edge import say
from ctxkit.edge.command_group import check_answer
from ctxkit.edge.user_dirs import find_home_hint
from ctxkit.registry import GROUPS, VERBS

if TYPE_CHECKING:
    from collections.abc import Callable


def run_command(root: click.Command, args: list[str]) -> int:
    """Parse the arguments and run the command; click's own ``main`` would turn a closed pipe into status 1."""
    try:
        with root.make_context("ctxkit", args) as ctx:
            ctx.meta["ctxkit.start"] = time.monotonic()
            return check_answer(root.invoke(ctx))
    except click.exceptions.Exit as exit_request:
        return exit_request.exit_code


def _describe_os_error(error: OSError) -> str:
    """Return what failed, and the file that it is about."""
    place = f": {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{place}"


def _report_usage(error: click.UsageError) -> int:
    """Print what is wrong with a command line, and return the status of that."""
    from ctxkit.edge.wrong_options import explain_usage_error

    path = error.ctx.command_path if error.ctx else " ".join(_find_command_words(sys.argv[1:]))
    say.error(explain_usage_error(error), f"{path} --help")
    return int(Exit.USAGE)


def run_for_status(work: Callable[[], int]) -> int:
    """Run a command; return its exit status, or print its error in one line and return the error's status."""
    try:
        answer = work()
        if sys.stdout is not None:
            sys.stdout.flush()
        return answer
    except CtxkitError as failure:
        say.error(str(failure), find_home_hint(str(failure)) or failure.hint)
        return int(failure.status)
    except click.UsageError as error:
        return _report_usage(error)
    except click.ClickException as error:
        say.error(error.format_message())
        return int(Exit.USAGE)
    except KeyboardInterrupt:
        return int(Exit.INTERRUPTED)
    except BrokenPipeError:
        return _exit_by_sigpipe()
    except OSError as error:
        return _report_crash(error, Exit.IO, _describe_os_error(error))
    except RecursionError as error:  # recursion is as deep as the input is nested
        return _report_crash(error, Exit.MALFORMED, "the input is nested too deeply")
    except Exception as error:
        return _report_crash(error, Exit.BUG, f"internal error: {type(error).__name__}: {error}")


def _find_command_words(args: list[str]) -> list[str]:
    """Return the words of the arguments that name a command."""
    words, table = ["ctxkit"], VERBS
    for word in args:
        if word not in table:
            break
        words.append(word)
        table = GROUPS.get(word, {})
    return words


def _report_crash(error: Exception, status: Exit, message: str) -> int:
    if say.is_debugging():
        from traceback import format_exception

        say.say("".join(format_exception(error)).rstrip())
    hint = find_home_hint(message) or getattr(error, "hint", "")
    hint = "CTXKIT_DEBUG=1 shows where; please report it" if status is Exit.BUG else hint
    say.error(message, hint)
    return int(status)


def _exit_by_sigpipe() -> int:
    """End silently by SIGPIPE, like a C program whose reader has closed the pipe."""
    import signal

    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return int(Exit.DONE)
