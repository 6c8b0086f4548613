import re

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.generic.long_lines import quote_long_lines
from ctxkit.core.text.lines import lines_from_bytes


def parts_of(data, room):
    content = lines_from_bytes(data)
    document = InputDocument(content, content.read, lambda text: len(text) // 3, 2_000)
    return quote_long_lines(document, [1], room).entries


def test_the_parts_of_a_line_are_where_they_say() -> None:
    data = b"".join(b"n%06d;" % number for number in range(20_000))
    entries = parts_of(data, 500)
    assert entries[0].start == 1
    assert entries[-1].end == len(data)
    for entry in entries:
        assert data[entry.start - 1 : entry.end].decode() == entry.label


def test_a_short_line_is_quoted_whole() -> None:
    assert [entry.label for entry in parts_of(b"x" * 500, 400)] == ["x" * 500]


def test_characters_are_not_cut() -> None:
    for entry in parts_of("漢字".encode() * 5_000, 300):
        assert re.fullmatch("[漢字]+", entry.label)
