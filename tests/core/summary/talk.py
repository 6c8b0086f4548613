"""Conversations for tests, in OpenAI's shape, read as a user's are."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.summary.summary_input import SummaryInput

_NUMBERS = count(1)


def records_of(value: Any) -> tuple[Record, ...]:
    """Return the path of a conversation in any format that is one JSON document, or a list of lines."""
    lined = isinstance(value, list) and value and "role" not in value[0]
    text = "\n".join(map(json.dumps, value)) if lined else json.dumps(value)
    transcript = parse_transcript(text.encode(), "talk")
    return tuple(transcript.records[at] for at in find_active_path(transcript))


def words(text: str) -> int:
    """Count a token for four characters, and one for what is left."""
    return -(-len(text) // 4)


def matter(
    records: Sequence[Record], *, earlier: str = "", pins: Sequence[str] = (), target: int = 600, cut: int = -1
) -> SummaryInput:
    """Return what a summary is made of; everything leaves unless ``cut`` says otherwise."""
    return SummaryInput(tuple(records), len(records) if cut < 0 else cut, earlier, tuple(pins), target, words)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def did(name: str, arguments: Any, result: str | None = "ok", words: str = "") -> list[dict[str, Any]]:
    """Return a call and its result, none where ``result`` is None."""
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    key = f"call_{next(_NUMBERS)}"
    call = {"id": key, "type": "function", "function": {"name": name, "arguments": given}}
    made: list[dict[str, Any]] = [{"role": "assistant", "content": words or None, "tool_calls": [call]}]
    if result is not None:
        made.append({"role": "tool", "tool_call_id": key, "content": result})
    return made


def ran(command: str, result: str = "", status: int = 0) -> list[dict[str, Any]]:
    """Return a shell command with what it printed and its status."""
    return did("bash", {"command": command}, f"{result}\nExit code: {status}")
