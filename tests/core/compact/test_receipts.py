"""What a request takes that its file does not show."""

import json

from ctxkit.core.compact.plan import prepare_input
from ctxkit.core.compact.receipts import estimate_unseen
from tests.core.compact.sizes import balance, compact, policy, read


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
