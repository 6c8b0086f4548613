"""What ends in a worker, and with which status."""

import pytest

from ctxkit.core.errors import CtxkitError, Exit
from ctxkit.core.text.worker_interface import WorkerDiedError, WorkerLimitError, call_directly


def test_without_a_worker_the_function_is_called_here() -> None:
    assert call_directly(lambda: [1, 2], 99) == [1, 2]
    with pytest.raises(ZeroDivisionError):
        call_directly(lambda: 1 // 0, 0)


def test_a_limit_is_a_fault_of_the_input_and_a_crash_is_ours() -> None:
    assert WorkerDiedError("x").status == Exit.BUG
    assert WorkerLimitError("x").status == Exit.MALFORMED
    assert issubclass(WorkerLimitError, WorkerDiedError)
    assert issubclass(WorkerDiedError, CtxkitError)
    assert not WorkerDiedError("x").delivered
