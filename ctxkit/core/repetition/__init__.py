"""Content that entered a session's context before, the same or nearly the same."""
