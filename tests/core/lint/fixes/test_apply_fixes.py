"""What removed lines leave without content."""

import random

import pytest

from ctxkit.core.lint.document.finding import WARNING, Fix, LintFinding, TextEdit
from ctxkit.core.lint.fixes.apply_fixes import apply_edits, apply_fixes, find_empty_sections, is_linked, remove_heading
from ctxkit.core.lint.run import LintOptions, collect_findings, fix_all
from tests.core.lint.places import workspace

SAID = "- Always run the tests before you push to main.\n"
SENTENCES = (
    "Always run the tests before you push to main.", "Never commit secrets to the repository.",
    "The staging server needs the VPN.", "Ask before deleting files that are not yours.",
    "所有提交必须先通过测试。", "اختبر قبل كل إرسال إلى الفرع الرئيسي.",
)  # fmt: skip
PIECES = (
    "- {}\n", "- {}\n", "- **{}**\n", "{}\n\n", "```bash\n{}\n```\n", "<thinking>\nOkay, let's see. {}\n</thinking>\n",
    "| a | b |\n|---|---|\n| {} | x |\n", "## Notes\n\n", "- one of two\n  - {}\n", "1. {}\n2. and then\n", "Commands:\n- {}\n",
    "user: do it now please\nassistant: Done, it is all built.\n", "I should prompt them to specify the file.\n",
    "- in\u200bvisible {}\n", "<!-- {} -->\n", "> {}\n\n", "\n",
)  # fmt: skip
FILES = (("AGENTS.md", "SOUL.md", "MEMORY.md", "TOOLS.md"), ("CLAUDE.md", "packages/a/CLAUDE.md"), ("MEMORY.md", "SOUL.md", "memory/a.md"))


def invented(seed):
    chance = random.Random(seed)
    files = {}
    for path in chance.choice(FILES):
        head = "---\nname: x\n---\n" if chance.random() < 0.3 else ""
        body = "".join(chance.choice(PIECES).format(chance.choice(SENTENCES)) for _ in range(chance.randrange(2, 14)))
        text = f"{head}# T\n\n{body}"
        text = text if chance.random() < 0.8 else text.rstrip("\n")
        files[path] = ("\ufeff" if chance.random() < 0.1 else "") + (text.replace("\n", "\r\n") if chance.random() < 0.3 else text)
    return workspace(files)


def statements(space, paths):
    return {unit.normal for path in paths if (document := space.document(path)) for unit in document.units if unit.kind != "heading"}


@pytest.mark.quick_cases(11)
@pytest.mark.parametrize("seed", range(60))
def test_safe_fixes_lose_no_statement_and_a_second_run_changes_nothing(seed: int) -> None:
    space = invented(seed)
    result = fix_all(space, LintOptions(), unsafe=False)
    gone = {
        unit.normal for one in collect_findings(space, LintOptions()) if one.fix and not one.code.startswith("DUP")
        for document in [space.document(one.path)] for unit in document.units
        if unit.line <= one.end_line and one.line <= unit.end_line
    }  # fmt: skip
    for loaded in space.load_sets:
        assert statements(space, loaded.paths) - statements(result.workspace, loaded.paths) <= gone
    for old, new in zip(space.documents, result.workspace.documents, strict=True):
        assert (old.bom, old.encoding) == (new.bom, new.encoding)
        assert "\r\n" not in old.text or "\n" not in new.text.replace("\r\n", "")
        assert old.text[: old.span(1, old.front_matter.end_line)[1] if old.front_matter else 0] == new.text[: new.span(1, new.front_matter.end_line)[1] if new.front_matter else 0]
    assert fix_all(result.workspace, LintOptions(), unsafe=False).fixed_findings == []


@pytest.mark.quick_cases(13)
@pytest.mark.parametrize("seed", range(30))
def test_unsafe_fixes_come_to_an_end_too(seed: int) -> None:
    result = fix_all(invented(seed), LintOptions(), unsafe=True)
    assert fix_all(result.workspace, LintOptions(), unsafe=True).fixed_findings == []


def forged(space, *edits, safe=True, code="DUP002"):
    return LintFinding(code, WARNING, edits[0].path, 1, 1, "x", fix=Fix(edits, safe, "x"))


def test_the_last_copy_in_a_window_stays() -> None:
    space = workspace({"AGENTS.md": f"# A\n\n{SAID}- Cats sleep in the sun all day.\n"})
    document = space.documents[0]
    assert apply_fixes(space, [forged(space, TextEdit("AGENTS.md", *document.span(3, 3)))], unsafe=False).texts == {}


def test_a_fix_that_opens_a_fence_or_takes_front_matter_is_not_made() -> None:
    text = f"---\nname: x\n---\n```\ncode\n```\n{SAID}"
    space = workspace({"AGENTS.md": text})
    for line in (1, 6):
        edit = TextEdit("AGENTS.md", *space.documents[0].span(line, line))
        assert apply_fixes(space, [forged(space, edit, code="HYG001")], unsafe=False).texts == {}


def test_a_fix_that_makes_two_statements_one_is_not_made() -> None:
    space = workspace({"AGENTS.md": "first statement of two\n\nsecond statement of two\n"})
    edit = TextEdit("AGENTS.md", *space.documents[0].span(2, 2))
    assert apply_fixes(space, [forged(space, edit, code="HYG001")], unsafe=False).texts == {}


def test_fixes_over_one_another_are_made_one_at_a_time_and_unsafe_ones_only_when_told() -> None:
    space = workspace({"AGENTS.md": "abc\n"})
    first, second = forged(space, TextEdit("AGENTS.md", 0, 2, "x"), code="A"), forged(space, TextEdit("AGENTS.md", 1, 3, "y"), code="B")
    assert apply_edits("abc\n", [TextEdit("", 2, 2, "-"), TextEdit("", 0, 1)]) == "b-c\n"
    assert apply_fixes(space, [first, second], unsafe=True).findings in ((), (first,))
    assert apply_fixes(space, [forged(space, TextEdit("AGENTS.md", 0, 1), safe=False)], unsafe=False).findings == ()


def test_of_the_copies_in_a_section_all_are_removed_or_none() -> None:
    rules = "- Never commit secrets to the repository.\n- Always run the tests before you push.\n"
    space = workspace({"AGENTS.md": f"# T\n\n{rules}- Ask before you delete a file.\n{rules}"})
    (finding,) = collect_findings(space, LintOptions())
    assert finding.fix is not None
    first, second = (finding._replace(fix=finding.fix._replace(edits=(edit,))) for edit in finding.fix.edits)
    assert apply_fixes(space, [first, second], unsafe=False).texts["AGENTS.md"].count("- Never commit") == 1
    (edit,) = first.fix.edits
    overlapping = second._replace(fix=second.fix._replace(edits=(edit._replace(end=edit.end - 1), *second.fix.edits)))
    assert apply_fixes(space, [first, overlapping], unsafe=False).texts == {}


def test_fixes_with_the_same_edits_are_made_and_unsafe_ones_never_prevent_safe_ones() -> None:
    rules = "- Never commit secrets to the repository.\n- Always run the tests before you push.\n"
    space = workspace({"AGENTS.md": f"# T\n\n{rules}- Ask before you delete a file.\n{rules}"})
    (finding,) = collect_findings(space, LintOptions())
    assert finding.fix is not None
    again = finding._replace(fix=finding.fix._replace(safe=False))
    assert apply_fixes(space, [finding, again], unsafe=True).texts["AGENTS.md"].count("- Never commit") == 1
    first, second = finding.fix.edits
    wider = finding._replace(line=1, fix=finding.fix._replace(edits=(first, second._replace(end=second.end + 1)), safe=False))
    assert apply_fixes(space, [finding, wider], unsafe=True).texts["AGENTS.md"].count("- Never commit") == 1


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
