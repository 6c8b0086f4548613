from functools import cache

import pytest

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.gate.briefing import (  # type: ignore[attr-defined]
    BriefingRequest,
    BriefingResult,
    BriefingServices,
    make_briefing,
    make_isolated_briefing,
    upper_bound_tokenizer,
)
from ctxkit.core.gate.briefing_messages import from_tuple, to_tuple
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.text.worker_interface import WorkerDiedError
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabularies import find_vocabulary
from ctxkit.engines import tokens

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
