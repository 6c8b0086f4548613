"""A task that the user gave in one long message: it stays verbatim below the page of a summary."""

import re
from hashlib import sha256

from ctxkit.core.context.extract.requests import find_requests
from ctxkit.core.context.summary_input import SummaryInput
from ctxkit.core.context.template import REQUEST_TITLE, parse_page
from ctxkit.core.store.shortened_text import shorten_text
from ctxkit.core.tokens.tokenizer import Tokenizer

MIN_LENGTH = 400
"""Characters from which a request is long."""
_QUOTE_MARK = re.compile(r"^> ?", re.MULTILINE)


def find_long_request(summary_input: SummaryInput, last_request: int) -> str:
    """Return the text of the first request if it is long, leaves, and only replies and short requests follow.

    If no other request follows an earlier summary with such a text, return that text. ``last_request`` is the position
    of the request that stays in the conversation.
    """
    requests = find_requests(summary_input.records)
    telling = [request for request in requests if not (request.is_reply or request.is_brief)]
    if not telling:
        return _find_earlier(summary_input.earlier_page)
    first = telling[0]
    leaves = len(telling) == 1 and first is requests[0] and first.at < summary_input.cut and first.at != last_request
    return first.text.strip() if leaves and len(first.text) >= MIN_LENGTH else ""


def _find_earlier(page_text: str) -> str:
    """Return the request below an earlier page, empty if there is none."""
    page = parse_page(page_text) if REQUEST_TITLE in page_text else None
    blocks = [extra.text for extra in page.extra if extra.text.startswith(f"{REQUEST_TITLE}\n")] if page else []
    return _QUOTE_MARK.sub("", blocks[-1].removeprefix(REQUEST_TITLE).strip("\n")) if blocks else ""


def quote_request(text: str, max_tokens: int, count: Tokenizer, *, stores: bool) -> tuple[str, bytes]:
    """Return a request as a block below a page, and the bytes to store if it is quoted only in part."""
    if not text:
        return "", b""
    data = text.encode("utf-8", "surrogatepass")
    shorter = None
    if count(text) > max_tokens:
        shorter = shorten_text(text, max_tokens, count, sha256(data).hexdigest() if stores else "")
    quote = "\n".join(f"> {line}".rstrip() for line in (shorter or text).split("\n"))
    return f"\n{REQUEST_TITLE}\n\n{quote}\n", data if shorter else b""
