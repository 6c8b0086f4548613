"""What the user asked for: messages without what hosts put round them and into them."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.record import Record
from ctxkit.core.context.extract.deed import observed
from ctxkit.core.context.extract.elements import find_elements, replace_elements
from ctxkit.core.context.sentences import sentences, without_code
from ctxkit.core.context.summary import contents

_HOST = (
    *("system-reminder", "system_reminder", "environment_context", "user_instructions", "local-command-stdout"),
    *(
        "local-command-stderr",
        "local-command-caveat",
        "command-message",
        "command-contents",
        "bash-stdout",
        "bash-stderr",
    ),
    *("bash-input", "ide_opened_file", "ide_selection", "ide_diagnostics", "environment_details", "additional_data"),
    *("uploaded_files", "attached_files", "attachments", "attachment", "open_and_recently_viewed_files", "user_info"),
    *("project_layout", "git_status", "editorContext", "workspace_info", "environment_info", "repoMemory"),
    *("reminderInstructions", "INSTRUCTIONS", "permissions", "permissions instructions", "turn_aborted"),
    *("task-notification", "EXTRA_INFO", "RUNTIME_INFORMATION", "REPOSITORY_INFO", "current_datetime"),
    *("function_results", "available_skills", "agent_skills", "cursor_rules", "always_applied_workspace_rules"),
    *("toolReferences", "conversation-summary", "session-start-hook", "user-prompt-submit-hook", "new-diagnostics"),
    *("collaboration_mode", "subagent_notification"),
)
_BESIDE = (
    *(
        "context",
        "instructions",
        "rules",
        "memory",
        "memories",
        "file",
        "files",
        "file_content",
        "document",
        "documents",
    ),
    *("skill", "skills", "example", "examples", "format_example", "output_format"),
)
"""What stands beside a request, unless it is all there is."""
_ASKED = (
    "user_query",
    "userRequest",
    "user_message",
    "user_request",
    "request",
    "query",
    "question",
    "task",
    "feedback",
    "prompt",
    "objective",
)
_BLOCK = re.compile(rf"<({'|'.join(map(re.escape, _HOST))})(?:\s[^<>]*)?>.*?(?:</\1>|</permissions>|\Z)", re.DOTALL)
_AROUND = re.compile(rf"<({'|'.join(_BESIDE)})(?:\s[^<>]*)?>")
_WITHIN = re.compile(rf"<({'|'.join(_ASKED)})(?:\s[^<>]*)?>")
_COMMAND = re.compile(r"<(command-name)>")
_GIVEN = re.compile(r"<(command-args)>")
_TAG = re.compile(r"^[ \t]*</?[a-z][\w-]{2,30}>|</[a-z][\w-]{2,30}>[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(r"<(issue_description|issue|pr_description|problem_statement|bug_report)>")
_EDITED = re.compile(
    r"\[ctxkit edit\] Messages? \d.*?(?:\[End of what stands for earlier messages\.\]|\Z)", re.DOTALL
)
"""What ``ctxkit edit summarize`` put in the place of messages; it may stand before or after the words of a user."""
_CODEX = re.compile(r"##? My request for Codex:\s*", re.IGNORECASE)
_NOT_ASKED = re.compile(
    r"\s*(?:# AGENTS\.md instructions for|Caveat: The messages below were generated|\[Request interrupted|\[Image:? "
    r"|This session is being continued from a previous|Here is a demonstration of how to correctly"
    r"|Stop hook feedback|\[Cache compaction|API Error|Another language model started to solve this problem)"
)
_PLAIN = re.compile(r"[^\w\s]+")
_ANSWERS = """
yes yep yeah yea y yup ok okay k sure continue go ahead on proceed next please keep going do it
that this try again retry lgtm thanks thank you great perfect good nice cool done right correct
approved approve fine awesome excellent alright resume start now and so then no nope both all the
first second third option one two a b c 1 2 3 4 5 well ja weiter mach bitte gut genau danke jawohl
nein oui continuez d'accord merci vas non si sí continúa continua sigue adelante vale gracias sim
obrigado va bene grazie sì да нет продолжай продолжить давай хорошо спасибо devam evet tamam tak
dalej 继续 好 好的 是 是的 可以 谢谢 行 请继续 はい 続けて 続けてください お願いします 了解 いいえ
ありがとう 네 계속 응 예 아니요 계속해 감사합니다
"""
_GOING_ON = frozenset(_ANSWERS.split())
_BLANK = re.compile(r"\n[ \t]*\n")
MOST_WORDS, SHORT = 6, 40
"""Words of an answer at most, and characters of a request that is short."""


class Request(NamedTuple):
    """Hold what a message of the user asks: its place in the path, and its words without what a host added.

    ``own`` are its words without the issues that it quotes.
    """

    at: int
    text: str
    own: str = ""

    @property
    def refers(self) -> bool:
        """Tell whether it only answers, so that what is asked stands in the request before."""
        words = _PLAIN.sub(" ", self.text.lower()).split()
        return len(words) <= MOST_WORDS and all(word in _GOING_ON for word in words)

    @property
    def brief(self) -> bool:
        """Tell whether it is so short that what it means may stand in the requests before."""
        return len(self.text) <= SHORT


def requests(records: Sequence[Record]) -> tuple[Request, ...]:
    """Return what the user asked for, in order."""
    seen = observed(records)
    found: list[Request] = []
    command = ""
    speakers = _humans(records)
    first = next((at for at, record in enumerate(records) if _begins(record)), -1)
    for at, record in enumerate(records):
        if at in seen or not _speaks(record, speakers, first=at == first) or contents(record.words) is not None:
            continue
        asked = unwrapped(record.words)
        if record.automatic and "<command-name>" not in record.words:
            if command and asked and found:
                found[-1] = Request(found[-1].at, f"{command}: {asked}", command)
            command = ""
            continue
        command = asked if asked.startswith("/") and " " not in asked else ""
        if asked:
            own = replace_elements(_QUOTED, record.words, "\n") if "</" in record.words else record.words
            found.append(Request(at, asked, unwrapped(own)))
    real = [request for request in found if not re.fullmatch(r"/[\w:-]+", request.text)]
    return tuple(real or found or _given(records))


def _given(records: Sequence[Record]) -> list[Request]:
    """Return what a conversation begins with, as the request where nobody asks for anything in it."""
    first = next((at for at, record in enumerate(records) if _begins(record)), -1)
    words = unwrapped(records[first].words) if first >= 0 else ""
    return [Request(first, words, words)] if words else []


def _begins(record: Record) -> bool:
    return record.kind == "message" and record.role in ("user", "assistant") and bool(record.words.strip())


def _speaks(record: Record, speakers: frozenset[str] | None, *, first: bool) -> bool:
    """Tell whether a message says what somebody asks; among several agents only the ``first``, and whoever asks."""
    if record.kind != "message" or record.results or not record.words.strip():
        return False
    if speakers is None:
        return record.role == "user"
    return record.role in ("user", "assistant") and (first or _name(record).lower() in speakers)


def _humans(records: Sequence[Record]) -> frozenset[str] | None:
    """Return who asks where several agents speak in the user's role, each by name; None where that is not so."""
    names = {name for record in records if record.role == "user" and (name := _name(record))}
    return HUMANS if len(names) > 1 else None


def _name(record: Record) -> str:
    name = record.value.get("name") if isinstance(record.value, Mapping) else None
    return name if isinstance(name, str) else ""


HUMANS = frozenset(("user", "human", "user_proxy", "userproxy", "admin", "customer"))


def unwrapped(text: str) -> str:
    """Return what the user wrote of a message, empty where a host wrote all of it."""
    if "<command-name>" in text:
        parts = (next(find_elements(opening, text), None) for opening in (_COMMAND, _GIVEN))
        return " ".join(filter(None, (part.content.strip() for part in parts if part)))
    if _NOT_ASKED.match(text):
        return ""
    text = _EDITED.sub("\n", text) if "[ctxkit edit]" in text else text
    text = _BLOCK.sub("\n", text) if "<" in text else text
    if found := _CODEX.search(text):
        text = text[found.end() :]
    within = [found.content.strip() for found in find_elements(_WITHIN, text)] if "</" in text else []
    if any(within):
        return "\n".join(filter(None, within))
    if "<" in text:
        bare = replace_elements(_AROUND, text, "\n")
        text = _TAG.sub("\n", bare if bare.strip() else text)
    return "" if _NOT_ASKED.match(text) else text.strip()


def opening(text: str, most: int) -> str:
    """Return a request whole where it is no longer than ``most`` characters, else its first paragraph, as far as it is.

    At least the first sentence that says something stands: one that only leads to the next, as it ends in a colon or
    greets, is not enough.
    """
    whole = " ".join(text.split()) if len(text) <= 2 * most else ""
    if 0 < len(whole) <= most:
        return whole
    made = ""
    for paragraph in _BLANK.split(without_code(text)):
        for sentence in sentences(paragraph):
            longer = f"{made} {sentence}".strip()
            if (
                made
                and not _leads(made)
                and (len(longer) > most or (sentence.endswith(":") and not _LEAD.search(sentence)))
            ):
                return made
            if len(longer) > 2 * most + 200:
                return made or sentence[: 2 * most]
            made = longer
        if made and not _leads(made):
            return made
    return made


def _leads(text: str) -> bool:
    tail = text.rsplit(". ", 1)[-1]
    return text.endswith((":", ",")) or len(text.split()) < 3 or bool(_LEAD.search(tail))


_LEAD = re.compile(
    r"\b(?:following|given) (?:\w+ )?(?:issue|task|problem|request|question|description)\b[^:]*[.:]$"
    r"|^(?:hi|hello|hey|thanks|thank you|great|ok|okay)\b[^.]{0,12}[.!]$"
    r"|\b(?:hi|hello|hey)(?: there| all| everyone| team| folks)?[.!,]$",
    re.IGNORECASE,
)
