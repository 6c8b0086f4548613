"""The task of a page: one sentence of the request that is still open, and its other instructions as open items."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.answer import Messages, make_answer_forms
from ctxkit.core.context.extract.command_prompt import NAMED_COMMAND
from ctxkit.core.context.extract.constraints import is_everlasting
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.named_work import names_work
from ctxkit.core.context.extract.pasted_output import is_only_output
from ctxkit.core.context.extract.pending import is_final_call
from ctxkit.core.context.extract.reference import find_named_subject, find_numbered_item
from ctxkit.core.context.extract.request_quote import (
    NOTE_CHARS,
    SHORT_WORDS,
    clip_note,
    is_usable,
    quote_request_forms,
)
from ctxkit.core.context.extract.request_text import flatten_text
from ctxkit.core.context.extract.requests import INTRODUCTION, UserRequest, drop_issue_section, is_introduction
from ctxkit.core.context.extract.task_notes import find_leading, quote_agent, quote_replies
from ctxkit.core.context.extract.todo import TodoList
from ctxkit.core.context.extract.tool_call import ToolCall
from ctxkit.core.context.extract.wish import find_wishes, quote_wish
from ctxkit.core.context.instructions import is_instruction, is_prohibition
from ctxkit.core.context.sentences import split_sentences
from ctxkit.core.context.standing import is_demand

_POINTER = re.compile(r"\b(?:it|this|that|them|these|those|so)\b", re.IGNORECASE)
_BESIDE_JOB = re.compile(r"\band (?:also )?(?:from now on|going forward|always|never)\b", re.IGNORECASE)
"""A demand for good after a piece of work in the same sentence."""
_RETRY = re.compile(
    r"\W*(?:(?:please|then|and) )*(?:try|retry|run|do)(?: it| this| that| them)?(?: again| once more)?\W*",
    re.IGNORECASE,
)
"""An instruction that says nothing without what was tried before."""
_COMMAND = re.compile(r"/[a-z][\w.:-]{1,80}")
"""The name of a prompt, without words of the user."""
_GOAL = re.compile(r"\W*(?:your|the) (?:task|goal|job|objective) is\b", re.IGNORECASE)
"""The beginning of a sentence that states the task, which stands above the open instructions."""
MAX_SENTENCES, MAX_OPEN, OPEN_SCORE = 12, 6, 703
"""Sentences above which a request is a description, maximum number of its open instructions, and their score."""


_ISSUE_HEADING = re.compile(
    r"^[#* \t]*+(?:(?:the |general )?(?:issue|problem|bug|task|pull request|pr)"
    r"(?: (?:text|description|statement|report))?|description)[* \t]*+:?+[* \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line above the issue that a request is about, as SWE-agent and the resolver of OpenHands write it."""
PROMPT_CHARS = 480
"""Maximum characters of the prompt that a command stands for."""
MAX_RULE = 200
"""Maximum characters of a request that may be only a demand for good."""
MIN_FOLLOWING = 4
"""Messages of the agent after which it has followed a hint, and the work before it is what is open."""
MAX_PARALLEL = 12
"""Maximum calls of a message among which one may end the task."""
ISSUE_CHARS = 4_000
"""Maximum characters of an issue in which its first sentence is looked for."""


def find_request_items(
    requests: Sequence[UserRequest], messages: Messages, calls: Sequence[ToolCall], todo: TodoList
) -> Iterator[PageItem]:
    """Yield the task, and the other instructions of its request if a to-do list does not name what is open."""
    place = find_open_request(requests, messages)
    if place < 0:
        return
    closing = requests[-1]
    if closing.is_closing and " " in closing.text.strip():
        yield PageItem("Task", tuple(_make_closing_forms(requests)), 900)
        return
    if not _is_followed(closing, messages) and (answers := tuple(make_answer_forms(requests, messages))):
        yield PageItem("Task", answers, 900)
        return
    quotes, subject = _quote_task(requests[place], messages)
    if quotes:
        yield PageItem("Task", tuple(_make_forms(quotes, subject, requests, place, messages)), 900)
    if todo.is_empty and not _is_answered(closing, messages, calls):
        yield from _find_open_instructions(requests[place], quotes[0] if quotes else "")


def _make_closing_forms(requests: Sequence[UserRequest]) -> Iterator[str]:
    """Yield ever shorter statements of the end of a conversation: its last message, and the requests before it."""
    ending = f'The user closed with "{clip_note(flatten_text(requests[-1].text))}"'
    leading = find_wishes(requests[:-1], 2 * NOTE_CHARS)
    for many in range(len(leading), 0, -1):
        yield _add_notes(ending, f"asked before: {'; '.join(leading[:many])}")
    yield ending


def _quote_task(request: UserRequest, messages: Messages) -> tuple[tuple[str, ...], str]:
    """Return ever shorter quotations of a request, and a quotation of what it is about, empty if that is in them."""
    framed_task, issue = _find_framed_task(request)
    if framed_task:
        return (framed_task,), issue
    text = request.own_text or request.text
    if _COMMAND.fullmatch(text):
        prompt = request.text.removeprefix(f"{text}: ") if request.text != text else ""
        return (f"The user ran the command {text}",), quote_wish(prompt, PROMPT_CHARS) if prompt else ""
    if (named := NAMED_COMMAND.fullmatch(text)) and named[2]:
        return (f'The user ran the command {named[1]} with "{clip_note(named[2])}"',), ""
    quotes = quote_request_forms(text)
    item = find_numbered_item(text, [words for at, words in messages if at < request.at])
    return quotes, issue or item or (_find_subject(text, quotes[0]) if quotes else "")


def _make_forms(
    quotes: Sequence[str],
    subject: str,
    requests: Sequence[UserRequest],
    place: int,
    messages: Messages,
) -> Iterator[str]:
    """Yield ever shorter tasks: the quotation with all notes, with fewer notes, and shorter quotations.

    What explains a request stays longer than the end of its quotation.
    """
    later = [request for request in requests[place + 1 :] if not _only_rules(request)]  # Decisions tell the others
    replies = "" if requests[-1].is_closing else quote_replies(later)
    after = f"then: {replies}" if replies else ""
    leading = find_leading(requests, place)
    statement = quote_agent(messages, requests[place])
    agent = f"the agent had said {statement}" if statement else ""
    before = [f"asked before: {'; '.join(leading[:many])}" for many in range(len(leading), 0, -1)]
    for note in before or [""]:
        yield _add_notes(quotes[0], subject, after, note, agent)
    for note in [*before[-1:], ""]:
        yield from (_add_notes(quote, subject, after, note) for quote in quotes)
    yield from (form for quote in quotes for form in (_add_notes(quote, after), quote))


def _find_framed_task(request: UserRequest) -> tuple[str, str]:
    """Return the sentence of a request that introduces an issue, and a quotation of the first sentence of the issue.

    Both are empty if the request contains no issue; without an introduction, the issue itself is the task.
    """
    heading = _ISSUE_HEADING.search(request.text)
    quoted_issue = _quote_issue(request)
    if heading is None or quoted_issue:
        return "", quoted_issue
    issue = _find_first_usable(request.text[heading.end() : heading.end() + ISSUE_CHARS])
    before = [sentence for sentence in split_sentences(request.text[: heading.start()]) if is_usable(sentence)]
    introduction = next((sentence for sentence in before if INTRODUCTION.search(sentence)), "")
    if introduction and issue:
        return introduction, f'"{clip_note(issue, 2 * NOTE_CHARS)}"'
    is_task = "task" in heading[0].lower() or not any(map(is_instruction, before))
    return issue if is_task else "", ""


def _quote_issue(request: UserRequest) -> str:
    """Return a quotation of the first sentence of an issue that is an element of the message, empty without one."""
    own = set(split_sentences(request.own_text))
    if not own or request.own_text == request.text:
        return ""
    others = (sentence for sentence in split_sentences(request.text[:ISSUE_CHARS]) if sentence not in own)
    issue = next((sentence for sentence in others if is_usable(sentence)), "")
    return f'"{clip_note(issue, 2 * NOTE_CHARS)}"' if issue else ""


def _find_first_usable(text: str) -> str:
    return next(filter(is_usable, split_sentences(text)), "")


def find_open_request(requests: Sequence[UserRequest], messages: Messages) -> int:
    """Return the position of the request that is still open, -1 if there is no request.

    That is the last request that is more than a reply, a demand for good, a hint that the agent followed, or output for
    the request before it. A question that the agent answered before a reply is not open, unless it is the only request.
    """
    real = [at for at, request in enumerate(requests) if not request.is_reply]
    real = [at for at in real if not (_only_rules(requests[at]) or _is_followed(requests[at], messages))] or real
    real = _drop_additions(requests, real, messages)
    if not real:
        return len(requests) - 1
    is_replied = real[-1] < len(requests) - 1
    tasks = [at for at in real if not _is_question(requests[at], messages)] if is_replied else real
    return (tasks or real)[-1]


def _only_rules(request: UserRequest) -> bool:
    """Return whether a request only demands something for good, so that an earlier one says what to do."""
    text = request.own_text or request.text
    if len(text) > MAX_RULE or _POINTER.search(text) or _BESIDE_JOB.search(text):
        return False
    return all(is_everlasting(sentence) and is_demand(sentence) for sentence in split_sentences(text))


def _drop_additions(requests: Sequence[UserRequest], places: Sequence[int], messages: Messages) -> list[int]:
    """Return the places of requests without output that was pasted while the agent had not answered the one before."""
    kept: list[int] = []
    for place in places:
        start, end = (requests[kept[-1]].at if kept else -1), requests[place].at
        is_answered = not kept or any(start < at < end and words.strip() for at, words in messages)
        if is_answered or not is_only_output(requests[place].text):
            kept.append(place)
    return kept


def _is_followed(request: UserRequest, messages: Messages) -> bool:
    """Return whether a request is only a hint, after which the agent went on with the work."""
    return request.is_hint and sum(at > request.at for at, _ in messages) >= MIN_FOLLOWING


def _is_question(request: UserRequest, messages: Messages) -> bool:
    """Return whether a request only asks, and the agent said something after it."""
    sentences = list(split_sentences(request.own_text or request.text))
    asks = all(sentence.endswith(("?", "？")) and not is_instruction(sentence) for sentence in sentences)
    return bool(sentences) and asks and any(at > request.at and words.strip() for at, words in messages)


def _find_subject(text: str, task: str) -> str:
    """Return a quotation of the sentence before a task that does not say what it is about, or of a question."""
    sentences = list(split_sentences(text))
    at = sentences.index(task) if task in sentences else 0
    if named := find_named_subject(sentences[:at], task):
        return f'"{clip_note(named, 2 * NOTE_CHARS)}"'
    before = sentences[at - 1] if at else ""
    if not before or not (len(task.split()) <= SHORT_WORDS or _POINTER.search(task) or before.endswith(("?", "？"))):
        return ""
    is_telling = len(before) <= 2 * NOTE_CHARS and is_usable(before) and not is_introduction(before)
    return f'"{clip_note(before, 2 * NOTE_CHARS)}"' if is_telling else ""


def _add_notes(sentence: str, *notes: str) -> str:
    """Return a sentence with notes in brackets instead of its full stop, or before its question mark."""
    note = "; ".join(filter(None, notes))
    mark = "?" if sentence.endswith("?") else ""
    return f"{sentence.rstrip('.?!')} ({note}){mark}" if note else sentence


def _is_answered(request: UserRequest, messages: Messages, calls: Sequence[ToolCall]) -> bool:
    """Return whether the agent ended its turn after a request with a message, or with a call that ends a task."""
    last_call = max((call.at for call in calls), default=-1)
    if any(call.at == last_call > request.at and is_final_call(call) for call in calls[-MAX_PARALLEL:]):
        return True
    return any(at > max(request.at, last_call) and words.strip() for at, words in messages)


def _says_nothing_alone(sentence: str) -> bool:
    """Return whether an instruction only repeats, accepts or announces what stands in other sentences."""
    is_frame = _RETRY.fullmatch(sentence) or _GOAL.match(sentence)
    return bool(is_frame) or UserRequest(0, sentence).is_reply


def _find_open_instructions(request: UserRequest, task: str) -> Iterator[PageItem]:
    """Yield the instructions of a request beside the one that is the task."""
    sentences = list(split_sentences(drop_issue_section(request.own_text or request.text)))
    if len(sentences) > MAX_SENTENCES:
        return
    orders = [
        sentence
        for sentence in sentences
        if not task.startswith(sentence.rstrip("."))
        and is_instruction(sentence)
        and names_work(sentence)
        and not (is_prohibition(sentence) or is_everlasting(sentence) or _says_nothing_alone(sentence))
    ]
    for at, sentence in enumerate(orders[:MAX_OPEN]):
        yield PageItem("Pending", (sentence,), OPEN_SCORE - at, 1500 + at)
