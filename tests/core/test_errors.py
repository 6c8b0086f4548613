import pytest

from ctxkit.core.errors import (
    CtxkitError,
    InputOutputError,
    LockedError,
    MalformedInputError,
    MissingDependencyError,
    MissingInputError,
    NotStoredError,
    SettingsError,
    UsageError,
)
from ctxkit.core.exit import Exit


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
