"""The chart of a context; tests/commands/test_budget.py draws it."""

from ctxkit.app.budget.usage_chart import _list_times
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.session.history import Addition

LINES = b"".join(b'{"role": "user", "content": "message %d"}\n' % number for number in range(4))


def test_each_message_has_the_time_of_its_addition() -> None:
    transcript = parse_transcript(LINES, "history")
    additions = [Addition(5.0, 1, 1, 0, 9), Addition(7.0, 2, 3, 9, 30)]
    assert _list_times(transcript, additions) == [5.0, 7.0, 7.0, 7.0]
    assert _list_times(transcript, []) == [0.0] * 4
