from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.app.services import engines
from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.errors import MissingDependencyError
from ctxkit.core.gate.decision import GatePolicy, GateResult, GateServices
from ctxkit.core.gate.gate_content import check_fit, gate_content
from ctxkit.core.text.limits import call_directly
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import count_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary
from tests.example_counts import count_examples

tokenizer = cache(engines.load_tokenizer)
LINES = b"".join(b"line %d of the build says nothing\n" % number for number in range(1, 3001))


def no_tokenizer(vocabulary):
    raise AssertionError("no tokenizer is needed")


def no_store():
    raise AssertionError("no store is needed")


def absent(vocabulary):
    raise MissingDependencyError("splintr-rs cannot be loaded")


def terms_of(window: int, vocabulary: str = "qwen3", **more) -> GatePolicy:
    used = more.pop("used", 0)
    return GatePolicy(Budget(window, 0, used), find_vocabulary(vocabulary), Hint(PRESETS["ctxkit"], name="log"), **more)


def engines_of(store=no_store, count=tokenizer, reservation=None) -> GateServices:
    return GateServices(count, store, parse_nothing, call_directly, reservation)


def bytes_of(admission: GateResult) -> bytes:
    return b"".join(admission.content)


def chunked(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def test_the_byte_bound_decides_without_loading_a_tokenizer() -> None:
    admission = gate_content([b"x" * 900], terms_of(1000), engines_of(count=no_tokenizer))
    assert (admission.result, admission.token_count.method, admission.token_count.tokens) == ("raw", "bound", 900)
    assert bytes_of(admission) == b"x" * 900


def test_more_bytes_than_room_are_counted_exactly_and_pass_if_they_fit() -> None:
    data = b"hello world " * 300
    admission = gate_content([data], terms_of(1000), engines_of())
    assert (admission.result, admission.token_count.method) == ("raw", "exact")
    assert admission.token_count.tokens == tokenizer(find_vocabulary("qwen3"))(data.decode())
    assert bytes_of(admission) == data


@pytest.mark.parametrize("extra", [0, 1])
def test_content_fits_to_the_last_token(extra: int) -> None:
    data = b"hello world " * 300
    tokens = tokenizer(find_vocabulary("qwen3"))(data.decode())
    verdict = check_fit([data], terms_of(tokens - extra), engines_of())
    assert verdict.fits is (extra == 0)


def test_the_high_end_of_an_estimate_decides() -> None:
    data = b"hello world " * 300
    high = count_tokens([data], find_vocabulary("claude"), tokenizer(find_vocabulary("claude"))).high
    assert check_fit([data], terms_of(high, "claude"), engines_of()).fits
    assert not check_fit([data], terms_of(high - 1, "claude"), engines_of()).fits
    assert check_fit([data], terms_of(high, "claude"), engines_of()).token_count.method == "estimate"


def test_what_fits_past_the_trigger_is_tight_and_passes_as_it_is() -> None:
    data = b"hello world " * 300
    tokens = tokenizer(find_vocabulary("qwen3"))(data.decode())
    admission = gate_content([data], terms_of(tokens + 1), engines_of())
    assert admission.result == "tight"
    assert bytes_of(admission) == data


def test_content_tight_by_the_bound_alone_is_counted_before_it_is_called_so() -> None:
    admission = gate_content([b"Hello, World!\n" * 70], terms_of(1000), engines_of())
    assert (admission.result, admission.token_count.method) == ("raw", "exact")


def test_content_whose_bytes_do_not_prove_it_is_proven_by_its_words() -> None:
    admission = gate_content([b"hello world " * 80], terms_of(1000), engines_of(count=absent))
    assert (admission.result, admission.token_count.method, admission.warning) == ("raw", "bound", "")
    assert admission.token_count.high < 80 * len("hello world ")


def test_a_limit_holds_content_back_that_the_window_would_take() -> None:
    assert check_fit([b"hello"], terms_of(200_000, limit=5), engines_of()).fits
    assert not check_fit([b"hello " * 99], terms_of(200_000, limit=5), engines_of()).fits


@pytest.mark.parametrize("vocabulary", ["qwen3", "llama2", "claude", "bytes/3"])
@pytest.mark.parametrize("used", [0, 1000, 5000])
def test_nothing_at_all_always_fits(vocabulary: str, used: int) -> None:
    for chunks in ([], [b""]):
        admission = gate_content(chunks, terms_of(1000, vocabulary, used=used), engines_of())
        assert admission.result in ("raw", "tight")
        assert bytes_of(admission) == b""


def test_an_absent_tokenizer_lets_the_content_pass_with_a_warning() -> None:
    admission = gate_content(chunked(LINES, 700), terms_of(4000), engines_of(count=absent))
    assert (admission.result, bytes_of(admission)) == ("raw", LINES)
    assert admission.warning == "content passes unchanged: splintr-rs cannot be loaded"
    with pytest.raises(MissingDependencyError):
        gate_content([LINES], terms_of(4000, strict=True), engines_of(count=absent))


def test_an_estimate_stands_in_for_an_absent_tokenizer_with_a_remark() -> None:
    def ranked(vocabulary):
        return absent(vocabulary) if vocabulary.ranks else tokenizer(vocabulary)

    data = b"hello world " * 300
    admission = gate_content([data], terms_of(3000), engines_of(count=ranked))
    assert (admission.result, admission.token_count.method, bytes_of(admission)) == ("raw", "estimate", data)
    assert admission.remark == "tokens are estimated: splintr-rs cannot be loaded"
    assert admission.token_count.tokens < len(data)
    with pytest.raises(MissingDependencyError):
        gate_content([data], terms_of(3000, strict=True), engines_of(count=ranked))


@pytest.mark.parametrize("vocabulary", ["qwen3", "claude"])
def test_what_the_bytes_let_in_is_counted_where_the_count_is_asked_for(vocabulary: str) -> None:
    data = b"hello world " * 300
    admission = gate_content([data], terms_of(10_000, vocabulary, exact=True), engines_of())
    counted = count_tokens([data], find_vocabulary(vocabulary), tokenizer(find_vocabulary(vocabulary)))
    assert (admission.result, admission.token_count, bytes_of(admission)) == ("raw", counted, data)


def test_asking_for_the_count_does_not_change_what_the_bytes_decide() -> None:
    def ranked(vocabulary):
        return absent(vocabulary) if vocabulary.ranks else tokenizer(vocabulary)

    data = b"a1" * 470  # which an estimate takes for one token a byte
    for exact in (False, True):
        admission = gate_content([data], terms_of(1000, exact=exact), engines_of(count=ranked))
        assert (admission.result, bytes_of(admission)) == ("raw", data)
    assert admission.token_count.method == "estimate"


def full(**more):
    """Terms of a window of which 98 % is used and 2,000 tokens are left."""
    return terms_of(100_000, used=98_000, **more)


def test_content_that_would_fit_a_blocked_window_is_mapped_and_admitted_only_when_asked() -> None:
    data = b"hello world " * 90
    assert not check_fit([data], full(), engines_of(None)).fits
    assert check_fit([data], full(ignore_hard_block=True), engines_of()).fits
    admission = gate_content([data], full(ignore_hard_block=True), engines_of())
    assert (admission.result, bytes_of(admission)) == ("tight", data)
    assert check_fit([data], terms_of(100_000, used=97_999), engines_of()).fits


class Desk:
    """An account whose room others may take first, which satisfies what admit asks of core.account.Account."""

    def __init__(self, used: int, window: int = 1000) -> None:
        self.budget = Budget(window, 0)
        self._used = used
        self.taken = 0

    def reserve(self, tokens: int, limit: int | None) -> bool:
        self.budget = self.budget.with_used(self._used)
        self.taken = tokens if tokens <= self.budget.allowance(limit) else 0
        return self.taken > 0

    def cap_briefing(self, tokens: int) -> None:
        self.budget = self.budget._replace(briefing_cap=tokens)

    def make_within_target(self, limit, make, size):
        return make(self.budget.briefing_target(limit))


def test_under_a_session_content_is_counted_and_its_room_is_held() -> None:
    desk = Desk(used=0)
    admission = gate_content([b"hello world"], terms_of(1000), engines_of(reservation=desk))
    assert (admission.result, admission.token_count.method, admission.token_count.tokens) == ("raw", "exact", 2)
    assert desk.taken == 2


def test_content_that_no_longer_fits_when_its_room_is_to_be_held_is_shortened() -> None:
    data = b"hello world " * 300
    desk = Desk(used=900)
    services = engines_of(None, reservation=desk)
    admission = gate_content([data], terms_of(1000), services)
    assert (admission.result, desk.taken) == ("briefing", 0)
    assert admission.token_count.tokens <= 50


def test_what_is_tight_is_judged_by_the_room_there_is_when_it_is_held() -> None:
    data = b"hello world " * 45
    desk = Desk(used=900)
    assert gate_content([data], terms_of(1000), engines_of(reservation=desk)).result == "tight"


def test_a_tokenizer_that_fails_on_the_way_lets_the_content_pass() -> None:
    def fails(vocabulary):
        def count(text):
            raise ValueError("bad text")

        return count

    admission = gate_content(chunked(LINES, 700), terms_of(4000), engines_of(count=fails))
    assert bytes_of(admission) == LINES
    assert admission.warning == "content passes unchanged: bad text"


@settings(max_examples=count_examples(100), deadline=None)
@given(st.binary(max_size=300), st.integers(1, 50), st.integers(100, 2000))
@example(b"\xff\xfe" + b"a\x00" * 90, 1, 100)
def test_what_fits_passes_byte_for_byte_however_it_is_chunked(data: bytes, size: int, window: int) -> None:
    admission = gate_content(chunked(data, size), terms_of(window), engines_of(None))
    if admission.result in ("raw", "tight"):
        assert bytes_of(admission) == data
        assert admission.warning == ""
    else:
        assert tokenizer(find_vocabulary("qwen3"))(data.decode("utf-8", "replace")) > window or data[:2] in (
            b"\xff\xfe",
            b"\xfe\xff",
        )


def test_checking_stores_nothing() -> None:
    assert not check_fit([LINES], terms_of(100), engines_of()).fits
