"""Rules that hold for all tasks are kept, however many tasks follow."""

import json

from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.turn.standing_rules import find_standing_rules

RULE = "Never change the lockfile in any task."


def find(*messages: tuple[str, str], most: int = 1000) -> tuple[str, ...]:
    lines = "\n".join(json.dumps({"role": role, "content": text}) for role, text in messages)
    return find_standing_rules(parse_transcript(lines.encode(), "x", openai), most)


def test_standing_rules_of_the_user_are_found_once() -> None:
    assert find(
        ("user", f"Hello. {RULE} Never touch parser.py."), ("assistant", "In every task, always wait."), ("user", RULE)
    ) == (RULE,)


def test_the_oldest_are_kept_within_the_limit() -> None:
    later = "From now on, always sign the commits."
    assert find(("user", RULE), ("user", later)) == (RULE, later)
    assert find(("user", RULE), ("user", later), most=len(RULE)) == (RULE,)
