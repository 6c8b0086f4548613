import pytest

from ctxkit.core.lint.lint_settings import LintSettings
from ctxkit.core.lint.run import LintOptions, collect_findings
from tests.core.lint.places import workspace


def codes(files, **control):
    return [(one.code, one.path) for one in collect_findings(workspace(files), LintOptions(LintSettings(**control)))]


MEMORY = "# Memory\n\n<think>\nOkay, I should prompt them to specify the files.\n</think>\n- A fact.\n"


def test_what_stands_in_reasoning_is_not_judged_as_well() -> None:
    assert codes({"MEMORY.md": MEMORY}) == [("HYG001", "MEMORY.md")]


def test_of_a_chat_and_a_sentence_in_it_the_chat_is_told() -> None:
    text = "# Memory\n\nuser: please fix it\nassistant: I should ask the user for the path first.\n"
    assert codes({"MEMORY.md": text}) == [("HYG003", "MEMORY.md")]


def test_files_and_rules_can_be_left_out() -> None:
    files = {"MEMORY.md": MEMORY, "a/MEMORY.md": MEMORY}
    assert codes(files, exclude=("a/",)) == [("HYG001", "MEMORY.md")]
    assert codes(files, ignore=("HYG",), select=("HYG",)) == []
    assert codes(files, select=("DUP",)) == []
    assert len(codes(files, select=("DUP",), extend_select=("HYG001",))) == 2


@pytest.mark.slow
def test_a_file_of_ten_thousand_findings_takes_little_time() -> None:
    files = {"MEMORY.md": "# Memory\n" + "<think>\nOkay, the user wants x.\n</think>\n- y\n" * 2000}
    assert len(codes(files, select=("HYG", "MEM"))) == 2000


SKILL = "---\nname: react\ndescription: Write components.\n---\n\nRead [the guide](guide.md).\n"
LOCK = '{"version": 1, "skills": {"react": {"source": "vercel-labs/agent-skills"}}}'


def find_codes(text: str, **files: str) -> list[str]:
    place = workspace({".claude/skills/react/SKILL.md": text, "CLAUDE.md": "Words.\n", **files})
    return [finding.code for finding in collect_findings(place, LintOptions())]


def test_a_dead_link_and_the_length_of_an_installed_skill_are_left_out() -> None:
    long = SKILL + "\n" + "Words.\n\n" * 500
    assert find_codes(long) == ["REF005", "BUD004"]
    assert find_codes(long, **{"skills-lock.json": LOCK}) == []
    assert find_codes(SKILL, **{"skills-lock.json": '{"skills": {"other": {}}}'}) == ["REF005"]


def test_a_secret_in_an_installed_skill_stays() -> None:
    secret = f"{SKILL}\nexport GITHUB_TOKEN=ghp_{'aB3dE5fG7hJ9kL1mN3pQ5rS7tV9wX1yZ3bC5'}\n"
    assert "HYG007" in find_codes(secret, **{"skills-lock.json": LOCK})
