import time

import pytest

from ctxkit.engines.isolation import run_forked
from ctxkit.engines.process_limits import ProcessLimits

# The runner of the tests may have threads, which the function does not use.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


LIMITS = ProcessLimits(wall=5.0)
LARGE = b"x" * 3_000_000


def test_messages_are_heard_in_order_before_the_answer() -> None:
    heard = []

    def work(line):
        line.send("first", 1)
        line.send_and_wait("ask second", LARGE)
        line.send("third", "3")
        return "end"

    assert run_forked(work, LIMITS, lambda kind, value: heard.append((kind, value))) == "end"
    assert heard == [("first", 1), ("ask second", LARGE), ("third", "3")]


def test_work_that_waits_for_others_gets_the_time_it_asks_for() -> None:
    def work(line):
        line.extend_deadline(5)
        time.sleep(0.6)
        return "done"

    assert run_forked(work, ProcessLimits(wall=0.2)) == "done"
