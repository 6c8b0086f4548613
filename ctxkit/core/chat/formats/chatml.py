"""ChatML as text: ``<|im_start|>``, a role, a line break, what is said, ``<|im_end|>``."""

import re
from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.message import Entry, Message, Part

NAME, PROVIDER, LINEAR = "chatml", "", True
START, END = "<|im_start|>", "<|im_end|>"
_TURN = re.compile(r"<\|im_start\|>([^\n<|]*)\n?(.*?)(?:<\|im_end\|>|(?=<\|im_start\|>)|\Z)", re.DOTALL)


def claims(value: Any) -> bool:
    """Tell whether a text begins as ChatML does, and ends a message."""
    return isinstance(value, str) and value.lstrip().startswith(START) and END in value


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of a text; raises ValueError where there is none. The opened reply at its end is none."""
    found = _TURN.findall(value) if isinstance(value, str) else []
    if not found:
        raise ValueError(f"no message: there is no {START}")
    for index, (role, said) in enumerate(found):
        if said or index < len(found) - 1:
            yield Message(role.strip() or "user", (Part("text", said),))
