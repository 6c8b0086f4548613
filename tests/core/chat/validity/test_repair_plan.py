"""What is to be done is gathered until it becomes one change."""

import json

from ctxkit.core.chat.branches.active_path import apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.message import RecordCall, RecordResult
from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.call_matching import PlacedResult
from ctxkit.core.chat.validity.repair_plan import DueResult, RepairPlan
from tests.core.chat.talks import FORMATS, Said

PLAN = [Said("user", "Go."), Said("assistant", "", (("a", "run"),)), Said("user", "Stop.")]
CALL = RecordCall("a", "run")


def begun(name):
    """Return a conversation, and what is to be done to it: nothing yet."""
    transcript = parse_transcript(FORMATS[name][1](FORMATS[name][0](PLAN)), "chat", get_format(name))
    spoken = [record for record in transcript.records if record.kind == "message"]
    return transcript, spoken, RepairPlan(transcript, [record.at for record in spoken], spoken)


def test_nothing_is_done_until_something_is() -> None:
    transcript, _, mending = begun("pi")
    assert (apply_change(transcript, mending.build_repair().change), mending.build_repair().actions) == (transcript.text, ())


def test_deeds_are_told_in_the_order_of_the_file_with_their_lines() -> None:
    _, _, mending = begun("pi")
    mending.note_action(2, "the second")
    mending.note_action(0, "the first")
    assert mending.build_repair().actions == ("line 2: the first", "line 4: the second")


def test_messages_are_numbered_as_they_are_spoken() -> None:
    _, spoken, mending = begun("pi")
    mending.add_patches(0, [ValuePatch(("message", "role"), "system")])
    mending.add_patches(1, [])
    mending.dropped.add(2)
    change = mending.build_repair().change
    assert set(change.patches) == {spoken[0].at}
    assert change.dropped == {spoken[2].at}


def test_what_is_inserted_hangs_in_a_chain_and_has_the_same_ids_each_time() -> None:
    made = []
    for _ in range(2):
        transcript, _, mending = begun("pi")
        answers = [transcript.format.make_result(CALL, words) for words in ("one", "two")]
        mending.insert_results(1, [DueResult(CALL, answer) for answer in answers])
        made.append(apply_change(transcript, mending.build_repair().change))
    assert made[0] == made[1]
    linked = [json.loads(line) for line in made[0].splitlines()[1:]]
    assert [entry["parentId"] for entry in linked] == [None, *(entry["id"] for entry in linked[:-1])]
    assert len({entry["id"] for entry in linked}) == 5


def test_what_was_an_entry_before_stays_the_one_it_was() -> None:
    transcript, spoken, mending = begun("pi")
    told = PlacedResult(2, RecordResult("a", "out", ("content",)))
    mending.dropped.add(2)
    mending.insert_results(0, [DueResult(CALL, spoken[2].value, told)])
    entries = [json.loads(line) for line in apply_change(transcript, mending.build_repair().change).splitlines()[1:]]
    assert [(entry["id"], entry["parentId"]) for entry in entries] == [("e1", None), ("e3", "e1"), ("e2", "e3")]
