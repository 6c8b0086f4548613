from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.references.past_sections import PastSections


def test_a_section_and_those_below_it_are_about_the_past() -> None:
    past = PastSections(parse_document("A.md", b"# A\n\ntext\n\n## Changelog\n\ntext\n\n### May\n\ntext\n\n## Now\n\ntext\n"))
    assert [line for line in (1, 3, 7, 11, 15) if past.is_past(line)] == [7, 11]


def test_a_section_about_deleted_files_is_about_the_past() -> None:
    past = PastSections(parse_document("A.md", b"## Deleted files\n\ntext\n\n## Delete a user\n\ntext\n"))
    assert [line for line in (3, 7) if past.is_past(line)] == [3]
