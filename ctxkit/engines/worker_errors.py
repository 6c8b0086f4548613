"""Errors of a worker process that sent an error, died or exceeded its limits."""

import signal
from collections.abc import Callable
from typing import Any

from ctxkit.core.text.worker_interface import WorkerDiedError, WorkerLimitError
from ctxkit.engines.frames import decode_error
from ctxkit.engines.process_limits import MEMORY

SMALLER_INPUT_HINT = "a smaller input, or a part of it"


def check_seconds(value: Any) -> float:
    """Return a number of seconds that a process sent; raise WorkerDiedError if it is not one."""
    if not isinstance(value, float) or not 0 <= value <= 1e6:
        raise WorkerDiedError("sent garbage")
    return value


def _decode_os_error(value: Any) -> Exception:
    """Return the OSError of a process."""
    if not (isinstance(value, tuple) and len(value) == 3 and isinstance(value[0], int) and isinstance(value[1], str)):
        return WorkerDiedError("sent garbage")
    return OSError(*value) if isinstance(value[2], str) else OSError(*value[:2])


def _memory_error(_: Any) -> Exception:
    return WorkerLimitError(f"needed more than {MEMORY >> 20} MB of memory", hint=SMALLER_INPUT_HINT)


def _failure_error(value: Any) -> Exception:
    return WorkerDiedError(f"failed: {value}"[:1000], hint="CTXKIT_DEBUG=1 shows where; please report it")


ERROR_DECODERS: dict[str, Callable[[Any], Exception]] = {
    "trouble": decode_error,
    "os": _decode_os_error,
    "memory": _memory_error,
    "failed": _failure_error,
}


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number if it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
