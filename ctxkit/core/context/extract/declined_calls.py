"""The words with which the user declined a tool call: a request, though they stand in the result of the call."""

import re
from collections.abc import Sequence

from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.extract.tool_call import ToolCall
from ctxkit.core.context.extract.user_words import unwrap_message

_DECLINED = re.compile(
    r"\A\s*The user doesn['’]t want to (?:proceed with this tool use|take this action right now)\.[^\n]{0,400}"
    r"the user said:[ \t]*\n"
)
"""What Claude Code writes before the words of the user."""
_NOTE = re.compile(r"^(?:Note: The user['’]s next message may contain\b[^\n]*|\[image\])[ \t]*$", re.MULTILINE)
"""What it writes after them."""


def add_declined_requests(requests: Sequence[UserRequest], calls: Sequence[ToolCall]) -> Sequence[UserRequest]:
    """Return requests with those that the user wrote in place of permitting a call, in order."""
    declined = []
    for call in calls:
        match = _DECLINED.match(call.text) if call.answered_at >= 0 else None
        words = unwrap_message(_NOTE.sub("", call.text[match.end() :])) if match else ""
        if words:
            declined.append(UserRequest(call.answered_at, words, words))
    return sorted((*requests, *declined), key=lambda request: request.at) if declined else requests
