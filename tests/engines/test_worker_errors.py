import signal

import pytest

from ctxkit.core.text.worker_interface import WorkerDiedError, WorkerLimitError
from ctxkit.engines.worker_errors import ERROR_DECODERS, check_seconds, signal_name


@pytest.mark.parametrize("value", [-1.0, 1e7, float("nan"), 3, "3", None])
def test_other_values_are_not_seconds(value):
    assert check_seconds(0.0) == 0.0
    with pytest.raises(WorkerDiedError, match="garbage"):
        check_seconds(value)


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("os", (2, "No such file", "a.txt"), FileNotFoundError(2, "No such file", "a.txt")),
        ("os", (5, "Input/output error", None), OSError(5, "Input/output error")),
        ("os", (5, "Input/output error"), WorkerDiedError("sent garbage")),
        ("os", "5", WorkerDiedError("sent garbage")),
        ("memory", None, WorkerLimitError("needed more than 400 MB of memory")),
        ("failed", "x" * 2000, WorkerDiedError("failed: " + "x" * 992)),
    ],
)
def test_an_error_is_decoded(kind, value, error):
    decoded = ERROR_DECODERS[kind](value)
    assert (type(decoded), str(decoded)) == (type(error), str(error))


def test_a_signal_without_a_name_is_its_number():
    assert (signal_name(signal.SIGKILL), signal_name(99)) == ("SIGKILL", "signal 99")
