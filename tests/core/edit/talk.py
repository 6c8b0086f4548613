"""A conversation whose tokens are estimated without a vocabulary."""

import json
from typing import Any

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.edit.numbered_conversation import NumberedConversation, number_messages
from ctxkit.core.tokens.estimate import likely_tokenizer
from ctxkit.core.tokens.vocabulary import find_vocabulary

VOCABULARY = find_vocabulary("bytes/3")
ORDER = CountOptions(VOCABULARY, likely_tokenizer(VOCABULARY), json.loads, is_named=False)
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Fix the test"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "x = 1"},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "Thanks, now the docs"},
    {"role": "assistant", "content": "ok"},
]


def number_talk(value: Any = CHAT) -> NumberedConversation:
    """Return a conversation with numbered messages."""
    return number_messages(parse_transcript(json.dumps(value).encode(), "chat"), ORDER)
