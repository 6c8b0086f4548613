"""The context of a function call: the request, the settings, the session, the root of files, and the tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.calls.function_call import CallError

if TYPE_CHECKING:
    from ctxkit.core.session.account import SessionReservation
    from ctxkit.edge.request import Call, CliRequest
    from ctxkit.edge.settings import Settings
    from ctxkit.edge.tool_files import ToolSet


class CallContext(NamedTuple):
    """The conditions of a call; ``call_id`` is "" if it has none."""

    request: CliRequest
    settings: Settings
    reservation: SessionReservation | None = None
    root: str = "."
    tools: ToolSet | None = None
    call_id: str = ""

    @property
    def call(self) -> Call:
        """Return the call of the command that answers."""
        from ctxkit.edge.request import Call

        return Call(self.request, self.settings)

    def require_session(self) -> str:
        """Return the name of the session; raise CallError without one."""
        if self.reservation is None:
            raise CallError(
                "there is no session, so there is no conversation to edit", hint="continue without this function"
            )
        return self.reservation.name
