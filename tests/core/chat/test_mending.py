"""What is to be done is gathered until it becomes one change."""

import json

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.format import named
from ctxkit.core.chat.mending import Due, Mending
from ctxkit.core.chat.pairing import Told
from ctxkit.core.chat.record import Call, Result
from ctxkit.core.chat.rewrite import rewritten
from ctxkit.core.chat.transcript import transcript_of
from tests.core.chat.talks import FORMATS, Said

PLAN = [Said("user", "Go."), Said("assistant", "", (("a", "run"),)), Said("user", "Stop.")]
CALL = Call("a", "run")


def begun(name):
    """Return a conversation, and what is to be done to it: nothing yet."""
    transcript = transcript_of(FORMATS[name][1](FORMATS[name][0](PLAN)), "chat", named(name))
    spoken = [record for record in transcript.records if record.kind == "message"]
    return transcript, spoken, Mending(transcript, [record.at for record in spoken], spoken)


def test_nothing_is_done_until_something_is():
    transcript, _, mending = begun("pi")
    assert (rewritten(transcript, mending.made().change), mending.made().done) == (transcript.text, ())


def test_deeds_are_told_in_the_order_of_the_file_with_their_lines():
    _, _, mending = begun("pi")
    mending.say(2, "the second")
    mending.say(0, "the first")
    assert mending.made().done == ("line 2: the first", "line 4: the second")


def test_messages_are_numbered_as_they_are_spoken():
    _, spoken, mending = begun("pi")
    mending.patch(0, [Patch(("message", "role"), "system")])
    mending.patch(1, [])
    mending.dropped.add(2)
    change = mending.made().change
    assert set(change.patches) == {spoken[0].at}
    assert change.dropped == {spoken[2].at}


def test_what_is_inserted_hangs_in_a_chain_and_has_the_same_ids_each_time():
    made = []
    for _ in range(2):
        transcript, _, mending = begun("pi")
        answers = [transcript.format.answer(CALL, words) for words in ("one", "two")]
        mending.insert(1, [Due(CALL, answer) for answer in answers])
        made.append(rewritten(transcript, mending.made().change))
    assert made[0] == made[1]
    linked = [json.loads(line) for line in made[0].splitlines()[1:]]
    assert [entry["parentId"] for entry in linked] == [None, *(entry["id"] for entry in linked[:-1])]
    assert len({entry["id"] for entry in linked}) == 5


def test_what_was_an_entry_before_stays_the_one_it_was():
    transcript, spoken, mending = begun("pi")
    told = Told(2, Result("a", "out", ("content",)))
    mending.dropped.add(2)
    mending.insert(0, [Due(CALL, spoken[2].value, told)])
    entries = [json.loads(line) for line in rewritten(transcript, mending.made().change).splitlines()[1:]]
    assert [(entry["id"], entry["parentId"]) for entry in entries] == [("e1", None), ("e3", "e1"), ("e2", "e3")]
