"""Answers of Terminus: the keys that it types, and its words beside them."""

import json

import pytest

from ctxkit.core.summary.keystrokes import read_keystrokes

ANSWER = {
    "analysis": "The file is there.",
    "plan": "I read it.",
    "commands": [{"keystrokes": "cat a.txt\n", "duration": 0.1}, {"keystrokes": "ls\n", "duration": 0.1}],
    "task_complete": False,
}


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("{}", "The file is there.\nI read it."),
        ("```json\n{}\n```", "The file is there.\nI read it."),
        ("Now:\n{}\n\nThat is all.", "Now:\nThe file is there.\nI read it.\nThat is all."),
    ],
)
def test_keys_are_read_wherever_the_json_stands(frame: str, words: str) -> None:
    assert read_keystrokes(frame.replace("{}", json.dumps(ANSWER))) == ("cat a.txt\nls", words)


def test_an_answer_of_the_first_terminus() -> None:
    first = {"state_analysis": "Empty.", "explanation": "Look.", "commands": [{"keystrokes": "ls\n", "is_blocking": True}]}
    assert read_keystrokes(json.dumps(first)) == ("ls", "Empty.\nLook.")


@pytest.mark.parametrize(
    "words",
    [
        "",
        '"keystrokes"',
        '{"keystrokes": ',
        '{"commands": [{"keystrokes": ""}]}',
        '{"commands": "keystrokes", "a": "\\"keystrokes\\""}',
        '["keystrokes", {"commands": 1}]',
        '{"keystrokes": ' * 5_000,
    ],
)
def test_what_types_nothing_is_no_answer(words: str) -> None:
    assert read_keystrokes(words) is None
