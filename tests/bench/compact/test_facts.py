"""The truths of the bench: what counts as a fact of a conversation, and when it is known."""

import json

from bench.compact.compacting import texts
from bench.compact.facts import Fact, facts, fold, is_known
from bench.compact.reading import read
from bench.compact.said import Did, Said, strings


def ran(command: str, output: str, number: int = 1, *, failed: bool = False) -> list[Said]:
    did = Did(f"c{number}", "bash", {"command": command})
    return [Said("assistant", "", [did]), Said("tool", output, answers=did.id, failed=failed)]


def test_the_error_line_of_go_test_is_known_by_its_word() -> None:
    output = "test_error_message PASSED\n--- FAIL: TestBilling (0.2s)\n<returncode>1</returncode>"
    found = facts(ran("go test ./...", output, failed=True))
    assert found == [Fact("failures", ("go test ./...",)), Fact("errors", ("--- FAIL: TestBilling (0.2s)",))]


def test_the_rule_around_a_line_is_no_part_of_it() -> None:
    found = facts(ran("pytest", "E  a\n===== 2 failed in 0.24s =====", failed=True))
    assert found == [Fact("failures", ("pytest",)), Fact("errors", ("2 failed in 0.24s",))]


def test_what_a_host_writes_of_a_skill_is_no_request() -> None:
    rows = read(json.dumps([{"role": "user", "content": "Base directory for this skill: /x\n\n# Do as the skill says"}]))
    assert facts(rows) == []


def test_a_call_without_a_result_changed_nothing() -> None:
    rows = ran("echo 1 > a.txt", "")
    assert facts(rows) == [Fact("files", ("a.txt",))]
    assert facts(rows[:1]) == []


def test_a_call_that_stays_is_known_though_its_arguments_are_json() -> None:
    arguments = json.dumps({"command": 'echo "x" && ls'})
    assert strings({"arguments": arguments}) == [arguments, 'echo "x" && ls']
    assert is_known(Fact("failures", ('echo "x" && ls',)), fold(texts(json.dumps([{"arguments": arguments}]))))


def test_a_program_with_the_role_of_the_user_demands_nothing() -> None:
    text = "There is no code from the last 1 message for me to execute. You should only reply TERMINATE."
    rows = read(json.dumps([{"role": "user", "content": "Never stop."}, {"role": "user", "content": text}]))
    assert [row.spoken for row in rows] == [True, False]


def test_a_redirection_in_text_changes_no_file() -> None:
    command = "cat > run.sh <<'EOF'\necho hi > log.txt\nEOF\necho \"a > b.txt\" >> c.txt"
    assert facts(ran(command, "")) == [Fact("files", ("run.sh",)), Fact("files", ("c.txt",))]


def test_a_glob_or_a_variable_names_no_file() -> None:
    assert facts(ran("sed -i 's/a/b/' src/*.py; sed -i 's/a/b/' src/$f.py", "")) == []
    assert facts(ran("sed -i 's/a/b/' src/a.py && make", "")) == [Fact("files", ("src/a.py", "src/a.py"))]
