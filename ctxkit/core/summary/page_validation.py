"""Validation of a model's answer: keeps only the template, and only what the conversation supports."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.summary.evidence import Evidence, collect_evidence
from ctxkit.core.summary.page import add_bullets, extract, rank_bullets
from ctxkit.core.summary.sentences import split_sentences
from ctxkit.core.summary.summary_input import SummaryInput
from ctxkit.core.summary.template import (
    MARKUP,
    MAX_BULLETS,
    META_COMMENT,
    SECTIONS,
    Section,
    SummaryPage,
    bullet_key,
    parse_page,
    render_page,
)

_CLOSING = ("</", "◁/", "[/", "<|end")
"""Beginnings of marks that end reasoning."""
_CHANNELS = ("<|channel|>", "<|start|>")
_ANALYSIS = re.compile(r"\s*(?:analysis|commentary)", re.IGNORECASE)
"""What follows the mark of a channel with reasoning."""
_TITLE = re.compile(r"^[ \t>]*#{1,3}[ \t]*\**Context\**[ \t]*+:?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FIRST_HEADING = re.compile(
    r"^[ \t>]*(?:#{1,4}[ \t]*\**|\*\*)(?:Task)\**+[ \t]*+:?\**+[ \t]*+:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_BOLD_HEADING = re.compile(
    r"^[ \t]*\*\*(Task|Decisions|Facts|Pending|Errors):?\*\*:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_TEMPLATE_SLOT = re.compile(
    r"\[(?:\s|What\b|Decision\b|Important\b|Error\b|One sentence\b)[^\]]*\]$"
    r"|\[?What(?:'s| is| was| went)\b[^?]{0,40}\?\]?$",
    re.IGNORECASE,
)
"""Placeholders of the template, and variants that models write."""
_WORD = re.compile(r"[^\W\d_]{2}")
_FENCE_LINE = re.compile(r"^[ \t]*(?:```+|~~~+)[\w-]*[ \t]*$", re.MULTILINE)
_MAX_BULLET = 280
"""Maximum characters of a model's bullet; a longer one is reduced to its first sentence."""
MIN_SUPPORTED_SHARE = 0.34
"""Minimum share of supported bullets for an answer to be used at all."""
CORE_SHARE = 0.6
"""Share of the page reserved for ``extract`` if its bullets and the model's do not all fit."""


class PageValidation(NamedTuple):
    """A validated page, the number of dropped bullets by reason, and whether ``extract`` wrote it."""

    page: SummaryPage
    dropped: Mapping[str, int]
    fell_back: bool


def validate_page(raw: str, summary_input: SummaryInput) -> PageValidation:
    """Return a model's answer as a page of the conversation.

    Reasoning and text around the template are removed, and bullets with unsupported paths, identifiers or numbers are
    dropped. Essential bullets from ``extract`` come first, with the request and the pins verbatim. If few bullets are
    supported, ``extract`` writes the whole page.
    """
    base = extract(summary_input)
    answer_page = parse_page(strip_answer(raw))
    if answer_page is None:
        return PageValidation(base, {"no template": 1}, True)
    counts: dict[str, int] = {}
    evidence = collect_evidence(summary_input)
    kept = SummaryPage(extra=base.extra)
    total = 0
    for section in SECTIONS:
        bullets = [*answer_page.bullets(section), *_find_loose_sentences(answer_page, section)]
        total += len(bullets)
        kept = kept.with_bullets(section, tuple(_filter_bullets(bullets, evidence, counts)))
    kept_count = sum(len(kept.bullets(section)) for section in SECTIONS)
    if not kept_count or kept_count < MIN_SUPPORTED_SHARE * total:
        return PageValidation(base, counts, True)
    core_target = max(
        summary_input.target - summary_input.count(render_page(kept)), int(CORE_SHARE * summary_input.target)
    )
    core = extract(summary_input._replace(target=core_target)) if core_target < summary_input.target else base
    return PageValidation(_complete_page(kept, core, summary_input, counts), counts, False)


def strip_answer(raw: str) -> str:
    """Return an answer without reasoning, even with unbalanced tags, and without fences and text around the page.

    >>> strip_answer("<think>Hm.</think>Here it is:\\n# Context\\n## Task\\nMend a.py")
    '# Context\\n## Task\\nMend a.py'
    """
    text = _strip_reasoning(raw.replace("\r\n", "\n"))
    ends = [mark.end() for mark in MARKUP.finditer(text) if mark[0].startswith(_CLOSING)]
    text = text[ends[-1] :] if ends and _has_page_start(text[ends[-1] :]) else text
    text = MARKUP.sub("\n", text)
    text = _BOLD_HEADING.sub(r"## \1", _FENCE_LINE.sub("", text))
    starts = [match.start() for match in _TITLE.finditer(text)] or [
        match.start() for match in _FIRST_HEADING.finditer(text)
    ]
    return text[starts[-1] :].strip() if starts else text.strip()


def _has_page_start(text: str) -> bool:
    return bool(_TITLE.search(text) or _FIRST_HEADING.search(text))


def _find_loose_sentences(page: SummaryPage, section: Section) -> Iterator[str]:
    """Yield the sentences that a model wrote under a heading without a bullet."""
    if section != "Task" or not page.task:
        for extra in page.extra:
            if extra.section == section:
                yield from split_sentences(extra.text)


def _filter_bullets(bullets: Sequence[str], evidence: Evidence, counts: dict[str, int]) -> Iterator[str]:
    """Yield the supported bullets of a section, and count the others by reason."""
    for line in dict.fromkeys(map(_shorten_bullet, bullets)):
        if reason := _find_unsupported(line, evidence):
            counts[reason] = counts.get(reason, 0) + 1
        else:
            yield line


def _shorten_bullet(bullet: str) -> str:
    """Return a bullet as one sentence of bounded length."""
    line = " ".join(bullet.split())
    if len(line) > _MAX_BULLET or MARKUP.search(line):
        return next(split_sentences(MARKUP.sub(" ", line)), "")[: 2 * _MAX_BULLET]
    return line


def _find_unsupported(line: str, evidence: Evidence) -> str:
    if META_COMMENT.match(line):
        return "meta-commentary"
    if not _WORD.search(line) or _TEMPLATE_SLOT.fullmatch(line) or len(line) > _MAX_BULLET:
        return "no sentence"
    return "" if evidence.can_support(line) and evidence.has_any_word(line) else "not in the source"


def _complete_page(
    kept: SummaryPage, core: SummaryPage, summary_input: SummaryInput, counts: dict[str, int]
) -> SummaryPage:
    """Return a page whose sections begin with the bullets of ``core``, followed by as many of the model's as fit."""
    for section in SECTIONS[1:]:
        own = kept.bullets(section)
        own_text = "\n".join(own).lower()
        missing = [bullet for bullet in core.bullets(section) if bullet.lower() not in own_text]
        core = core.with_bullets(section, tuple(missing[: MAX_BULLETS - min(len(own), MAX_BULLETS // 3)]))
    page = add_bullets(core, rank_bullets(kept), summary_input.target, summary_input.count)
    page_key = bullet_key(render_page(page))
    left_out = sum(bullet_key(bullet) not in page_key for section in SECTIONS[1:] for bullet in kept.bullets(section))
    counts |= {"over the limit": left_out} if left_out else {}
    return page


def _strip_reasoning(text: str) -> str:
    """Return an answer without complete blocks of reasoning, in the marks of each model."""
    parts, at, opened = list[str](), 0, -1
    for mark in MARKUP.finditer(text):
        if opened >= 0 and (mark[0].startswith(_CLOSING) or mark[0] in _CHANNELS):
            parts += [text[at:opened], "\n"]
            at, opened = mark.end(), -1
        if mark[0] in _CHANNELS:
            opened = mark.start() if _ANALYSIS.match(text, mark.end()) else -1
        elif (opened < 0 and not mark[0].startswith((*_CLOSING, "<|"))) or mark[0].startswith("<|begin"):
            opened = mark.start()
    return "".join([*parts, text[at:]])
