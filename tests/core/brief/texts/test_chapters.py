from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.texts.chapters import scan_chapters


def chapters(text):
    rows = text.split("\n")
    return [(c.level, c.title, c.start, c.end) for c in scan_chapters(lambda: enumerate(rows, 1)).chapters if c.level]


def test_headings_end_before_the_next_one_of_their_level() -> None:
    assert chapters("# A\n\n## B\ntext\n### C\n## D\n# E\nend") == [
        (1, "A", 1, 6),
        (2, "B", 3, 5),
        (3, "C", 5, 5),
        (2, "D", 6, 6),
        (1, "E", 7, 8),
    ]


def test_closing_marks_are_no_part_of_the_title_and_hashtags_are_no_headings() -> None:
    assert chapters("## Title ##\n#hashtag\n####### seven\n    # code") == [(2, "Title", 1, 4)]


def test_nothing_inside_a_fence_is_a_heading() -> None:
    text = "# A\n````md\n# no\n```\n# no\n```\n# no\n````\n## B\n~~~\n# no\n```\n~~~\n  ```sh\n  # no\n  ```\n## C"
    assert [title for _, title, _, _ in chapters(text)] == ["A", "B", "C"]


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert [title for _, title, _, _ in chapters("# A\n```sh\nx\n```\n```\ncode\n# B\ntext\n# C")] == ["A", "B", "C"]


def test_underlined_lines_are_headings_unless_they_are_rulers_or_tables() -> None:
    text = "Title\n=====\n\nSub\n---\ntext\n\n---\n\n- item\n---\n\n| a |\n---\ntwo lines\nof text\n---\n"
    assert chapters(text) == [(1, "Title", 1, 18), (2, "Sub", 4, 18)]


def test_html_headings_have_the_words_in_them_or_the_alt_text() -> None:
    text = '<p><img/></p>\n<h1 align="center">\n  <img alt="logo">\n  Big <b>Name</b>\n</h1>\n'
    text += '<h2><img alt="Only"></h2>\n# C'
    assert [(level, title, start) for level, title, start, _ in chapters(text)] == [
        (1, "Big Name", 2),
        (2, "Only", 6),
        (1, "C", 7),
    ]


def test_comments_and_preformatted_text_hide_headings() -> None:
    assert chapters("<!-- note\n# no\n-->\n# A\n<pre>\n# no\n</pre>\n<!-- one line -->\n# B") == [
        (1, "A", 4, 8),
        (1, "B", 9, 9),
    ]


def test_front_matter_is_told_with_its_keys() -> None:
    scanner = scan_chapters(lambda: enumerate(["---", "title: x", "tags: [a]", "# no", "---", "# A", ""], 1))
    assert (scanner.front_matter_end, scanner.front_matter_keys) == (5, ["title", "tags"])
    assert [chapter.title for chapter in scanner.chapters] == ["", "A"]


def test_a_ruler_on_the_first_line_is_no_front_matter() -> None:
    scanner = scan_chapters(lambda: enumerate(["---", "", "# A", "", "text", "", "---", ""], 1))
    assert scanner.front_matter_end == 0
    assert [chapter.title for chapter in scanner.chapters] == ["", "A"]


def test_blocks_links_tables_and_items_are_counted_where_they_stand() -> None:
    text = "# A\n```py\nx\n```\n[a](b) [c](d)\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- one\n1. two\n# B\n```\n```"
    one, other = scan_chapters(lambda: enumerate(text.split("\n"), 1)).chapters[1:]
    assert (dict(one.blocks), one.links, one.tables, one.items) == ({"py": 1}, 2, 1, 2)
    assert dict(other.blocks) == {"": 1}


@given(st.text(alphabet="#-=`~<>h1 a\n|[]():"))
def test_every_chapter_lies_in_the_text(text: str) -> None:
    total = text.count("\n") + 1
    for level, _, start, end in chapters(text):
        assert 1 <= start <= end <= total
        assert 1 <= level <= 6
