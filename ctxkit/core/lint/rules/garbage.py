"""HYG002 to HYG004: what compaction and truncation leave behind in files that are read again."""

import re
from collections.abc import Iterator

from ctxkit.core.lint.document import Document, Kind
from ctxkit.core.lint.finding import Edit, Finding, Fix
from ctxkit.core.lint.inline import bare, prose
from ctxkit.core.lint.rule import WARNING, Rule
from ctxkit.core.lint.workspace import Workspace

RULES = (
    Rule(
        "HYG002",
        "self-referential-summary",
        WARNING,
        "unsafe",
        "A memory speaks of the conversation or of its own writing instead of saying what is so.",
        "Sentences such as 'I should prompt them' are what a model says while it summarizes. They are no facts, and "
        "the "
        "next turn obeys them.",
        "The conversation history highlights the need to read files. I should prompt them to specify locations.",
        "- Read files directly, without subagents.",
        "Seed of this linter; of 10 public hits for 'I should prompt them' 6 were leaked reasoning, so that 'I "
        "should' "
        "must stand in front.",
    ),
    Rule(
        "HYG003",
        "session-in-memory",
        WARNING,
        "unsafe",
        "A long-term memory or CONTEXT.md holds turns of a chat or the log of a session.",
        "Long-term memory is for what stays true. A transcript grows with each session and is kept verbatim in the "
        "session's history; notes of a day belong into memory/DATE.md.",
        "MEMORY.md:\n## Compaction Summary (2026-02-16T11:39:46Z)\nuser: please fix the build\nassistant: Done.",
        "MEMORY.md:\n- The build needs Node 22.",
        "Seed of this linter (MEMORY.md, lines 22-130); role labels in 4 and dated headings in 8 of the "
        "repositories read.",
    ),
    Rule(
        "HYG004",
        "truncation-marker",
        WARNING,
        "none",
        "A marker says that text was cut off: the rest of it is lost.",
        "Somebody wrote back what a tool had shortened. The agent now reads half a rule and cannot know the other "
        "half.",
        "- Deploy with `make deploy` after\n[TRUNCATED at 8000 chars]",
        "- Deploy with `make deploy` after the tests pass.",
        "Markers as tools print them: [truncated at 8 chars], ... [truncated at 25KB], [TRUNCATED AT 30 MB].",
    ),
)
_KEPT = (Kind.MEMORY, Kind.DAILY, Kind.CONTEXT)
_CHAT = "conversation|chat|session|dialogue|discussion|exchange|transcript"
_TELLS = "highlights|covers|covered|revolves|revolved|focuses|focused|centers|centered|shows|began|begins|started|ended"
_TELLS += "|discusses|discussed|summarizes|includes|included|contains|reveals|indicates|involves|involved"
_TELLS += "|was about|is about"
_SPOKEN = re.compile(r"transcript|(?:^|/)(?:chats?|logs?|sessions?|conversations?)/", re.IGNORECASE)
"""Paths of files that keep what was said: a sentence in them is no summary."""
_SELF = re.compile(
    rf"\bi (?:should|need to|must|will|'ll|have to|might) (?:\w+ )?(?:prompt|ask|respond|reply|tell"
    rf"|inform|clarify|"
    rf"acknowledge|summari[sz]e|condense|extract|let) (?:them|the user|him|her|for|if|that|whether"
    rf"|the (?:{_CHAT})"
    rf"|this|facts)\b"
    rf"|\bi should (?:probably |also |now |first )?(?:prompt|ask|respond|reply|clarify|acknowledge|check (?:if"
    rf"|whether)|make sure)\b"
    rf"|\b(?:this|the|our) (?:\w+ )?(?:{_CHAT})(?: history| so far| log| above)? (?:primarily |mainly |mostly "
    rf"|also )?(?:{_TELLS})\b"
    rf"|\b(?:here(?: is|'s)|below is|following is|this is) (?:a|an|the|my|your)(?: \w+){{0,3}} (?:summary|recap"
    rf"|overview|synopsis)"
    rf"(?: of (?:the|our|this|what)|:|$)"
    rf"|^(?:sure|certainly|of course|absolutely)[,!.] (?:here|i|let)"
    rf"|^(?:ok(?:ay)?|alright|hmm+)[,.]? (?:so,? )?(?:let'?s (?:see|start|begin|think|look)|let me|i |the user|first,)"
    rf"|^let me (?:start|begin|first|think|see|check|read|look|try|go|now|break|analy[sz]e|review|summari[sz]e"
    rf"|extract|know)\b"
    rf"|\bthe user (?:wants|asked|is asking|requested|needs|would like|expects|told|instructed) (?:me|us) (?:to|for"
    rf"|about|not)\b"
    rf"|\bthe user (?:hasn't|has not|didn't|did not) (?:provided?|specif(?:y|ied)|given?|mention(?:ed)?|said"
    rf"|answer(?:ed)?)\b"
    rf"|\bas an (?:ai|artificial intelligence)(?: language)?(?: model| assistant)?,? i\b"
    rf"|\bas a (?:large )?language model\b"
    rf"|\bi hope this (?:summary |answer |)?helps\b|\blet me know if (?:you|there|this)\b|\bfeel free to (?:ask"
    rf"|reach|let me)\b"
    rf"|\b(?:i (?:was|am|have been) (?:asked|instructed) to|my task is to) (?:summari[sz]e|condense|compress"
    rf"|extract)\b"
    rf"|^(?:好的|嗯)[，,]\s*(?:我|让我|用户|以下|现在我)|以下是(?:对话|会话|本次)?.{{0,6}}(?:摘要|总结)|用户(?:希望|想要|要求)我|我(?:应该|需要)(?:提示|询问|回复|总结)",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"(?P<mark>[ \t]*(?:[>#-]+[ \t]*|\*[ \t]+)*)(?:\[[\d:.TZ -]{4,30}\][ \t]*)?[\[<]?(?:\*\*|__)?"
    r"(?P<role>user|human|assistant|ai|bot|agent|model|claude|gpt|chatgpt|tool|system|you|me|用户|助手)"
    r"(?:\*\*|__)?[\]>]?(?: ?\([^)]{0,40}\)| ?\[[^\]]{0,40}\])?[ \t]*(?:\*\*|__)?[:：](?:\*\*|__)?(?:[ \t]|$)",
    re.IGNORECASE,
)
_MINE = ("assistant", "ai", "bot", "agent", "model", "claude", "gpt", "chatgpt", "助手")
_THEIRS = ("user", "human", "you", "me", "用户")
_PLAIN = ("assistant", "human", "助手")
"""Labels that nobody but a chat begins a line with."""
_MARKED = re.compile(r"<\|(?:im_start|start_header_id|start)\|>")
_SESSION = re.compile(
    r"(?:compaction|conversation|session|chat|context)(?: history)? (?:summary|log|notes|transcript|recap)\b"
    r"|^session:? (?:\d|#\d|\(?20\d\d|[0-9a-f]*\d[0-9a-f]{5})|^conversation (?:on|from)\b"
    r"|^(?:summary|log|recap|transcript) of (?:the |this |our )?(?:conversation|session|chat)"
    r"|会话(?:摘要|记录)|对话(?:摘要|记录)",
    re.IGNORECASE,
)
_DATE = re.compile(r"\W*(?:(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?|(?:19|20)\d{6})(?:[T ]\d\d:\d\d\S*)?\b\W*")
_LENGTH = r"\d[\d,.]* ?(?:chars?|characters|bytes|lines|tokens|words|[kmg]i?b)\b"
_CUT = re.compile(
    r"\[[^\[\]\n]{0,40}\btruncated\b[^\[\]\n]{0,80}\]|<[^<>\n]{0,30}\b(?:truncated|clipped)\b[^<>\n]{0,60}>"
    r"|(?:…|\.\.\.) {0,3}\(?\btruncated\b[^\n]{0,40}|\((?:[^()\n]{0,30} )?truncated(?: (?:at|after|to) [^()\n]{1,30})?\)$"
    rf"|\btruncated (?:at|after|to) {_LENGTH}\W*$|^\W*truncated\W*$"
    r"|\[(?:…|\.\.\.)? {0,3}\d[\d,]* (?:more )?(?:lines?|chars?|characters|bytes|tokens|rows)"
    r" (?:truncated|omitted|elided|hidden|skipped)[^\]\n]{0,80}\]"
    r"|(?:…|\.\.\.) {0,3}\+\d+ (?:more )?lines\b|\[Old tool result content cleared\]"
    r"|\[(?:output|content|text|file|message|result) (?:was )?(?:cut|clipped|shortened)[^\]\n]{0,80}\]"
    r"|\[(?:…|\.\.\.) ?(?:and )?\d[\d,]* more [a-z]+(?: …|\.\.\.)?\]",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:if|when|whenever|until|unless|marker|markers|shows?|shown|says?|prints?|printed|appends?|append|ends? with|adds?"
    r"|such as|e\.g|means?|called|look for|see|output is|gets?|will be|are|may be|never|don'?t|do not|must not)\b",
    re.IGNORECASE,
)
"""What speaks of a marker rather than being cut off."""
NEAR = 6
"""Lines between two turns of one chat."""
TRANSCRIPT = 4
"""Labels of roles that make a daily note the record of a chat."""
SAID = 20
"""Characters of a line that is a turn by itself."""
_TEMPLATE = "template"


def findings(workspace: Workspace) -> Iterator[Finding]:
    """Yield what is left behind in each document."""
    for document in workspace.documents:
        if document.kind in _KEPT and not _SPOKEN.search(document.path):
            yield from _self_referential(document)
        if document.kind in (Kind.MEMORY, Kind.CONTEXT):
            yield from _turns(document)
            yield from _sessions(document)
        if document.kind is not Kind.PROMPT:
            yield from _markers(document)


def _self_referential(document: Document) -> Iterator[Finding]:
    spoken = document.kind is Kind.DAILY and len(_labels(document)) >= TRANSCRIPT
    for unit in document.units if not spoken else ():
        if unit.sort in ("paragraph", "bullet"):
            words = " ".join(bare(unit.text).split()).lstrip("-*+•> \t").replace("’", "'")
            found = _SELF.search(words)
            if found:
                said = f"a sentence about the conversation, not a fact: '{found[0][:60].strip()}'"
                yield _removable("HYG002", document, unit.line, unit.end_line, said)


def _removable(code: str, document: Document, line: int, end_line: int, message: str) -> Finding:
    fix = Fix((Edit(document.path, *document.span(line, end_line)),), False, "remove it")
    return Finding(code, WARNING, document.path, line, end_line, message, fix=fix)


def _labels(document: Document) -> list[tuple[int, str]]:
    """Return the lines that begin with the label of a role, or hold the mark of a chat template, and whose they are."""
    labels: list[tuple[int, str]] = []
    for number, line in prose(document):
        found = _ROLE.match(line)
        if found or _MARKED.search(line):
            labels.append((number, found["role"].lower() if found else _TEMPLATE))
    return labels


def _turns(document: Document) -> Iterator[Finding]:
    """Yield stretches of chat: labels of roles, of the model and of who speaks with it."""
    stretch: list[tuple[int, str]] = []
    for label in _labels(document):
        if stretch and label[0] - stretch[-1][0] > NEAR:
            yield from _chat(document, stretch)
            stretch = []
        stretch.append(label)
    yield from _chat(document, stretch)


def _chat(document: Document, stretch: list[tuple[int, str]]) -> Iterator[Finding]:
    roles = {role for _, role in stretch}
    both = roles.intersection(_MINE) and roles.intersection(_THEIRS)
    alone = [number for number, role in stretch if role in _PLAIN and _opens(document.at(number), role)]
    if not stretch or not (both or alone or _TEMPLATE in roles):
        return
    line, last = stretch[0][0], stretch[-1][0]
    end = next((unit.end_line for unit in document.units if unit.line <= last <= unit.end_line), last)
    many = f"{len(stretch)} turns" if len(stretch) > 1 else "a turn"
    yield _removable("HYG003", document, line, end, f"{many} of a chat in a file that is to hold what stays true")


def _opens(line: str, role: str) -> bool:
    """Tell whether a line begins with a label as a chat writes it: neither a bullet nor bold, and something said."""
    return line.lower().startswith(role) and len(line) >= SAID


def _sessions(document: Document) -> Iterator[Finding]:
    """Yield sections that are the log of a session, by their headings."""
    for heading in document.headings:
        dated = _DATE.match(heading.title)
        if _SESSION.search(heading.title) or (dated and dated.end() == len(heading.title)):
            end = max(heading.line, _last_line(document, heading.line, heading.end_line))
            said = f"the log of a session in long-term memory: '{heading.title[:60]}'"
            yield _removable("HYG003", document, heading.line, end, said)


def _last_line(document: Document, line: int, end_line: int) -> int:
    """Return the last line of a section that is not blank."""
    while end_line > line and not document.at(end_line).strip():
        end_line -= 1
    return end_line


def _markers(document: Document) -> Iterator[Finding]:
    """Yield marks of truncation; files that people write may speak of such marks, which is none."""
    if "truncated" not in document.text.lower() and not any(mark in document.text for mark in _RARER):
        return
    for number, line in prose(document):
        found = _CUT.search(line)
        if found and (document.kind in _KEPT or not _TOLD.search(line[: found.start()] + line[found.end() :])):
            said = f"text was cut off here and is lost: '{found[0].strip()[:60]}'"
            start, end = found.span()
            yield Finding(
                "HYG004", WARNING, document.path, number, number, said, column=start + 1, end_column=end + 1
            )


_RARER = (*("cleared]", "clipped", "omitted", "elided", "skipped", "hidden", "shortened", " more ", " cut"), "+")
"""Words one of which stands in every other mark of truncation."""
