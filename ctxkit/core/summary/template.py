"""The page template: its sections, limits, rendering, parsing, merging of two pages, and its grammar for llama.cpp."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from ctxkit.core.summary.sentences import is_demand, is_standing_rule

Section = Literal["Task", "Decisions", "Facts", "Pending", "Errors"]
SECTIONS: tuple[Section, ...] = ("Task", "Decisions", "Facts", "Pending", "Errors")
MAX_BULLETS = 10
"""Maximum number of bullets in a section."""
TITLE = "# Context"
RECORD_TITLE = "## Record"
"""Heading of the record, which follows the page in a summary message but not in CONTEXT.md."""
REQUEST_TITLE = "## Request"
"""Heading of a long request of the user, which follows the page in a summary message but not in CONTEXT.md."""
_NAMES = {name.lower(): name for name in SECTIONS}
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]*+((?:.*[^ \t#])?)[ \t#]*$")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)$")
_BOX = re.compile(r"\[([ xX✓✔~-]?)\][ \t]*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_EMPTY_BULLET = re.compile(
    r"[\s\[(*_]*(?:none|n/a|nothing|empty)(?: (?:yet|so far|known|recorded|found))?[\s\])*_.]*$", re.IGNORECASE
)


class Extra(NamedTuple):
    """Text outside the template, verbatim.

    ``section`` is the section that it follows, or "Context" for the top of the page. It is empty for a separate
    section, whose heading is the first line of ``text``.
    """

    section: str
    text: str


def is_record(extra: Extra) -> bool:
    """Return whether text outside the template is the record of a summary message, or the request in it."""
    return not extra.section and extra.text.split("\n", 1)[0] in (RECORD_TITLE, REQUEST_TITLE)


class SummaryPage(NamedTuple):
    """A page; bullets have no marks.

    ``done`` lists finished items: they are not rendered, but a merge removes them from Pending.
    """

    task: str = ""
    decisions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    extra: tuple[Extra, ...] = ()

    def bullets(self, section: Section) -> tuple[str, ...]:
        """Return the bullets of a section; the task counts as one."""
        if section == "Task":
            return (self.task,) if self.task else ()
        bullets: tuple[str, ...] = getattr(self, section.lower())
        return bullets

    def with_bullets(self, section: Section, bullets: tuple[str, ...]) -> "SummaryPage":
        """Return the page with new bullets in a section."""
        fields: dict[str, Any] = {section.lower(): "".join(bullets[:1]) if section == "Task" else bullets}
        return self._replace(**fields)


def render_page(page: SummaryPage) -> str:
    """Return the page as text with every heading and a final newline."""
    blocks = [TITLE, *_extra_texts(page, "Context")]
    for section in SECTIONS:
        lines = [f"## {section}", *(format_bullet(section, bullet) for bullet in page.bullets(section))]
        blocks += ["\n".join(lines), *_extra_texts(page, section)]
    return "\n\n".join([*blocks, *_extra_texts(page, "")]) + "\n"


def format_bullet(section: Section, bullet: str) -> str:
    """Return a bullet as a line of its section."""
    mark = {"Task": "", "Pending": "- [ ] "}.get(section, "- ")
    return f"{mark}{normalize_line(bullet)}"


def normalize_line(text: str) -> str:
    """Return text on one line, without marks that would change the meaning of a bullet."""
    line = " ".join(text.split())
    while (bare := _strip_marker(line)) != line:
        line = bare
    return line


def _strip_marker(line: str) -> str:
    match = _BULLET.match(line)
    line = _BOX.sub("", match[1] if match else line, count=1) if match or _BOX.match(line) else line
    return line.lstrip("#").lstrip() if _HEADING.match(line) else line


def parse_page(text: str) -> SummaryPage | None:
    """Return the page in a text, None if it has no heading of the template.

    Headings of any level and any bullet marks are accepted. A ticked box moves its bullet to ``done``. Other sections,
    and paragraphs after the bullets of a section, become ``extra``.
    """
    blocks = list(_split_blocks(text))
    if not any(name in _NAMES.values() for name, _ in blocks):
        return None
    page = SummaryPage()
    for name, lines in blocks:
        page = _add_block(page, name, lines)
    return page


def _add_block(page: SummaryPage, name: str, lines: list[str]) -> SummaryPage:
    """Return the page with the content of a block of lines added."""
    if name not in _NAMES.values():
        words = "\n".join(lines).strip("\n").rstrip()
        return page._replace(extra=(*page.extra, Extra(name, words))) if words.strip() else page
    section = _NAMES[name.lower()]
    bullets, done, rest = _read_section(section, lines)
    if section == "Task":
        bullets = [" ".join([*page.bullets(section), *bullets])] if bullets else list(page.bullets(section))
    else:
        bullets = [*page.bullets(section), *bullets]
    extra = (*page.extra, Extra(section, rest)) if rest else page.extra
    return page.with_bullets(section, tuple(bullets))._replace(done=(*page.done, *done), extra=extra)


def _read_section(section: Section, lines: list[str]) -> tuple[list[str], list[str], str]:
    """Return the bullets of a section, its ticked items, and its other text; everything under a subheading is other
    text.
    """
    reader = _SectionReader(is_task=section == "Task")
    for line in lines:
        reader.read(line)
    return *_split_done(reader.items), "\n".join(reader.rest).strip("\n")


class _SectionReader:
    """The bullets of a section and its other text, read line by line.

    ``_state`` is what the line before was: "bullet" for a bullet or a line that continues one, "open" for what a task
    may follow, "rest" for other text, and "kept" after a subheading, under which all is other text.
    """

    def __init__(self, *, is_task: bool) -> None:
        self.items: list[str] = []
        self.rest: list[str] = []
        self._is_task = is_task
        self._state, self._fence = "open" if is_task else "", ""

    def read(self, line: str) -> None:
        """Take the next line."""
        mark = _FENCE.match(line)
        if self._fence or mark:
            self._state = "kept" if self._state == "kept" else "rest"
            self._fence = _update_fence(self._fence, mark[1] if mark else "")
            self.rest.append(line.rstrip())
        elif self._state == "kept" or _HEADING.match(line):
            self._state = "kept"
            self.rest.append(line.rstrip())
        elif not line.strip():
            self.rest += [""] if self.rest else []
            self._state = "open" if self._is_task and not self.items else ""
        else:
            self._read_words(line)

    def _read_words(self, line: str) -> None:
        bullet = None if self._is_task and self.items else _BULLET.match(line)
        if bullet:
            self.items.append(bullet[1])
        elif self._state == "bullet":
            self.items[-1] = f"{self.items[-1]} {line.strip()}"
        elif self._state == "open" and not self.rest:
            self.items.append(line.strip())
        else:
            self.rest.append(line.rstrip())
            self._state = "rest"
            return
        self._state = "bullet"


def _split_done(items: list[str]) -> tuple[list[str], list[str]]:
    """Return the open and the ticked items; empty items are in neither."""
    bullets: list[str] = []
    done: list[str] = []
    for words in items:
        box = _BOX.match(words)
        line = normalize_line(words)
        if not line or _EMPTY_BULLET.match(line):
            continue
        (done if box and box[1] in ("x", "X", "✓", "✔") else bullets).append(line)
    return bullets, done


def _split_blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each section with its lines: known sections by name without their heading, others with it."""
    name, lines, fence = "Context", list[str](), ""
    for line in text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n"):
        mark = _FENCE.match(line)
        if fence or mark:
            fence = _update_fence(fence, mark[1] if mark else "")
            lines.append(line)
            continue
        title = _read_title(line)
        if title is None:
            lines.append(line)
            continue
        yield name, lines
        is_known = title in _NAMES or (title == TITLE[2:].lower())
        name = _NAMES.get(title, "Context" if is_known else "")
        lines = [] if is_known else [line]
    if fence:  # an unclosed code block would include the text after it
        lines.append(fence)
    yield name, lines


def _read_title(line: str) -> str | None:
    """Return the title of a line that begins a section, None for any other line."""
    heading = _HEADING.match(line)
    title = heading[2].strip("*_: \t").lower() if heading else ""
    return title if heading and (title in _NAMES or len(heading[1]) <= 2) else None


def _update_fence(fence: str, mark: str) -> str:
    """Return the code fence that is open after a line."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) else fence


def _extra_texts(page: SummaryPage, section: str) -> list[str]:
    return [extra.text for extra in page.extra if extra.section == section]


MARKUP = re.compile(
    r"</?(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis|antml:thinking|seed:think)\b[^<>]*>"
    r"|◁/?think▷|<\|?/?(?:channel|start|end|message|assistant|im_start|im_end|analysis|final|begin_of_thought"
    r"|end_of_thought)\|?>|\[/?THINK(?:ING)?\]",
    re.IGNORECASE,
)
"""Reasoning marks that models write into their answers."""
META_COMMENT = re.compile(
    r"^(?:(?:okay|ok|sure|alright|certainly|of course|now|well|hmm|wait|first|so|please)[,.!:]?\s+)*"
    r"(?:I (?:should|need to|must|will|would|have to|can|cannot|can't|am|think|notice|see|hope|apologi[sz]e)\b"
    r"|I'(?:ll|m|d|ve)\b|let(?:'s| me| us)\b|hope (?:this|that|it)\b|feel free to\b|is there anything\b"
    r"|if (?:you|there)\b.{0,60}\b(?:let me know|feel free|questions?)\b"
    r"|here(?:'s| is| are) (?:the|a|an|your|my)\b|the (?:filled|above|following) (?:template|summary|conversation)"
    r"|this (?:summary|template|conversation)|based on the (?:conversation|above|provided)|as an ai\b"
    r"|(?:the )?(?:conversation|summary) (?:above|below|history)"
    r"|(?:the )?user (?:wants|asked|is asking) me to (?:summari[sz]e|extract|fill)|note:|\[?(?:user|assistant"
    r"|system|tool)(?: calls?| result)?\]?:)",
    re.IGNORECASE,
)
"""Comments of a model about its answer instead of the conversation."""


def apply_limits(page: SummaryPage) -> SummaryPage:
    """Return a page within the limits: single-line bullets without duplicates, and only the first ones of a section."""
    for section in SECTIONS:
        page = page.with_bullets(section, tuple(_deduplicate(page.bullets(section)))[:MAX_BULLETS])
    return page


def _deduplicate(bullets: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for bullet in bullets:
        line = normalize_line(bullet)
        if line and (key := bullet_key(line)) not in seen:
            seen.add(key)
            yield line


def bullet_key(bullet: str) -> str:
    """Return the key of a bullet for comparison: its letters and digits in lower case."""
    return "".join(sign for sign in bullet.lower() if sign.isalnum()) or bullet


LIST_LABELS = ("Changed", "Removed", "Moved", "Read", "Done", "Changed before", "Read before")
"""Labels of list bullets; those other than Changed stand in pages of earlier versions."""
_LIST_BULLET = re.compile(rf"({'|'.join(LIST_LABELS)})(?: in ([^:\n]*/))?: (.+?)(?: and others)?\.$", re.DOTALL)
_ATTEMPT = re.compile(r"(?:[\w.-]+ ){0,2}`[^`]+`")
"""The beginning of a bullet about a command, or about a tool and its target."""
_SUCCESS = re.compile(r": .*\b(?:passed|passes|passing|ok|OK)\b| (?:passed|ran)$")


def merge_pages(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return both pages merged within the limits; the new page wins if they differ.

    Finished work leaves Pending. Of two facts or errors about one command, the newer one stays. Errors get the
    resolution from the new page, and lists of paths are joined. In a full section, the oldest bullets are dropped first
    and the user's rules last. Extra sections and lines stay. A second merge of the same page changes nothing.
    """
    kept_page = carry_over(earlier_page, new_page)
    decisions = sorted([*kept_page.decisions, *new_page.decisions], key=lambda bullet: not is_demand(bullet))
    facts: dict[str, str] = {}
    for bullet in new_page.facts:
        key = parse_list(bullet)[0] or bullet
        own = (bullet,) if key in facts else ()
        facts[key] = merge_lists(facts.get(key, bullet), (*own, *earlier_page.facts))
    page = SummaryPage(
        task=new_page.task or earlier_page.task,
        decisions=_keep_latest(decisions),
        facts=tuple([*facts.values(), *kept_page.facts][:MAX_BULLETS]),
        pending=tuple([*new_page.pending, *kept_page.pending][:MAX_BULLETS]),
        errors=_keep_latest([*kept_page.errors, *new_page.errors]),
        done=tuple(dict.fromkeys((*earlier_page.done, *new_page.done))),
        extra=tuple(dict.fromkeys((*earlier_page.extra, *new_page.extra))),
    )
    return apply_limits(page)


def carry_over(earlier_page: SummaryPage, new_page: SummaryPage) -> SummaryPage:
    """Return the bullets of an earlier page that still hold and that the new page does not contain."""
    finished = {bullet_key(item) for item in (*new_page.done, *earlier_page.done)}
    return earlier_page._replace(
        decisions=tuple(_find_unsaid("Decisions", earlier_page, new_page)),
        facts=tuple(_find_unsaid("Facts", earlier_page, new_page)),
        pending=tuple(_find_unsaid("Pending", earlier_page, new_page, finished)),
        errors=tuple(_resolve_error(item, new_page) for item in _find_unsaid("Errors", earlier_page, new_page)),
    )


def _find_unsaid(
    section: Section, earlier_page: SummaryPage, new_page: SummaryPage, finished: Collection[str] = ()
) -> Iterator[str]:
    """Yield the bullets of a section that are not ``finished``, and about which the new page says nothing."""
    bullets = new_page.bullets(section)
    keys = {bullet_key(bullet) for bullet in bullets} | set(finished)
    subjects = {subject for bullet in bullets if (subject := _find_subject(bullet))} if section != "Decisions" else ()
    for bullet in earlier_page.bullets(section):
        if bullet_key(bullet) not in keys and _find_subject(bullet) not in subjects:
            yield bullet


def parse_list(bullet: str) -> tuple[str, list[str]]:
    """Return the label and the elements of a list bullet; the label is empty for any other bullet."""
    match = _LIST_BULLET.match(bullet)
    if not match:
        return "", []
    parts, folder = [part.strip() for part in match[3].split(", ")], match[2] or ""
    return match[1], [part if part.startswith(("/", "~")) else f"{folder}{part}" for part in parts if part]


def merge_lists(bullet: str, others: Sequence[str]) -> str:
    """Return a list bullet extended by the elements of other bullets with the same label."""
    label, things = parse_list(bullet)
    same = [other for other in others if label and parse_list(other)[0] == label]
    if not same:
        return bullet
    elements = dict.fromkeys([*things, *(thing for other in same for thing in parse_list(other)[1])])
    suffix = " and others" if any(line.endswith(" and others.") for line in (bullet, *same)) else ""
    return f"{label}: {', '.join(elements)}{suffix}."


def _find_subject(bullet: str) -> str:
    """Return what a bullet is about: the label of a list, or the command at its beginning; empty for any other."""
    if label := parse_list(bullet)[0]:
        return f"{label}:"
    match = _ATTEMPT.match(bullet)
    return match[0] if match else ""


def _resolve_error(error: str, new_page: SummaryPage) -> str:
    """Return an error with its resolution if the new page says that its command passed."""
    subject = _find_subject(error)
    if not subject or re.search(r"; (?:passed|passes|edited)", error):
        return error
    passed = any(fact.startswith(subject) and _SUCCESS.match(fact[len(subject) :]) for fact in new_page.facts)
    return f"{error}; passed later" if passed else error


def _keep_latest(bullets: Sequence[str]) -> tuple[str, ...]:
    """Return the bullets that fit a section; the oldest are dropped first, rules later, standing rules last."""
    kept = list(dict.fromkeys(bullets))
    order = sorted(range(len(kept)), key=lambda at: (is_demand(kept[at]) + is_standing_rule(kept[at]), at))
    dropped = frozenset(order[: max(len(kept) - MAX_BULLETS, 0)])
    return tuple(bullet for at, bullet in enumerate(kept) if at not in dropped)


MAX_BULLET, MAX_TASK = 240, 320
"""Maximum characters of a bullet and of the task."""
_FORBIDDEN = "<\\u25C1\\u25B7"
"""Characters that begin reasoning marks; ``<`` is allowed only before characters that begin no tag."""
_BLANK = "\\u0080-\\u00A0\\u00AD\\u1680\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u2064\\u3000\\uFEFF"
"""Invisible characters, which could precede a forbidden beginning of a line."""


def build_grammar() -> str:
    """Return the grammar: every heading in order, and at most ``MAX_BULLETS`` single-line bullets per section.

    Bullets are at most ``MAX_BULLET`` characters long. A line does not begin with a blank, a list mark, a bracket or a
    heading, and contains no tag. This excludes reasoning tags and template slots. A section may be empty.
    """
    return "\n".join(
        (
            'root ::= "# Context\\n\\n## Task\\n" task "\\n\\n## Decisions\\n" items "\\n## Facts\\n" items more',
            'more ::= "\\n## Pending\\n" boxes "\\n## Errors\\n" items',
            f"task ::= first rest{{0,{MAX_TASK - 1}}}",
            f"items ::= item{{0,{MAX_BULLETS}}}",
            f"boxes ::= box{{0,{MAX_BULLETS}}}",
            f'item ::= "- " first rest{{0,{MAX_BULLET - 1}}} "\\n"',
            f'box ::= "- [ ] " first rest{{0,{MAX_BULLET - 1}}} "\\n"',
            f"first ::= [^\\x00-\\x20\\x7F{_BLANK}{_FORBIDDEN}#*+\\[\\]-]",
            f'rest ::= [^\\x00-\\x1F\\x7F{_FORBIDDEN}] | "<" [ =0-9-]',
            "",
        )
    )
