"""Wishes of the user: the requests that order or ask something, quoted for a task that they explain."""

import re
from collections.abc import Sequence

from ctxkit.core.context.extract.order_quote import rank_sentences
from ctxkit.core.context.extract.pasted_output import is_output_line, split_output
from ctxkit.core.context.extract.reply import find_choice, is_answer_list, is_scolding
from ctxkit.core.context.extract.request_quote import clip_note, find_task_sentence, is_usable
from ctxkit.core.context.extract.request_text import clip_beginning, flatten_text
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.instructions import is_instruction
from ctxkit.core.context.other_languages import asks_in_other_language, is_foreign
from ctxkit.core.context.sentences import split_sentences

_IDEOGRAPHS = re.compile(r"[\u3040-\u30FF\u3400-\u9FFF]")
"""A letter of a script without blanks."""
MAX_WISHES, MAX_BACK = 2, 40
"""Maximum wishes that are quoted, and requests among which they are looked for."""
ANSWER_WORDS, WISH_CHARS, QUESTION_CHARS = 3, 24, 6
"""Maximum words of an answer, characters from which any message says more than one, and those of a question more."""
MAX_SENTENCES, MAX_TEXT = 60, 20_000
"""Sentences and characters of a message in which a wish is looked for."""
MIN_ALONE = 134
"""Characters from which a request needs no other one that explains it."""


def find_wishes(requests: Sequence[UserRequest], max_chars: int) -> list[str]:
    """Return quotations of the newest requests that state a wish, newest first, back to one that stands alone."""
    wishes: list[str] = []
    recent = [request for request in requests[-MAX_BACK:] if not request.is_reply]
    telling = [request for request in recent if request.is_command or states_wish(request.text)]
    for request in reversed(telling or recent[-MAX_WISHES:]):
        quote = quote_wish(request.own_text if request.is_command else request.text, max_chars)
        wishes += [quote] if quote and quote not in wishes else []
        if len(wishes) == MAX_WISHES or (quote and stands_alone(request.text) and asks_something(request.text)):
            break
    return wishes


def states_wish(text: str) -> bool:
    """Return whether a message orders or asks something, or says enough to be more than an answer.

    >>> states_wish("Build a site."), states_wish("蓝色"), states_wish("1. yes\\n2. no")
    (True, False, False)
    """
    output = split_output(text)
    words = (output.words if output else text)[:MAX_TEXT]
    if not words.strip() or is_answer_list(words) or find_choice(words) or is_scolding(words):
        return False
    sentences = _take_sentences(words)
    if all(not _asks(sentence) and is_output_line(sentence) for sentence in sentences):
        return False
    return count_words(words) > ANSWER_WORDS or len(words) >= WISH_CHARS or any(map(_asks, sentences))


def asks_something(text: str) -> bool:
    """Return whether a sentence of a message orders or asks something.

    >>> asks_something("It fails. Fix it."), asks_something("gh is set up now.")
    (True, False)
    """
    return any(map(_asks, _take_sentences(text)))


def _take_sentences(text: str) -> list[str]:
    return [sentence for _, sentence in zip(range(MAX_SENTENCES), split_sentences(text), strict=False)]


def _asks(sentence: str) -> bool:
    """Return whether a sentence orders or asks something."""
    is_long = len(sentence.split()) > 2 or (is_foreign(sentence) and len(sentence) > QUESTION_CHARS)
    asks = sentence.endswith(("?", "？")) or asks_in_other_language(sentence)
    return is_instruction(sentence) or (asks and is_long)


def stands_alone(text: str) -> bool:
    """Return whether a request is long enough to need no other one that explains it."""
    return len(text) >= MIN_ALONE


def quote_wish(text: str, max_chars: int) -> str:
    """Return a quotation of a request: whole, or its telling sentences, empty if none closes its brackets."""
    output = split_output(text)
    words = (output.words if output else text)[:MAX_TEXT]
    flat = flatten_text(words).replace("**", "")
    if len(flat) > max_chars:
        selection = rank_sentences(words, find_task_sentence(words)).select(max_chars)
        is_cut = selection.find("…") == len(selection) - 1  # the beginning of the text is as long
        if selection and not is_cut and (quote := check_quote(f'"{selection}"')):
            return quote
    sentence = find_task_sentence(words) if flat else ""
    return quote_text(flat, max_chars) or (check_quote(f'"{clip_note(sentence, max_chars)}"') if sentence else "")


def quote_text(text: str, max_chars: int) -> str:
    """Return a quotation of the beginning of a text, empty if it is empty or breaks the rules of a task."""
    flat = flatten_text(text).replace("**", "")
    beginning = clip_beginning(flat, max_chars)
    cut = " …" if beginning and len(beginning) < len(flat) else ""
    return check_quote(f'"{beginning.rstrip(".")}{cut}"') if beginning else ""


def check_quote(quote: str) -> str:
    """Return a quotation that closes its brackets and code, empty for any other one, which would break the task."""
    return quote if is_usable(f"x ({quote})") else ""


def count_words(text: str) -> int:
    """Return the words of a text; two letters of a script without blanks count as one word."""
    return len(text.split()) + len(_IDEOGRAPHS.findall(text)) // 2
