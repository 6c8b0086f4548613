"""Entries of several formats for tests of invariants, and conversations of them."""

import json

from ctxkit.core.chat.reading.format_registry import get_format
from ctxkit.core.chat.reading.transcript import parse_transcript

GO, DONE = {"role": "user", "content": "Go."}, {"role": "assistant", "content": "Done."}
SYSTEM = {"role": "system", "content": "Be brief."}


def asks(*ids):
    calls = [{"id": id_, "type": "function", "function": {"name": "run", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tells(id_):
    return {"role": "tool", "tool_call_id": id_, "content": "out"}


def uses(*ids, words="", thinks=False):
    thought = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}] if thinks else []
    said = [{"type": "text", "text": words}] if words else []
    calls = [{"type": "tool_use", "id": id_, "name": "run", "input": {}} for id_ in ids]
    return {"role": "assistant", "content": [*thought, *said, *calls]}


def holds(*ids, before="", after=""):
    results = [{"type": "tool_result", "tool_use_id": id_, "content": "out"} for id_ in ids]
    first, last = ([{"type": "text", "text": words}] if words else [] for words in (before, after))
    return {"role": "user", "content": [*first, *results, *last]}


def call(id_):
    return {"type": "function_call", "call_id": id_, "name": "run", "arguments": "{}"}


def output(id_):
    return {"type": "function_call_output", "call_id": id_, "output": "out"}


def says(role, words="Go."):
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}


def model(*names, words=""):
    said = [{"text": words}] if words else []
    return {"role": "model", "parts": [*said, *({"functionCall": {"name": name, "args": {}}} for name in names)]}


def answers(*names):
    return {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}} for name in names]}


HELLO = {"role": "user", "parts": [{"text": "Go."}]}


def read(name, entries):
    return parse_transcript(b"".join(json.dumps(entry).encode() + b"\n" for entry in entries), "chat", get_format(name))
