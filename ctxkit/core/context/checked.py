"""What a model returned, checked: only the template is left, and only what the conversation says."""

import re
from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from ctxkit.core.context.extract.elements import find_elements
from ctxkit.core.context.extract.page import extract
from ctxkit.core.context.grounds import Grounds, grounds
from ctxkit.core.context.limits import MARKUP, META, key_of, limited
from ctxkit.core.context.matter import Matter
from ctxkit.core.context.sentences import sentences
from ctxkit.core.context.template import MOST, SECTIONS, Context, Extra, Section, parse, render

_TAG = re.compile(
    r"<(think|thinking|thought|reasoning|reflection|scratchpad|analysis|antml:thinking|seed:think)\b[^<>]*>"
)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?:analysis|commentary).*?(?=<\|channel\|>\s*final|<\|start\|>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_MARKS = (
    ("◁think▷", "◁/think▷"),
    ("[think]", "[/think]"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
)
"""Marks around reasoning, in lower case."""
_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_ENDED = re.compile(
    r"</(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis|antml:thinking|seed:think)>|◁/think▷"
    r"|\[/THINK\]|<\|end_of_thought\|>",
    re.IGNORECASE,
)
_TITLE = re.compile(r"^[ \t>]*#{1,3}[ \t]*\**Context\**[ \t]*+:?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FIRST = re.compile(
    r"^[ \t>]*(?:#{1,4}[ \t]*\**|\*\*)(?:Task)\**+[ \t]*+:?\**+[ \t]*+:?[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_BOLD = re.compile(r"^[ \t]*\*\*(Task|Decisions|Facts|Pending|Errors):?\*\*:?[ \t]*$", re.MULTILINE | re.IGNORECASE)
_SLOT = re.compile(
    r"\[(?:\s|What\b|Decision\b|Important\b|Error\b|One sentence\b)[^\]]*\]$"
    r"|\[?What(?:'s| is| was| went)\b[^?]{0,40}\?\]?$",
    re.IGNORECASE,
)
"""What the template shows in place of an answer, and what models make of that."""
_WORD = re.compile(r"[^\W\d_]{2}")
_WRAP = re.compile(r"^[ \t]*(?:```+|~~~+)[\w-]*[ \t]*$", re.MULTILINE)
_CLIP = 280
"""Characters of a bullet that a model may write; a longer one rambles, and its first sentence stands for it."""
LEAST = 0.34
"""Share of a model's bullets that must hold for the others of its answer to be believed."""
CORE = 0.6
"""Share of the page that what ``extract`` found may take where there is no room for all of it beside the model's."""


class Checked(NamedTuple):
    """Hold a page that passed, how many bullets were dropped for which reason, and whether ``extract`` wrote it."""

    context: Context
    dropped: Mapping[str, int]
    fell_back: bool


def checked(raw: str, matter: Matter) -> Checked:
    """Return what a model wrote as a page of the conversation.

    Reasoning and talk around the template are stripped, bullets dropped whose paths, identifiers or numbers do not
    occur in the source, limits enforced. What ``extract`` finds that must be told stands before what is left, the
    request and the pins verbatim; where hardly anything holds, the whole page is that of ``extract``.
    """
    base = extract(matter)
    found = parse(stripped(raw))
    if found is None:
        return Checked(base, {"no template": 1}, True)
    counts: dict[str, int] = {}
    source = grounds(matter)
    kept = Context(extra=base.extra)
    told: set[str] = set()
    total = 0
    for section in SECTIONS:
        offered = [*found.bullets(section), *_loose(found, section)]
        total += len(offered)
        kept = kept.filled(section, tuple(_holding(section, offered, source, told, counts)))
    left = sum(len(kept.bullets(section)) for section in SECTIONS)
    if not left or left < LEAST * total:
        return Checked(base, counts, True)
    room = max(matter.target - matter.count(render(kept)), int(CORE * matter.target))
    core = extract(matter._replace(target=room)) if room < matter.target else base
    return Checked(_completed(kept, core, matter, counts), counts, False)


def stripped(raw: str) -> str:
    """Return an answer without reasoning, its tags balanced or not, without fences and what stands around the page.

    >>> stripped("<think>Hm.</think>Here it is:\\n# Context\\n## Task\\nMend a.py")
    '# Context\\n## Task\\nMend a.py'
    """
    text = _without_reasoning(raw.replace("\r\n", "\n"))
    if ended := list(_ENDED.finditer(text)):
        text = text[ended[-1].end() :] if _begins(text[ended[-1].end() :]) else text
    text = MARKUP.sub("\n", text)
    text = _BOLD.sub(r"## \1", _WRAP.sub("", text))
    starts = [found.start() for found in _TITLE.finditer(text)] or [found.start() for found in _FIRST.finditer(text)]
    return text[starts[-1] :].strip() if starts else text.strip()


def _begins(text: str) -> bool:
    return bool(_TITLE.search(text) or _FIRST.search(text))


def _loose(found: Context, section: Section) -> Iterator[str]:
    """Yield the sentences that a model wrote under a heading without a bullet."""
    if section != "Task" or not found.task:
        for extra in found.extra:
            if extra.section == section:
                yield from sentences(extra.text)


def _holding(
    section: Section, offered: list[str], source: Grounds, told: set[str], counts: dict[str, int]
) -> Iterator[str]:
    """Yield the bullets of a section that hold, and count the others by reason."""
    number = 0
    for bullet in offered:
        line = _sentence(bullet)
        reason = _fault(line, source)
        if not reason and key_of(line) in told:
            reason = "repeated"
        if not reason and number >= (1 if section == "Task" else MOST):
            reason = "over the limit"
        if reason:
            counts[reason] = counts.get(reason, 0) + 1
            continue
        number += 1
        told.add(key_of(line))
        yield line


def _sentence(bullet: str) -> str:
    """Return a bullet as one sentence of bounded length."""
    line = " ".join(bullet.split())
    if len(line) > _CLIP or MARKUP.search(line):
        return next(sentences(MARKUP.sub(" ", line)), "")[: 2 * _CLIP]
    return line


def _fault(line: str, source: Grounds) -> str:
    if META.match(line):
        return "meta-commentary"
    if not _WORD.search(line) or _SLOT.fullmatch(line) or len(line) > _CLIP:
        return "no sentence"
    return "" if source.bear(line) and source.know(line) else "not in the source"


def _completed(kept: Context, base: Context, matter: Matter, counts: dict[str, int]) -> Context:
    """Return a page with what it must have beside what the model wrote: all of ``base``, whose task stands verbatim."""
    for section in SECTIONS:
        if not kept.bullets(section):
            kept = kept.filled(section, base.bullets(section))
    kept = limited(kept._replace(task=base.task or kept.task))
    kept = _with_base(kept, base)
    while matter.count(render(kept)) > matter.target and (shorter := _shorter(kept, base, matter.pins)) is not None:
        counts["over the limit"] = counts.get("over the limit", 0) + 1
        kept = shorter
    return _pinned(kept, base, matter.pins)


def _with_base(kept: Context, base: Context) -> Context:
    """Return a page whose sections begin with what ``extract`` found that cannot be wrong, the model's own after it."""
    for section in SECTIONS[1:]:
        said = "\n".join(kept.bullets(section)).lower()
        own = [bullet for bullet in base.bullets(section) if bullet.lower() not in said]
        many = MOST - min(len(kept.bullets(section)), MOST // 3) if own else 0
        first = own[:many]
        kept = kept.filled(section, (*first, *kept.bullets(section)[: MOST - len(first)]))
    return limited(kept)


def _shorter(context: Context, base: Context, pins: tuple[str, ...]) -> Context | None:
    """Return a page without its least bullet: the last of the model's own in the longest section, None without any."""
    sizes = sorted(
        SECTIONS[1:],
        key=lambda section: (
            -sum(len(bullet) for bullet in context.bullets(section) if bullet not in base.bullets(section))
        ),
    )
    for section in sizes:
        bullets = context.bullets(section)
        for at in range(len(bullets) - 1, -1, -1):
            if bullets[at] not in base.bullets(section) and not any(pin in bullets[at] for pin in pins):
                return context.filled(section, (*bullets[:at], *bullets[at + 1 :]))
    return None


def _pinned(context: Context, base: Context, pins: tuple[str, ...]) -> Context:
    """Return a page in which the pins stand that the page of ``extract`` has."""
    told, need = render(context), render(base)
    for pin in pins:
        if pin in need and pin not in told:
            if "\n" not in pin and len(context.decisions) < MOST and pin in "\n".join(base.decisions):
                context = context._replace(decisions=(pin, *context.decisions))
            else:
                context = context._replace(extra=(*context.extra, Extra("", f"## Pinned\n\n{pin}")))
    return context


def _without_reasoning(text: str) -> str:
    """Return an answer without the reasoning that it begins and ends, in the marks of each model."""
    elements = find_elements(_TAG, text.translate(_LOWER))
    text = _without_spans(text, ((element.start, element.end) for element in elements))
    for opening, closing in _MARKS:
        text = _without_spans(text, _find_between(text.translate(_LOWER), opening, closing))
    return _CHANNEL.sub("\n", text)


def _find_between(text: str, opening: str, closing: str) -> Iterator[tuple[int, int]]:
    """Yield where an opening mark begins and its closing mark ends; behind one that is never closed none is sought."""
    at = 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
        at = end + len(closing)
        yield start, at


def _without_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], "\n"]
        at = end
    return "".join([*parts, text[at:]])
