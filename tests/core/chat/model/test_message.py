"""Messages are values: they compare by content and change only as copies."""

from ctxkit.core.chat.model.message import ChatMessage, EntryLink, KeptTail, MessagePart


def test_a_message_with_nothing_else_has_no_links() -> None:
    message = ChatMessage("user", (MessagePart("text", "a"),))
    assert (message.name, message.calls, message.answers, message.link, message.kept) == ("", (), (), None, None)
    assert message == ChatMessage("user", (MessagePart("text", "a"),))
    assert message._replace(kept=KeptTail("x")) != message


def test_a_first_entry_and_an_unlinked_entry_differ() -> None:
    assert EntryLink("a", "") != EntryLink("a")
    assert EntryLink("a").parent is None
