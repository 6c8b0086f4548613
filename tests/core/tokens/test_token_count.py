"""The bound by common words is never below the count, in any of its vocabularies, and far below the bytes of prose."""

from functools import cache
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxkit.app.services.engines import load_tokenizer
from ctxkit.core.tokens import estimate
from ctxkit.core.tokens import token_count as tallying
from ctxkit.core.tokens.single_token_words import COMMON_TOKENS
from ctxkit.core.tokens.token_count import (
    SPLIT_WORDS,
    UNSPLIT,
    WORD_VOCABULARIES,
    TokenCount,
    bound_by_words,
    count_tokens,
    decode_content,
    detect_encoding,
    find_safe_cut,
    split_pieces,
    token_bound,
)
from ctxkit.core.tokens.vocabulary import VOCABULARIES, find_vocabulary, rate_tokenizer
from ctxkit.engines import tokens
from tests.example_counts import count_examples

EXACT = [name for name, vocabulary in VOCABULARIES.items() if vocabulary.exact]
BYTE_LEVEL = [name for name in EXACT if VOCABULARIES[name].cuts]
count_of = cache(lambda name: load_tokenizer(find_vocabulary(name)))
NASTY = st.lists(
    st.sampled_from(
        ["\n", "\n\n", "\r\n", "\r", " ", "  ", "\t", "/", "//", "!", "*/", "a", "B", "'s", "'", "1", "12345", "_", "-", "=",
         "{", "}", "é", "e\u0301", "\u0338", "\u093c", "漢", "字", "한", "\u1100\u1161", "🙂", "\u200d", "\u2028", "\x85", "\u3000",
         "\x00", "\x1b[0m", "<|endoftext|>", "<s>", "\ufeff", "\u0958", "ﬁ", "word", "Word", " the"]
    ),
    max_size=40,
).map("".join)  # fmt: skip
NASTY_BYTES = st.lists(
    st.one_of(
        NASTY.map(str.encode),
        st.binary(max_size=6),
        st.sampled_from(
            [b"\xed\xa0\x80", b"\xff", b"\xc3", b"\xe4\xb8", b"\xf0\x9f", "\U0001d160".encode(), "\u0958".encode()]
        ),
    ),
    max_size=6,
).map(b"".join)


def chunks_of(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("name", BYTE_LEVEL)
@settings(max_examples=count_examples(60), deadline=None)
@given(text=NASTY, size=st.integers(1, 9))
@example(text="a !\n\nb", size=1)
@example(text="  \n\n  x\n\n\n!\n/\n/a", size=1)
def test_a_count_in_safe_cuts_equals_the_whole_count(name, text, size: int) -> None:
    count, cut = count_of(name), tallying.CUT_SIZE
    tallying.CUT_SIZE = 4
    try:
        found = count_tokens(chunks_of(text.encode(), size), find_vocabulary(name), count)
    finally:
        tallying.CUT_SIZE = cut
    assert found == TokenCount(count(text), count(text), "exact")


@pytest.mark.parametrize("name", BYTE_LEVEL)
@settings(max_examples=count_examples(40), deadline=None)
@given(text=NASTY, size=st.integers(1, 9), limit=st.integers(0, 40))
def test_stopping_early_gives_the_answer_that_counting_on_would(name, text, size: int, limit: int) -> None:
    count, cut = count_of(name), tallying.CUT_SIZE
    tallying.CUT_SIZE = 4
    try:
        found = count_tokens(chunks_of(text.encode(), size), find_vocabulary(name), count, limit)
    finally:
        tallying.CUT_SIZE = cut
    assert (found.complete and found.high <= limit) == (count(text) <= limit)
    assert not found.complete or found.tokens == count(text)


@pytest.mark.parametrize("name", EXACT)
def test_a_long_text_without_any_safe_cut_is_counted_whole(name, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "CUT_SIZE", 50)
    text = "漢字 and some words without any line, " * 20
    found = count_tokens(chunks_of(text.encode(), 7), find_vocabulary(name), count_of(name))
    assert found.tokens == count_of(name)(text)


@pytest.mark.parametrize("name", VOCABULARIES)
def test_counting_stops_early_even_where_no_cut_is_safe(name, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "CUT_SIZE", 50)
    monkeypatch.setattr(estimate, "BLOCK", 50)
    monkeypatch.setattr(tallying, "RATE_STEP", 50)
    pulled = []

    def endless():
        while True:
            pulled.append(1)
            assert len(pulled) < 1000
            yield b"words and words "

    assert not count_tokens(endless(), find_vocabulary(name), count_of(name), 100).complete


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=count_examples(60), deadline=None)
@given(data=NASTY_BYTES)
@example(data=b"")
@example(data="\U0001d160".encode() * 9)
@example(data="\u0958\u0959\u095a".encode() * 5)
@example(data="漢字かな交じり文".encode() * 4)
@example(data=b"\xff\xfe\x00" * 7)
@example(data=b"\x00" * 20)
@example(data=b"\xed\xa0\x80" * 5)
@example(data="héllo 漢字\n".encode("utf-16"))
@example(data="漢字かな".encode("utf-16-be"))
@example(data=b"\xfe\xff" + "漢字かな".encode("utf-16-be"))
@example(data=b"\xff\xfe\x00\xd8\x00")
@example(data=b" ")
@example(data=b"a")
def test_the_byte_bound_is_never_below_the_true_count(name, data) -> None:
    vocabulary = find_vocabulary(name)
    assert token_bound(data, vocabulary) >= count_of(name)(decode_content(data))


@pytest.mark.parametrize("name", [name for name in VOCABULARIES if name not in EXACT])
@settings(max_examples=count_examples(30), deadline=None)
@given(data=NASTY_BYTES)
def test_the_byte_bound_is_never_below_what_an_estimate_is_made_from(name, data) -> None:
    assert token_bound(data, find_vocabulary(name)) >= count_of(name)(decode_content(data))


@settings(max_examples=count_examples(150), deadline=None)
@given(st.one_of(NASTY_BYTES, NASTY.map(lambda text: text.encode("utf-16"))), st.integers(1, 6))
@example("héllo\n".encode("utf-16"), 1)
@example(b"\xff\xfe\x00\xd8\x00", 1)
def test_text_does_not_depend_on_how_bytes_are_chunked(data, size: int) -> None:
    found = "".join(text for text, place in split_pieces(chunks_of(data, size), cuts=True) if place != "peek")
    assert found == decode_content(data)


def test_an_empty_first_chunk_hides_no_mark() -> None:
    data = "héllo\n".encode("utf-16")
    assert "".join(text for text, _ in split_pieces([b"", data], cuts=True)) == "héllo\n"


@given(NASTY)
def test_a_cut_comes_after_a_newline_and_before_printable_ascii(text) -> None:
    cut = find_safe_cut(text)
    if cut:
        assert text[cut - 1] == "\n"
        assert "!" <= text[cut] <= "~"
        assert text[cut] != "/"
    assert not any(
        text[at] == "\n" and "!" <= text[at + 1] <= "~" and text[at + 1] != "/" for at in range(cut, len(text) - 1)
    )


@given(NASTY, st.integers(1, 5))
def test_the_pieces_join_to_the_whole_and_only_the_last_is_the_end(text, size: int) -> None:
    cut = tallying.CUT_SIZE
    tallying.CUT_SIZE = 3
    try:
        found = list(split_pieces(chunks_of(text.encode(), size), cuts=True))
    finally:
        tallying.CUT_SIZE = cut
    assert "".join(piece for piece, place in found if place != "peek") == text
    assert [place for _, place in found].index("end") == len(found) - 1


def test_utf16_is_known_by_its_mark_alone() -> None:
    assert detect_encoding("x".encode("utf-16")) == "utf-16"
    assert detect_encoding(b"\xef\xbb\xbfx") == "utf-8"
    assert detect_encoding(b"") == "utf-8"
    assert decode_content("é".encode("utf-16-le")) != "é"


def test_the_same_text_takes_the_same_tokens_in_utf8_and_utf16() -> None:
    text = "héllo wörld, 漢字\n" * 9
    counts = {count_tokens([text.encode(codec)], find_vocabulary("qwen3"), count_of("qwen3")) for codec in ("utf-8", "utf-16")}
    assert len(counts) == 1


def test_an_estimate_is_labelled_and_its_high_end_is_above_it() -> None:
    found = count_tokens([b"some words " * 50], find_vocabulary("claude"), count_of("claude"))
    assert found.method == "estimate"
    assert 0 < found.least == found.low < found.tokens < found.high
    assert found.high > count_of("o200k")("some words " * 50)


def test_bytes_over_three_is_the_rule_of_the_seed_rounded_up() -> None:
    found = count_tokens([b"1234567"], find_vocabulary("bytes/3"), count_of("bytes/3"))
    assert (found.tokens, found.method) == (3, "estimate")


def test_ascii_is_bound_by_its_length_and_a_prefix() -> None:
    assert token_bound(b"hello", find_vocabulary("qwen3")) == 5
    assert token_bound(b"hello", find_vocabulary("llama2")) == 6
    assert token_bound(b"", find_vocabulary("o200k")) == 0


def test_what_a_normalizer_lengthens_stays_within_the_bound() -> None:
    text = "\U0001d160" * 10
    assert len(normalize("NFC", text).encode()) == 3 * len(text.encode())
    assert token_bound(text.encode(), find_vocabulary("qwen3")) == 120


def test_nothing_takes_no_tokens() -> None:
    assert count_tokens([], find_vocabulary("o200k"), count_of("o200k"), 0) == TokenCount(0, 0, "exact")


def test_a_row_without_any_place_to_cut_is_cut_all_the_same_and_estimated() -> None:
    longest = 0

    def count(text: str) -> int:
        nonlocal longest
        longest = max(longest, len(text))
        return len(text) // 4

    data = b"[]," * (3 * UNSPLIT // 3 + 1_000)
    for chunks in ([data], chunks_of(data, 100_000)):
        found = count_tokens(chunks, find_vocabulary("qwen3"), count)
        assert (found.method, found.least < len(data) // 4 < found.high) == ("estimate", True)
    assert longest <= 2 * UNSPLIT


@pytest.mark.parametrize("name", ["bytes/3", "bytes/2.5", "chars/4"])
@given(st.lists(st.one_of(NASTY_BYTES, st.binary(max_size=9)), max_size=6))
def test_a_rate_counts_chunks_as_it_counts_their_text(name: str, chunks: list[bytes]) -> None:
    vocabulary = find_vocabulary(name)
    counted = count_tokens(chunks, vocabulary, len)
    expected = rate_tokenizer(vocabulary)("".join(tallying.decode_chunks(chunks)))
    assert (counted.tokens, counted.high, counted.least, counted.complete) == (*[expected] * 3, True)


def test_a_rate_stops_soon_after_its_limit() -> None:
    pulled = 0

    def read():
        nonlocal pulled
        for _ in range(1000):
            pulled += 1
            yield b"x" * 65_536

    counted = count_tokens(read(), find_vocabulary("bytes/4"), len, limit=1000)
    assert (counted.complete, counted.tokens > 1000, pulled <= 17) == (False, True, True)


ROOT = Path(__file__).parents[3]
count_with = cache(lambda name: tokens.load_tokenizer(find_vocabulary(name)))
WORDS = sorted(word.decode() for word in COMMON_TOKENS)
PIECES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(str.capitalize),
    st.text(st.characters(codec="ascii"), max_size=6),
    st.sampled_from([" ", "  ", "\n", "\n\n", "\t", "\r\n", " \n ", ".", ", ", ": ", ";", ")", "'s", "'t ", "_", "-", "/", "=", "1", "1234", '"']),
)


@pytest.mark.parametrize("name", sorted(WORD_VOCABULARIES))
def test_each_common_word_is_one_token_after_a_space(name: str) -> None:
    count = count_with(name)
    alone = count("a")
    assert [word for word in WORDS if word.encode() not in SPLIT_WORDS and count(f"a {word}") != alone + 1] == []


@pytest.mark.quick_cases(7)
@pytest.mark.parametrize("name", sorted(WORD_VOCABULARIES))
@given(pieces=st.lists(PIECES, max_size=40))
def test_the_bound_is_never_below_the_count(name: str, pieces: list[str]) -> None:
    for text in ("".join(pieces), " ".join(pieces)):
        bound = bound_by_words(text.encode(), find_vocabulary(name))
        assert bound is not None
        assert count_with(name)(text) <= bound <= len(text) + find_vocabulary(name).prefix


@pytest.mark.parametrize("name", sorted(WORD_VOCABULARIES))
@pytest.mark.parametrize("path", ["SECURITY.md", "ctxkit/app/services/engines.py", "Makefile", "examples/log.jsonl", "examples/pytest-failing.log"])
def test_real_text_is_bounded(name: str, path: str) -> None:
    data = (ROOT / path).read_bytes().decode("ascii", "ignore").encode()
    bound = bound_by_words(data, find_vocabulary(name))
    assert count_with(name)(data.decode()) <= bound <= len(data)


def test_prose_is_bounded_by_two_thirds_of_its_bytes() -> None:
    data = (ROOT / "SECURITY.md").read_bytes().decode("ascii", "ignore").encode()
    assert bound_by_words(data, find_vocabulary("qwen3")) < 0.70 * len(data)


@pytest.mark.parametrize("name", ["llama2", "gemma3", "p50k", "claude", "bytes/3"])
def test_other_vocabularies_have_no_such_bound(name: str) -> None:
    assert bound_by_words(b" some words here", find_vocabulary(name)) is None


def test_other_text_has_no_such_bound() -> None:
    assert bound_by_words(" some wörds".encode(), find_vocabulary("qwen3")) is None
