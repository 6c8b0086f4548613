import pytest

from ctxkit.core.errors import (
    STATUSES,
    CtxkitError,
    Exit,
    InputOutputError,
    LockedError,
    MalformedInputError,
    MissingDependencyError,
    MissingInputError,
    NotStoredError,
    SettingsError,
    UsageError,
)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (UsageError, 2),
        (MalformedInputError, 65),
        (MissingInputError, 66),
        (NotStoredError, 1),
        (MissingDependencyError, 69),
        (InputOutputError, 74),
        (LockedError, 75),
        (SettingsError, 78),
        (CtxkitError, 70),
    ],
)
def test_each_trouble_ends_in_its_own_status(kind, status: int) -> None:
    trouble = kind("what, where", hint="try this")
    assert trouble.status == status
    assert (str(trouble), trouble.hint) == ("what, where", "try this")
    assert isinstance(trouble.status, Exit)


def test_a_hint_is_optional() -> None:
    assert CtxkitError("what").hint == ""


def test_the_statuses_are_the_documented_ones() -> None:
    assert set(STATUSES) == {0, 1, 2, 65, 66, 69, 70, 74, 75, 78, 130}


def test_each_name_has_its_number() -> None:
    assert (Exit.DONE, Exit.NO, Exit.USAGE, Exit.MALFORMED, Exit.MISSING, Exit.ABSENT) == (0, 1, 2, 65, 66, 69)
    assert (Exit.BUG, Exit.IO, Exit.LOCKED, Exit.CONFIG, Exit.INTERRUPTED) == (70, 74, 75, 78, 130)


def test_a_status_is_found_by_its_number() -> None:
    assert STATUSES[1] is Exit.NO
    assert isinstance(Exit.NO, Exit)
