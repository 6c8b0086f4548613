"""One finding for a group of equal files, and for two directories of them."""

from ctxkit.core.lint.document.rule import INFO, WARNING
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.rules.copied_files import make_block_findings
from ctxkit.core.lint.similarity.copied_blocks import find_copied_blocks
from tests.core.lint.places import workspace


def lines(word: str, count: int = 40) -> str:
    return "".join(f"- The {word} number {number} stands here.\n" for number in range(count))


def copied(files):
    place = workspace(files)
    return list(make_block_findings(find_copied_blocks(place.documents), LoadSetIndex(place)))


def test_equal_files_that_no_tool_loads_together_cost_nothing() -> None:
    (finding,) = copied({"a/CLAUDE.md": lines("cache"), "b/CLAUDE.md": lines("cache"), "c/CLAUDE.md": lines("cache")})
    assert (finding.code, finding.severity, finding.path, finding.tokens) == ("DUP005", INFO, "b/CLAUDE.md", 0)
    assert finding.message.startswith("the same file as a/CLAUDE.md and c/CLAUDE.md; no tool loads them together")
    assert [place.path for place in finding.related] == ["a/CLAUDE.md", "c/CLAUDE.md"]


def test_a_block_that_a_tool_loads_twice_is_a_warning_with_its_cost() -> None:
    (finding,) = copied({"AGENTS.md": f"# A\n{lines('cache')}", ".github/copilot-instructions.md": f"# B\n\n{lines('cache')}"})
    assert (finding.severity, finding.message) == (WARNING, "40 lines are the same in .github/copilot-instructions.md:3")
    assert finding.tokens == 40 * 7


def test_more_blocks_of_the_same_files_are_counted() -> None:
    first, second = f"# A\n\n{lines('cache')}x\n{lines('store')}", f"# B\n\n{lines('store')}\ny\n{lines('cache')}"
    (finding,) = copied({"a/CLAUDE.md": first, "b/CLAUDE.md": second})
    assert "40 lines are the same in a/CLAUDE.md:" in finding.message
    assert ", and 40 more in 1 other block; no tool" in finding.message


def test_two_directories_of_equal_files_are_one_finding() -> None:
    files = {f"{tool}/skills/{name}/SKILL.md": lines(name) for tool in (".claude", ".codex") for name in ("cook", "bake", "stir")}
    (finding,) = copied(files)
    assert finding.message == "3 files below .codex/skills are the same as those below .claude/skills; somebody must keep them in sync"
    assert len(finding.related) == 5
    (finding,) = copied({**files, ".codex/skills/bake/SKILL.md": f"# Bake\n\n{lines('bake')}"})
    assert finding.message == (
        "3 files below .codex/skills share blocks of 30 lines or more with files below .claude/skills, and 2 of them are the "
        "same; somebody must keep them in sync"
    )


def test_a_message_names_three_places_and_counts_the_others() -> None:
    (finding,) = copied({f"{name}/CLAUDE.md": lines("cache") for name in "abcdefg"})
    assert "a/CLAUDE.md, c/CLAUDE.md, d/CLAUDE.md and 3 more" in finding.message
