"""Equal files, and blocks of lines that stand in several files."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.similarity.copied_blocks import MIN_LINES, find_copied_blocks
from tests.example_counts import count_examples


def blocks(**files: str):
    documents = [parse_document(f"{name}.md", text.encode()) for name, text in files.items()]
    return [([str(place) for place in block.places], block.is_file) for block in find_copied_blocks(documents)]


def lines(count: int, word: str = "line") -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


def test_equal_files_are_one_group_whatever_blanks_end_their_lines() -> None:
    text = lines(12)
    assert blocks(a=text, b=text.replace("\n", " \n"), c=text, d=lines(12, "other")) == [
        (["a.md L1-12", "b.md L1-12", "c.md L1-12"], True)
    ]
    assert blocks(a=lines(9), b=lines(9)) == []


def test_a_block_is_as_long_as_it_is_equal() -> None:
    block = lines(MIN_LINES)
    assert blocks(a=f"x\n{block}y\n", b=f"one\ntwo\n{block}three\n", c=lines(MIN_LINES - 1)) == [
        (["a.md L2-31", "b.md L3-32"], False)
    ]
    assert blocks(a=f"x\n{block}", b=f"one\n{lines(MIN_LINES - 1)}two\n") == []


def test_a_block_of_blank_lines_and_one_in_a_template_are_none() -> None:
    blank = "\n" * MIN_LINES
    assert blocks(a=f"x\n{blank}y\n", b=f"one\n{blank}two\n") == []
    template = parse_document("templates/a.md", lines(40).encode())
    assert find_copied_blocks([template, parse_document("b.md", lines(40).encode())]) == []


def test_a_block_in_three_files_is_one_group() -> None:
    block = lines(40)
    ((places, is_file),) = blocks(a=f"x\n{block}", b=f"one\ntwo\n{block}", c=f"{block}z\n")
    assert (len(places), is_file) == (3, False)


def test_the_blocks_of_two_files_are_one_group_and_notes_of_days_have_none() -> None:
    first, second = lines(40, "first"), lines(35, "second")
    documents = [parse_document(path, text.encode()) for path, text in (("a.md", f"{first}x\n{second}"), ("b.md", f"{second}y\n{first}"))]
    (block,) = find_copied_blocks(documents)
    assert [len(places) for places in block.list_places()] == [2, 2]
    notes = [parse_document(f"memory/2026-01-0{day}.md", lines(40).encode(), FileRole.DAILY) for day in (1, 2)]
    assert find_copied_blocks(notes) == []


@given(st.lists(st.sampled_from("abc"), max_size=90), st.lists(st.sampled_from("abc"), max_size=90))
@settings(deadline=None, max_examples=count_examples(200))
def test_each_block_is_equal_in_its_places(first, second) -> None:
    texts = {"a.md": [f"{letter} {place // 40}" for place, letter in enumerate(first)], "b.md": [f"{letter} 0" for letter in second]}
    documents = [parse_document(path, "\n".join(rows).encode()) for path, rows in texts.items()]
    for block in find_copied_blocks(documents):
        if not block.is_file:
            for places in block.list_places():
                left, right = (texts[place.path][place.line - 1 : place.end_line] for place in places)
                assert left == right
                assert len(left) >= MIN_LINES
