import pytest

from ctxkit.core.redaction.never_store import is_never_stored

GLOBS = ["aws secretsmanager *", "vault read *", "pass", "*kubectl get secret*"]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["aws", "secretsmanager", "get-secret-value", "--secret-id", "x"], True),
        (["/usr/local/bin/aws", "secretsmanager", "list"], True),
        (["pass"], True),
        (["pass", "show", "x"], False),
        (["aws", "s3", "ls"], False),
        (["AWS", "secretsmanager", "list"], False),
        (["sh", "-c", "aws secretsmanager list"], False),
        (["sh", "-c", "cd x\nkubectl get secret y -o yaml"], True),
    ],
)
def test_a_glob_names_the_words_that_are_given(words: list[str], named: bool) -> None:
    assert is_never_stored(words, GLOBS) is named


def test_without_globs_everything_may_be_stored() -> None:
    assert not is_never_stored(["aws", "secretsmanager", "list"], [])
