"""The user's requests: messages without the text that hosts add around and inside them."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.extract.command_prompt import NAMED_COMMAND, read_command_prompt
from ctxkit.core.context.extract.elements import replace_elements
from ctxkit.core.context.extract.host_lines import drop_host_lines, find_host_lines
from ctxkit.core.context.extract.last_result import keep_last_result
from ctxkit.core.context.extract.pasted import find_document_parts, find_echoes
from ctxkit.core.context.extract.reply import says_nothing
from ctxkit.core.context.extract.tool_call import find_observations
from ctxkit.core.context.extract.user_words import REJECTION, unwrap_message
from ctxkit.core.context.summary import unframe_page

_ISSUE_TAG = re.compile(r"<(issue_description|issue|pr_description|problem_statement|bug_report)>")
_SETTING_COMMAND = re.compile(
    r"/(?:model|effort|fast|config|theme|permissions|plugin|mcp|login|logout|vim|status)\b.{0,80}"
)
"""A command that changes the host and asks the agent for nothing."""
_HOST_COMMANDS = """
/agents /bashes /clear /compact /context /cost /doctor /exit /export /help /hooks /ide /mcp /memory /new /output-style
/plugin /quit /rename /reset /resume /rewind /skills /statusline /tasks /terminal-setup /todos /upgrade /usage
"""
"""Commands of hosts that begin no work."""
_SKILL_RESULT = "Launching skill: "
"""The beginning of the result with which Claude Code announces a skill."""
_PUNCTUATION = re.compile(r"[^\w\s]+")
_CLOSING = re.compile(
    r"\W*(?:(?:great|perfect|ok(?:ay)?|no|alright|awesome|that(?:['’]s| is)|everything),? )*"
    r"(?:thanks?(?: you)?|that(?:['’]s| is| was| will be) (?:all|it|everything)|all for now|(?:good)?bye"
    r"|have an? (?:great|nice|good|wonderful|lovely))\b"
    r"(?:[\s,]+(?:so|very|a lot|lot|much|again|for|your|the|all|of|help(?:ing)?|assistance|support|it|this"
    r"|everything|now|letting|me|know|one|evening|weekend|rest"
    r"|today|bye|goodbye|you|i|need(?:ed)?|wanted|and|have|nice|great|good|day))*\W*|\W*(?:STOP|DONE|END|EXIT|TERMINATE)\W*",
    re.IGNORECASE,
)
"""A message that ends a conversation and asks for nothing."""
_END_MARK = re.compile(r"#{3}(?:STOP|END|DONE)#{3}\s*\Z")
"""The mark with which a simulated user, as in tau-bench, ends a conversation."""
_SENTENCE_END = re.compile(r"[.!?\n]+")
_ISSUE_SECTION = re.compile(
    r"^(?:ISSUE|PROBLEM|BUG|PROBLEM STATEMENT|ISSUE TEXT):[ \t]*\n(?:(?![A-Z][A-Z ]{4,40}:[ \t]*$)[^\n]*\n?)*+",
    re.MULTILINE,
)
"""An issue below its heading in capitals, up to the next such heading, as SWE-agent writes it."""
_REPLIES = """
yes yep yeah yea y yup ok okay k sure continue go ahead on proceed next please keep going do it
that this try again retry lgtm thanks thank you great perfect good nice cool done right correct
hi hello hey hiya greetings sounds noted understood est legal muito hola bonjour salut hallo ciao olá
привет салам 你好 您好 嗨 こんにちは 안녕 안녕하세요
approved approve fine awesome excellent alright resume start now and so then no nope both all the
first second third option one two a b c 1 2 3 4 5 well ja weiter mach bitte gut genau danke jawohl
nein oui continuez d'accord merci vas non si sí continúa continua sigue adelante vale gracias sim
obrigado va bene grazie sì да нет продолжай продолжить давай хорошо спасибо devam evet tamam tak
dalej 继续 好 好的 是 是的 可以 谢谢 行 请继续 はい 続けて 続けてください お願いします 了解 いいえ
pokračujme pokračuj pokračujte ano ne dobře díky děkuji jo jasně hotovo další
ありがとう 네 계속 응 예 아니요 계속해 감사합니다
"""
_REPLY_WORDS = frozenset(_REPLIES.split())
_OKAY = re.compile(r"o+k+(?:[ea]+y)?")
MIN_PROMPTS = 3
"""Minimum messages of a host, and none of a person, after which a reply is long answered."""
MAX_WORDS, SHORT_CHARS, MAX_CLOSING = 6, 40, 160
"""Maximum words of a reply, and maximum characters of a short request and of one that ends a conversation."""
MAX_OPTION = 3
"""Characters of the number of an option: fewer than this."""


def _is_reply_word(word: str) -> bool:
    """Return whether a word answers: a word of consent or refusal, or the number of an option."""
    return word in _REPLY_WORDS or bool(_OKAY.fullmatch(word)) or (word.isdecimal() and len(word) < MAX_OPTION)


class UserRequest(NamedTuple):
    """A user request: its position in the path, and its text without additions by a host.

    ``own_text`` is the text without quoted issues. A request ``is_hint`` if it tells how to go on in place of a command
    that the user rejected.
    """

    at: int
    text: str
    own_text: str = ""
    is_hint: bool = False

    @property
    def is_reply(self) -> bool:
        """Return whether the request is only a reply, so that the actual request is an earlier one."""
        words = _PUNCTUATION.sub(" ", self.text.lower()).split()
        is_known = len(words) <= MAX_WORDS and all(map(_is_reply_word, words))
        return is_known or self.is_closing or says_nothing(self.text)

    @property
    def is_closing(self) -> bool:
        """Return whether the request only ends the conversation, with thanks or a mark such as ###STOP###."""
        if _END_MARK.search(self.text, max(len(self.text) - SHORT_CHARS, 0)):
            return True
        parts = [part for part in _SENTENCE_END.split(self.text[:MAX_CLOSING]) if part.strip(" #*\n")]
        return len(self.text) < MAX_CLOSING and bool(parts) and all(map(_CLOSING.fullmatch, parts))

    @property
    def is_command(self) -> bool:
        """Return whether the request names a command that stands for a prompt."""
        has_prompt = self.own_text.startswith("/") and self.text.startswith(f"{self.own_text}: ")
        return has_prompt or NAMED_COMMAND.fullmatch(self.own_text) is not None

    @property
    def is_brief(self) -> bool:
        """Return whether the request is so short that earlier requests may explain it."""
        return len(self.text) <= SHORT_CHARS


@keep_last_result
def find_requests(records: Sequence[Record]) -> tuple[UserRequest, ...]:
    """Return the user's requests in order."""
    seen = find_observations(records) | find_document_parts(records) | find_echoes(records)
    user_requests: list[UserRequest] = []
    command = ""
    speakers = _find_humans(records)
    first = next((at for at, record in enumerate(records) if _is_opening(record)), -1)
    for at, record in enumerate(records):
        if at in seen or not _is_request(record, speakers, first=at == first) or unframe_page(record.words) is not None:
            continue
        if at and _launches_skill(records[at - 1]):
            continue
        text = unwrap_message(record.words)
        if record.automatic and "<command-name>" not in record.words:
            if command and text and user_requests:
                user_requests[-1] = UserRequest(user_requests[-1].at, f"{command}: {text}", command)
            command = ""
            continue
        command = text if text.startswith("/") and " " not in text else ""
        if text:
            user_requests.append(_make_request(at, text, record.words))
    real = [request for request in user_requests if not _is_host_command(request.text)]
    if real and all(request.is_reply for request in real):  # they may answer what a command began
        real = [request for request in user_requests if request in real or _begins_work(request.text)]
    return tuple(_drop_host_lines(real or user_requests) or _make_first_request(records))


def _make_request(at: int, text: str, words: str) -> UserRequest:
    """Return a request with the text of the user in a message, and without the issue that the message quotes."""
    prompt = read_command_prompt(words)
    if prompt and prompt.name and prompt.purpose:
        return UserRequest(at, f"{text}: {prompt.purpose}", text)
    own_words = replace_elements(_ISSUE_TAG, words, "\n") if "</" in words and not prompt else words
    return UserRequest(at, text, unwrap_message(own_words), bool(REJECTION.match(words)))


def are_long_answered(requests: Sequence[UserRequest], records: Sequence[Record]) -> bool:
    """Return whether all requests are replies, such as a greeting, after which a host goes on with the conversation.

    Hosts that wake their agent at intervals do so.
    """
    if not requests or not all(request.is_reply for request in requests):
        return False
    later = records[requests[-1].at + 1 :]
    texts = (record.words for record in later if record.role == "user" and not record.results)
    return sum(bool(text.strip()) and not unwrap_message(text) for text in texts) >= MIN_PROMPTS


def _drop_host_lines(requests: Sequence[UserRequest]) -> list[UserRequest]:
    """Return requests without the lines that a host adds to most of them."""
    lines = find_host_lines([request.text for request in requests])
    return [
        request._replace(text=drop_host_lines(request.text, lines), own_text=drop_host_lines(request.own_text, lines))
        for request in requests
    ]


def _launches_skill(record: Record) -> bool:
    """Return whether a message is the result of a call that loads a skill; the text of the skill follows it."""
    return any(result.text.startswith(_SKILL_RESULT) for result in record.results)


def _is_host_command(text: str) -> bool:
    """Return whether a request is a command of the host without arguments, or one that changes only the host."""
    return re.fullmatch(r"/(?!skill:)[\w:-]+\s*", text) is not None or _SETTING_COMMAND.fullmatch(text) is not None


def _begins_work(text: str) -> bool:
    """Return whether a request is a command that is not of the host itself, but the name of a prompt."""
    return _is_host_command(text) and not (_SETTING_COMMAND.fullmatch(text) or text.strip() in _HOST_COMMANDS.split())


def _make_first_request(records: Sequence[Record]) -> list[UserRequest]:
    """Return the first message as the request of a conversation without any other request, none after a summary.

    Some agents ask in the role of the assistant and execute in the role of the user; an assistant alone asks nothing.
    """
    if any(record.kind == "summary" or unframe_page(record.words) is not None for record in records):
        return []
    first = next((at for at, record in enumerate(records) if _is_opening(record)), -1)
    has_user = any(record.role == "user" and not record.results and record.words.strip() for record in records)
    words = unwrap_message(records[first].words) if first >= 0 and has_user else ""
    return [UserRequest(first, words, words)] if words else []


def _is_opening(record: Record) -> bool:
    return record.kind == "message" and record.role in ("user", "assistant") and bool(record.words.strip())


def _is_request(record: Record, speakers: frozenset[str] | None, *, first: bool) -> bool:
    """Return whether a message is a request; among several agents, only the ``first`` message and human ones are."""
    if record.kind != "message" or record.results or not record.words.strip():
        return False
    if speakers is None:
        return record.role == "user" and not _is_agent(record)
    return record.role in ("user", "assistant") and (first or _speaker_name(record).lower() in speakers)


def _is_agent(record: Record) -> bool:
    """Return whether a message is of a sub-agent: exports name its role after that of the agent."""
    role = record.value.get("role") if isinstance(record.value, Mapping) else None
    return isinstance(role, str) and role.startswith("assistant")


def _find_humans(records: Sequence[Record]) -> frozenset[str] | None:
    """Return the names of humans if several agents use the user role, None otherwise."""
    names = {name for record in records if record.role == "user" and (name := _speaker_name(record))}
    return HUMANS if len(names) > 1 else None


def _speaker_name(record: Record) -> str:
    name = record.value.get("name") if isinstance(record.value, Mapping) else None
    return name if isinstance(name, str) else ""


HUMANS = frozenset(("user", "human", "user_proxy", "userproxy", "admin", "customer"))


def drop_issue_section(text: str) -> str:
    """Return a request without the issue that it quotes below a heading.

    >>> drop_issue_section("ISSUE:\\nIt never stops.\\nINSTRUCTIONS:\\nFix it.\\n")
    'INSTRUCTIONS:\\nFix it.\\n'
    """
    return _ISSUE_SECTION.sub("", text) if "\n" in text else text


def is_introduction(text: str) -> bool:
    """Return whether a text is only a greeting, or announces what follows."""
    tail = text.rsplit(". ", 1)[-1]
    return text.endswith((":", ",")) or len(text.split()) < 3 or bool(INTRODUCTION.search(tail))


INTRODUCTION = re.compile(
    r"\b(?:following|given) (?:\w+ )?(?:issue|task|problem|request|question|description)\b[^:]*[.:]$"
    r"|^(?:hi|hello|hey|thanks|thank you|great|ok|okay)\b[^.]{0,12}[.!]$"
    r"|\b(?:hi|hello|hey)(?: there| all| everyone| team| folks)?[.!,]$",
    re.IGNORECASE,
)
