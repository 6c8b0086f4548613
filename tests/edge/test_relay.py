"""What a worker writes and says is written and said by the process that waits, once it is sure."""

import pytest

from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.edge.relay import COMMIT, PIECE, Relay, RelayedStdout


def test_nothing_is_out_before_it_is_replayed(capfdbinary) -> None:
    relay = Relay()
    relay.receive("out", b"one ")
    relay.receive("say", "a word")
    relay.receive("out", b"two")
    assert capfdbinary.readouterr() == (b"", b"")
    relay.replay()
    relay.replay()
    assert capfdbinary.readouterr() == (b"one two", b"a word\n")
    assert not relay.committed


def test_a_whole_answer_is_out_at_once(capfdbinary) -> None:
    relay = Relay()
    relay.receive("out", b"answer")
    relay.receive(COMMIT, None)
    assert capfdbinary.readouterr().out == b"answer"
    assert relay.committed


@pytest.mark.parametrize("message", [("out", "text"), ("say", b"bytes"), ("other", b""), ("out", None)])
def test_another_message_is_garbage(message) -> None:
    with pytest.raises(WorkerDiedError, match="garbage"):
        Relay().receive(*message)


def test_what_is_written_is_sent_in_pieces_and_an_answer_committed_by_its_flush() -> None:
    sent = []
    captured = RelayedStdout(lambda *message: sent.append(message), lambda *message: sent.append(message))
    captured.write(b"a" * PIECE)
    captured.write(memoryview(b"bc"))
    assert sent == [("out", b"a" * PIECE)]
    captured.flush()
    assert sent[1:] == [("out", b"bc"), (COMMIT, None)]
