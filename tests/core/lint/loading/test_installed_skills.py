import pytest

from ctxkit.core.lint.loading.installed_skills import find_installed_skills

PATHS = (
    "skills-lock.json", ".agents/skills/react/SKILL.md", ".claude/skills/react/SKILL.md", ".claude/skills/own/SKILL.md",
    ".claude/skills/react.md", "web/skills-lock.json", "web/.claude/skills/charts/SKILL.md", ".claude/skills/charts/SKILL.md",
)  # fmt: skip
LOCKS = {
    "skills-lock.json": b'{"version": 1, "skills": {"react": {"source": "vercel-labs/agent-skills"}}}',
    "web/skills-lock.json": b'{"version": 1, "skills": {"charts": {}}}',
}


def test_skills_of_a_lock_file_are_installed_in_each_directory_of_skills_below_it() -> None:
    assert find_installed_skills(PATHS, LOCKS.get) == {".agents/skills/react", ".claude/skills/react", "web/.claude/skills/charts"}


@pytest.mark.parametrize("lock", [b"", b"[]", b"{", b'{"skills": ["react"]}', b"\xff", b"[" * 100_000, None])
def test_a_lock_file_that_lists_nothing_installs_nothing(lock: bytes | None) -> None:
    assert find_installed_skills(PATHS[:2], lambda _path: lock) == frozenset()
