from ctxkit.core.errors import Exit
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.conversation_check import check_conversation


def test_a_breach_is_printed_with_its_line(tmp_path, capfdbinary):
    path = tmp_path / "c.json"
    call = b'{"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f"}}]}'
    path.write_bytes(b'[{"role": "user", "content": "u"},\n' + call + b',\n{"role": "user", "content": "v"}]')
    assert check_conversation(CompactOptions(file=str(path))) == Exit.NO
    assert capfdbinary.readouterr().out.startswith(b"%s:2: unanswered: " % str(path).encode())


def test_messages_of_unknown_types_are_named(tmp_path, capfdbinary):
    path = tmp_path / "c.json"
    user = b'{"id": "1", "type": "user", "content": "u"}'
    path.write_bytes(b'{"sessionId": "s", "messages": [' + user + b',\n{"id": "2", "type": "memo", "content": "v"}]}')
    assert check_conversation(CompactOptions(file=str(path))) == Exit.DONE
    assert b"1 message of a type that ctxkit does not know, kept unchanged, first line 2" in capfdbinary.readouterr().err
