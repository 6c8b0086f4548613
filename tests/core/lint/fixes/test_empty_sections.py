"""What removed lines leave without content."""

import pytest

from ctxkit.core.lint.document.finding import TextEdit
from ctxkit.core.lint.fixes.empty_sections import find_empty_sections, is_linked, remove_heading
from ctxkit.core.lint.run import LintOptions, fix_all
from tests.core.lint.places import workspace

TEXT = "# T\n\n## A\n\n- one\n\n### B\n\n- two\n\n## C\n\n- three\n"


def empty(text, *lines):
    (document,) = workspace({"AGENTS.md": text}).documents
    edits = [TextEdit("AGENTS.md", *document.span(line, line)) for line in lines]
    return [(one.line, one.is_removable) for one in find_empty_sections(document, edits)]


@pytest.mark.parametrize(
    ("lines", "sections"),
    [
        ((5,), []),
        ((9,), [(7, True)]),
        ((5, 9), [(3, True), (7, True)]),
        ((5, 9, 13), [(1, False), (3, True), (7, True), (11, True)]),
    ],
)
def test_a_heading_is_empty_if_nothing_but_empty_headings_is_below_it(lines, sections) -> None:
    assert empty(TEXT, *lines) == sections


def test_an_introduction_is_empty_if_all_its_bullets_go() -> None:
    text = "Rules of the house:\n\n- one\n- two\n\nOther words.\n"
    assert empty(text, 3) == []
    assert empty(text, 3, 4) == [(1, False)]
    assert empty(text, 1, 3, 4) == []


def test_a_heading_goes_with_the_blank_lines_below_it_and_a_link_to_it_is_seen() -> None:
    place = workspace({"AGENTS.md": TEXT, "CLAUDE.md": "See [b](AGENTS.md#b).\n"})
    document = place.document("AGENTS.md")
    (section,) = find_empty_sections(document, [TextEdit("AGENTS.md", *document.span(9, 9))])
    edit = remove_heading(document, section)
    assert document.text[edit.start : edit.end] == "### B\n\n"
    assert is_linked(document, section, place.documents)
    assert not is_linked(document, section, (document,))


RULES = (
    "- Run the linter over all files that you changed before each commit, and mend what it finds in the same commit, "
    "so that nobody who reads the change has to tell your words from those of the linter.\n"
    "- Ask before you spend any money on services that nobody has approved yet, whatever the ticket says of them.\n"
)


def test_unsafe_fixes_remove_an_empty_section_with_its_heading_and_safe_ones_keep_a_statement() -> None:
    files = {"CLAUDE.md": f"# Rules\n\n{RULES}", ".claude/rules/a.md": f"# More\n\nWords of its own.\n\n## Twice\n\n{RULES}"}
    unsafe = fix_all(workspace(files), LintOptions(), unsafe=True).workspace.document(".claude/rules/a.md").text
    assert unsafe == "# More\n\nWords of its own.\n\n"
    safe = fix_all(workspace(files), LintOptions(), unsafe=False).workspace.document(".claude/rules/a.md").text
    assert "## Twice\n\n- " in safe
