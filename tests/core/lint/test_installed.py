"""What is wrong with the text of a skill that another repository maintains is not for its user to mend."""

from ctxkit.core.lint.run import LintOptions, collect_findings
from tests.core.lint.places import workspace

TEXT = "---\nname: react\ndescription: Write components.\n---\n\nRead [the guide](guide.md).\n"
LOCK = '{"version": 1, "skills": {"react": {"source": "vercel-labs/agent-skills"}}}'


def codes(text: str, **files: str) -> list[str]:
    place = workspace({".claude/skills/react/SKILL.md": text, "CLAUDE.md": "Words.\n", **files})
    return [finding.code for finding in collect_findings(place, LintOptions())]


def test_a_dead_link_and_the_length_of_an_installed_skill_are_left_out() -> None:
    long = TEXT + "\n" + "Words.\n\n" * 500
    assert codes(long) == ["REF005", "BUD004"]
    assert codes(long, **{"skills-lock.json": LOCK}) == []
    assert codes(TEXT, **{"skills-lock.json": '{"skills": {"other": {}}}'}) == ["REF005"]


def test_a_secret_in_an_installed_skill_stays() -> None:
    secret = f"{TEXT}\nexport GITHUB_TOKEN=ghp_{'aB3dE5fG7hJ9kL1mN3pQ5rS7tV9wX1yZ3bC5'}\n"
    assert "HYG007" in codes(secret, **{"skills-lock.json": LOCK})
