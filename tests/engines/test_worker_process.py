"""A forked process is detached from its parent, and reports the groups that it starts."""

import errno
import os
import subprocess
import sys
import textwrap

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.engines.isolation import run_forked
from ctxkit.engines.process_limits import ProcessLimits
from ctxkit.engines.worker_process import report_group

# The runner of the tests may have threads, which the function does not use.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")

LIMITS = ProcessLimits(wall=5.0)


def raise_(error):
    raise error


@pytest.mark.slow
def test_what_it_raises_is_raised_here() -> None:
    with pytest.raises(MalformedInputError, match="line 7") as malformed:
        run_forked(lambda _: raise_(MalformedInputError("line 7 is torn", hint="mend it")), LIMITS)
    assert malformed.value.hint == "mend it"
    with pytest.raises(FileNotFoundError) as absent:
        run_forked(lambda _: os.stat("/no/such/file"), LIMITS)
    assert (absent.value.errno, absent.value.filename) == (errno.ENOENT, "/no/such/file")
    with pytest.raises(WorkerDiedError, match="the worker process failed: ZeroDivisionError"):
        run_forked(lambda _: 1 / 0, LIMITS)
    with pytest.raises(WorkerDiedError, match="the worker process failed: SystemExit"):
        run_forked(lambda _: sys.exit(3), LIMITS)
    with pytest.raises(WorkerDiedError, match="unmarshallable"):
        run_forked(lambda _: object(), LIMITS)


def test_it_neither_writes_what_is_ours_nor_runs_what_is_to_run_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    code = """
    import atexit, os, sys
    from ctxkit.engines.isolation import run_forked
    from ctxkit.engines.process_limits import ProcessLimits
    atexit.register(print, "at exit")
    sys.stdout.write("once ")
    run_forked(lambda _: (print("from the fork", flush=True), os.write(1, b"native"), os.write(2, b"native"), None)[3], ProcessLimits())
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    assert capfd.readouterr() == ("once at exit\n", "")


def test_outside_of_a_worker_no_group_is_reported() -> None:
    report_group(os.getpgid(0))
