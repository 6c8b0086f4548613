from ctxkit.core.brief.shapes.call_reader import CallReader, count_calls, find_call

LINES = [
    'openat(AT_FDCWD, "/a", O_RDONLY) = -1 ENOENT (No such file) <0.000010>',
    'openat(AT_FDCWD, "/b", O_RDONLY) = 3 <0.500000>',
    "malloc(24)                       = 0x55",
    "+++ exited with 0 +++",
    "free text",
]


def test_lines_are_told() -> None:
    assert count_calls(LINES) == 4
    assert find_call("[pid 9] 12:00:00 close(3) = 0") == 17
    assert find_call("free text") == 0


def test_calls_have_their_failures_and_times() -> None:
    reader = CallReader()
    reader.add_lines(enumerate(LINES, 1))
    call = reader.calls["openat"]
    assert (call.count, call.failures, round(call.seconds, 3)) == (2, 1, 0.5)
    assert reader.failures["openat", "ENOENT"].paths == {"/a": [1]}
    assert (reader.exits, reader.others, max(reader.slowest)) == ([4], [5], (0.5, 2))
