"""The quotation of a request: all of a short one, or the sentence that best says what to do."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ctxkit.core.context.extract.order_quote import rank_sentences
from ctxkit.core.context.extract.pasted_output import PastedOutput, split_output
from ctxkit.core.context.extract.reference import find_error_sentence, is_status
from ctxkit.core.context.extract.reply import is_interjection
from ctxkit.core.context.extract.request_text import clean_text, clip_closed, find_steps, flatten_text, quote_parts
from ctxkit.core.context.extract.requests import INTRODUCTION, is_introduction
from ctxkit.core.context.instructions import is_instruction, is_other_half, is_prohibition
from ctxkit.core.context.other_languages import OTHER_LETTER, asks_in_other_language, is_foreign
from ctxkit.core.context.page_rules import find_fault
from ctxkit.core.context.pasted_text import is_answer, is_document, is_pasted
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.standing import is_statement_start

_ANSWER_FORM = re.compile(
    r"^\W*(?:please |just |only |simply |then |finally ){0,2}(?:provide|give|express|report|return|round|write|state"
    r"|answer|format|respond|reply|output|print|present|include|use|submit)\b.*\b(?:answers?|results?|numbers?"
    r"|integers?|values?|names?|decimals?|digits?|units?|separated|format|words?|letters?|nearest)\b",
    re.IGNORECASE,
)
"""An instruction about the form of an answer: the question before it is the task."""
_FIELD = re.compile(r"[\w -]{3,40}: \S+")
"""A name and its value, as in a list of settings."""
_ADDRESS = re.compile(r"[?？]|(?i:\b(?:you|your|please|we|our|let['’]?s)\b)|\bI\b|['’]m\b|\bi\b")
"""Words of a speaker to a hearer."""
MIN_TEXT = 600
"""Minimum characters of a description that asks for nothing."""
WHOLE_CHARS, MAX_WHOLE, QUOTED_CHARS = 320, 4, 1_000
"""Maximum characters and sentences of a request whose sentences are joined, and characters of one quoted whole."""
NOTE_CHARS, TASK_CHARS = 120, 420
"""Maximum characters of a note, and of a sentence that is preferred as the task."""
_GOAL = re.compile(r"\b(?:your|the|my) (?:task|goal|job|objective) is\b|^solve the\b", re.IGNORECASE)
"""A sentence that says that it states the task."""
MIN_COPY = 6
"""Minimum lines of output that is told by its first error, not quoted whole."""
ORDER_CHARS = (1_600, 1_200, 900, 700, 500, 340, 240)
"""Maximum characters of the telling sentences of a long request, in ever shorter forms."""
SHORT_WORDS, MIN_WORDS = 7, 3
"""Maximum words of a task that the sentences around it may have to explain, and least words of no greeting."""


def quote_request(text: str) -> str:
    """Return what a request says, in the longest form of ``quote_request_forms``.

    >>> quote_request("The tests fail. Fix them.")
    'The tests fail; Fix them.'
    """
    return next(iter(quote_request_forms(text)), "")


def quote_request_forms(text: str) -> tuple[str, ...]:
    """Return ever shorter quotations of a request: whole if it is short, else its beginning and its end.

    Of a document, the beginning is quoted; of a request that names its goal, the sentence with it. The last form is the
    sentence that best says what to do.
    """
    text = clean_text(text)
    output = split_output(text)
    if output and len(output.lines) >= MIN_COPY:
        return tuple(filter(is_usable, _quote_output(output)))
    if is_text(text):
        first = next(iter(split_sentences(text)), "")
        return (f'The user sent a document that begins "{clip_note(first, 2 * NOTE_CHARS)}".',) if first else ()
    task = find_task_sentence(text)
    sentence = _frame_statement(task if "\n#" in text else _lengthen(task, list(split_sentences(text))))
    parts = tuple(_quote_long(text, task))
    forms = (_quote_whole(text), *parts, sentence)
    if parts and OTHER_LETTER.search(text) and not (OTHER_LETTER.search(sentence) or is_instruction(sentence)):
        forms = forms[:-1]  # it is code between the words of the user
    return tuple(form for form in dict.fromkeys(forms) if form and (form == sentence or is_usable(form)))


def _quote_long(text: str, task: str) -> Iterator[str]:
    """Yield ever shorter quotations of a long request: its telling sentences, otherwise its beginning and its end.

    Nothing is yielded for a short request, and for one that names its goal in few words.
    """
    flat = flatten_text(text)
    if len(flat) <= ORDER_CHARS[-1] or (_GOAL.search(task) and len(task) >= NOTE_CHARS):
        return
    ranked = rank_sentences(text, task)
    quotes = [quote for max_chars in ORDER_CHARS if max_chars < len(flat) and (quote := ranked.quote(max_chars))]
    yield from dict.fromkeys(quotes) if quotes else quote_parts(flat, find_steps(text))


def _quote_output(output: PastedOutput) -> Iterator[str]:
    """Yield ever shorter statements of a message that is mostly output: the user's words, and what was pasted."""
    words = flatten_text(output.words).rstrip(" :,;.([{")
    beginning = clip_closed(words, TASK_CHARS)
    says = f'says "{beginning}" and ' if beginning and is_usable(f'x ("{beginning}")') else ""
    for max_chars in (2 * NOTE_CHARS, NOTE_CHARS, NOTE_CHARS // 2, 0):
        yield f"The user {says}pasted {output.describe(max_chars)}."


def is_text(text: str) -> bool:
    """Return whether a long message is a document or a description: no sentence asks, orders or speaks to the agent.

    >>> is_text("Fix the parser."), is_text("The project helps borrowers with their debts. " * 20)
    (False, True)
    """
    if is_document(text):
        return True
    sentences = list(split_sentences(text)) if len(text) > MIN_TEXT else []
    return bool(sentences) and not any(map(_is_addressed, sentences))


def _is_addressed(sentence: str) -> bool:
    """Return whether a sentence asks or orders something, tells of its speaker, or is not in English."""
    return is_foreign(sentence) or is_instruction(sentence) or is_pasted(sentence) or bool(_ADDRESS.search(sentence))


def _quote_whole(text: str) -> str:
    """Return a quotation of a whole request, empty if it is long."""
    whole = _frame_statement(_quote_short_request(text))
    if whole and is_usable(whole):  # a question mark without a blank after it ends a sentence within it
        return whole
    flat = flatten_text(text)
    if not flat or len(flat) > QUOTED_CHARS:
        return ""
    sentences = list(split_sentences(text))
    if len(sentences) == 1 and is_usable(sentences[0]) and not is_pasted(sentences[0]):
        return _frame_statement(sentences[0])
    verb = "pasted" if is_pasted(next(iter(sentences), flat)) and not any(map(is_instruction, sentences)) else "says"
    return f'The user {verb} "{flat.rstrip(".")}".'


def _frame_statement(sentence: str) -> str:
    """Return a sentence that only tells something as what the user says; it states no task by itself."""
    is_other = is_foreign(sentence) and not asks_in_other_language(sentence)
    is_statement = is_other or (is_statement_start(sentence) and not is_instruction(sentence))
    if not is_statement or "?" in sentence or "？" in sentence:
        return sentence
    return f'The user says "{clip_note(sentence, QUOTED_CHARS)}".'


def _quote_short_request(text: str) -> str:
    """Return the sentences of a short request as one line, empty if it is long or no prose."""
    if len(text) > WHOLE_CHARS or "```" in text or "\n#" in text:
        return ""
    sentences = [part for part in split_sentences(text) if not (is_prohibition(part) or _is_greeting(part))]
    is_brief = len(sentences) in range(1, MAX_WHOLE + 1)
    is_prose = all(is_usable(part) and not (is_status(part) or is_pasted(part)) for part in sentences)
    return _join_sentences(sentences) if is_brief and is_prose else ""


def _is_greeting(sentence: str) -> bool:
    is_short = len(sentence.split()) < MIN_WORDS and not sentence.endswith((":", "："))
    is_open = is_foreign(sentence) or is_instruction(sentence)
    return is_interjection(sentence) or (not is_open and (is_short or bool(INTRODUCTION.search(sentence))))


def _join_sentences(sentences: Sequence[str]) -> str:
    return "; ".join([*(sentence.rstrip(".。") for sentence in sentences[:-1]), *sentences[-1:]])


def _lengthen(task: str, sentences: Sequence[str]) -> str:
    """Return a task sentence; one of a few words is joined to those after it, which say what it is about."""
    at = sentences.index(task) if task in sentences else len(sentences)
    parts = [task]
    for sentence in sentences[at + 1 : at + MAX_WHOLE]:
        is_prose = is_usable(sentence) and not (is_pasted(sentence) or is_instruction(sentence))
        if not is_prose or is_introduction(sentence) or len(" ".join(parts).split()) > SHORT_WORDS:
            break
        parts.append(sentence)
    whole = _join_sentences(parts)
    return whole if len(whole) <= WHOLE_CHARS else task


def find_task_sentence(text: str) -> str:
    """Return the sentence of a request that best says what to do: its first instruction, otherwise its first sentence.

    An instruction about the form of the answer gives way to the question before it.

    >>> find_task_sentence("Hi there! The tests fail on CI. Please fix the flaky one.")
    'Please fix the flaky one.'
    >>> find_task_sentence("How many files are there? Provide your answer as an integer.")
    'How many files are there?'
    """
    usable = [sentence for sentence in split_sentences(text) if is_usable(sentence)]
    usable = [sentence for sentence in usable if not (is_answer(sentence) or is_interjection(sentence))] or usable
    halves = {first for first, second in pairwise(usable) if is_other_half(first, second)}
    sentences = [sentence for sentence in usable if not (is_prohibition(sentence) or sentence in halves)] or usable
    short = [sentence for sentence in sentences if len(sentence) <= TASK_CHARS]
    telling = [sentence for sentence in short if not (is_introduction(sentence) or is_status(sentence))]
    orders = (
        sentence
        for sentence in short
        if (asks_in_other_language(sentence) if is_foreign(sentence) else is_instruction(sentence))
        and not (INTRODUCTION.search(sentence) or _FIELD.fullmatch(sentence))
    )
    first = next(orders, "") or find_error_sentence(telling) or next(iter(telling), "") or next(iter(sentences), "")
    question = _find_question(short, first) if _ANSWER_FORM.search(first) else ""
    return question or first or clip_note(text, TASK_CHARS)


def _find_question(sentences: Sequence[str], task: str) -> str:
    """Return the last question before an instruction, empty if there is none."""
    before = sentences[: sentences.index(task)] if task in sentences else ()
    return next((sentence for sentence in reversed(before) if sentence.endswith(("?", "？"))), "")


def is_usable(sentence: str) -> bool:
    """Return whether a sentence keeps the rules of a task."""
    return not find_fault("Task", sentence)


def clip_note(text: str, max_chars: int = NOTE_CHARS) -> str:
    """Return the beginning of a text on one line, in whole words, without quotation marks and its full stop."""
    line = " ".join(text.replace('"', "'").split())
    if len(line) > max_chars:
        end = line.rfind(" ", 0, max_chars)
        line = f"{line[: end if end > 0 else max_chars].rstrip(' ,;:.')} …"
    return line.rstrip(".")
