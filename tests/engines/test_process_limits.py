import subprocess
import sys

import pytest

from ctxkit.engines import process_limits
from ctxkit.engines.isolation import run_forked
from ctxkit.engines.process_limits import ProcessLimits

# The runner of the tests may have threads, which the function does not use.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.mark.slow
def test_what_a_bounded_process_starts_may_have_its_limits_lifted() -> None:
    def started(_):
        with process_limits.lift_limits():
            return int(subprocess.run([sys.executable, "-c", "print(len(bytearray(900 << 20)))"], stdout=-1).stdout)

    assert run_forked(started, ProcessLimits(wall=60.0)) == 900 << 20


def test_limits_grow_with_the_content() -> None:
    assert ProcessLimits.for_size(0) == ProcessLimits(process_limits.MEMORY, 10, 20)
    assert ProcessLimits.for_size(50_000_000) == ProcessLimits(process_limits.MEMORY, 160, 320)
