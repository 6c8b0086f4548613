from ctxkit.core.lint.references.packaged import find_packaged
from tests.core.lint.places import workspace


def test_a_skill_that_no_host_loads_is_packaged() -> None:
    paths = ("CLAUDE.md", ".claude/skills/a/SKILL.md", "plugins/p/skills/a/SKILL.md", "plugins/p/commands/b.md", "skills/a/SKILL.md")
    packaged = find_packaged(workspace(dict.fromkeys(paths, "---\nname: a\ndescription: A\n---\nx\n")))
    assert "plugins/p/skills/a/SKILL.md" in packaged
    assert packaged.isdisjoint(paths[:2])
