"""Which reads a conversation has left behind."""

from time import process_time

import pytest

from ctxkit.core.chat.model.message import Record, RecordCall
from ctxkit.core.compact.stale_reads import FileAccess, find_file_accesses, find_stale_reads


def call(name, **given):
    return RecordCall("", name, given)


@pytest.mark.parametrize(
    ("made", "touch"),
    [
        (call("read_file", path="./a.py"), FileAccess("a.py", True)),
        (call("Read", file_path="/x/a.py", offset=5, limit=9), FileAccess("/x/a.py", True, "offset=5 limit=9")),
        (call("str_replace_editor", command="view", path="a.py"), FileAccess("a.py", True)),
        (call("str_replace_editor", command="str_replace", path="a.py", old_str="a"), FileAccess("a.py", False)),
        (call("Edit", file_path="a.py"), FileAccess("a.py", False)),
        (call("mcp__fs__write_file", path="a.py"), FileAccess("a.py", False)),
        (call("functions.open", filename="a.py"), FileAccess("a.py", True)),
    ],
)
def test_what_a_call_does_to_a_file_is_told_by_its_name_and_arguments(made, touch) -> None:
    assert list(find_file_accesses(made)) == [touch]


@pytest.mark.parametrize("made", [call("bash", command="cat a.py"), call("read_file"), call("think", path="a.py"), RecordCall("", "read", "x")])
def test_other_calls_touch_no_file(made) -> None:
    assert list(find_file_accesses(made)) == []


def test_a_read_is_stale_once_the_file_is_read_again_or_changed() -> None:
    calls = [
        *(call("read", path="a"), call("read", path="b"), call("read", path="a", offset=1), call("read", path="c")),
        *(call("edit", path="b"), call("read", path="a", offset=1), call("read", path="b")),
    ]
    path = [Record(at, 0, 0, None, calls=(one,)) for at, one in enumerate(calls)]
    assert find_stale_reads(path) == {(1, 0): "b was changed later", (2, 0): "a was read again later"}


@pytest.mark.slow
def test_reads_of_many_parts_of_one_file_take_linear_time() -> None:
    reads = [Record(at, 0, 1, {}, calls=(call("read_file", path="a.py", offset=at),)) for at in range(20_000)]
    began = process_time()
    assert not find_stale_reads(reads)
    assert process_time() - began < 3  # in squared time 15 s
