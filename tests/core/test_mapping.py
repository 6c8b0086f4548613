from functools import cache

import pytest

from ctxkit.core import lines
from ctxkit.core.brief.document import unparsed
from ctxkit.core.hint import PRESETS, Hint
from ctxkit.core.mapping import Mapped, Order, mapped, surely
from ctxkit.core.store import Held
from ctxkit.core.tally import Tally
from ctxkit.core.vocabulary import vocabulary_of
from ctxkit.engines import tokens

tokenizer = cache(tokens.tokenizer)
DATA = b"".join(b"line %d says nothing of note\n" % number for number in range(1, 2001))


def made(data: bytes, target: int, vocabulary: str = "qwen3", known: Tally | None = None, **order: str) -> Mapped:
    found = lines.of(data)
    held = Held("f" * 64, "/cache/ff*", found.read, found)
    hint = Hint(PRESETS["ctxkit"], "f" * 12, "/cache/ff*", "log")
    named = vocabulary_of(vocabulary)
    return mapped(held, Order(target, "log", hint, forced="text", **order), named, tokenizer(named), unparsed, known)


@pytest.mark.parametrize("vocabulary", ["qwen3", "claude", "estimate", "gemma3", "llama2", "bytes/3"])
@pytest.mark.parametrize("target", [250, 600, 2000])
def test_a_map_takes_no_more_than_its_target_at_the_high_end(vocabulary, target):
    named = vocabulary_of(vocabulary)
    found = made(DATA, target, vocabulary)
    assert found.briefing.tokens == surely(tokenizer(named), named)(found.briefing.text) <= target
    assert found.briefing.text.startswith("# log (2,000 lines, 59 KB")


def test_a_counted_original_is_told_as_exact_and_an_estimated_one_as_about():
    assert "about" not in made(DATA, 600).briefing.text.partition("\n")[0]
    assert "about" in made(DATA, 600, "claude").briefing.text.partition("\n")[0]


def test_a_count_that_is_known_already_is_taken():
    assert ", 12,345 tokens)" in made(DATA, 600, known=Tally(12_345, 12_345, "exact")).briefing.text


def test_where_no_map_fits_the_envelope_is_left():
    found = made(DATA, 3)
    assert found.briefing is None
    assert found.envelope == "log (2,000 lines, 59 KB): ctxkit cache get ffffffffffff"


def test_utf16_is_mapped_as_text_and_measured_as_it_is_stored():
    text = "".join(f"Zeile {number}: über 漢字\n" for number in range(1, 1001))
    data = text.encode("utf-16")
    found = made(data, 600)
    assert (found.size, found.lines) == (len(data), 1000)
    assert "\nZeile 1000: über 漢字\n" in found.briefing.text
    assert found.original.tokens == tokenizer(vocabulary_of("qwen3"))(text)


def test_a_preface_stands_above_the_map():
    assert made(DATA, 600, preface="exit status 1").briefing.text.startswith("exit status 1\n# log (")


def test_the_high_end_of_a_count_is_never_below_it():
    for name in ("claude", "gemini", "estimate"):
        vocabulary = vocabulary_of(name)
        likely, high = tokenizer(vocabulary), surely(len, vocabulary)
        for size in (0, 1, 2, 3, 10, 99, 1000):
            assert high("x " * size) >= likely("x " * size)
    assert surely(len, vocabulary_of("qwen3")) is len
