"""The notes of a task: earlier requests, what the agent said before a short one, and the replies after it."""

import re
from collections.abc import Sequence

from ctxkit.core.context.extract.answer import Messages, is_source, last_message, quote_asked
from ctxkit.core.context.extract.pasted_output import is_only_output, split_output
from ctxkit.core.context.extract.reply import is_output, is_pointing
from ctxkit.core.context.extract.request_quote import NOTE_CHARS, clip_note, is_text, is_usable
from ctxkit.core.context.extract.requests import UserRequest, is_introduction
from ctxkit.core.context.extract.wish import asks_something, check_quote, find_wishes, quote_text
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.other_languages import OTHER_LETTER, asks_in_other_language, is_foreign
from ctxkit.core.context.pasted_text import is_pasted
from ctxkit.core.context.sentences import split_sentences

MAX_REPLIES = 3
"""Maximum number of replies that accompany a request."""
SHORT_CHARS, TERSE_CHARS, POINTER_CHARS, REPORT_CHARS, ANSWER_CHARS = 160, 80, 320, 500, 12
"""Maximum characters of a request that earlier ones may explain, of one that the agent's message may explain, of one
that points back, of one that only reports, and of one in a script with few blanks that is only an answer."""
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
MIN_WORDS = 5
"""Minimum words of a sentence of the agent that says what its message is about."""


def find_leading(requests: Sequence[UserRequest], place: int) -> list[str]:
    """Return quotations of the wishes before a short request, newest first; none for a long one."""
    text = requests[place].text
    before = [request for request in requests[:place] if not text.startswith(request.text)]
    is_open = requests[place].is_command or _needs_context(text)
    return find_wishes(before, 2 * NOTE_CHARS) if is_open else []


def _needs_context(text: str) -> bool:
    """Return whether earlier requests may have to explain one; of a message that is mostly output, its words count.

    >>> _needs_context("> app@1.0.0 start\\n" * 10 + "3000으로 실행되는데")
    True
    """
    if output := split_output(text):
        return len(output.words) <= POINTER_CHARS
    last_line = text.rstrip().rpartition("\n")[2]
    text = last_line if OTHER_LETTER.search(last_line) and not OTHER_LETTER.search(text[: -len(last_line)]) else text
    if len(text) <= SHORT_CHARS or (len(text) <= POINTER_CHARS and bool(_POINTER.search(text))):
        return True
    return is_text(text) or (len(text) <= REPORT_CHARS and not asks_something(text))


def quote_agent(messages: Messages, request: UserRequest) -> str:
    """Return a quotation of what the agent said before a terse request, empty if the request explains itself.

    An answer follows what the agent's message asked, any other request its sentence with the most words of the
    request, or its first one that says something.
    """
    if len(request.text) > TERSE_CHARS:
        return ""
    message = last_message(messages, request.at)
    is_wish = request.text.endswith(("?", "？")) or is_instruction(request.text) or asks_in_other_language(request.text)
    question, is_question = quote_asked(message, request.text)
    if _CONSENT.match(request.text) or is_pointing(request.text):
        return question
    sentences = [sentence for sentence in split_sentences(message) if is_usable(sentence) and not is_source(sentence)]
    if sentence := _find_subject_sentence(sentences, request.text):
        return quote_text(sentence, 2 * NOTE_CHARS)
    if is_question and not is_wish and question.endswith(('?"', '？"')):
        return question
    is_answer = len(request.text) <= ANSWER_CHARS and OTHER_LETTER.search(request.text)
    if is_answer and (sentence := _find_answered_sentence(sentences, request.text)):
        return quote_text(sentence, 2 * NOTE_CHARS)
    return next((quote_text(sentence, 2 * NOTE_CHARS) for sentence in sentences if _says_something(sentence)), "")


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


def _says_something(sentence: str) -> bool:
    is_long = len(_WORD.findall(sentence)) >= MIN_WORDS or is_foreign(sentence)
    is_talk = is_introduction(sentence) or is_instruction(sentence) or _EMPTY.match(sentence)
    is_prose = sentence[0].isalnum() or sentence[0] in "`\"“「"
    return is_long and is_prose and not (is_talk or is_pasted(sentence))


def quote_replies(replies: Sequence[UserRequest]) -> str:
    """Return quotations of the last replies after a request, in order, and what was pasted; empty without any."""
    quotes = [_quote_reply(reply.text) for reply in replies]
    return "; ".join(dict.fromkeys(list(filter(None, quotes))[-MAX_REPLIES:]))


def _quote_reply(text: str) -> str:
    """Return a quotation of a reply, or a description of the output that it is; empty for a mark."""
    if is_output(text) or is_only_output(text):
        output = split_output(text)
        notes = (f"pasted {output.describe(max_chars)}" for max_chars in (NOTE_CHARS, 0)) if output else ()
        return next((note for note in notes if is_usable(f"x ({note})")), "")
    reply = text.partition("\n")[0]
    return check_quote(f'"{clip_note(reply)}"') if " " in reply.strip() or reply.isalpha() else ""
