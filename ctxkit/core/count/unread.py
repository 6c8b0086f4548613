"""Tokens of content that cannot be read: files, and what a provider encrypts; all of them are guesses.

Gemini     "Understand and count tokens": 258 tokens a page of a PDF, 32 a second of audio, 300 a second of video.
Anthropic  "PDF support": 1,500 to 3,000 tokens of text a page.
OpenAI     "Audio": 10 tokens a second of what a user says.
"""

from math import ceil
from typing import NamedTuple

from ctxkit.core.chat.model.message import MediaType, MessagePart
from ctxkit.core.count.amount import Amount, exact_amount, guessed_amount

ENCRYPTION_BYTES = 650
"""Bytes that encryption adds to reasoning; the rest has 4 bytes per token (Codex CLI's own estimate)."""
ENCRYPTED_TOKEN_BYTES = 4
"""Bytes of encrypted text per token: at most as many tokens as plain text of that size has."""


class MediaTokens(NamedTuple):
    """The tokens of a kind of file: bytes per token, and tokens if only a reference is known.

    ``bytes`` are for the fewest, the usual and the most tokens.
    """

    bytes: tuple[float, float, float]
    by_reference: Amount


MEDIA_TOKENS: dict[MediaType, MediaTokens] = {
    # A page of 50 KB has 2,000 tokens; scanned pages are larger, pages of text without fonts smaller.
    "document": MediaTokens((1_000, 25, 6.25), Amount(258, 2_250, 22_500)),
    # 16 KB of MP3 a second; from 176 KB (CD) to 4 KB (Opus). By reference a second, a minute, ten minutes.
    "audio": MediaTokens((17_600, 640, 125), Amount(10, 1_920, 19_200)),
    # 2 Mbit a second; from 10 Mbit at low resolution (100 tokens a second) to 100 kbit.
    "video": MediaTokens((12_500, 833, 42), Amount(100, 18_000, 180_000)),
}


def estimate_unread(part: MessagePart) -> Amount:
    """Return the estimated tokens of a part that has no text: a file by its size, or encrypted content."""
    size = part.encrypted_size * 3 // 4  # base64
    if part.media and part.media != "image":
        media = MEDIA_TOKENS[part.media]
        if not size:
            return media.by_reference
        low, tokens, high = media.bytes
        return Amount(int(size / low), ceil(size / tokens), ceil(size / high))
    if part.kind == "thinking":
        return guessed_amount(exact_amount(max(size - ENCRYPTION_BYTES, 0) // ENCRYPTED_TOKEN_BYTES))
    tokens = size // ENCRYPTED_TOKEN_BYTES
    return Amount(tokens // 4, tokens, ceil(tokens * 1.25))
