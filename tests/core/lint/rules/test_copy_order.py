"""Of several copies, the one that is kept."""

from ctxkit.core.lint.rules.duplicates import findings
from tests.core.lint.places import workspace

RULE = "- Assumptions are forbidden: look it up instead.\n"
OTHER = "- Cats sleep in the warm sun all day.\n"


def found(files):
    return list(findings(workspace(files)))

def test_a_copy_in_two_files_goes_from_the_memory() -> None:
    files = {"AGENTS.md": RULE + OTHER, "MEMORY.md": "- Fact: the moon is far.\n" + RULE, "SOUL.md": "- Be kind to all.\n"}
    (one,) = found(files)
    assert (one.code, one.path, one.line, one.tokens) == ("DUP002", "MEMORY.md", 2, 8)
    assert one.message == "also in AGENTS.md:1"
    assert [name for name, _ in one.wasted] == ["OpenClaw"]
    assert one.fix.safe  # whoever loads MEMORY.md loads AGENTS.md too


def test_of_near_copies_the_fuller_stays_and_a_pointer_is_never_kept() -> None:
    said = "- Narrate briefly before each tool call to the remote shell"
    files = {"AGENTS.md": f"{said} (see SOUL.md).\n", "SOUL.md": f"{OTHER}{said}, in one short sentence.\n"}
    (one,) = found(files)
    assert (one.code, one.path, one.fix) == ("DUP007", "AGENTS.md", None)
    assert one.message == "refers to SOUL.md and repeats its line 2"
    short, full = "- Use tabs to indent all Makefiles here.\n", "- Use tabs to indent all Makefiles here, never blanks.\n"
    (one,) = found({".claude/CLAUDE.md": f"{short}{OTHER}", ".claude/rules/a.md": f"{full}- Dogs bark at the moon.\n"})
    assert (one.path, one.related[0].path) == (".claude/CLAUDE.md", ".claude/rules/a.md")
