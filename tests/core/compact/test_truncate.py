"""Long texts become shorter, then the oldest messages leave, and the last request stays."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, prepare_input
from ctxkit.core.compact.services import TokenCounter
from ctxkit.core.compact.truncate import (
    INSTRUCTIONS,
    _is_sendable,
    _make_sendable_check,
    find_texts,
    shorten_text,
    size_of,
    truncate,
)
from ctxkit.core.summary.frame import is_summary
from ctxkit.core.text.retrieval_hint import PRESETS
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import COUNT, O200K, balance, compact, policy, read, session
from tests.example_counts import count_examples


def prepared(transcript, window=2048, **given):
    return prepare_input(transcript, balance(transcript), policy(window, **given))


@pytest.mark.parametrize("name", FORMATS)
def test_the_rest_fits_and_the_request_stays(name) -> None:
    conversation = prepared(session(name))
    plan = truncate(conversation, CompactionPlan(), stores=True)
    assert size_of(conversation, plan) <= conversation.policy.effective
    assert conversation.path[conversation.last_request].at not in plan.dropped


def test_what_fits_stays_as_it_is() -> None:
    conversation = prepared(session("openai", 2), 200_000)
    assert truncate(conversation, CompactionPlan(), stores=True).is_empty


def test_results_are_shortened_before_the_words_of_the_user() -> None:
    words = "word " * 600
    call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    turns = [
        {"role": "user", "content": words},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": words * 4},
        {"role": "user", "content": "go on"},
    ]
    conversation = prepared(read(json.dumps(turns).encode()), 4096)
    plan = truncate(conversation, CompactionPlan(), stores=True)
    assert list(plan.shortened) == [2]
    (edit,) = plan.shortened[2].values()
    assert (edit.kind, edit.stored, edit.is_result) == ("truncated", (words * 4).encode(), True)
    assert edit.text.startswith("word word")


def test_a_long_argument_of_a_call_is_shortened_within_its_json() -> None:
    arguments = json.dumps({"path": "a.py", "text": "line of code\n" * 2_000})
    call = {"id": "c", "type": "function", "function": {"name": "write", "arguments": arguments}}
    turns = [
        {"role": "user", "content": "Write it."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
        {"role": "user", "content": "go on"},
    ]
    conversation = prepared(read(json.dumps(turns).encode()))
    (edit,) = truncate(conversation, CompactionPlan(), stores=True).shortened[1].values()
    (patch,) = edit.patches
    assert json.loads(patch.value)["path"] == "a.py"
    assert len(patch.value) < len(arguments)


def test_a_long_argument_is_shortened_in_each_of_its_copies() -> None:
    arguments = {"path": "a.py", "text": "line of code\n" * 2_000}
    block = {"type": "tool_use", "id": "c", "name": "write", "input": arguments}
    turns = [
        {"type": "human", "content": "Write it."},
        {"type": "ai", "content": [block], "tool_calls": [{"id": "c", "name": "write", "args": arguments}]},
        {"type": "tool", "tool_call_id": "c", "content": "ok"},
        {"type": "human", "content": "go on"},
    ]
    conversation = prepared(read(json.dumps(turns).encode(), "langchain"))
    (edit,) = truncate(conversation, CompactionPlan(), stores=True).shortened[1].values()
    assert [patch.place for patch in edit.patches] == [("tool_calls", 0, "args", "text"), ("content", 0, "input", "text")]
    assert edit.patches[0].value == edit.patches[1].value < arguments["text"]


class LoudCounter(TokenCounter):
    """A token counter that counts how often it is asked for an entry."""

    asked = 0

    def count_record(self, record: Record) -> int:
        self.asked += 1
        return super().count_record(record)


@pytest.mark.parametrize("role", ["system", "user"])
def test_each_message_is_asked_for_a_few_times_only(role: str) -> None:
    messages = [{"role": role if at % 2 else "assistant", "content": f"{at}"} for at in range(2_000)]
    transcript = read(json.dumps([*messages, {"role": "user", "content": "go on"}]).encode())
    counter = LoudCounter(O200K, COUNT)
    truncate(prepare_input(transcript, counter, policy(4096)), CompactionPlan(), stores=False)
    assert counter.asked < 20 * len(messages)


@pytest.mark.parametrize("name", FORMATS)
def test_a_cut_is_sendable_where_the_whole_plan_is(name: str) -> None:
    transcript = session(name, 8)
    conversation = prepare_input(transcript, balance(transcript), policy(4096))
    path = conversation.path
    for always_kept in ({conversation.last_request}, {0, 3, conversation.last_request}, set(range(0, len(path), 5))):
        is_sendable = _make_sendable_check(conversation, CompactionPlan(), always_kept)
        for cut in range(len(path)):
            dropped = {path[at].at: "oldest" for at in range(cut) if at not in always_kept and path[at].role != "system"}
            assert is_sendable(cut) == _is_sendable(conversation, CompactionPlan(dropped=dropped)), cut


def test_the_request_is_not_shortened_below_its_share() -> None:
    turns = [{"role": "user", "content": "Fix it."}, *([{"role": "assistant", "content": "word " * 900}, {"role": "user", "content": "go on"}] * 4)]
    words = "please " * 500
    conversation = prepared(read(json.dumps([*turns, {"role": "user", "content": words}]).encode()))
    plan = truncate(conversation, CompactionPlan(), stores=True)
    assert conversation.request_record.at not in plan.shortened
    assert conversation.request_record.at not in plan.dropped
    assert size_of(conversation, plan) <= conversation.policy.effective


def test_a_request_beyond_its_share_keeps_its_ends_and_a_ref() -> None:
    words = "\n".join(f"{number}: please fix the row of this number" for number in range(400))
    conversation = prepared(read(json.dumps([{"role": "user", "content": words}]).encode()))
    (edit,) = truncate(conversation, CompactionPlan(), stores=True).shortened[0].values()
    limit = conversation.policy.request_limit
    assert conversation.token_counter.count_text(edit.text) >= 0.8 * limit
    assert all(words in edit.text for words in ("0: please", "399: please", "ctxkit cache get"))


@pytest.mark.parametrize("name", FORMATS)
def test_the_earlier_summary_stays(name) -> None:
    first = compact(session(name, 24), policy(2048), stores=False)
    again = prepared(parse_transcript(first.content, "chat"), 2048 * first.after.amount.high // 1_700)
    plan = truncate(again, CompactionPlan(), stores=False)
    places = [record.at for record in again.path if is_summary(record)]
    assert plan.dropped.keys().isdisjoint(places)


CALL = {"id": "c", "type": "function", "function": {"name": "write", "arguments": '{"path": "a.py", "text": "long text"}'}}
TURNS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Write it."},
    {"role": "assistant", "content": "I write.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "content": "done"},
    {"role": "user", "content": "Now test it."},
]


def prepare(**options) -> CompactionInput:
    transcript = read(json.dumps(TURNS).encode())
    return prepare_input(transcript, balance(transcript), policy(8_192, **options))


def test_results_and_output_come_before_the_words_of_the_user_and_the_last_request() -> None:
    texts = list(find_texts(prepare(), CompactionPlan()))
    assert [(text.text, text.rank, text.is_result) for text in texts] == [
        ("Write it.", 1, False),
        ("I write.", 0, False),
        ("long text", 0, False),
        ("done", 0, True),
        ("Now test it.", 2, False),
    ]
    assert [(text.tool, text.call) for text in texts if text.call] == [("write", "c"), ("", "c")]


def test_texts_with_a_pin_and_those_of_dropped_messages_are_left_out() -> None:
    plan = CompactionPlan(dropped={3: "oldest"})
    texts = {text.text for text in find_texts(prepare(pins=("Write it",)), plan)}
    assert texts == {"I write.", "long text", "Now test it."}


def test_the_patch_of_an_argument_keeps_the_rest_of_its_json() -> None:
    (argument,) = [text for text in find_texts(prepare(), CompactionPlan()) if text.text == "long text"]
    (patch,) = argument.make_patches("short")
    assert json.loads(patch.value) == {"path": "a.py", "text": "short"}


def test_instructions_of_a_project_are_shortened_last_and_system_messages_never() -> None:
    turns = [TURNS[0], {"role": "user", "content": "# AGENTS.md instructions\nUse tabs."}, *TURNS[1:]]
    transcript = read(json.dumps(turns).encode())
    conversation = prepare_input(transcript, balance(transcript), policy(8_192))
    ranks = {text.text: text.rank for text in find_texts(conversation, CompactionPlan())}
    assert ranks["# AGENTS.md instructions\nUse tabs."] == INSTRUCTIONS
    assert "Be brief." not in ranks


REF = "3f9a2c81d0b4" + "0" * 52


def test_both_ends_stay_and_the_gap_is_named_by_its_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 1001))
    made = shorten_text(text, 200, COUNT, REF)
    assert COUNT(made) <= 200
    assert made.startswith("line 1\nline 2\n")
    assert made.endswith("line 1000\n")
    first, last = map(int, re.search(r"cache get 3f9a2c81d0b40000 --lines (\d+):(\d+)\]", made).groups())
    gone = "".join(f"line {number}\n" for number in range(first, last + 1))
    above, below = made.split(re.search(r"\[[^\]]+\]\n", made)[0])
    assert above + gone + below == text
    assert f"[{len(gone):,} bytes are left out here (lines {first}-{last});" in made


def test_one_line_is_named_by_its_bytes() -> None:
    text = "word " * 5000
    made = shorten_text(text, 150, COUNT, REF)
    first, last = map(int, re.search(r"--bytes (\d+):(\d+)\]", made).groups())
    above, below = re.split(r"\n\[[^\]]+\]\n", made)
    assert above + text[first - 1 : last] + below == text


def test_the_gap_names_the_tool_of_the_hint() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 1001))
    made = shorten_text(text, 200, COUNT, REF, PRESETS["read_result"])
    assert re.search(r'to read them: read_result with ref_id="3f9a2c81d0b40000" and lines="\d+:\d+"\]', made)
    assert "cache get" not in made
    assert "/ref/3f9a2c81d0b40000?lines=1:1]" in shorten_text("word " * 5000, 150, COUNT, REF, "curl x/ref/{ref}?lines={start}:{end}")


def test_what_cannot_be_made_that_small_is_left() -> None:
    assert shorten_text("word " * 500, 5, COUNT, REF) is None


def test_without_a_ref_nothing_is_promised() -> None:
    assert "stored nowhere]" in shorten_text("word " * 500, 100, COUNT, "")


@given(text=st.text(st.sampled_from("ab \n界🙂"), min_size=300, max_size=3000), most=st.integers(40, 300))
@settings(max_examples=count_examples(40), deadline=None)
def test_it_is_never_larger_than_asked(text: str, most: int) -> None:
    made = shorten_text(text, most, COUNT, REF)
    assert made is None or COUNT(made) <= most
