from ctxkit.core import lines
from ctxkit.core.brief.depth import AROUND, deepest, size
from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section

ROW = len("- four\n")


def document(target):
    return Document(lines.of(b""), lambda offset, length: b"", len, target)


def outline(many):
    return Outline("x", (Section("", tuple(Entry("four") for _ in range(many))),))


def test_the_size_is_that_of_the_body():
    assert size(outline(3), document(0)) == 3 * ROW - 1


def test_as_many_details_are_taken_as_there_is_room_for():
    assert deepest(outline, 100, document(AROUND + 10 * ROW)) == 10
    assert deepest(outline, 5, document(AROUND + 10 * ROW)) == 5
    assert deepest(outline, 100, document(AROUND)) == 0
