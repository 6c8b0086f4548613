from ctxkit.core.brief.streams.part_map import PartMap
from ctxkit.core.brief.streams.stream_index import make_index, make_notes
from ctxkit.core.brief.streams.stream_parts import Stream, StreamPart
from ctxkit.core.quick_dataclass import replace
from tests.core.brief.kinds.test_table import document


def make_maps(titles):
    parts = [StreamPart(at, at + 1, title, title_line=at) for at, title in zip(range(1, 999, 2), titles, strict=False)]
    text = "".join(f"== {title}\nrow\n" for title in titles)
    return document(text), [PartMap(part, number) for number, part in enumerate(parts, 1)], Stream(parts, "files", 1.0)


def test_few_parts_have_a_line_each() -> None:
    whole, maps, stream = make_maps(["one", "two"])
    index = make_index(whole, maps, stream)
    assert index.title == "2 files"
    assert [(entry.label, entry.start, entry.end) for entry in index.entries] == [
        ("part 1: == one", 1, 2),
        ("part 2: == two", 3, 4),
    ]
    assert list(make_notes(whole, maps)) == []


def test_titles_that_differ_in_numbers_share_an_entry() -> None:
    titles = [*(f"etc/app{n:02}.conf" for n in range(1, 19)), "etc/zz.conf"]
    whole, maps, stream = make_maps(titles)
    index = make_index(whole, maps, stream)
    assert index.title == "19 files below etc/, each after its first line, up to the next"
    assert [entry.label for entry in index.entries] == ["app01.conf to app18.conf", "zz.conf"]
    assert len(index.entries[0].children) == 18


def test_notes_quote_first_errors_of_some_parts() -> None:
    whole, maps, _ = make_maps([f"{chr(97 + n)}.txt" for n in range(20)])
    maps[3].trouble = (8, "error: no file")
    assert [entry.label for section in make_notes(whole, maps) for entry in section.entries] == ["error: no file"]


def test_a_part_without_a_title_is_quoted_by_its_first_line() -> None:
    whole = document("first\nrow\nrow\nrow\nrow\n== two\nrow\n")
    parts = [StreamPart(1, 5, ""), StreamPart(6, 7, "two", title_line=6)]
    index = make_index(whole, [PartMap(parts[0], 1), PartMap(parts[1], 2)], Stream(parts, "titles", 1.0))
    assert [entry.label for entry in index.entries] == ["part 1: first", "part 2: == two"]


def test_the_first_line_of_a_long_part_stands_on_its_own_row() -> None:
    whole = document("first\n" * 130 + "{\n" * 3)
    parts = [StreamPart(1, 130, ""), StreamPart(131, 133, "")]
    index = make_index(whole, [PartMap(parts[0], 1), PartMap(parts[1], 2)], Stream(parts, "titles", 1.0))
    assert [entry.label for entry in index.entries] == ["part 1", "part 2"]
    assert [entry.children[0].label for entry in index.entries] == ["first", "{"]


def test_a_sentence_about_errors_is_no_first_error() -> None:
    whole, maps, _ = make_maps([f"t{n}x" for n in "abcdefghijklmnopqrst"])
    said = replace(maps[2], trouble=(6, "       in an error because the option takes no argument and"))
    stated = replace(maps[4], trouble=(10, "Error: no route"))
    sections = {section.title: section for section in make_notes(whole, [*maps[:2], said, maps[3], stated, *maps[5:]])}
    assert [entry.label for entry in sections["First errors"].entries] == ["Error: no route"]
