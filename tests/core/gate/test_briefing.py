"""Excerpts: true line numbers and bytes, within the target, however odd the content is."""

import re
from functools import cache

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.gate.briefing import (  # type: ignore[attr-defined]
    BriefingRequest,
    BriefingResult,
    BriefingServices,
    ExcerptFrame,
    collect_ends,
    excerpt_stored,
    make_briefing,
    make_excerpt,
    make_isolated_briefing,
    upper_bound_tokenizer,
)
from ctxkit.core.gate.briefing_messages import from_tuple, to_tuple
from ctxkit.core.store.store_interface import StoredContent
from ctxkit.core.text import lines
from ctxkit.core.text import lines as text_lines
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.example_counts import count_examples

tokenizer = cache(tokens.load_tokenizer)
DATA = b"".join(b"line %d says nothing of note\n" % number for number in range(1, 701))


def made(data: bytes, target: int, vocabulary: str = "qwen3", known: TokenCount | None = None, **order: str) -> BriefingResult:
    found = lines.lines_from_bytes(data)
    held = StoredContent("f" * 64, "/cache/ff*", found.read, found)
    hint = Hint(PRESETS["ctxkit"], "f" * 12, "/cache/ff*", "log")
    named = find_vocabulary(vocabulary)
    return make_briefing(held, BriefingRequest(target, "log", hint, content_type="text", **order), BriefingServices(named, tokenizer(named), parse_nothing), known)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("vocabulary", ["qwen3", "claude", "estimate", "gemma3", "llama2", "bytes/3"])
@pytest.mark.parametrize("target", [250, 600, 2000])
def test_a_map_takes_no_more_than_its_target_at_the_high_end(vocabulary: str, target: int) -> None:
    named = find_vocabulary(vocabulary)
    found = made(DATA, target, vocabulary)
    assert found.briefing.tokens == upper_bound_tokenizer(tokenizer(named), named)(found.briefing.text) <= target
    assert found.briefing.text.startswith("# log (700 lines, ")


@pytest.mark.slow
def test_a_counted_original_is_told_as_exact_and_an_estimated_one_as_about() -> None:
    assert "about" not in made(DATA, 600).briefing.text.partition("\n")[0]
    assert "about" in made(DATA, 600, "claude").briefing.text.partition("\n")[0]


def test_a_count_that_is_known_already_is_taken() -> None:
    assert ", 12,345 tokens)" in made(DATA, 600, known=TokenCount(12_345, 12_345, "exact")).briefing.text


def test_where_no_map_fits_the_envelope_is_left() -> None:
    found = made(DATA, 3)
    assert found.briefing is None
    assert found.envelope == "log (700 lines, 20 KB): ctxkit cache get ffffffffffff"


@pytest.mark.slow
def test_utf16_is_mapped_as_text_and_measured_as_it_is_stored() -> None:
    text = "".join(f"Zeile {number % 997 + 3}: über 漢字\n" for number in range(1, 1000)) + "Zeile 1000: über 漢字\n"
    data = text.encode("utf-16")
    found = made(data, 600)
    assert (found.size, found.lines) == (len(data), 1000)
    assert "Zeile 1000: über 漢字\n" in found.briefing.text
    assert found.original.tokens == tokenizer(find_vocabulary("qwen3"))(text)


def test_a_preface_stands_above_the_map() -> None:
    assert made(DATA, 600, preface="exit status 1").briefing.text.startswith("exit status 1\n# log (")


def test_the_high_end_of_a_count_is_never_below_it() -> None:
    for name in ("claude", "gemini", "estimate"):
        vocabulary = find_vocabulary(name)
        likely, high = tokenizer(vocabulary), upper_bound_tokenizer(len, vocabulary)
        for size in (0, 1, 2, 3, 10, 99, 1000):
            assert high("x " * size) >= likely("x " * size)
    assert upper_bound_tokenizer(len, find_vocabulary("qwen3")) is len


def safely(target: int, isolate, *, strict: bool = False) -> BriefingResult:
    found, named = lines.lines_from_bytes(DATA), find_vocabulary("qwen3")
    held = StoredContent("f" * 64, "/cache/ff*", found.read, found)
    order = BriefingRequest(target, "log", Hint(PRESETS["ctxkit"], "f" * 12, "/cache/ff*", "log"), content_type="text")
    return make_isolated_briefing(held, order, BriefingServices(named, tokenizer(named), parse_nothing, isolate), strict=strict)


def died(*_: object) -> None:
    raise WorkerDiedError("the worker process was killed by SIGSEGV")


@pytest.mark.parametrize("target", [3, 600])
def test_a_map_comes_back_from_another_process_as_it_was(target: int) -> None:
    found = made(DATA, target)
    assert from_tuple(to_tuple(found)) == found
    assert safely(target, lambda work, _: work()) == found


@pytest.mark.parametrize(
    "value", [None, 3, (None, "a", (), 1, 2), ((1,) * 6, "a", (1, 1, "exact"), 1, 2), (None, 1, (1, 1, "exact"), 1, 1)]
)
def test_what_is_no_map_is_answered_with_head_and_tail(value) -> None:
    found = safely(600, lambda *_: value)
    assert found.briefing.doubt == "head and tail replace the map: the worker process sent no map"
    assert found.briefing.tokens <= 600


@pytest.mark.slow
def test_a_map_that_is_too_large_is_not_taken() -> None:
    varied = b"".join(b"line %d says so\n" % (number * number % 9973) for number in range(700))
    assert "too large" in safely(600, lambda *_: to_tuple(made(varied, 2000))).briefing.doubt


def test_where_the_process_dies_head_and_tail_stand_in() -> None:
    found = safely(600, died)
    assert found.briefing.text.startswith("# log (700 lines, 20 KB): head and tail, not the content\n\nline 1 says")
    assert found.briefing.tokens == tokenizer(find_vocabulary("qwen3"))(found.briefing.text) <= 600
    assert "SIGSEGV" in found.briefing.doubt
    assert (found.size, found.lines) == (len(DATA), 700)
    assert safely(3, died) == BriefingResult(None, made(DATA, 3).envelope, found.original, len(DATA), 700)


def test_a_strict_call_says_why_there_is_no_map() -> None:
    with pytest.raises(WorkerDiedError, match=r"no map could be made: the worker process was killed by SIGSEGV"):
        safely(600, died, strict=True)


ROWS = st.lists(st.text(alphabet="ab é漢\t", max_size=30), max_size=60)
GAP = re.compile(r"\[lines ([\d,]+)-([\d,]+) of ([\d,]+) are not shown(?: and not stored)?\]")
BYTES = re.compile(r"\[bytes ([\d,]+)-([\d,]+) of ([\d,]+)(?: of the text as UTF-8)? are not shown and not stored\]")
HINT = Hint(PRESETS["ctxkit"], "f" * 12, "/cache/ff*", "log")


def words(text: str) -> int:
    return len(text.split())


def length(text: str) -> int:
    return len(text)


def read_numbers(match: re.Match[str] | None) -> list[int]:
    assert match
    return [int(number.replace(",", "")) for number in match.groups()]


def excerpt_data(data: bytes, target: int, count=words, preface: str = "", size: int = 7) -> str | None:
    ends = collect_ends((data[start : start + size] for start in range(0, len(data), size)), target)
    return make_excerpt(ends, ExcerptFrame("log", len(data), preface), count, target)


def excerpt_store(data: bytes, target: int, count=words, preface: str = "") -> tuple[str | None, int]:
    lines = text_lines.lines_from_bytes(data)
    stored = StoredContent("f" * 64, "/cache/ff*", lines.read, lines)
    return excerpt_stored(stored, ExcerptFrame("log", len(data), preface, HINT), count, target)


@settings(max_examples=count_examples(150), deadline=None)
@given(ROWS, st.booleans(), st.integers(0, 300), st.integers(1, 50), st.sampled_from([words, length]))
def test_the_clip_fits_shows_true_lines_and_names_the_gap_between_them(rows, newline: bool, target: int, size: int, count) -> None:
    data = "\n".join(rows).encode() + (b"\n" if newline and rows else b"")
    assume(data)
    text = excerpt_data(data, target, count, size=size)
    if text is None:
        return
    assert count(text) <= target
    header, *body = text.removesuffix("\n").split("\n")
    lines = [strip_escapes(row) for row in data.decode().removesuffix("\n").split("\n")]
    total = len(lines)
    assert header.startswith(f"# log ({total:,} line")
    if any(BYTES.fullmatch(row) for row in body):
        assert all(row in "\n".join(lines) for row in body if not BYTES.fullmatch(row))
        return
    gaps = [index for index, row in enumerate(body) if GAP.fullmatch(row)]
    if not gaps:
        assert body == lines
        return
    (gap,) = gaps
    start, end, gap_total = read_numbers(GAP.fullmatch(body[gap]))
    assert body[:gap] == lines[: start - 1]
    assert body[gap + 1 :] == lines[end:]
    assert (start - 1) == gap
    assert total - end == len(body) - gap - 1
    assert gap_total == total


def test_a_third_is_the_beginning_and_the_rest_the_end() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1, 1001))
    text = excerpt_data(data, 120)
    before, _, after = text.partition("[lines")
    first, last = before.count("\nline"), after.count("\nline")
    assert first == pytest.approx(last / 2, abs=2)
    assert "\nline 1000\n" in text


def test_a_preface_stands_first_and_is_counted() -> None:
    text = excerpt_data(b"a\n" * 500, 60, preface="exit status 3")
    assert text.startswith("exit status 3\n# log (500 lines, 1,000 bytes)")
    assert words(text) <= 60


def test_nothing_fits_no_room() -> None:
    assert excerpt_data(b"a\n" * 500, 0) is None
    assert excerpt_data(b"a\n" * 500, 3) is None


def test_of_one_endless_line_both_ends_are_shown_and_the_bytes_between_them_counted() -> None:
    data = b"begin" + b"x" * 100_000 + b"end"
    text = excerpt_data(data, 200, length, size=4096)
    before, _, after = text.partition("\n[")
    assert before.startswith("# log (1 line, 98 KB): beginning and end; nothing is stored\nbegin")
    assert text.endswith("xend\n")
    start, end, total = read_numbers(BYTES.search(text))
    assert total == len(data)
    assert data[: start - 1] == b"begin" + before.partition("\nbegin")[2].encode()
    assert data[end:] == after.partition("]\n")[2].removesuffix("\n").encode()
    assert len(text) <= 200


def test_terminal_sequences_do_not_reach_the_reader() -> None:
    data = b"\x1b[31mred\x1b[0m\n50%\r100%\r\n\x00\n" + b"z\n" * 200
    text = excerpt_data(data, 60)
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\nred\n100%\n" in text


@given(st.binary(max_size=400), st.integers(1, 9), st.integers(1, 60))
def test_memory_is_bound_by_the_target_and_not_by_the_input(data: bytes, target: int, size: int) -> None:
    pieces = (data * 20)[: len(data) * 20]
    ends = collect_ends((pieces[start : start + size] for start in range(0, len(pieces), size)), target)
    assert max(len(ends.head), len(ends.tail)) <= 16 * target
    assert ends.size == len(pieces.decode("utf-8", "replace").encode()) or pieces[:2] in (b"\xff\xfe", b"\xfe\xff")


# ---------------------------------------------------------------- stored content
@settings(max_examples=count_examples(150), deadline=None)
@given(ROWS.filter(bool), st.booleans(), st.integers(0, 300), st.sampled_from([words, length]))
def test_stored_content_fits_and_its_line_numbers_are_true(rows, newline: bool, target: int, count) -> None:
    data = "\n".join(rows).encode() + b"\n" * newline
    text, total = excerpt_store(data, target, count)
    assert total == text_lines.lines_from_bytes(data).total
    if text is None:
        return
    assert count(text) <= target
    gap = GAP.search(text)
    if gap is None:
        return
    first, last, gap_total = read_numbers(gap)
    assert gap_total == total
    body = text[: text.rindex("\n\nTo read a part: ")].split("\n")[2:]
    at = body.index(gap[0])
    whole = [strip_escapes(row) for row in data.decode().removesuffix("\n").split("\n")]
    assert body[:at] == whole[: first - 1]
    assert body[at + 1 :] == whole[last:]


def test_it_has_a_title_the_gap_and_the_command_for_the_lines_that_are_not_shown() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1, 1001))
    text, total = excerpt_store(data, 100, preface="Exit status 1")
    assert total == 1000
    assert text
    assert text.startswith("Exit status 1\n# log (1,000 lines, 8.7 KB): head and tail, not the content\n\nline 1\n")
    start, end, _ = read_numbers(GAP.search(text))
    assert end > start + 900
    command = f"ctxkit cache get {'f' * 12} --lines {start}:{start + 119}"
    assert text.endswith(
        f"\nline 1000\n\nTo read a part: {command} (or: sed -n '{start},{start + 119}p' /cache/ff*)\n"
    )


def test_one_long_stored_line_is_cut_by_bytes() -> None:
    text, total = excerpt_store(b"x" * 100_000, 400, length)
    assert total == 1
    assert text
    start, end, size = read_numbers(re.search(r"\[bytes ([\d,]+)-([\d,]+) of ([\d,]+) are not shown\]", text))
    assert (size, f"--bytes {start}:{end}" in text) == (100_000, True)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_shown_as_text_and_not_by_sed(codec: str) -> None:
    mark = "\ufeff".encode(codec)
    text, total = excerpt_store(mark + "".join(f"Zeile {n} 漢\n" for n in range(500)).encode(codec), 60)
    assert total == 500
    assert text
    assert "Zeile 0 漢\n" in text
    assert "sed" not in text
