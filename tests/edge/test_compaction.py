import pytest

from ctxkit.core.errors import CtxkitError, Exit, MalformedInputError
from ctxkit.core.text.limits import EDITABLE, WorkerDiedError
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import compaction
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.compaction import check_conversation, describe_error, encode_json


def test_a_conversation_whose_worker_died_passes_unless_strict(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    error = WorkerDiedError("it died")
    assert compaction.pass_unchanged((b"[]",), error, strict=False) is Exit.DONE
    out, err = capfdbinary.readouterr()
    assert out == b"[]"
    assert b"passes unchanged: it died" in err
    with pytest.raises(WorkerDiedError, match="is not compacted: it died"):
        compaction.pass_unchanged((b"[]",), error, strict=True)


def test_an_oversized_conversation_passes_unless_strict(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert compaction.fits_in_memory(PeekableStream(iter([b"[", b"]"])), b"[]")
    assert compaction.pass_oversized((b"[", b"]"), EDITABLE + 1, CompactOptions(), strict=False) is Exit.DONE
    out, err = capfdbinary.readouterr()
    assert out == b"[]"
    assert b"larger than" in err
    with pytest.raises(CtxkitError):
        compaction.pass_oversized((b"[]",), EDITABLE + 1, CompactOptions(), strict=True)


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


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (MalformedInputError("line 7 is bad"), "line 7 is bad"),
        (ValueError("x"), "ValueError: x"),
        (ValueError(), "ValueError: ValueError"),
    ],
)
def test_a_bug_is_described_with_its_type(error, text):
    assert describe_error(error) == text


def test_json_is_one_line_unless_pretty():
    assert encode_json({"a": "é\ud800"}) == '{"a": "é?"}\n'.encode()
    assert encode_json({"a": "é"}, ascii_only=True) == b'{"a": "\\u00e9"}\n'
    assert encode_json({"a": [1]}, pretty=True) == b'{\n "a": [\n  1\n ]\n}\n'
