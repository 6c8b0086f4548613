"""A conversation below its trigger passes, and the stages are not imported for it."""

import json
import subprocess
import sys

import pytest

from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.trigger import estimate_unseen
from tests.core.compact.sizes import balance, compact, policy, read, session, total

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


def talk(context, words="word " * 100):
    rows = [
        {"role": "user", "content": words},
        {"role": "assistant", "content": "ok", "usage": {"input_tokens": context, "output_tokens": 2}},
        {"role": "user", "content": "thanks"},
    ]
    return read(json.dumps(rows).encode(), "anthropic")


def found(context, window=10_000, **given):
    transcript = talk(context, **given)
    return estimate_unseen(prepare_input(transcript, balance(transcript), policy(window)))


def test_a_receipt_tells_how_much_stands_beside_the_file() -> None:
    assert 2_800 < found(3_000) < 3_000
    assert compact(talk(3_000), policy(10_000)).overhead == found(3_000)


def test_a_receipt_of_another_window_is_not_believed() -> None:
    assert found(30_000) == 0
    assert found(9_000) == 0


def test_neither_is_one_of_before_a_compaction() -> None:
    assert found(3_000, words="[ctxkit summary] Earlier messages stand here in short.\n\n# Context\n") == 0
