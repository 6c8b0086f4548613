import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief import Briefing, brief_document
from ctxkit.core.brief.briefing_frame import BriefingFrame
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.text import lines
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.example_counts import count_examples

count = cache(tokens.load_tokenizer)(find_vocabulary("qwen3"))
HINT = Hint(PRESETS["ctxkit"], "3f9a2c81d0b4", "~/.cache/ctxkit/blobs/3f/3f9a2c81d0b4*", "log")
WORDS = [
    *("error", "0 errors", "compiling", "warning:", "at", "src/main.rs:12", "漢字", "é", "{", "}", "\t", "passed"),
    *("x" * 30, "", "==", "name:", "-----", "\x1b[1mbold\x1b[0m"),
]
ROWS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=150)


def mapped(data: bytes, target: int) -> Briefing | None:
    found = lines.lines_from_bytes(data)
    frame = BriefingFrame("stdin", found.total, len(data), count(data.decode("utf-8", "replace")), True, HINT)
    return brief_document(InputDocument(found, found.read, count, target, content_type="text"), frame)


def squeezed(text: str) -> str:
    return "".join(re.sub(r"\x1b\[1?0?m", "", text).split())


@settings(max_examples=count_examples(60), deadline=None)
@given(ROWS, st.integers(60, 700))
def test_a_map_fits_and_quotes_only_what_stands_at_the_line(rows, target: int) -> None:
    found = mapped("".join(f"{row}\n" for row in rows).encode(), target)
    if found is None or not found.text.startswith("# "):
        return
    assert count(found.text) <= target
    for number, text in re.findall(r"^- (\d+): (.*)$", found.text, re.MULTILINE):
        assert squeezed(rows[int(number) - 1]) == squeezed(text)
    for start, end in re.findall(r"^- Lines (\d+)-(\d+): ", found.text, re.MULTILINE):
        assert 1 <= int(start) <= int(end) <= len(rows)


def test_head_end_and_the_error_between_are_quoted() -> None:
    rows = [f"step {number} fine" for number in range(1, 1001)]
    rows[0], rows[499], rows[999] = "begin", "error[E0308]: mismatched types", "stopped"
    text = mapped("\n".join(rows).encode(), 400).text
    assert "begin\n" in text
    assert "- 500: error[E0308]: mismatched types\n" in text
    assert "stopped\n" in text


def test_nothing_is_said_of_trouble_where_there_is_none() -> None:
    text = mapped(b"all is well, 0 errors\n" * 1000, 400).text
    assert "more lines of this form" in text
    assert not re.search(r"trouble|failed", text)


def test_a_line_of_one_megabyte_shows_its_begin_and_its_end() -> None:
    text = mapped(b"the begin " + b"a " * (1 << 19) + b"the very end", 600).text
    assert "the begin" in text
    assert "the very end" in text
    assert "(1 line, 1.0 MB, " in text


@pytest.mark.slow
def test_a_line_of_one_megabyte_among_others_hides_none_of_them() -> None:
    text = mapped(b"first\n" + b"x" * (1 << 20) + b"\nlast\n", 500).text
    assert "first\n" in text
    assert "last\n" in text


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b"x"])
def test_next_to_nothing_has_a_map_too(data: bytes) -> None:
    found = mapped(data, 400)
    assert found.kind == "text"
    assert found.text.startswith(f"# stdin ({lines.lines_from_bytes(data).total} line")


def test_a_last_line_without_a_newline_is_a_line() -> None:
    assert "the last" in mapped(b"row\n" * 2000 + b"the last", 400).text


def test_carriage_returns_and_colours_are_gone_and_words_stay() -> None:
    text = mapped(b"\x1b[32mok\x1b[0m passed\r\n" * 1000 + b"10%\r100% \x1b[1mdone\x1b[0m\r\n", 400).text
    assert "\r" not in text
    assert "\x1b" not in text
    assert "ok passed\n" in text
    assert "100% done\n" in text


def test_what_is_no_text_is_mapped_without_raising() -> None:
    for data in (b"\xff\x00" * 5000, bytes(range(256)) * 40, b"\xe4\xb8" * 5000):
        found = mapped(data, 400)
        assert count(found.text) <= 400
        assert "\x00" not in found.text
