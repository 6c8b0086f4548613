import pytest

from ctxkit.core.lint.document.finding import ERROR, WARNING
from ctxkit.core.lint.loading.assemble import ProjectListing, assemble_workspace
from ctxkit.core.lint.rules import thinking
from ctxkit.core.lint.run import LintOptions, fix_all
from tests.core.lint.asked import asked, codes, mended


@pytest.mark.parametrize(
    "text",
    [
        "<thinking>\nOkay, let's see. The user wants tabs.\n</thinking>\n",
        "<think>Let me think about what they meant by it.</think>\n",
        "<THINK>\n\nHmm.\n\n</THINK>\n",
        "◁think▷\nThe user wants tabs.\n◁/think▷\n",
        '<thinking budget="3">\nOkay, so the plan is clear.\n</thinking>\n',
        "<reasoning>\n```\ncode in it\n```\n</reasoning>\n",
    ],
)
def test_a_block_in_a_memory_is_a_leak_that_can_go(text: str) -> None:
    (found,) = asked(thinking, {"MEMORY.md": f"- One.\n{text}- Two.\n"})
    assert (found.code, found.severity, found.line) == ("HYG001", ERROR, 2)
    assert found.fix
    assert found.fix.safe
    assert mended(thinking, "MEMORY.md", f"- One.\n{text}- Two.\n") == "- One.\n- Two.\n"


@pytest.mark.parametrize(
    "text",
    [
        "- Strip <thinking> tags from what the model writes.\n", "- It leaks `<think>` often.\n",
        "```\n<think>\nx\n</think>\n```\n", "- Wrap it in <thinking>...</thinking> tags.\n",
        "<details>\nx\n</details>\n", "- x < y and thinking > z\n",
    ],
)  # fmt: skip
def test_what_speaks_of_tags_is_no_leak(text: str) -> None:
    assert codes(thinking, {"MEMORY.md": text}) == []


def test_in_a_memory_a_block_may_be_as_short_as_it_likes() -> None:
    assert codes(thinking, {"MEMORY.md": "- <think>ok</think>\n"}) == [("HYG001", 1)]
    assert codes(thinking, {"MEMORY.md": "<think></think>\n"}) == [("HYG001", 1)]
    assert codes(thinking, {"AGENTS.md": "- <think>ok</think>\n"}) == []


def test_elsewhere_only_what_reads_like_reasoning_is() -> None:
    leaked, shown = "<think>\nOkay, the user wants it.\n</think>\n", "<thinking>\nWrite your steps here.\n</thinking>\n"
    found = asked(thinking, {"AGENTS.md": leaked, ".claude/skills/x/SKILL.md": shown})
    assert [(one.path, one.severity) for one in found] == [("AGENTS.md", WARNING)]


def test_a_tag_without_its_partner_needs_a_second_look() -> None:
    (found,) = asked(thinking, {"memory/a.md": "- One.\n</think>\n- Two.\n"})
    assert found.fix
    assert not found.fix.safe
    assert codes(thinking, {"CONTEXT.md": "<think>\n- One.\n"}) == [("HYG001", 1)]


def test_a_block_with_headings_in_it_is_not_taken_for_one_safely() -> None:
    (found,) = asked(thinking, {"MEMORY.md": "<think>\nx\n\n# Facts\n- A fact.\n\n</think>\n"})
    assert found.fix
    assert not found.fix.safe


def test_every_tag_without_its_partner_is_reported_at_once() -> None:
    text = "- One.\n" + "<think>x\n" * 30
    assert codes(thinking, {"MEMORY.md": text}) == [("HYG001", line) for line in range(2, 32)]
    assert mended(thinking, "MEMORY.md", text) == "- One.\n" + "x\n" * 30


def test_reasoning_inside_of_copies_is_removed_at_once() -> None:
    leak = "<thinking>I should look at it first.</thinking>"
    text = f".</thinking>\n- Always say thanks to them\n{leak}\n" + f"- Always say thanks to them\n{leak}\n" * 20
    files = {"AGENTS.md": text.encode()}
    workspace = assemble_workspace(ProjectListing(sorted(files)), files.get, lambda text: len(text.split()))
    result = fix_all(workspace, LintOptions(), unsafe=True)
    assert "thinking>I" not in result.workspace.documents[0].text
    assert not [finding for finding in result.remaining if finding.fix]
