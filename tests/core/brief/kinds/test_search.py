import pytest

from ctxkit.core.brief.grids.search_results import SearchResults
from ctxkit.core.brief.kinds import search as kind
from ctxkit.core.text import lines
from tests.core.brief.kinds.test_table import document, mapped


def grep(files=30, each=10):
    for file in range(files):
        for match in range(each):
            yield f"src/part-{file % 3}/file{file}.py:{match * 7 + 1}:    value = call({match})"


GREP = "\n".join(grep()) + "\n"


def read(text, form):
    return SearchResults(form).read(lines.lines_from_bytes(text.encode()))


def test_every_file_has_its_count_and_its_lines() -> None:
    text = mapped(GREP, 3_000).text
    assert "- 300 matches in 30 files, counted by their lines\n" in text
    assert "- Lines 11-20: src/part-1/file1.py (10 matches), its lines 1 to 64\n" in text
    assert "  - 11: src/part-1/file1.py:1:    value = call(0)\n" in text


def test_a_file_with_many_matches_is_parted() -> None:
    text = mapped("".join(f"a/b.c:{n}:x\n" for n in range(1, 500)) + "a/c.c:1:x\n", 600).text
    assert "\n  - Lines 121-240: (120 matches), its lines 121 to 240\n" in text


def test_context_belongs_to_the_file_of_its_match() -> None:
    text = "a/x-1-y.c-4-before\na/x-1-y.c:5:match\na/x-1-y.c-6-after\n--\nb.c-1-before\nb.c:2:match\n"
    first, second = read(text, "path").files
    assert (first.path, first.start, first.end, first.matches) == ("a/x-1-y.c", 1, 3, 1)
    assert (second.path, second.start, second.end, second.matches) == ("b.c", 5, 6, 1)


def test_results_below_headings() -> None:
    text = "a/x.c\n5:match\n6-after\n--\n9:match\n\nb.c\n2:match\n" * 5
    held = document(text, 100)
    assert kind.sniff(held) == 0.9
    files = read(text, "heading").files
    assert [(file.path, file.matches) for file in files] == [("a/x.c", 10), ("b.c", 5)]


def test_results_of_one_file_and_in_json() -> None:
    assert read("3:x\n9:x\n10-y\n", "single").match_count == 2
    row = '{"type":"match","data":{"path":{"text":"a.c"},"lines":{"text":"x"},"line_number":7,"absolute_offset":1}}\n'
    results = read('{"type":"begin","data":{"path":{"text":"a.c"}}}\n' + row * 3, "json")
    assert [(file.path, file.matches, file.start) for file in results.files] == [("a.c", 3, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "src/x.c:12:5: error: no such thing\nsrc/x.c:14:5: warning: unused\n" * 20,
        "src/x.py:12: error: bad type  [arg]\n" * 20,
        "src/x.py:1:1: E501 line too long\nsrc/x.py:2:1: F401 unused\n" * 20,
        "12:30:05 started\n12:30:06 went on\n12:30:07 ended\n" * 9,
        "2024-01-02 12:30:05 INFO one\n2024-01-02 12:30:06 INFO two\n" * 9,
        "key: value\nother: 12\nthird: x\n" * 5,
        "a/x.c:3\na/y.c:12\nb/z.c:0\n" * 5,
        "",
    ],
)
def test_other_text_is_no_search(text: str) -> None:
    assert kind.sniff(document(text)) == 0.0


@pytest.mark.parametrize("revision", ["HEAD", "v1.2.3", "origin/main", "HEAD~3", "a1b2c3d4"])
def test_a_revision_stands_before_the_path(revision: str) -> None:
    text = "".join(f"{revision}:src/f{n // 9}.py:{n % 9 * 5 + 1}:call({n}): 7\n" for n in range(90))
    assert kind.sniff(document(text)) > 0.9
    results = read(text, "path")
    assert [file.matches for file in results.files] == [9] * 10
    assert results.files[0].path == f"{revision}:src/f0.py"


def test_context_around_results_of_a_revision() -> None:
    text = "".join(f"HEAD:a/b-{n}.ts-6-one\nHEAD:a/b-{n}.ts:7:two\nHEAD:a/b-{n}.ts-8-three\n--\n" for n in range(20))
    assert kind.sniff(document(text)) > 0.9
    results = read(text, "path")
    assert (results.match_count, results.unknown, len(results.files)) == (20, 0, 20)


def test_messages_about_places_and_aligned_texts_are_no_matches() -> None:
    messages = "".join(f"src/a{n % 5}.py:{n}: unused function 'f{n}'\n" for n in range(1, 90))
    types = "".join(f"{f'/bin/p{10 ** (n % 5)}:':<20} ELF executable {n}\n" for n in range(90))
    tests = "".join(f"tests/test_a{n % 5}.py::test_{n}\n" for n in range(90))
    assert [kind.sniff(document(text)) for text in (messages, types, tests)] == [0.0, 0.0, 0.0]


def test_a_cut_line_says_how_many_characters_it_has_left() -> None:
    text = "".join(f"src/a.py:{n}:{'x' * 996}\n" for n in range(10, 40))
    line = f"src/a.py:10:{'x' * 996}"
    assert f"- 1: {line[:200]} [+{len(line) - 200} chars]\n" in mapped(text, 900).text
