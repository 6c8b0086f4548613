import pytest

from ctxkit.core.brief.shapes.record_layout import RecordLayout
from ctxkit.core.brief.shapes.record_oddities import (
    SAME_IN_ALL,
    choose_names,
    cut_name,
    describe_values,
    format_name,
    has_plain_names,
    keep_indentation,
    list_extras,
    list_rare_keys,
    shorten_name,
)
from ctxkit.core.brief.shapes.record_reader import RecordReader
from tests.core.brief.kinds.test_table import document as make_document


def read(rows):
    reader = RecordReader(RecordLayout("0A:", 0, frozenset(("0A:", "0B:"))))
    reader.add_lines(enumerate(rows, 1))
    reader.finish_record()
    return reader


def test_a_rare_value_comes_first_with_its_line() -> None:
    reader = read([line for at in range(20) for line in ("A: x", f"B: {'off' if at == 4 else 'on'}")])
    assert describe_values(reader.keys["0B:"], reader) == (2, "on 19, B: off 1 (at 10)")
    assert describe_values(reader.keys["0A:"], reader) == (SAME_IN_ALL, "x")


def test_a_key_of_another_indentation_is_not_rare() -> None:
    reader = read([line for at in range(40) for line in ("A: x", "B: y", *(["  B: z", "  C: z"] if at == 3 else []))])
    (entry,) = list_rare_keys(reader, make_document("\n".join(["A: x", "B: y"] * 45)))
    assert entry.label.endswith("has keys that few have: C")


def test_numbers_have_their_ends() -> None:
    reader = read([line for at in range(20) for line in ("A: x", f"B: {at} kB")])
    assert describe_values(reader.keys["0B:"], reader) == (4, "0 kB (line 2, x) to 19 kB (line 40, x)")


def test_numbers_have_the_number_of_other_values() -> None:
    reader = read([line for at in range(40) for line in ("A: x", f"B: {at if at % 14 else 'null'}")])
    assert describe_values(reader.keys["0B:"], reader)[1].endswith(" to 39 (line 80, x); 3 other values, such as null")
    reader = read([line for at in range(40) for line in ("A: x", f"B: {at if at % 14 else ''}")])
    assert describe_values(reader.keys["0B:"], reader)[1].endswith(" to 39 (line 80, x); 3 other values, empty")


def test_classes_of_records_are_counted():
    kinds = ("Deployment", "Service", "Secret", "Deployment", "Service", "Deployment")
    rows = [line for at, name in enumerate(kinds) for line in (f"A: {at}", f"kind: {name}")]
    reader = RecordReader(RecordLayout("0A:", 0, frozenset(("0A:", "0kind:"))))
    reader.add_lines(enumerate([*rows, "A: last"], 1))
    reader.finish_record()
    assert describe_values(reader.keys["0kind:"], reader)[1] == "Deployment 3, Service 2, kind: Secret 1 (at 6)"


def test_a_key_with_several_values_in_a_record_is_not_summarized():
    reader = read([line for at in range(20) for line in ("A: x", f"B: {at % 2}", "B: 7")])
    assert reader.keys["0B:"].varies
    assert describe_values(reader.keys["0B:"], reader)[1] == ""


def test_empty_values_are_counted_beside_the_only_other():
    reader = read([line for at in range(20) for line in ("A: x", f"B: {'' if at % 5 else 'on'}")])
    assert describe_values(reader.keys["0B:"], reader)[1] == "on 4, empty 16"


LAYOUT = RecordLayout("0~[X]", 0, frozenset(("0hash=", "0name=")))
WORDS = ("ant", "bee", "cat", "dog", "elk")
LINES = [line for at, word in enumerate(WORDS) for line in ("[X]", f"hash={at:020x}", f"name={word}", f"size={at % 3}")]


def read_record_names(names=()):
    reader = RecordReader(LAYOUT, names)
    reader.add_lines(enumerate(LINES, 1))
    reader.finish_record()
    return reader


def test_a_word_names_a_record_rather_than_a_hash() -> None:
    names = choose_names(read_record_names(), LAYOUT)
    assert names[0] == "0name="
    assert "0size=" in names
    reader = read_record_names(names)
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


def test_a_line_keeps_its_indentation() -> None:
    assert keep_indentation("  \x1b[1mbold\x1b[0m \n") == "  bold"
    assert keep_indentation("  word " * 9, 10) == "word   wor [+50 chars]"


def test_a_line_keeps_its_tabs() -> None:
    assert keep_indentation("Size: 4\tBlocks: 8") == "Size: 4\tBlocks: 8"
