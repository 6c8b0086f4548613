from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.summary.output_fields import read_output_fields

QWEN = "Command: npx tsc 2>&1 | findstr x\nDirectory: (root)\nOutput: {}\nError: {}\nExit Code: {}\nSignal: (none)\nProcess Group PGID: 34344"


def test_empty_fields_are_no_output() -> None:
    assert read_output_fields(QWEN.format("(empty)", "(none)", 1)) == ("", 1)


def test_an_output_is_read_without_the_fields_around_it() -> None:
    assert read_output_fields(QWEN.format("a\nError: b\nc", "(none)", 0)) == ("a\nError: b\nc", 0)
    assert read_output_fields(QWEN.format("(empty)", "spawn x ENOENT", "(none)")) == ("spawn x ENOENT", None)
    assert read_output_fields(QWEN.format("a", "b", "-1073741510")) == ("a\nb", -1073741510)


def test_the_fields_of_older_versions_are_read() -> None:
    text = "Command: ls\nDirectory: src\nStdout: a.py\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)"
    assert read_output_fields(text) == ("a.py", 0)
    both = text.replace("(empty)", "ls: no b")
    assert read_output_fields(both) == ("a.py\nStderr: ls: no b", 0)


def test_any_other_text_has_no_fields() -> None:
    assert read_output_fields("Output: a\nError: b\nExit Code: 1") is None
    assert read_output_fields("Command: ls\nDirectory: src\nOutput: a") is None
    assert read_output_fields("Command: ls\nError: b\nExit Code: 1\nOutput: a") is None


@given(st.lists(st.sampled_from(["Command: ", "\nOutput: ", "\nStdout: ", "\nError: ", "\nExit Code: ", "²", "9", "\n"]), max_size=9))
def test_any_text_is_read(parts: list[str]) -> None:
    fields = read_output_fields("Command: " + "".join(parts))
    assert fields is None or fields[0].count("\n") <= len(parts) + 1
