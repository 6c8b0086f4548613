from ctxkit.core.brief.builds.reader_state import BuildEvent, ReaderState


def test_a_new_state_knows_nothing_of_the_lines_above() -> None:
    state = ReaderState()
    assert (state.last, state.head, state.file, state.heading, state.line, state.lead) == (None, None, "", 0, 0, 0)
    assert state.sure
    assert not state.closed


def test_events_with_the_same_line_are_equal() -> None:
    assert BuildEvent("other", 3, "text") == BuildEvent("other", 3, "text")
