import json

from ctxkit.core.compact.plan import CompactionInput, CompactionPlan, prepare_input
from ctxkit.core.compact.truncatable_texts import INSTRUCTIONS, find_texts
from tests.core.compact.sizes import balance, policy, read

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
