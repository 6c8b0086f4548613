"""Run a function in a forked process, and send its result or its error."""

from __future__ import annotations

import gc
import os
import signal
from contextlib import suppress
from errno import ENOMEM
from typing import TYPE_CHECKING, Any

from ctxkit.core.errors import CtxkitError, MalformedInputError
from ctxkit.engines.process_limits import (
    ProcessLimits,
    confine,
    restore_limits,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.engines.worker_channel import WorkerChannel

GC_THRESHOLD = 1_000_000
"""Objects between two garbage collections of a forked process, which is short-lived and has limited memory."""
_channel: WorkerChannel | None = None
"""The channel of this process, if it was forked here."""


def report_group(group: int) -> None:
    """Have a process group killed if this process, as a worker, dies."""
    if _channel is not None:
        _channel.send("group", group)


def run_worker(work: Callable[[WorkerChannel], Any], limits: ProcessLimits, channel: WorkerChannel, mask: Any) -> None:
    """Run the work, and send its result or its error."""
    global _channel
    _channel = channel
    try:
        _detach(channel, mask)
        channel.limits = limits
        confine(limits)
        gc.set_threshold(GC_THRESHOLD)
        channel.send("result", work(channel))
    except MemoryError:
        restore_limits()
        channel.send("memory", None)
    except CtxkitError as error:
        channel.send("trouble", (type(error).__name__, str(error), error.hint))
    except OSError as error:
        restore_limits()
        if error.errno == ENOMEM:
            channel.send("memory", None)
            return
        name = error.filename if isinstance(error.filename, str) else None
        channel.send("os", (error.errno or 0, error.strerror or str(error), name))
    except RecursionError:  # recursion is as deep as the input is nested
        restore_limits()
        channel.send("trouble", (MalformedInputError.__name__, "the input is nested too deeply", ""))
    except BaseException as error:
        from traceback import print_exc

        restore_limits()
        if _is_debugging():
            print_exc()
        channel.send("failed", f"{type(error).__name__}: {error}")


def _detach(channel: WorkerChannel, mask: Any) -> None:
    """Detach from the signals, the terminal and the output of the parent."""
    with suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    channel.end_with_parent()
    # Messages of dying native code must reach neither stdout nor stderr.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if not _is_debugging():
        os.dup2(nowhere, 2)
    os.close(nowhere)


def _is_debugging() -> bool:
    """Return whether the user wants tracebacks."""
    return os.environ.get("CTXKIT_DEBUG", "") not in ("", "0")
