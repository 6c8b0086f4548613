"""Define the interface for isolating work on untrusted content in a separate process."""

from collections.abc import Callable
from typing import Any, TypeAlias

from ctxkit.core.errors import CtxkitError, Exit

WorkerValue: TypeAlias = Any
"""A value that a worker process sent: None, numbers, strings, bytes, tuples, lists and dictionaries.

It is Any, because the process may send any shape: who reads the value tests it.
"""
Isolate = Callable[[Callable[[], WorkerValue], int], WorkerValue]
"""Returns the result of a function on content of a given size, called in a separate process.

Raises WorkerDiedError if there is no answer.
"""


def call_directly(work: Callable[[], WorkerValue], _: int) -> WorkerValue:
    """Call ``work`` in this process."""
    return work()


class WorkerDiedError(CtxkitError):
    """The worker process crashed, was killed or sent no valid answer.

    ``delivered`` is true if the output of a command was written before.
    """

    status = Exit.BUG
    delivered = False


class WorkerLimitError(WorkerDiedError):
    """The worker process exceeded its limit of memory or time."""

    status = Exit.MALFORMED
