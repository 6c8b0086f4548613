from hashlib import sha256

import pytest

from ctxkit.core.lint.lint_settings import LintSettings
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.run import LintOptions, add_fingerprints, apply_rules, collect_findings, is_selected
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


def find_all(workspace, select):
    return add_fingerprints(workspace, apply_rules(workspace, select))


RULE = "- Assumptions are forbidden: look it up instead.\n"


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), True),
        (("DUP",), (), True),
        (("CON",), (), False),
        ((), ("DUP002",), False),
        (("DUP002",), ("DUP",), True),
        (("DUP",), ("DUP002",), False),
        (("ALL",), ("D",), False),
        ((), ("ALL",), False),
    ],
)
def test_rules_are_chosen_by_the_beginning_of_their_code(select, ignore, expected: bool) -> None:
    assert is_selected("DUP002", select, ignore) is expected


def test_findings_come_in_order_with_fingerprints_of_their_own() -> None:
    made = workspace({"AGENTS.md": RULE + "\n" + RULE, "CLAUDE.md": "- Cats sleep a lot.\n" + RULE})
    found = find_all(made, ("DUP",))
    assert [(one.path, one.line) for one in found] == sorted((one.path, one.line) for one in found)
    assert all(len(one.fingerprint) == 16 for one in found)


def test_a_fingerprint_stays_when_lines_move() -> None:
    before = find_all(workspace({"AGENTS.md": RULE + "- Cats sleep a lot.\n" + RULE}), ("DUP",))
    after = find_all(workspace({"AGENTS.md": "# Title\n\n" + RULE + "- Dogs bark a lot.\n" + RULE}), ("DUP",))
    assert [one.fingerprint for one in before] == [one.fingerprint for one in after] != []


def test_every_rule_has_one_code() -> None:
    assert {"DUP001", "CON001"} <= set(rules())
    assert all(code == rule.code for code, rule in rules().items())


@pytest.mark.parametrize(("texts", "hashes"), [(["x{}"] * 50, 50), (["x"] * 50, 2)])
def test_a_fingerprint_takes_one_hash_and_those_of_equal_findings_two_in_all(texts, hashes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr("ctxkit.core.lint.run.sha256", lambda data: calls.append(data) or sha256(data))
    lines = "".join(f"the caf\u200be of {text.format(number)}\n\n" for number, text in enumerate(texts))
    findings = collect_findings(workspace({"AGENTS.md": lines}), LintOptions(LintSettings(select=("HYG006",))))
    assert len({finding.fingerprint for finding in findings}) == 50
    assert len(calls) == hashes
