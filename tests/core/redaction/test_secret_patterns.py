"""How much work a search for secrets does."""

import pytest

from ctxkit.core.redaction import secret_patterns
from ctxkit.core.redaction.find_secrets import find_secrets

KEY = "sk-ant-api03-Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0"


def test_patterns_are_tried_only_on_text_that_has_their_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = []
    compile_pattern = secret_patterns.compile_pattern
    monkeypatch.setattr(secret_patterns, "compile_pattern", lambda kind: kinds.append(kind) or compile_pattern(kind))
    assert find_secrets("the link points to a missing file: b1") == []
    assert kinds == []
    assert find_secrets(f"a key {KEY}, and one more") == [(6, 6 + len(KEY), "Anthropic key")]
    assert kinds == ["Anthropic key", "OpenAI key"]
