"""Work on content that nobody trusts, done apart from the process that has to answer."""

from collections.abc import Callable
from typing import Any

from ctxkit.core.errors import CtxkitError
from ctxkit.core.exit import Exit

Isolate = Callable[[Callable[[], Any], int], Any]
"""Return what a function of content of so many bytes returns, called in a process of its own.

The value consists of None, numbers, strings, bytes, tuples, lists and dictionaries. Raises WorkerDied if there is none.
"""


def call_directly(work: Callable[[], Any], _: int) -> Any:
    """Call ``work`` in this process."""
    return work()


class WorkerDiedError(CtxkitError):
    """The process that did the work crashed, was killed or sent no valid answer.

    ``delivered`` says that the output of a command was written before.
    """

    status = Exit.BUG
    delivered = False


class WorkerLimitError(WorkerDiedError):
    """The process that did the work needed more memory or time than such content may take."""

    status = Exit.MALFORMED
