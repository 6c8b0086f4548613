"""Streams of content: stored first, and recognized if they were truncated before."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.store.label import Label, shorten_ref
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.truncation.truncate import Mode, TruncationLimits
from ctxkit.core.truncation.truncate_content import TruncationPolicy, TruncationResult, truncate_content
from tests.core.gate.test_replacement import MemoryStore

LINES = b"".join(b"line %d\n" % number for number in range(1, 5001))
LIMITS = TruncationLimits()
HINT = Hint(PRESETS["ctxkit"], name="log")


def policy_of(limits: TruncationLimits = LIMITS, mode: Mode = "tail", **more: bool) -> TruncationPolicy:
    return TruncationPolicy(limits, mode, HINT, Label("log"), **more)


def content_of(result: TruncationResult) -> bytes:
    return b"".join(result.content)


def truncate_in(store: MemoryStore | None, data: bytes, policy: TruncationPolicy, size: int = 1000) -> TruncationResult:
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    return truncate_content(chunks, policy, None if store is None else lambda: store)  # type: ignore[return-value]


def test_content_within_the_limits_passes_and_is_not_stored() -> None:
    store = MemoryStore()
    result = truncate_in(store, LINES, policy_of(TruncationLimits(5000, 60_000)))
    assert (content_of(result), result.truncated, store.held) == (LINES, None, {})
    assert (result.total_bytes, result.total_lines) == (len(LINES), 5000)


def test_other_content_is_stored_before_it_is_truncated() -> None:
    store = MemoryStore()
    result = truncate_in(store, LINES, policy_of())
    assert store.held == {result.ref: LINES}
    assert content_of(result).splitlines()[0] == (
        f"[lines 1-3,001 of 5,000 are not shown. To read a part: ctxkit cache get {shorten_ref(result.ref)} "
        f"--lines 1:120 (or: sed -n '1,120p' /cache/{shorten_ref(result.ref)}*)]"
    ).encode()
    assert content_of(result).count(b"\n") == 2000


@pytest.mark.parametrize("mode", get_args(Mode))
def test_a_stream_gives_what_memory_gives(mode: Mode) -> None:
    data = LINES * 40
    assert len(data) > 1 << 20
    store, other = MemoryStore(), MemoryStore()
    streamed = truncate_in(store, data, policy_of(mode=mode), 70_000)
    whole = truncate_in(other, data, policy_of(TruncationLimits(2000, 51_200), mode), len(data))
    assert content_of(streamed) == content_of(whole)
    assert store.held == other.held == {streamed.ref: data}
    unstored = truncate_in(None, data, policy_of(mode=mode))
    assert b" are not shown and not stored]" in content_of(unstored)


@pytest.mark.parametrize("mode", get_args(Mode))
@given(first=st.integers(10, 400), second=st.integers(10, 400))
def test_truncated_text_is_truncated_as_the_whole_would_be(mode: Mode, first: int, second: int) -> None:
    store = MemoryStore()
    once = truncate_in(store, LINES, policy_of(TruncationLimits(first), mode))
    twice = truncate_in(store, content_of(once), policy_of(TruncationLimits(second), mode))
    direct = truncate_in(store, LINES, policy_of(TruncationLimits(min(first, second)), mode))
    assert content_of(twice) == content_of(direct)
    assert twice.earlier is not None
    assert twice.gap == direct.gap
    assert len(store.held) == 1


def test_truncated_text_that_names_nothing_stored_is_ordinary_content() -> None:
    once = truncate_in(MemoryStore(), LINES, policy_of(TruncationLimits(100)))
    text = content_of(once)
    store = MemoryStore()
    twice = truncate_in(store, text, policy_of(TruncationLimits(50)))
    assert store.held == {twice.ref: text}
    assert twice.gap is not None
    assert twice.gap[:4] == ("lines", 1, 51, 100)


def test_utf_16_is_stored_as_it_came_and_shown_as_utf_8() -> None:
    data = "zeile ä\n".encode("utf-16") + "zeile ä\n".encode("utf-16-le") * 3000
    store = MemoryStore()
    result = truncate_in(store, data, policy_of(TruncationLimits(3)))
    assert store.held == {result.ref: data}
    assert content_of(result).decode().endswith("]\nzeile ä\nzeile ä\n")
    assert "sed" not in content_of(result).decode()
    large = truncate_in(MemoryStore(), data * 60, policy_of(TruncationLimits(3)))
    assert content_of(large).decode().endswith("]\nzeile ä\nzeile ä\n")


@pytest.mark.parametrize("data", [LINES, LINES * 40])
@pytest.mark.parametrize("fail_at", ["intake", "write 1", "commit"])
def test_what_cannot_be_stored_passes_with_a_warning(data: bytes, fail_at: str) -> None:
    result = truncate_in(MemoryStore(fail_at), data, policy_of())
    assert content_of(result) == data
    assert result.warning == "content passes unchanged: No space left on device: /cache/taking/1"
    with pytest.raises(OSError, match="No space left"):
        content_of(truncate_in(MemoryStore(fail_at), data, policy_of(strict=True)))
