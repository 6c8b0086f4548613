from hashlib import sha256

import pytest

from ctxkit.core.lint.check import add_fingerprints, apply_rules, is_selected
from ctxkit.core.lint.lint_settings import LintSettings
from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.run import LintOptions, collect_findings
from tests.core.lint.places import workspace


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
    monkeypatch.setattr("ctxkit.core.lint.check.sha256", lambda data: calls.append(data) or sha256(data))
    lines = "".join(f"the caf\u200be of {text.format(number)}\n\n" for number, text in enumerate(texts))
    findings = collect_findings(workspace({"AGENTS.md": lines}), LintOptions(LintSettings(select=("HYG006",))))
    assert len({finding.fingerprint for finding in findings}) == 50
    assert len(calls) == hashes
