import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.encodings import ENCODINGS, LISTED, decode, detect_utf16, identify_encoding
from ctxkit.core.text.lines import lines_from_bytes

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
