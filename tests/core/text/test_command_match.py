import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.command_match import matches_command

PATTERNS = ["aws secretsmanager *", "vault read *", "pass", "*kubectl get secret*", "git  diff"]


@pytest.mark.parametrize(
    ("words", "is_match"),
    [
        (["aws", "secretsmanager", "get-secret-value", "--secret-id", "x"], True),
        (["/usr/local/bin/aws", "secretsmanager", "list"], True),
        (["pass"], True),
        (["pass", "show", "x"], True),
        (["/usr/bin/pass", "show"], True),
        (["passwd"], False),
        (["git", "diff", "--stat"], True),
        (["git", "difftool"], False),
        (["git", "log"], False),
        (["echo", "git", "diff"], False),
        (["aws", "s3", "ls"], False),
        (["AWS", "secretsmanager", "list"], False),
        (["sh", "-c", "aws secretsmanager list"], True),
        (["/bin/bash", "-lc", "cd x && LC_ALL=C git diff | head"], True),
        (["bash", "--norc", "-c", "pass"], True),
        (["bash", "script.sh", "-c", "pass"], False),
        (["bash", "--c", "pass"], False),
        (["python", "-c", "pass"], False),
        (["sh", "-c", "echo 'git diff'"], False),
        (["sh", "-c", "cd x\nkubectl get secret y -o yaml"], True),
        (["sh", "-c"], False),
        ([""], False),
        ([], False),
    ],
)
def test_a_pattern_names_commands(words: list[str], is_match: bool) -> None:
    assert matches_command(words, PATTERNS) is is_match


def test_without_patterns_nothing_matches() -> None:
    assert not matches_command(["aws", "secretsmanager", "list"], [])
    assert not matches_command(["x"], ["", " "])


@given(st.lists(st.text(max_size=8), max_size=5), st.lists(st.text(max_size=8), max_size=3))
def test_any_words_and_patterns_are_compared(words: list[str], patterns: list[str]) -> None:
    assert matches_command(words, patterns) in (True, False)
    if words and words[0].split() == [words[0]] and not set(words[0]) & set("*?[/"):
        assert matches_command(words, [words[0]])
