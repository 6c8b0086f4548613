"""Pending work: the to-do list, unanswered requests, open calls, and announced steps."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.call_kind import classify_call
from ctxkit.core.context.extract.clip import clip_text
from ctxkit.core.context.extract.failures import describe_attempt, find_script_lines
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.extract.task import find_task_sentence
from ctxkit.core.context.extract.todo import TodoList
from ctxkit.core.context.extract.tool_call import ToolCall
from ctxkit.core.context.sentences import split_sentences

_NEXT_STEP = re.compile(
    r"\b(?:next(?: step)?s?\b|remaining|still (?:need|have) to|left to do|(?<!n't )(?<!n’t )(?<!not )need to"
    r"|I'll|I will|let me|let's"
    r"|going to|now (?:I|let)|als nächstes|prochaine|siguiente|далее|接下来|次に)",
    re.IGNORECASE,
)

_LATER_STEP = re.compile(
    r"\b(?:next steps?\b|remaining|still (?:need|have) to|left to do|after (?:that|this)|then (?:I|we)\b|als nächstes"
    r"|prochaine|siguiente|далее|接下来|次に)",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\bsummar(?:y|ize|ise)|\bfinal (?:message|answer|response)|\blet (?:you|me) know\b|\bfeel free\b|^next speaker"
    r"|^\W*(?:please )?(?:try|retry)(?: it| that| again| once more)*\W*$"
    r"|\b(?:finish|conclude|wrap up|submit)\b.{0,40}$|\b(?:I'll|I will|I can) help\b|\b(?:I'll"
    r"|I will) (?:be happy|wait|continue from|stop here)",
    re.IGNORECASE,
)
"""Phrases that close or continue a conversation and are not steps of the work."""
_LEAD_IN = re.compile(
    r"^(?:(?:okay|ok|sure|alright|now|first|so|next)\b[,.!]? )*"
    r"(?:let me(?: now)?|let's(?: now)?|I (?:should|need to)) (?=\w)",
    re.IGNORECASE,
)
"""Words before an announced step that say nothing of it."""
_FINAL_CALLS = (
    "submit",
    "exit",
    "finish",
    "finish_task",
    "attempt_completion",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)
"""Calls that end a run and have no result."""
MIN_LINES, MAX_OPEN_CALL = 2, 320
"""Lines of a script, and maximum characters of a call without a result."""
MAX_UNANSWERED = 400
"""Maximum unanswered requests, the newest: a page considers as many items (``ranking.MAX_ITEMS``)."""


def find_todo_items(todo: TodoList) -> Iterator[PageItem]:
    """Yield the to-do list: one Pending bullet for each open item, one Facts bullet for all finished ones."""
    for at, words in enumerate(todo.active):
        yield PageItem("Pending", (f"{words} (in progress)", words), 835 - at, at)
    for at, words in enumerate(todo.open):
        yield PageItem("Pending", (words,), 825 - min(at, 20), 1000 + at)
    if todo.done:
        done_items = [item.rstrip(".") for item in todo.done]
        forms = [f"Done: {'; '.join(done_items)}."]
        forms += [f"Done: {'; '.join(done_items[-many:])}." for many in (8, 4, 2) if many < len(done_items)]
        yield PageItem("Facts", tuple(forms), 740, -2_900_000)


def find_open_items(
    requests: Sequence[UserRequest], calls: Sequence[ToolCall], messages: Sequence[tuple[int, str]], todo: TodoList
) -> Iterator[PageItem]:
    """Yield unanswered requests, calls without a result, and the steps that the agent announced last."""
    last = max((at for at, words in messages if words.strip()), default=-1)
    last = max(last, max((call.at for call in calls), default=-1))
    unanswered = [request for request in requests if request.at > last]
    for at, request in enumerate(unanswered[-MAX_UNANSWERED:]):
        if not request.is_closing and (sentence := find_task_sentence(request.text)):
            yield PageItem("Pending", (sentence,), max(720 - at, 700), 2000 + at)
    for call in calls[-12:]:
        if call.answered_at < 0 and call.at >= last and classify_call(call) != "todo" and not _is_final_call(call):
            yield PageItem(
                "Pending",
                (f"{call.name}: {_quote(_describe_open_call(call))} (no result yet)",),
                610,
                3000,
            )
    if messages and todo.is_empty and not (calls and _is_final_call(calls[-1])):
        at, words = messages[-1]
        if not calls and "```" in words:  # an agent without tools makes its changes in the message
            return
        yield from _find_announced_steps(
            words, begun=any(call.at == at and call.answered_at >= 0 for call in calls[-12:])
        )


def _quote(command: str) -> str:
    """Return a command as code where it would read as several sentences."""
    return f"`{command}`" if ". " in command and "`" not in command else command


def _describe_open_call(call: ToolCall) -> str:
    """Return the attempt of a call; of a long script the first and the last command, and the number of its lines."""
    kind = classify_call(call)
    lines = find_script_lines(call) if kind == "run" else []
    if len(lines) < MIN_LINES:
        return clip_text(describe_attempt(call, kind), MAX_OPEN_CALL)
    script = "; ".join(line.rstrip(";") for line in lines)
    if len(script) <= MAX_OPEN_CALL:
        return script
    return f"{clip_text(lines[0], 100)} … {clip_text(lines[-1], 100)} ({len(lines)} lines)"


def _is_final_call(call: ToolCall) -> bool:
    """Return whether a call ends a run, so that no work remains."""
    attempt = describe_attempt(call, classify_call(call))
    return call.name in _FINAL_CALLS or attempt in _FINAL_CALLS or attempt.startswith("submit ")


def _find_announced_steps(words: str, *, begun: bool) -> Iterator[PageItem]:
    """Yield the steps that the last agent message announces, only later steps if it has ``begun`` the first."""
    pattern = _LATER_STEP if begun else _NEXT_STEP
    steps = [
        step
        for step in split_sentences(words)
        if pattern.search(step) and 10 <= len(step) <= 220 and step[-1] not in "?:" and not _CHATTER.search(step)
    ]
    for at, sentence in enumerate(steps[-3:]):
        yield PageItem("Pending", (_LEAD_IN.sub("", sentence),), 540 + at, 4000 + at)
