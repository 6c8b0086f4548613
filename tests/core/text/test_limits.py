"""The limits agree with one another."""

import pytest

from ctxkit.core.errors import CtxkitError, Exit
from ctxkit.core.text import limits
from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError, call_directly
from ctxkit.core.tokens.token_count import UNSPLIT


def test_smaller_limits_are_below_larger_ones() -> None:
    assert UNSPLIT <= limits.WHOLE_DOCUMENT <= limits.EDITABLE


def test_what_is_read_as_a_whole_fits_the_promised_memory() -> None:
    promised = 400 * limits.MB
    assert promised >= 20 * limits.WHOLE_DOCUMENT
    assert promised >= 5 * limits.EDITABLE
    assert promised > 60 * UNSPLIT


def test_every_limit_is_a_positive_number() -> None:
    values = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert [name for name, value in values.items() if value <= 0] == []


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
