"""A session with two messages, for the tests of all snapshot commands."""

import pytest

from tests.commands.snapshot.talk import ONE, SIZED, TWO
from tests.conftest import Run


@pytest.fixture(autouse=True)
def begun(run: Run) -> None:
    """A session with two messages."""
    run("session", "new", "s", *SIZED)
    assert run("session", "append", "s", stdin=ONE + TWO).status == 0
