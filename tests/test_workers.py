"""Work is done by a worker process if a fork is safe, else here."""

import os
import threading

from ctxkit import workers
from ctxkit.core.exit import Exit
from ctxkit.edge import out


def test_work_is_done_apart():
    assert workers.isolate(os.getpid, 0) != os.getpid()


def test_with_threads_work_is_done_here(capfd):
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()

    def command() -> Exit:
        out.write_text(f"{os.getpid()}\n")
        return Exit.NO

    try:
        assert workers.isolate(os.getpid, 0) == os.getpid()
        assert workers.apart(command) == Exit.NO
    finally:
        stop.set()
        thread.join()
    assert capfd.readouterr().out == f"{os.getpid()}\n"


def test_a_command_answers_from_apart_with_what_it_wrote(capfd):
    def command() -> Exit:
        out.write_text(f"{os.getpid()}\n")
        return Exit.NO

    assert workers.apart(command) == Exit.NO
    said = capfd.readouterr().out
    assert said.strip().isdigit()
    assert int(said) != os.getpid()


def test_what_is_asked_of_a_model_takes_its_time_only_in_a_worker():
    assert workers.patiently(str.upper, 5)("text") == "TEXT"
    assert workers.isolate(lambda: workers.patiently(str.upper, 5)("text"), 0) == "TEXT"
