"""The user's words in all places where a user speaks, without what hosts write around them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.message import Record, RecordCall
from ctxkit.core.hosts import message_wrappers
from ctxkit.core.summary.frame import unframe_page
from ctxkit.core.summary.sentences import split_sentences
from ctxkit.core.summary.tool_call import find_elements, find_observations, keep_last_result, replace_elements


def _make_tag_pattern(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"<({'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?:\s[^<>]*)?>")


_HOST_TAG = _make_tag_pattern(message_wrappers.HOST_TAGS)
_CONTEXT_TAG = _make_tag_pattern(message_wrappers.CONTEXT_TAGS)
_REQUEST_TAG = _make_tag_pattern(message_wrappers.REQUEST_TAGS)
_FEEDBACK_TAG = _make_tag_pattern(message_wrappers.FEEDBACK_TAGS)
_FEEDBACK_LEAD = re.compile(rf"\s*(?:The user [^\n<]{{1,200}}\n)?(?={_FEEDBACK_TAG.pattern})")
"""The beginning of a text with the user's words beside a result; output may contain such an element further on."""
_COMMAND_NAME, _COMMAND_ARGUMENTS = re.compile(r"<(command-name)>"), re.compile(r"<(command-args)>")
_REPLY = re.compile(
    r"\W*(?:(?:yes|yep|ok(?:ay)?|sure|continue|go(?: ahead| on)?|proceed|next|please|keep going|do it|thanks?"
    r"|thank you|great|perfect|good|nice|fine|cool|lgtm|approved?|hi|hello|resume|no|[a-d1-9]"
    r"|(?:that |it |this |all )?(?:sounds|looks|works|is)|to me|(?:I )?(?:really )?appreciate(?: it)?"
    r"|(?:for )?(?:all )?(?:your|the) (?:help|assistance|support))\W*){1,6}",
    re.IGNORECASE,
)
"""A message that only agrees, thanks or chooses: the request that it answers says what to do."""
MAX_APPROVAL = 60
"""Characters of a message that ends in a reply and asks for nothing else."""
PLAN_LABEL, ANSWER_LABEL = "Approved plan: ", "Answers: "
_GO_ON = ". You can now continue"
"""What Claude Code writes behind the answers of the user."""
HUMANS = frozenset(("user", "human", "user_proxy", "userproxy", "admin", "customer"))
"""Names of people among several speakers with the role of the user, as AutoGen and its like write them."""


class UserMessage(NamedTuple):
    """The words of a user: the position of their entry in the path, and the text without additions of a host.

    They are ``typed`` unless they are the prompt that stands behind a command.
    """

    at: int
    text: str
    typed: bool = True

    @property
    def is_reply(self) -> bool:
        """Return whether the words only agree or choose."""
        if self.text.startswith((ANSWER_LABEL, PLAN_LABEL)):
            return True
        if self.text.split(" ", 1)[0] in message_wrappers.HOST_COMMANDS:
            return True
        *_, last = self.text, *split_sentences(self.text)
        return is_reply(self.text) or (len(self.text) <= MAX_APPROVAL and is_reply(last))


def is_reply(text: str) -> bool:
    """Return whether a message or a sentence only agrees, thanks or chooses."""
    return _REPLY.fullmatch(text) is not None


@keep_last_result
def find_user_words(records: Sequence[Record]) -> tuple[UserMessage, ...]:
    """Return what the user said, in order: messages, answers, refusals, and prompts that stand behind a command."""
    seen = find_observations(records)
    speakers = _find_speakers(records)
    messages: list[UserMessage] = []
    asking: set[str] = set()
    plans: dict[str, str] = {}
    is_command = False
    for at, record in enumerate(records):
        if unframe_page(record.words) is not None or record.kind not in ("message", "summary"):
            continue
        asking |= {call.id for call in record.calls if call.name in message_wrappers.ASKING_TOOLS}
        plans |= {call.id: plan for call in record.calls if (plan := _read_plan(call))}
        texts: Iterable[str] = ()
        if at in seen:
            texts = _find_feedback(record)
        elif _is_spoken(record, speakers):
            texts = _find_texts(record, is_command, asking, plans)
        messages += [UserMessage(at, text, _may_be_typed(record)) for text in texts]
        is_command = "<command-name>" in record.words
    return tuple(messages if messages or any(map(_holds_summary, records)) else _find_first_words(records))


def _may_be_typed(record: Record) -> bool:
    return not record.automatic or bool(record.results) or _is_typed(record)


def _holds_summary(record: Record) -> bool:
    return record.kind == "summary" or unframe_page(record.words) is not None


def find_open_request(messages: Sequence[UserMessage]) -> UserMessage | None:
    """Return the last typed words that are more than a reply, else the last ones, None without any."""
    requests = (message for message in reversed(messages) if message.typed and not message.is_reply)
    return next(requests, messages[-1] if messages else None)


def _drop_edit_note(text: str) -> str:
    """Return a message without the note of a host on what the user edited."""
    begin, end = message_wrappers.EDIT_NOTE
    start = text.find(begin)
    if start < 0:
        return text
    stop = text.find(end, start)
    return f"{text[:start]}\n{text[stop + len(end) :] if stop >= 0 else ''}"


def unwrap_message(text: str) -> str:
    """Return the user's words in a message, empty if a host wrote all of it.

    >>> unwrap_message("<system-reminder>Be brief.</system-reminder>\\nFix the parser.")
    'Fix the parser.'
    """
    if "<command-name>" in text:
        parts = (next(find_elements(pattern, text), None) for pattern in (_COMMAND_NAME, _COMMAND_ARGUMENTS))
        return " ".join(filter(None, (part.content.strip() for part in parts if part)))
    text = _drop_edit_note(text)
    text = replace_elements(_HOST_TAG, text, "\n") if "</" in text else text
    for lead in message_wrappers.LEADS:
        text = text.partition(lead)[2] if lead in text else text
    if text.lstrip().startswith((*message_wrappers.NOTICES, "[Image")):
        return ""
    if "</" not in text:
        return text.strip()
    requests = [match.content.strip() for match in find_elements(_REQUEST_TAG, text)]
    if any(requests):
        return "\n".join(filter(None, requests))
    return replace_elements(_CONTEXT_TAG, text, "\n").strip() or text.strip()


def _read_plan(call: RecordCall) -> str:
    plan = call.arguments.get(message_wrappers.PLAN) if isinstance(call.arguments, Mapping) else None
    return plan if isinstance(plan, str) else ""


def _is_typed(record: Record) -> bool:
    return any(mark in record.words for mark in message_wrappers.TYPED_TAGS)


def _find_texts(record: Record, is_command: bool, asking: set[str], plans: Mapping[str, str]) -> Iterator[str]:
    """Yield what a user says in an entry; a host writes the prompt of a command in the entry behind it."""
    words = unwrap_message(record.words)
    if words and (not record.automatic or is_command or _is_typed(record)):
        yield words
    for result in record.results:
        text = result.text.lstrip()
        if text.startswith(message_wrappers.ANSWERS) and result.id in asking:
            yield f"{ANSWER_LABEL}{text.partition(': ')[2].partition(_GO_ON)[0].strip()}"
        elif text.startswith(message_wrappers.APPROVAL) and result.id in plans:
            yield f"{PLAN_LABEL}{plans[result.id]}"
        elif result.failed and (reason := _find_refusal_reason(text)):
            yield reason


def _find_refusal_reason(text: str) -> str:
    """Return why a user refused a call, empty for any other failure: output of a command may begin likewise."""
    if not text.startswith(message_wrappers.REFUSALS):
        return ""
    lead = next((lead for lead in message_wrappers.REFUSAL_LEADS if lead in text), "")
    return text.partition(lead)[2].partition("\n\nNote: ")[0].strip() if lead else ""


def _find_feedback(record: Record) -> Iterator[str]:
    """Yield the user's words in the texts of a message that holds the output of a tool."""
    for part in (part for message in record.messages for part in message.parts if part.kind == "text"):
        if _FEEDBACK_LEAD.match(part.text) and (element := next(find_elements(_FEEDBACK_TAG, part.text), None)):
            yield element.content.strip()


def _is_spoken(record: Record, speakers: frozenset[str] | None) -> bool:
    """Return whether a user may speak in an entry: of several agents with that role, only people do."""
    if record.kind == "summary":
        return False
    if speakers is not None:
        return record.role in ("user", "assistant") and _read_name(record).lower() in speakers
    return record.role == "user" or bool(record.results)


def _find_speakers(records: Sequence[Record]) -> frozenset[str] | None:
    """Return the names of people if several speak with the role of the user, None otherwise."""
    names = {name for record in records if record.role == "user" and (name := _read_name(record))}
    return HUMANS if len(names) > 1 else None


def _read_name(record: Record) -> str:
    name = record.value.get("name") if isinstance(record.value, Mapping) else None
    return name if isinstance(name, str) else ""


def _find_first_words(records: Sequence[Record]) -> Iterator[UserMessage]:
    """Yield the first message of a conversation in which no user is known to speak."""
    for at, record in enumerate(records):
        if record.kind == "message" and record.role in ("user", "assistant") and record.words.strip():
            if words := unwrap_message(record.words):
                yield UserMessage(at, words)
            return
