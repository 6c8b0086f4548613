"""A session without its subagents is the conversation that the user had."""

import json

import pytest

from ctxkit.core.chat.reading.main_lines import MainLines

MAIN = {"type": "user", "uuid": "1", "isSidechain": False, "message": {"role": "user", "content": "Fix it."}}
SIDE = {"type": "user", "uuid": "2", "isSidechain": True, "message": {"role": "user", "content": "Search."}}
QUOTED = {**MAIN, "uuid": "3", "message": {"role": "user", "content": json.dumps(SIDE)}}
NESTED = {**MAIN, "uuid": "4", "toolUseResult": {"entry": SIDE}}


@pytest.mark.parametrize("size", [3, 1 << 20])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_only_lines_of_subagents_are_left_out(size, separators) -> None:
    lines = [json.dumps(value, separators=separators).encode() + b"\n" for value in (MAIN, SIDE, QUOTED, SIDE, NESTED)]
    data = b"".join((*lines, b'{"isSidechain": true, "cut'))
    main_lines = MainLines(data[at : at + size] for at in range(0, len(data), size))
    assert b"".join(main_lines) == b"".join((lines[0], lines[2], lines[4], b'{"isSidechain": true, "cut'))
    assert main_lines.left_out == (2, 2 * len(lines[1]))
