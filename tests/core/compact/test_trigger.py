"""A conversation below its trigger passes, and the stages are not imported for it."""

import subprocess
import sys

import pytest

from tests.core.compact.sizes import compact, policy, session, total

SMALL = b'[{"role":"user","content":"hi"}]'
SCRIPT = f"""
import sys
from tests.core.compact.sizes import compact, policy, read
assert compact(read({SMALL!r}), policy(200_000)).result == "unchanged"
assert "ctxkit.core.compact.stage_pipeline" not in sys.modules
assert "ctxkit.core.compact.summarize" not in sys.modules
"""


def test_below_the_trigger_the_reason_is_that_it_is_not_due() -> None:
    before = session("openai", 3)
    outcome = compact(before, policy(200_000))
    assert (outcome.result, outcome.reason, outcome.before) == ("unchanged", "it is below the trigger", outcome.after)
    assert outcome.before.amount.high == total(before)
    assert compact(before, policy(200_000, force=True)).result != "refused"


@pytest.mark.slow
def test_a_conversation_that_is_not_due_imports_no_stage() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, timeout=60)
