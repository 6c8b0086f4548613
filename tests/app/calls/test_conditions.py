"""A call knows whether it has a session, and whether it may store content."""

import pytest

from ctxkit.app.calls.conditions import CallContext
from ctxkit.core.calls.function_call import CallError
from ctxkit.edge import settings
from ctxkit.edge.request import CliRequest


def test_a_call_without_a_session_cannot_edit() -> None:
    with pytest.raises(CallError, match="there is no session"):
        CallContext(CliRequest(), settings.load()).require_session()


@pytest.mark.parametrize("no_store", [True, False])
def test_an_option_turns_the_store_off(no_store: bool) -> None:
    assert CallContext(CliRequest(no_store=no_store), settings.load()).call.stores is not no_store
