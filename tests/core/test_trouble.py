import pytest

from ctxkit.core.exit import Exit
from ctxkit.core.trouble import (
    BadSettings,
    EngineAbsent,
    IOFailed,
    Locked,
    Malformed,
    MissingInput,
    Misuse,
    NotHeld,
    Trouble,
)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (Misuse, 2),
        (Malformed, 65),
        (MissingInput, 66),
        (NotHeld, 1),
        (EngineAbsent, 69),
        (IOFailed, 74),
        (Locked, 75),
        (BadSettings, 78),
        (Trouble, 70),
    ],
)
def test_each_trouble_ends_in_its_own_status(kind, status):
    trouble = kind("what, where", hint="try this")
    assert trouble.status == status
    assert (str(trouble), trouble.hint) == ("what, where", "try this")
    assert isinstance(trouble.status, Exit)


def test_a_hint_is_optional():
    assert Trouble("what").hint == ""
