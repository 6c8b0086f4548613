"""After an error, content passes unchanged with a warning, unless the policy is strict."""

import pytest

from ctxkit.core.gate.policy import GatePolicy
from ctxkit.core.gate.result import UNCOUNTED, pass_unchanged
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabularies import find_vocabulary

POLICY = GatePolicy(Budget(1000, 100), find_vocabulary("bytes/3"), Hint(PRESETS["ctxkit"]))


@pytest.mark.parametrize(
    ("error", "warning"),
    [
        (OSError(28, "No space left on device", "/x"), "content passes unchanged: No space left on device: /x"),
        (ValueError("bad"), "content passes unchanged: bad"),
        (RecursionError(), "content passes unchanged: RecursionError"),
    ],
)
def test_the_warning_says_what_went_wrong_and_where(error, warning: str) -> None:
    result = pass_unchanged([b"a", b"b"], error, POLICY)
    assert (result.result, result.warning, result.token_count) == ("raw", warning, UNCOUNTED)
    assert list(result.content) == [b"a", b"b"]


def test_a_strict_policy_raises_the_error() -> None:
    with pytest.raises(ValueError, match="bad"):
        pass_unchanged([], ValueError("bad"), POLICY._replace(strict=True))
