"""The notes of a task: earlier requests, what the agent said before a short one, and the replies after it."""

import re
from collections.abc import Sequence

from ctxkit.core.context.extract.reply import is_output, is_pointing, is_scolding
from ctxkit.core.context.extract.request_quote import NOTE_CHARS, clip_note, find_task_sentence, is_usable
from ctxkit.core.context.extract.request_text import clip_beginning, find_terminal, flatten_text
from ctxkit.core.context.extract.requests import UserRequest, is_introduction
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.other_languages import OTHER_LETTER, is_foreign
from ctxkit.core.context.pasted_text import is_pasted
from ctxkit.core.context.sentences import split_sentences

Messages = Sequence[tuple[int, str]]
"""The text of each agent message, with its position in the path."""
MAX_LEADING, MAX_REPLIES, MAX_PARTS = 2, 3, 2
"""Maximum number of earlier requests, of replies, and of sentences of the agent that accompany a request."""
SHORT_CHARS, TERSE_CHARS, POINTER_CHARS, ANSWER_CHARS = 160, 80, 320, 12
"""Maximum characters of a request that earlier ones may explain, of one that the agent's message may explain, of one
that points back, and of one in a script with few blanks that is only an answer."""
_POINTER = re.compile(
    r"\b(?:it|this|that|them|these|those|so|above|same|previous|again)\b|[这那它]|これ|それ|この|その|こちら|どちら|あの",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|go (?:ahead|on)|do (?:it|that)|proceed|continue|no(?:pe)?|both"
    r"|s[ií]|oui|ja|да|好|はい|네)\b",
    re.IGNORECASE,
)
"""The beginning of a reply that answers or accepts an offer."""
_OFFER = re.compile(
    r"\b(?:want me|(?:shall|should|can|may) (?:I|we)|would you like|do you want|ready to)\b", re.IGNORECASE
)
_EMPTY = re.compile(
    r"\W*(?:yes|no problem|great|perfect|excellent|sure|certainly|absolutely|ok(?:ay)?|done"
    r"|you(?:['’]re| are) (?:absolutely )?right"
    r"|good (?:catch|question|point)|i (?:apologi[sz]e|understand|see)|sorry|let me|of course|thank)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that says nothing about the work."""
_WORD = re.compile(r"\w{2,}")
_LONG_WORD, STEM_CHARS = re.compile(r"[^\W\d_]{5,}"), 6
_COMMON_WORDS = """
please about there would could should still again which where these those using start contin procee implem other first
think maybe right before after being really
"""
_COMMON_STEMS = frozenset(_COMMON_WORDS.split())
"""A word that may name a subject, the characters of its stem, and stems of words that name none."""
_IDEOGRAPH = re.compile(r"[\u3400-\u9FFF]")
_PLAIN_IDEOGRAPHS = frozenset("的了是我你您他不也已好有在这那就都和要可以请一个")
"""A character that is a word, and those that name nothing."""
_MARKS = frozenset(("", "HEARTBEAT_OK", "NO_REPLY", "ANNOUNCE_SKIP", "REPLY_SKIP"))
"""What an agent of OpenClaw answers in place of a message to the user."""
MIN_WORDS = 5
"""Minimum words of a sentence of the agent that says what its message is about."""


def find_leading(requests: Sequence[UserRequest], place: int) -> list[str]:
    """Return quotations of the requests before a short one, newest first, back to a longer one; none for a long one."""
    text = requests[place].text
    before = [request for request in requests[:place] if not text.startswith(request.text)]
    return quote_leading(before) if _needs_context(text) else []


def _needs_context(text: str) -> bool:
    """Return whether earlier requests may have to explain one; output that was pasted into it explains nothing.

    Of a message that ends in a copy of a terminal, the words before the copy count.

    >>> _needs_context("> app@1.0.0 start\\n" * 10 + "3000으로 실행되는데"), _needs_context("> app@1.0.0 start\\n" * 10)
    (True, False)
    """
    output, _, last_line = text.rstrip().rpartition("\n")
    text = last_line if OTHER_LETTER.search(last_line) and not OTHER_LETTER.search(output) else text
    start = find_terminal(text)
    text = text[:start] if start > 0 else text
    return len(text) <= SHORT_CHARS or (len(text) <= POINTER_CHARS and bool(_POINTER.search(text)))


def quote_leading(requests: Sequence[UserRequest]) -> list[str]:
    """Return quotations of the last requests, newest first, back to one that stands alone; each once."""
    leading: list[str] = []
    for request in reversed(requests[-2 * MAX_LEADING :]):
        sentence = "" if request.is_reply else find_task_sentence(request.text)
        if sentence and not is_scolding(sentence):
            quote = _quote(request.text) or _check(f'"{clip_note(sentence, 2 * NOTE_CHARS)}"')
            leading += [quote] if quote and quote not in leading else []
        if len(leading) == MAX_LEADING or not (request.is_reply or _needs_context(request.text)):
            break
    return leading


def quote_agent(messages: Messages, request: UserRequest) -> str:
    """Return a quotation of what the agent said before a terse request, empty if the request explains itself.

    An answer follows the end of the agent's message, any other request its sentence with the most words of the request,
    or its first one that says something.
    """
    if len(request.text) > TERSE_CHARS:
        return ""
    last_sentences = split_sentences(_last_message(messages, request.at))
    sentences = [sentence for sentence in last_sentences if is_usable(sentence) and not _is_source(sentence)]
    if _CONSENT.match(request.text) or is_pointing(request.text):
        return _quote_end(sentences)
    if sentence := _find_subject_sentence(sentences, request.text):
        return _quote(sentence)
    is_answer = len(request.text) <= ANSWER_CHARS and OTHER_LETTER.search(request.text)
    if is_answer and (sentence := _find_answered_sentence(sentences, request.text)):
        return _quote(sentence)
    return next((_quote(sentence) for sentence in sentences if _says_something(sentence)), "")


def _find_subject_sentence(sentences: Sequence[str], request: str) -> str:
    """Return the last sentence with the most words of a request, empty if none has one; endings do not count."""
    stems = {word[:STEM_CHARS].lower() for word in _LONG_WORD.findall(request)} - _COMMON_STEMS
    shares = [(sum(stem in sentence.lower() for stem in stems), at) for at, sentence in enumerate(sentences)]
    most, at = max(shares, default=(0, -1))
    sentence = sentences[at] if most else ""
    return sentence if len(_WORD.findall(sentence)) >= MIN_WORDS else ""


def _find_answered_sentence(sentences: Sequence[str], request: str) -> str:
    """Return the last question of the agent, otherwise its last sentence with a character of the request, or empty.

    A reply in another script may be a single word, whose characters are words.
    """
    questions = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    if questions and not request.rstrip().endswith(("?", "？")):
        return questions[-1]
    characters = frozenset(_IDEOGRAPH.findall(request)) - _PLAIN_IDEOGRAPHS
    return next((sentence for sentence in reversed(sentences) if characters.intersection(sentence)), "")


def _is_source(sentence: str) -> bool:
    """Return whether a sentence is markup, code or output."""
    return sentence.startswith(("<", "{", "|", "#", "$ ")) or is_pasted(sentence)


def _says_something(sentence: str) -> bool:
    is_long = len(_WORD.findall(sentence)) >= MIN_WORDS or is_foreign(sentence)
    is_talk = is_introduction(sentence) or is_instruction(sentence) or _EMPTY.match(sentence)
    is_prose = sentence[0].isalnum() or sentence[0] in "`\"“「"
    return is_long and is_prose and not (is_talk or is_pasted(sentence))


def _last_message(messages: Messages, before: int) -> str:
    """Return the last message before a position that says something: not only a mark for the host."""
    return next((words for at, words in reversed(messages) if at < before and words.strip() not in _MARKS), "")


def _quote_end(sentences: Sequence[str]) -> str:
    """Return a quotation of the last sentences, as many as a note may contain."""
    parts: list[str] = []
    for sentence in reversed(sentences[-MAX_PARTS:]):
        if parts and len(" ".join([sentence, *parts])) > 2 * NOTE_CHARS:
            break
        parts.insert(0, sentence)
    return _quote(" ".join(parts)) if parts else ""


def _quote(text: str) -> str:
    flat = flatten_text(text).replace("**", "")
    beginning = clip_beginning(flat, 2 * NOTE_CHARS)
    cut = " …" if beginning and len(beginning) < len(flat) else ""
    return _check(f'"{beginning.rstrip(".")}{cut}"') if beginning else ""


def _check(quote: str) -> str:
    """Return a quotation that closes its brackets and code, empty for any other one, which would break the task."""
    return quote if is_usable(f"x ({quote})") else ""


def quote_replies(requests: Sequence[UserRequest], place: int) -> str:
    """Return quotations of the last replies after a request, in order, empty if there are none."""
    replies = [request.text.partition("\n")[0] for request in requests[place + 1 :] if not is_output(request.text)]
    telling = [reply for reply in replies[-MAX_REPLIES:] if " " in reply.strip() or reply.isalpha()]
    quotes = (_check(f'"{clip_note(reply)}"') for reply in telling)
    return "; ".join(dict.fromkeys(filter(None, quotes)))


def find_accepted_offer(requests: Sequence[UserRequest], place: int, messages: Messages, *, is_question: bool) -> str:
    """Return a statement of the agent's offer that the last reply accepts, empty if there is none.

    The reply accepts an offer if that is the end of the agent's message, or any offer if the request at ``place``
    is an answered question.
    """
    reply = requests[-1]
    if place == len(requests) - 1 or reply.is_closing:
        return ""
    later = [request for request in requests[place + 1 :] if not request.is_reply]
    sentences = list(split_sentences(_last_message(messages, reply.at)))
    questions = [sentence for sentence in sentences if sentence.endswith("?") and is_usable(sentence)]
    offers = [sentence for sentence in questions if len(sentence.split()) > 2]
    is_accepted = bool(_CONSENT.match(reply.text)) and sentences[-1:] == offers[-1:] != []
    if not offers or not (is_accepted or later or is_question):
        return ""
    offer = next((offer for offer in reversed(offers) if _OFFER.search(offer)), offers[-1])
    before = sentences[: sentences.index(offer)][-1:]
    quote = _quote_end([*filter(is_usable, before), offer])
    return f'The agent asked {quote} and the user answered "{clip_note(reply.text.partition(chr(10))[0])}"'
