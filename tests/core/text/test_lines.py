"""The common beginning of two texts has the length that a walk over them finds."""

import re
import subprocess
from array import array
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.text import lines
from ctxkit.core.text.lines import (
    BLOCK,
    ENCODINGS,
    LISTED,
    LONGEST_LINE,
    IndexedLines,
    LineIndex,
    blank_lines,
    decode,
    detect_utf16,
    find_largest,
    identify_encoding,
    iterate_matches,
    lines_from_bytes,
    measure_common_prefix,
    pack_counts,
    skip_lines,
    split_lines,
)
from tests.example_counts import count_examples

PIECES = st.sampled_from(
    [b"a", b"\n", b"\r\n", b"\r", b"\n\n", b"\x0b", b"\xe2\x80\xa8", b"\xff", b"\x00", b"long line "]
)
CONTENT = st.lists(PIECES, max_size=60).map(b"".join)


def split(data: bytes) -> list[bytes]:
    """Return what is between newlines: the oracle."""
    rows = data.split(b"\n")
    return rows[:-1] if rows[-1] == b"" else rows


def chunked(data: bytes, sizes: list[int]) -> list[bytes]:
    chunks, position = [], 0
    for size in sizes:
        chunks.append(data[position : position + size])
        position += size
    return [*chunks, data[position:]]


@given(CONTENT)
def test_lines_are_what_stands_between_newlines(data) -> None:
    found = lines.lines_from_bytes(data)
    assert len(found) == found.total == len(split(data))
    assert found.texts() == [row.removesuffix(b"\r").decode("utf-8", "replace") for row in split(data)]


@given(CONTENT, st.integers(1, 70), st.integers(0, 70))
def test_any_range_has_the_bytes_and_the_numbers_of_that_range(data, start: int, more: int) -> None:
    found, end = lines.lines_from_bytes(data), start + more
    rows = data.split(b"\n")
    expected = b"\n".join(rows[start - 1 : end]) + (b"\n" if end < len(rows) and start < len(rows) else b"")
    if start <= found.total:
        assert b"".join(found.raw(start, min(end, found.total))) == expected
        assert [number for number, _ in found.enumerate_lines(start, end)] == list(range(start, min(end, found.total) + 1))
        assert found.at(start) == found.texts()[start - 1]


@settings(max_examples=count_examples(25), deadline=None)
@given(
    st.lists(st.integers(0, 3 * BLOCK), min_size=1, max_size=5), st.lists(st.integers(1, BLOCK), max_size=4), st.data()
)
def test_content_of_many_blocks_is_found_by_its_line_numbers(lengths: list[int], sizes: list[int], data: st.DataObject) -> None:
    content = b"\n".join(b"%d" % index + b"x" * length for index, length in enumerate(lengths))
    marks = LineIndex()
    for chunk in chunked(content, sizes):
        marks.update(chunk)
    found = IndexedLines(lambda offset, length: content[offset : offset + length], len(content), marks.newline_counts, marks.total)
    number = data.draw(st.integers(1, len(lengths)))
    assert b"".join(found.raw(number, number)).rstrip(b"\n") == split(content)[number - 1]
    first, last = found.span(number, len(lengths))
    assert content[first:last] == b"\n".join(split(content)[number - 1 :])


@pytest.mark.parametrize("near", [-2, -1, 0, 1, 2])
def test_a_newline_at_the_edge_of_a_block_ends_its_line_there(near: int) -> None:
    content = b"a" * (BLOCK + near) + b"\nsecond\n" + b"b" * (BLOCK - 8) + b"\nlast"
    found = lines.lines_from_bytes(content)
    assert found.total == 4
    assert found.texts(2, 2) == ["second"]
    assert found.texts(4, 4) == ["last"]


@pytest.mark.parametrize("data", [b"a\nb\nc\n", b"a\nb\nc", b"\n\n\n", b"a\r\nb\r\n", b"\x00\n\xff\nx", b"one"])
@pytest.mark.parametrize(("start", "end"), [(1, 1), (1, 2), (2, 3), (3, 3)])
def test_ranges_agree_with_sed(data: bytes, start: int, end: int, tmp_path: Path) -> None:
    path = tmp_path / "content"
    path.write_bytes(data)
    found = lines.lines_from_bytes(data)
    sed = subprocess.run(["sed", "-n", f"{start},{end}p", path], capture_output=True, check=True, env={"LC_ALL": "C"})
    ours = b"".join(found.raw(start, min(end, found.total))) if start <= found.total else b""
    assert ours == sed.stdout


def test_the_total_is_what_sed_calls_the_last_line(tmp_path: Path) -> None:
    for data in (b"a\nb", b"a\nb\n", b"", b"\n"):
        path = tmp_path / "content"
        path.write_bytes(data)
        last = subprocess.run(["sed", "-n", "$=", path], capture_output=True, check=True).stdout
        assert lines.lines_from_bytes(data).total == int(last or 0)


def test_of_a_line_longer_than_the_longest_only_the_beginning_comes() -> None:
    line = b"a" * LONGEST_LINE + b"b" * LONGEST_LINE + b"c" * 1000
    found = lines.lines_from_bytes(b"first\n" + line + b"\nafter\n")
    text = found.texts(2, 2)[0]
    is_the_beginning = line.decode().startswith(text)
    assert is_the_beginning
    assert len(text) >= LONGEST_LINE - 1
    assert found.texts(3) == ["after"]
    assert b"".join(found.raw(2, 2)) == line + b"\n"


def test_the_longest_line_of_all_has_no_newline_at_all() -> None:
    assert lines.lines_from_bytes(b"a" * (LONGEST_LINE + 5)).texts() == ["a" * LONGEST_LINE]


def test_empty_content_has_no_lines() -> None:
    found = lines.lines_from_bytes(b"")
    assert (found.total, found.texts(), found.span(1, 1)) == (0, [], (0, 0))


@given(CONTENT, st.lists(st.integers(0, 9), max_size=9))
def test_marks_do_not_depend_on_how_content_is_chunked(data, sizes: list[int]) -> None:
    whole, pieces = LineIndex(), LineIndex()
    whole.update(data)
    for chunk in chunked(data, sizes):
        pieces.update(chunk)
    assert (pieces.total, pieces.size, pieces.newline_counts) == (whole.total, whole.size, whole.newline_counts)


def test_counts_are_packed_as_an_array_has_them() -> None:
    counts = [0, 1, 2**40]
    assert array("Q", pack_counts(counts)).tolist() == counts


@given(st.binary(max_size=60), st.integers(1, 9))
def test_lines_are_those_of_the_content_however_it_is_cut(data: bytes, size: int) -> None:
    rows = dict(split_lines(data[at : at + size] for at in range(0, len(data), size)))
    *lines, rest = data.split(b"\n")
    expected = [*(line + b"\n" for line in lines), rest]
    assert rows == {number: line for number, line in enumerate(expected, 1) if line.strip()}


CHUNKS = st.lists(st.text(alphabet="ab\n", max_size=6).map(str.encode), max_size=6)


@given(CHUNKS, st.integers(0, 8))
def test_the_first_lines_are_left_out(chunks: list[bytes], count: int) -> None:
    data = b"".join(chunks)
    assert b"".join(skip_lines(chunks, count)) == b"".join(data.splitlines(keepends=True)[count:])


@given(CHUNKS, st.integers(0, 8))
def test_the_first_lines_are_blank_and_the_others_stay_where_they_are(chunks: list[bytes], count: int) -> None:
    data = b"".join(chunks)
    lines = lines_from_bytes(data)
    blank = blank_lines(lines, min(count, lines.total))
    assert (blank.total, blank.size) == (lines.total, lines.size)
    for number, text in blank.enumerate_lines():
        assert text == (lines.at(number) if number > count else " " * len(lines.at(number)))
    for offset in range(len(data)):
        assert blank.read(offset, 3) == blank.read(0, len(data))[offset : offset + 3]


SMALL = st.integers(-5, 200)


@given(SMALL, SMALL, SMALL)
def test_the_largest_that_fits_is_found(least, most, room) -> None:
    fitting = [size for size in range(least, most + 1) if size <= room]
    assert find_largest(least, most, lambda size: size, lambda made: made <= room) == (max(fitting) if fitting else None)


@given(st.integers(0, 100), st.sets(st.integers(0, 100)))
def test_what_is_returned_fits_even_where_larger_is_not_always_more(most: int, fitting) -> None:
    found = find_largest(0, most, lambda size: size, lambda made: made in fitting)
    assert found is None or found in fitting


def test_what_was_made_for_the_size_is_returned() -> None:
    assert find_largest(1, 9, lambda size: "x" * size, lambda made: len(made) <= 4) == "xxxx"


texts = st.text(st.sampled_from("ab\n"), max_size=30)


@given(texts, texts, texts)
def test_a_walk_over_both_texts_finds_the_same_length(start: str, first: str, second: str) -> None:
    pairs = zip(start + first, start + second, strict=False)
    assert measure_common_prefix(start + first, start + second) == sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def test_equal_texts_have_all_in_common() -> None:
    assert measure_common_prefix("abc", "abc") == 3
    assert measure_common_prefix("abc", "abcd") == 3
    assert measure_common_prefix("", "a") == 0


@given(st.text("abcdxy ", max_size=200), st.integers(1, 40))
def test_matches_are_the_same_in_pieces_of_any_size(text: str, piece: int) -> None:
    data = text.encode()
    pattern = re.compile(rb"a[bc]{0,3}d(?=[^d])|\bx{1,4}(?=y)")
    matches = iterate_matches(pattern, lambda at, size: data[at : at + size], len(data), 8, piece=piece)
    spans = [(base + match.start(), base + match.end()) for base, match in matches]
    assert spans == [match.span() for match in pattern.finditer(data)]


SENTENCES = {
    "cp932": "ファイル {} をコンパイルしています",
    "euc_jp": "ファイル {} をコンパイルしています",
    "gbk": "正在编译文件 {} 请稍候。",
    "cp949": "파일 {} 을(를) 컴파일하는 중입니다",
    "cp1251": "Компиляция файла {} завершена",
    "koi8_r": "Компиляция файла {} завершена",
    "cp866": "Компиляция файла {} завершена",
    "cp1252": "Le fichier {} a été compilé, déjà prêt",
    "cp1250": "Plik {} został skompilowany, ostrzeżenie: żółć",
    "cp1253": "Μεταγλώττιση του αρχείου {}",
    "utf-16-le": "파일 {} 을 컴파일 했다",
    "utf-16-be": "größer {} als alles",
    "utf-16": "正在编译文件 {}",
}
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 9


def detect(data: bytes) -> str:
    return identify_encoding(lines_from_bytes(data).read, len(data))


@pytest.mark.parametrize("before", [0, 9_000], ids=["at once", "after much ASCII"])
@pytest.mark.parametrize("encoding", SENTENCES)
def test_text_of_an_encoding_is_decoded_as_it_was_written(encoding: str, before: int) -> None:
    text = "a line of ASCII\n" * before + "".join(f"{SENTENCES[encoding].format(number)}\n" for number in range(40))
    data = text.encode(encoding)
    assert decode(data, detect(data)) == text


@given(st.text(max_size=300))
def test_utf8_is_read_as_it_is(text: str) -> None:
    assert detect(("text " + text.replace("\0", "")).encode("utf-8", "replace")) == ""


@pytest.mark.parametrize(
    "data",
    [b"", b"plain", PNG, b"\x7fELF" + bytes(99), b"abc \xff\xfe def\n" * 3, "größer\n".encode() * 50 + b"caf\xe9\n", b"a\0b\n\0"],
    ids=["empty", "ASCII", "image", "program", "six odd bytes", "one odd byte in UTF-8", "NULs and newlines"],
)
def test_what_is_no_text_of_another_encoding_is_read_as_it_is(data: bytes) -> None:
    assert detect(data) == ""


def test_a_list_with_nuls_has_a_line_for_each_entry() -> None:
    data = "src/main.c\0größe.txt\0a b\0".encode()
    assert detect(data) == LISTED
    assert decode(data, LISTED) == "src/main.c\ngröße.txt\na b\n"


@given(st.sampled_from(ENCODINGS), st.binary(max_size=99))
def test_ascii_in_the_text_stands_in_the_bytes(encoding: str, data: bytes) -> None:
    for run in decode(data, encoding).encode("ascii", "replace").replace(b"?", b"\0").split(b"\0"):
        assert run in data.replace(b"?", b"\0")


@given(st.sampled_from(ENCODINGS), st.text("aé漢\n\r я", max_size=40))
def test_lines_are_the_same(encoding: str, text: str) -> None:
    data = text.encode(encoding, "replace")
    assert decode(data, encoding).count("\n") == data.count(b"\n")


def test_numbers_of_two_bytes_are_no_text() -> None:
    assert detect_utf16(b"".join(number.to_bytes(2, "little") for number in range(600))) == ""


@pytest.mark.parametrize("declared", ["charset=ISO-8859-1", "# -*- coding: latin-1 -*-", '<?xml version="1.0" encoding="ISO-8859-1"?>'])
def test_an_encoding_that_a_text_declares_counts_if_the_bytes_are_text_in_it(declared: str) -> None:
    text = "".join(f"Datei {number}: geändert, gelöscht\n" for number in range(40))
    assert detect(f"{declared}\n{text}".encode("latin-1")) == "iso8859-1"
    japanese = SENTENCES["cp932"] * 40  # some of its bytes are control characters in the declared encoding
    assert detect(f"{declared}\n".encode() + japanese.encode("cp932")) == "cp932"
    assert detect(f"{declared.replace('8859', '9999').replace('latin', 'no')}\n{text}".encode("latin-1")).startswith("cp125")
