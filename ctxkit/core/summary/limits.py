"""The limits of a page: checks, and shortening to fit."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.summary.template import MAX_BULLETS, SECTIONS, SummaryPage, normalize_line

MARKUP = re.compile(
    r"</?(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis|antml:thinking|seed:think)\b[^<>]*>"
    r"|◁/?think▷|<\|?/?(?:channel|start|end|message|assistant|im_start|im_end|analysis|final|begin_of_thought"
    r"|end_of_thought)\|?>|\[/?THINK(?:ING)?\]",
    re.IGNORECASE,
)
"""Reasoning marks that models write into their answers."""
META_COMMENT = re.compile(
    r"^(?:(?:okay|ok|sure|alright|certainly|of course|now|well|hmm|wait|first|so|please)[,.!:]?\s+)*"
    r"(?:I (?:should|need to|must|will|would|have to|can|cannot|can't|am|think|notice|see|hope|apologi[sz]e)\b"
    r"|I'(?:ll|m|d|ve)\b|let(?:'s| me| us)\b|hope (?:this|that|it)\b|feel free to\b|is there anything\b"
    r"|if (?:you|there)\b.{0,60}\b(?:let me know|feel free|questions?)\b"
    r"|here(?:'s| is| are) (?:the|a|an|your|my)\b|the (?:filled|above|following) (?:template|summary|conversation)"
    r"|this (?:summary|template|conversation)|based on the (?:conversation|above|provided)|as an ai\b"
    r"|(?:the )?(?:conversation|summary) (?:above|below|history)"
    r"|(?:the )?user (?:wants|asked|is asking) me to (?:summari[sz]e|extract|fill)|note:|\[?(?:user|assistant"
    r"|system|tool)(?: calls?| result)?\]?:)",
    re.IGNORECASE,
)
"""Comments of a model about its answer instead of the conversation."""


def apply_limits(page: SummaryPage) -> SummaryPage:
    """Return a page within the limits: single-line bullets without duplicates, and only the first ones of a section."""
    for section in SECTIONS:
        page = page.with_bullets(section, tuple(_deduplicate(page.bullets(section)))[:MAX_BULLETS])
    return page


def _deduplicate(bullets: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for bullet in bullets:
        line = normalize_line(bullet)
        if line and (key := bullet_key(line)) not in seen:
            seen.add(key)
            yield line


def bullet_key(bullet: str) -> str:
    """Return the key of a bullet for comparison: its letters and digits in lower case."""
    return "".join(sign for sign in bullet.lower() if sign.isalnum()) or bullet
