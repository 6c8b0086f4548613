"""Work in a child process: its status is the parent's, and it ends with its limit or its parent."""

import os
import signal
import subprocess
import sys
import time

import pytest

from ctxkit.edge import cpu_limit

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
START = "import os, signal, sys; from ctxkit.edge.cpu_limit import fork_with_limit; status = fork_with_limit(1)\n"
STATUS = "if status is not None: print('parent', status, flush=True); os._exit(status)\n"


def python(code: str, **more) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", START + STATUS + code], stdout=-1, stderr=-1, text=True, **more)


@pytest.mark.parametrize("status", [0, 1, 2, 74])
def test_the_status_of_the_child_is_returned(status: int) -> None:
    ran = python(f"print('child', flush=True); os._exit({status})")
    assert ran.communicate()[0] == f"child\nparent {status}\n"
    assert ran.returncode == status


@pytest.mark.slow
def test_a_child_that_uses_up_its_processor_time_is_stopped() -> None:
    ran = python("while True: pass")
    assert "TimeoutError: no end after 1 s of processor time" in ran.communicate(timeout=60)[1]


def test_waiting_costs_no_processor_time() -> None:
    ran = python("import time; time.sleep(1.5); print('done')")
    assert ran.communicate()[0] == "done\nparent 0\n"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGPIPE, signal.SIGKILL])
def test_the_parent_dies_of_the_signal_that_the_child_died_of(number) -> None:
    ran = python(f"signal.signal({number}, 0) if {number} != 9 else 0; os.kill(os.getpid(), {number})", preexec_fn=_no_core)
    ran.communicate()
    assert ran.returncode == -number


def _no_core() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test_a_signal_to_end_reaches_the_child() -> None:
    ran = python("import time; print(os.getpid(), flush=True); time.sleep(60)")
    child = int(ran.stdout.readline())
    ran.terminate()
    ran.communicate(timeout=30)
    assert ran.returncode == -signal.SIGTERM
    time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_memory_has_a_limit_too() -> None:
    ran = python(f"bytearray({cpu_limit.MEMORY})")
    assert "MemoryError" in ran.communicate()[1]


def test_a_system_that_cannot_fork_sets_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert cpu_limit.fork_with_limit(1) is None
