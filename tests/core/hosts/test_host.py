from ctxkit.core.hosts.host import ConflictError, EventKind, HookEvent, make_no_answer


def test_a_conflict_has_a_hint() -> None:
    error = ConflictError("sets X", hint="remove X")
    assert (str(error), error.hint) == ("sets X", "remove X")


def test_an_event_has_no_input_unless_it_is_given() -> None:
    assert HookEvent(EventKind.COMPACTION).tool_input == {}
    assert make_no_answer("page") == {}
