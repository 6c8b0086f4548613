from ctxkit.core.brief.detail_level import FRAME_TOKENS, count_outline_tokens, find_most_detail
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.text import lines

ROW = len("- four\n")


def document(target):
    return InputDocument(lines.lines_from_bytes(b""), lambda offset, length: b"", len, target)


def outline(many):
    return Outline("x", (Section("", tuple(Entry("four") for _ in range(many))),))


def test_the_size_is_that_of_the_body() -> None:
    assert count_outline_tokens(outline(3), document(0)) == 3 * ROW - 1


def test_as_many_details_are_taken_as_there_is_room_for() -> None:
    assert find_most_detail(outline, 100, document(FRAME_TOKENS + 10 * ROW)) == 10
    assert find_most_detail(outline, 5, document(FRAME_TOKENS + 10 * ROW)) == 5
    assert find_most_detail(outline, 100, document(FRAME_TOKENS)) == 0
