"""Which notes leave with the messages around them, and where a summary hangs."""

import json

from ctxkit.core.compact.links import find_neighbour, find_orphan_notes, find_parent_id
from tests.core.chat.talks import Said, claude_code, lines
from tests.core.compact.sizes import read

NOTE = {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}


def transcript():
    plan = [Said("user", "One."), Said("assistant", "A."), Said("user", "Two."), Said("assistant", "B.")]
    one, two, three, four = claude_code(plan)
    return read(lines([NOTE, one, NOTE, two, NOTE, three, NOTE, four, NOTE]), "claude-code")


def test_a_note_leaves_with_the_messages_on_both_sides_of_it() -> None:
    found = transcript()
    assert [record.kind for record in found.records[::2]] == ["note"] * 5
    assert list(find_orphan_notes(found, {1, 3})) == [2]
    assert list(find_orphan_notes(found, {3, 7})) == [8]
    assert list(find_orphan_notes(found, set())) == []


def test_a_summary_hangs_under_the_nearest_entry_that_stays() -> None:
    found = transcript()
    path = [found.records[at] for at in (5, 7)]
    assert find_parent_id(found, path, {5}) == "u1"
    assert find_parent_id(found, path, {3, 5}) == "u0"
    assert find_parent_id(found, path, {1, 3}) == ""
    assert json.dumps(find_neighbour(found, 3, {3, 4, 5, 6}))[:30] == json.dumps(found.records[7].value)[:30]
    assert find_neighbour(found, 9, set()) is None
