"""Edit a conversation within its session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.app.services.engines import make_count_options, parse_script, tidy_store
from ctxkit.app.services.sessions import open_session, references
from ctxkit.app.services.stores import open_store

if TYPE_CHECKING:
    from ctxkit.core.errors import Exit
    from ctxkit.edge.editing import EditRequest
    from ctxkit.edge.request import Call


def edit_conversation(edit_request: EditRequest, call: Call) -> Exit:
    """Edit a conversation within its session, if there is one; return the exit status."""
    from ctxkit.edge import bypass, editing, events, source

    request, settings = call

    def log_edit(facts: dict[str, Any]) -> None:
        """Append an event of the edit to the file of events, if there is one."""
        if call.events_file:
            tokens = {"before_tokens": facts["before"], "after_tokens": facts["after"]}
            common_facts = {"name": source.name_of(edit_request.file), **call.describe()}
            events.record(call.events_file, "context_edit", {**common_facts, **facts, **tokens})

    def run_edit() -> Exit:
        """Edit the conversation within its session."""
        from ctxkit.app.services import session_log

        session_request, reservation = open_session(*call, create_missing=False)
        if request.session and reservation is None:
            from ctxkit.core.errors import NotStoredError

            raise NotStoredError(f"no session {request.session}", hint="ctxkit session list shows all sessions")
        session_edit = edit_request._replace(session=reservation.name if reservation else "")
        store = open_store(settings) if settings["store"] and not edit_request.dry_run else None
        services = editing.EditServices(
            store,
            references(settings).hold,
            session_log.make_edit_recorder(request.session, settings) if request.session else None,
            log_edit,
            bypass.make_unstored_check(settings, parse_script),
        )
        answer, ref = editing.apply_edit(session_edit, make_count_options(session_request, settings), services)
        tidy_store(settings, ref)
        return answer

    from ctxkit.app.services import workers

    return workers.run_in_worker(run_edit, 0 if edit_request.in_place else source.preload(edit_request.file))
