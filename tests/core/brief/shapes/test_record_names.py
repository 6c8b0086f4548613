import pytest

from ctxkit.core.brief.shapes.record_layout import RecordLayout
from ctxkit.core.brief.shapes.record_names import (
    choose_names,
    cut_name,
    format_name,
    has_plain_names,
    list_extras,
    shorten_name,
)
from ctxkit.core.brief.shapes.record_reader import RecordReader

LAYOUT = RecordLayout("0~[X]", 0, frozenset(("0hash=", "0name=")))
WORDS = ("ant", "bee", "cat", "dog", "elk")
LINES = [line for at, word in enumerate(WORDS) for line in ("[X]", f"hash={at:020x}", f"name={word}", f"size={at % 3}")]


def read(names=()):
    reader = RecordReader(LAYOUT, names)
    reader.add_lines(enumerate(LINES, 1))
    reader.finish_record()
    return reader


def test_a_word_names_a_record_rather_than_a_hash() -> None:
    names = choose_names(read(), LAYOUT)
    assert names[0] == "0name="
    assert "0size=" in names
    reader = read(names)
    assert format_name(reader, 2) == "cat"
    assert has_plain_names(reader)
    assert list_extras(reader, 2, 1, ["size"]) == ["size 2"]
    reader.names[2] = ("cat", "cat", "2", "2", "3")
    assert list_extras(reader, 2, 3, ["title", "size", "count", "depth"]) == ["size 2", "depth 3"]


def test_a_certificate_has_its_common_name() -> None:
    assert shorten_name("C = IE, O = Trust, CN = Root CA, OU = X") == "CN = Root CA"
    assert shorten_name("plain") == "plain"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("short", "short"),
        ("/usr/share/fonts/lm/lmroman10-bold.otf", "...oman10-bold.otf"),
        ("a title with words that goes on", "a title with words"),
        ("both / and words in a longer text", "both / and words i"),
    ],
)
def test_a_long_path_keeps_its_end(name: str, short: str) -> None:
    assert cut_name(name, 18) == short
