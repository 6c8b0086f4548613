"""Answers of the user: what the agent had asked or said before them, and the wishes that they belong to."""

import re
from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.context.extract.reply import find_choice, is_answer_list, is_continuing, is_output
from ctxkit.core.context.extract.request_quote import NOTE_CHARS, clip_note, is_usable
from ctxkit.core.context.extract.request_text import clip_closed, flatten_text
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.extract.wish import ANSWER_WORDS, count_words, find_wishes, quote_text
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.other_languages import OTHER_LETTER, asks_in_other_language
from ctxkit.core.context.pasted_text import is_pasted
from ctxkit.core.context.sentences import split_sentences

Messages = Sequence[tuple[int, str]]
"""The text of each agent message, with its position in the path."""
_CONSENT = re.compile(
    r"\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|go (?:ahead|on)|do (?:it|that)|proceed|continue|no(?:pe)?|both"
    r"|s[ií]|oui|ja|да|好|行|可以|是|はい|네|works for me|go\b|evet|tamam|vâng)(?![\w/])",
    re.IGNORECASE,
)
"""The beginning of a reply that answers or accepts an offer."""
_GREETING = re.compile(
    r"\W*(?:h(?:i+|ello|ey+a?)|hola|bonjour|salut|hallo|ciao|ol[áa]|привет|你好|您好|嗨|こんにちは|안녕\w*)\W*",
    re.IGNORECASE,
)
_QUESTION_WORD = re.compile(
    r"怎|什么|什麼|为何|為何|哪|多少|如何|どう|何|なぜ|어떻|왜|뭐|\b(?:как|что|почему)\b", re.IGNORECASE
)
"""A word with which a question in a script with few blanks, or in Russian, asks."""
_OPTION = re.compile(
    r"^[ \t>#*•-]{0,8}(?:option |方案|phương án |cách )?[(\[]?([A-Ha-h]|\d{1,2})[\].):：]\W{0,4} ?(\S[^\n]{2,400})",
    re.IGNORECASE | re.MULTILINE,
)
"""An option in a message of the agent, with its letter or number."""
_OFFER = re.compile(
    r"\b(?:want me|(?:shall|should|can|may) (?:I|we)|would you like|do you want|ready to|if you (?:want|like|prefer)"
    r"|let me know|say [\"'“*]*\w+|tell me|which (?:one|of|option))\b",
    re.IGNORECASE,
)
"""Words with which an agent asks what to do next."""
_OPEN_QUESTION = re.compile(
    r"\W*(?:so |now |ok(?:ay)?,? )?"
    r"(?:what (?:would you like|do you (?:want|need)|can i (?:do|help)|should i do|next|else)"
    r"|(?:do you )?want me to \w+ anything|anything else|how can i help|is there anything|need anything)\b.{0,40}",
    re.IGNORECASE,
)
"""A question that leaves all to the user, so that no reply only answers it."""
_POINTER = re.compile(
    r"\b(?:it|this|that|them|these|those|so|above|same|previous|again)\b|[这那它]|これ|それ|この|その|こちら|どちら|あの",
    re.IGNORECASE,
)
_VOICE = re.compile(r"\[\[(?:tts:|reply_to_current\]\])|\]\]$")
"""The marks of a host around a message that is read aloud, or that answers a message."""
_MARKS = frozenset(("", "HEARTBEAT_OK", "NO_REPLY", "ANNOUNCE_SKIP", "REPLY_SKIP"))
"""What an agent of OpenClaw answers in place of a message to the user."""
ASKED_CHARS, END_CHARS = 300, 6_000
"""Maximum characters of what the agent asked, and characters at the end of a message that may ask something."""
ANSWER_CHARS, REPORT_CHARS = 12, 4
"""Maximum characters of an answer in a script with few blanks, and of one to no question."""
WISH_CHARS = (900, 480, 2 * NOTE_CHARS)
"""Maximum characters of a wish, in ever shorter forms."""
MIN_OBJECT_WORDS, MAX_OBJECT, MAX_TAIL = 9, 2, 4
"""Words from which a question names its object, maximum sentences before it, and sentences that may be one."""
KEY_CHARS = 40
"""Characters of the beginning of an option by which it is found."""


def last_message(messages: Messages, before: int) -> str:
    """Return the last message before a position that says something: not only a mark for the host."""
    return next((words for at, words in reversed(messages) if at < before and words.strip() not in _MARKS), "")


def make_answer_forms(requests: Sequence[UserRequest], messages: Messages) -> Iterator[str]:
    """Yield ever shorter statements of the last request if that is an answer: what was asked, and the wish before it.

    Nothing is yielded for any other request.
    """
    reply = requests[-1]
    message = last_message(messages, reply.at)
    previous = requests[-2].at if len(requests) > 1 else -1
    if reply.is_closing or not any(previous < at < reply.at for at, words in messages if words.strip()):
        return
    quote, is_question = quote_asked(message, reply.text)
    if not quote or not _is_answer(reply, is_question=is_question):
        return
    shown = clip_note(flatten_text(reply.text), NOTE_CHARS)
    statement = f'The user answered "{shown}" to the agent\'s {"question" if is_question else "message"} {quote}'
    for max_chars in WISH_CHARS:
        wishes = find_wishes(requests[:-1], max_chars)
        for many in range(len(wishes), 0, -1):
            yield f"{statement} (asked before: {'; '.join(wishes[:many])})"
    yield statement


def _is_answer(reply: UserRequest, *, is_question: bool) -> bool:
    """Return whether a request only answers the agent; without a question of the agent, a consent or a report does."""
    text = reply.text.strip()
    if _GREETING.fullmatch(text) or text.startswith("/") or is_output(text):
        return False
    if reply.is_reply:
        return is_question or (bool(_CONSENT.match(text)) and not is_continuing(text))
    if is_answer_list(text) or find_choice(text):
        return True
    if text.endswith(("?", "？")) or is_instruction(text) or asks_in_other_language(text) or is_pasted(text):
        return False
    if OTHER_LETTER.search(text):
        if _QUESTION_WORD.search(text):
            return False
        return len(text) <= (ANSWER_CHARS if is_question else REPORT_CHARS)
    return is_question and len(text.split()) <= ANSWER_WORDS


def quote_asked(message: str, reply: str) -> tuple[str, bool]:
    """Return a quotation of what a message of the agent asked, or of its end, and whether it asks.

    The question is quoted with the sentence before it if it does not name its object, the options with a question that
    precedes them, and the option that the reply chooses.
    """
    pieces = [_VOICE.sub("", sentence).strip(" *_") for sentence in split_sentences(message[-END_CHARS:])]
    texts = _join_headings(pieces)
    sentences = [sentence for sentence in texts if is_usable(sentence) and not is_source(sentence)]
    tail = sentences[-MAX_TAIL:]
    choice = find_choice(reply)
    option = _find_option(message, choice) if choice else ""
    asking = [at for at, sentence in enumerate(tail) if _asks_user(sentence, is_choice=bool(option))]
    if not asking and (offers := [part for part in sentences if part.endswith("?") and _offers(part)]):
        tail, asking = sentences, [sentences.index(offers[-1])]
    at = asking[-1] if asking else -1
    parts = _take_question(tail, at, frozenset(texts).difference(pieces)) if at >= 0 else _take_end(tail)
    if option:
        parts = [part for part in parts if option[:KEY_CHARS] not in part.replace("**", "")]
        parts.append(f"{choice}: {option}")
    return quote_text(" ".join(parts), ASKED_CHARS), at >= 0 or bool(option)


def _asks_user(sentence: str, *, is_choice: bool) -> bool:
    """Return whether a sentence of the agent asks for a decision; any question does if the reply chooses an option."""
    if is_choice and sentence.endswith(("?", "？")):
        return True
    return _offers(sentence) or (sentence.endswith(("?", "？")) and not _OPEN_QUESTION.fullmatch(sentence))


def _offers(sentence: str) -> bool:
    """Return whether a sentence of the agent offers to do something."""
    return bool(_OFFER.search(sentence)) and not _OPEN_QUESTION.fullmatch(sentence)


def _join_headings(sentences: Sequence[str]) -> list[str]:
    """Return sentences in which the first item of a later list begins with the heading of that list."""
    joined: list[str] = []
    lists = 0
    for sentence in sentences:
        heading = joined[-1] if joined and joined[-1].endswith((":", "：")) else ""
        lists += bool(heading)
        if heading and lists > 1 and len(heading) + len(sentence) < ASKED_CHARS // 2:
            joined[-1] = f"{heading} {sentence}"
        else:
            joined.append(sentence)
    return joined


def _take_question(sentences: Sequence[str], at: int, first_items: Collection[str]) -> list[str]:
    """Return a question with the sentences before it that say what it is about, back to one of ``first_items``."""
    parts = [sentences[at]]
    for before in reversed(sentences[max(at - MAX_OBJECT, 0) : at]):
        is_full = count_words(" ".join(parts)) >= MIN_OBJECT_WORDS and not _POINTER.search(parts[0])
        if is_full or parts[0] in first_items or len(" ".join([before, *parts])) > ASKED_CHARS:
            break
        parts.insert(0, before)
    return parts


def _take_end(sentences: Sequence[str]) -> list[str]:
    """Return the last sentences of a message, as many as a quotation may contain."""
    parts: list[str] = []
    for sentence in reversed(sentences):
        if parts and len(" ".join([sentence, *parts])) > ASKED_CHARS:
            break
        parts.insert(0, sentence)
    return parts


def _find_option(message: str, name: str) -> str:
    """Return the text of the option with a letter or number, empty if the message has none."""
    options = (match[2] for match in _OPTION.finditer(message) if match[1].lower() == name.lower())
    option = next(options, "").replace('"', "'").replace("**", "").strip(" .:*")
    return clip_closed(option, NOTE_CHARS)


def is_source(sentence: str) -> bool:
    """Return whether a sentence is markup, code or output."""
    return sentence.startswith(("<", "{", "|", "#", "$ ")) or is_pasted(sentence)
