"""Summarization with a model that fills the template, in pieces if needed, and validation of what it answers."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import dump_value
from ctxkit.core.chat.model.message import Record
from ctxkit.core.errors import UsageError
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.summary.page import add_bullets, extract, find_earlier_page, rank_bullets
from ctxkit.core.summary.sentences import clip_middle, join_parts, split_sentences
from ctxkit.core.summary.summary_input import ChatModel, Evidence, Summarizer, SummaryInput, collect_evidence
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
from ctxkit.core.summary.user_words import find_user_words
from ctxkit.core.tokens.vocabulary import Tokenizer

Watch = Callable[[Sequence[str]], Iterable[str]]
"""Function that passes pieces through and reports progress."""


def make_model_summarizer(connect: Callable[[], ChatModel], watch: Watch = iter) -> Summarizer:
    """Return a summarizer that asks a model; ``connect`` is called only when there is a question.

    Each prompt contains one piece and the page of the earlier pieces; an invalid answer leaves that page unchanged. The
    summarizer raises UsageError if the prompt limit is too small, and passes on the errors of ``connect`` and ``ask``.
    """

    def summarize(summary_input: SummaryInput) -> str:
        """Return the page from the answers, or the last raw answer if none contains a page."""
        chat_model = connect()
        count = chat_model.tokenizer or summary_input.count
        parts = split_into_pieces(summary_input, chat_model.prompt_limit, count, chat_model.max_prompts)
        if not parts:
            raise UsageError(f"the summarizer reads {chat_model.prompt_limit} tokens at once, too few for its prompt")
        page_tokens = page_limit(summary_input, chat_model.prompt_limit, count)
        page, answer, last_page = (
            _fit_page(parse_page(render_earlier_page(summary_input)) or SummaryPage(), page_tokens, count),
            "",
            None,
        )
        for part in watch(parts):
            answer = chat_model.ask(build_prompt(part, page))
            answer_page = parse_page(strip_answer(answer))
            if answer_page and any(answer_page.bullets(section) for section in SECTIONS):
                last_page = answer_page
                page = _fit_page(answer_page, page_tokens, count)
        return answer if last_page is None or len(parts) == 1 else render_page(last_page)

    return summarize


def _fit_page(page: SummaryPage, max_tokens: int, count: Tokenizer) -> str:
    """Return the bullets of a page that fit the next prompt, the first ones of each section first."""
    text = render_page(add_bullets(SummaryPage(), rank_bullets(page), max_tokens, count))
    return text if text != render_page(SummaryPage()) and count(text) <= max_tokens else ""


RULES = """\
Rules:
1. Copy technical terms, file paths, numbers EXACTLY
2. One sentence per bullet, max 10 bullets per section
3. Skip anything you're unsure about
4. No meta-commentary ("I should...", "Let me...")
5. No thinking tags
6. What the user demanded or forbade stands first under Decisions, word for word
7. ONLY output the filled template, nothing else
"""
TEMPLATE = """\
# Context

## Task
[What is the user doing?]

## Decisions
- [What was decided?]

## Facts
- [What was discovered?]

## Pending
- [ ] [What's still to do?]

## Errors
- [What went wrong, and what resolved it?]
"""
_EXTRACTION = f"""\
Extract facts from the conversation below into this template.
{RULES}
{TEMPLATE}
The conversation is over: do not answer it, do not continue it.
"""
_MERGING = f"""\
Below are the notes on a conversation so far, and how it went on. Write the notes anew, in the same template.
{RULES}8. Keep what still holds of the notes; where both speak of one thing, the conversation is right
9. What was done leaves Pending, and an error that was resolved says how

{TEMPLATE}
The conversation is over: do not answer it, do not continue it.
"""
_ARGUMENT_CHARS, RESULT_CHARS = 400, 2_000
"""Characters of arguments and of a result in a prompt (2,000 of a result, like pi and opencode)."""


class DetailLimits(NamedTuple):
    """Maximum characters of arguments, of a result and of a message in a prompt; 0 means no limit."""

    arguments: int = _ARGUMENT_CHARS
    result: int = RESULT_CHARS
    words: int = 0


_DETAIL_LEVELS = (
    DetailLimits(),
    DetailLimits(240, 700, 6_000),
    DetailLimits(120, 240, 2_000),
    DetailLimits(80, 80, 600),
)
"""Levels of detail; longer conversations use lower ones if the number of prompts is limited."""
GAP = "[...]"
"""Placeholder for omitted text."""
_MIN_PIECE = 200
"""Minimum tokens of conversation in a prompt."""


def build_prompt(piece: str, page: str = "") -> str:
    """Return the prompt for a piece of a conversation; ``page`` is the page of the earlier pieces."""
    talk = f"<conversation>\n{piece.strip()}\n</conversation>\n\nThe filled template:\n"
    if not page.strip():
        return f"{_EXTRACTION}\n{talk}"
    return f"{_MERGING}\n<notes>\n{page.strip()}\n</notes>\n\n{talk}"


def render_earlier_page(summary_input: SummaryInput) -> str:
    """Return the earlier page for the first prompt, empty if there is none."""
    page = find_earlier_page(summary_input)
    return render_page(page) if page else ""


def split_into_pieces(
    summary_input: SummaryInput, prompt_limit: int, count: Tokenizer, max_pieces: int = 0
) -> tuple[str, ...]:
    """Return the dropped messages as text, in pieces that each fit a prompt of ``prompt_limit`` tokens.

    Each prompt also contains the page of the earlier pieces. Messages are split only if they do not fit. Of the kept
    messages, only the requests are included, so that the task is the last request. If there are more than
    ``max_pieces`` pieces, results and messages lose their middles, then the conversation does. Return an empty tuple if
    the limit is too small.
    """
    piece_limit = prompt_limit - count(build_prompt(" ", " x")) - page_limit(summary_input, prompt_limit, count)
    if piece_limit < min(_MIN_PIECE, prompt_limit // 2):
        return ()
    for detail in _DETAIL_LEVELS if max_pieces else _DETAIL_LEVELS[:1]:
        groups = _group_texts(_split_texts(summary_input, detail, piece_limit, count), piece_limit, count)
        texts = tuple("\n\n".join(group) for group in islice(groups, max_pieces + 1 if max_pieces else None))
        if not max_pieces or len(texts) <= max_pieces:
            return texts
    return _keep_ends(
        tuple(_split_texts(summary_input, _DETAIL_LEVELS[-1], piece_limit // 4, count)), piece_limit, count, max_pieces
    )


def page_limit(summary_input: SummaryInput, prompt_limit: int, count: Tokenizer) -> int:
    """Return the maximum tokens of the earlier page in a prompt: a third of ``prompt_limit``."""
    return min(max(summary_input.target, count(render_earlier_page(summary_input))), prompt_limit // 3)


def _split_texts(
    summary_input: SummaryInput, detail: DetailLimits, piece_limit: int, count: Tokenizer
) -> Iterator[str]:
    """Yield the dropped messages as texts that each fit a piece."""
    for part in _serialize_input(summary_input, detail):
        yield from _split_to_fit(part, piece_limit, count)


def _group_texts(texts: Iterable[str], piece_limit: int, count: Tokenizer) -> Iterator[list[str]]:
    """Yield groups of as many texts as fit."""
    group: list[str] = []
    size = 0
    for text in texts:
        cost = count(text) + 2
        if group and size + cost > piece_limit:
            yield group
            group, size = [], 0
        group.append(text)
        size += cost
    if group:
        yield group


def _keep_ends(texts: Sequence[str], piece_limit: int, count: Tokenizer, max_pieces: int) -> tuple[str, ...]:
    """Return the beginning of a conversation, a gap, and its newest part, in ``max_pieces`` pieces."""
    first = next(_group_texts(texts, piece_limit // 4, count))
    back = islice(_group_texts(reversed(texts), piece_limit - piece_limit // 4 - count(GAP) - 2, count), max_pieces)
    newest = [group[::-1] for group in back][::-1]
    return tuple("\n\n".join(group) for group in ([*first, GAP, *newest[0]], *newest[1:]))


def _serialize_input(summary_input: SummaryInput, detail: DetailLimits) -> Iterator[str]:
    for record in summary_input.records[: summary_input.cut]:
        if unframe_page(record.words) is None:
            yield from serialize_record(record, detail)
    for request in find_user_words(summary_input.records):
        if request.at >= summary_input.cut:
            yield f"[User]: {_shorten(request.text, detail.words or len(request.text))}"


def serialize_record(record: Record, detail: DetailLimits = _DETAIL_LEVELS[0]) -> Iterator[str]:
    """Yield an entry as texts: the message with its role, the calls with their arguments, the shortened results."""
    words = record.words.strip()
    if words and record.role in ("user", "assistant"):
        yield f"[{record.role.capitalize()}]: {_shorten(words, detail.words or len(words))}"
    for call in record.calls:
        is_text = isinstance(call.arguments, str)
        arguments = (
            _shorten(call.arguments, detail.arguments)
            if is_text
            else _format_arguments(call.arguments, detail.arguments)
        )
        yield f"[Assistant calls] {call.name}({arguments})"
    for result in record.results:
        title = "[Tool result, failed]" if result.failed else "[Tool result]"
        yield f"{title}: {_shorten(result.text.strip(), detail.result)}"


def _format_arguments(arguments: object, max_chars: int) -> str:
    if isinstance(arguments, Mapping):
        pairs = ((key, value if isinstance(value, str) else dump_value(value)) for key, value in arguments.items())
        return ", ".join(f"{key}={_shorten(words, max_chars)}" for key, words in pairs)
    return _shorten(dump_value(arguments), max_chars)


def _shorten(text: str, max_chars: int) -> str:
    return join_parts(text, clip_middle(text, max_chars), "\n")


def _split_to_fit(text: str, max_tokens: int, count: Tokenizer) -> Iterator[str]:
    """Yield a text in parts that fit, split at line breaks if possible."""
    if count(text) <= max_tokens:
        yield text
        return
    parts = (part for line in text.split("\n") for part in _break_line(line, max_tokens, count))
    yield from ("\n".join(group) for group in _group_texts(parts, max_tokens, count))


def _break_line(line: str, max_tokens: int, count: Tokenizer) -> Iterator[str]:
    """Yield a line in parts that fit."""
    while (size := count(line)) > max_tokens and len(line) > 1:
        cut = max(len(line) * max_tokens // (size + 1), 1)
        yield line[:cut]
        line = line[cut:]
    yield line


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
_MIN_SUPPORTED_SHARE = 0.34
"""Minimum share of supported bullets for an answer to be used at all."""
_CORE_SHARE = 0.6
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
    if not kept_count or kept_count < _MIN_SUPPORTED_SHARE * total:
        return PageValidation(base, counts, True)
    core_target = max(
        summary_input.target - summary_input.count(render_page(kept)), int(_CORE_SHARE * summary_input.target)
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
