"""Head and tail of content: true line numbers, within the target, however odd the content is."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.gate.head_and_tail import render_head_and_tail
from ctxkit.core.store.blobs import StoredContent
from ctxkit.core.store.retrieval_hint import PRESETS, Hint
from ctxkit.core.text import lines
from ctxkit.core.text.ansi import strip_escapes

HINT = Hint(PRESETS["ctxkit"], "f" * 12, "/cache/ff*", "log")
ROWS = st.lists(st.text(alphabet="ab é漢\t", max_size=30), min_size=1, max_size=80)


def words(text: str) -> int:
    return len(text.split())


def shown(data: bytes, target: int, count=words, preface: str = "") -> tuple[str | None, int]:
    found = lines.lines_from_bytes(data)
    return render_head_and_tail(StoredContent("f" * 64, "/cache/ff*", found.read, found), "log", HINT, preface, count, target)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.booleans(), st.integers(0, 300), st.sampled_from([words, len]))
def test_it_fits_and_its_line_numbers_are_true(rows, newline: bool, target: int, count) -> None:
    data = "\n".join(rows).encode() + b"\n" * newline
    text, total = shown(data, target, count)
    assert total == lines.lines_from_bytes(data).total
    if text is None:
        return
    assert count(text) <= target
    gap = re.search(r"^\[lines ([\d,]+)-([\d,]+) are not shown\]$", text, re.MULTILINE)
    if gap is None:
        return
    first, last = (int(number.replace(",", "")) for number in gap.groups())
    body = text[: text.rindex("\n\nTo read a part: ")].split("\n")[2:]
    at = body.index(gap[0])
    whole = [strip_escapes(row) for row in data.decode().removesuffix("\n").split("\n")]
    assert body[:at] == whole[: first - 1]
    assert body[at + 1 :] == whole[last:]


def test_it_has_a_title_the_gap_and_the_way_to_the_lines_that_are_not_shown() -> None:
    text, total = shown(b"".join(b"line %d\n" % number for number in range(1, 1001)), 100, preface="Exit status 1")
    assert total == 1000
    assert text.startswith("Exit status 1\n# log (1,000 lines, 8.7 KB): head and tail, not the content\n\nline 1\n")
    start, end = re.search(r"\[lines (\d+)-(\d+) are not shown\]", text).groups()
    assert int(end) > int(start) + 900
    way = f"ctxkit cache get {'f' * 12} --lines {start}:{int(start) + 119}"
    assert text.endswith(
        f"\nline 1000\n\nTo read a part: {way} (or: sed -n '{start},{int(start) + 119}p' /cache/ff*)\n"
    )


def test_one_long_line_is_cut_by_bytes() -> None:
    text, total = shown(b"x" * 100_000, 400, len)
    assert total == 1
    assert re.search(r"\[[\d,]+ bytes are not shown\]", text)
    assert "--bytes 1:100000" in text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_is_shown_as_text_and_not_by_sed(codec: str) -> None:
    mark = "\ufeff".encode(codec)
    text, total = shown(mark + "".join(f"Zeile {n} 漢\n" for n in range(500)).encode(codec), 60)
    assert total == 500
    assert "Zeile 0 漢\n" in text
    assert "sed" not in text
