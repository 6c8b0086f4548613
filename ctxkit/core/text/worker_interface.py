"""Define the interface for isolating work on untrusted content in a separate process."""

from collections.abc import Callable
from typing import Any

from ctxkit.core.errors import CtxkitError
from ctxkit.core.exit import Exit

Isolate = Callable[[Callable[[], Any], int], Any]
"""Returns the result of a function on content of a given size, called in a separate process.

The value consists of None, numbers, strings, bytes, tuples, lists and dictionaries. Raises WorkerDiedError if there is
no answer.
"""


def call_directly(work: Callable[[], Any], _: int) -> Any:
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
