"""What a page must look like, and how one is made to."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.template import MOST, SECTIONS, TITLE, Context, Section, normal

MARKUP = re.compile(
    r"</?(?:think|thinking|thought|reasoning|reflection|scratchpad|analysis|antml:thinking|seed:think)\b[^<>]*>"
    r"|◁/?think▷"
    r"|<\|?/?(?:channel|start|end|message|assistant|im_start|im_end|analysis|final|begin_of_thought"
    r"|end_of_thought)\|?>|\[/?THINK(?:ING)?\]",
    re.IGNORECASE,
)
"""What reasoning stands between, in the words of the models that write it into their answers."""
META = re.compile(
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
"""What a model says of its answer, rather than of the conversation."""


def breaches(text: str) -> tuple[str, ...]:
    """Return how a text departs from the template, one sentence a breach; nothing for one that keeps to it.

    A section that somebody added by hand is no breach.
    """
    return tuple(_breaches(text))


def _breaches(text: str) -> Iterator[str]:
    lines = list(_unfenced(text.split("\n")))
    if not lines or lines[0] != TITLE:
        yield f"it does not begin with {TITLE}"
    headings = [line[3:] for line in lines if line.startswith("## ") and line[3:] in SECTIONS]
    if tuple(headings) != SECTIONS:
        yield f"its sections are {', '.join(headings) or 'none'}, not {', '.join(SECTIONS)}"
    if not text.endswith("\n"):
        yield "it does not end in a newline"
    if found := MARKUP.search(text):
        yield f"it holds the mark {found[0]}"
    for section in SECTIONS:
        if section in headings:
            yield from _faults(section, _body(lines, section))


def _unfenced(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines but for those in a block of code, which stand as blank ones."""
    fence = ""
    for line in lines:
        mark = next((sign * 3 for sign in "`~" if line.lstrip(" ").startswith(sign * 3)), "")
        yield "" if fence or mark else line
        fence = ("" if mark == fence else fence) if fence else mark


def _body(lines: Sequence[str], section: Section) -> list[str]:
    """Return the lines of a section up to the first one that is blank after some."""
    at = lines.index(f"## {section}") + 1
    body: list[str] = []
    for line in lines[at:]:
        if line.startswith("#") or (not line and body):
            break
        body += [line] if line else []
    return body


def _faults(section: Section, body: Sequence[str]) -> Iterator[str]:
    most = 1 if section == "Task" else MOST
    if len(body) > most:
        yield f"{section} has {len(body)} lines, more than {most}"
    mark = {"Task": "", "Pending": "- [ ] "}.get(section, "- ")
    for line in body:
        said = line.removeprefix(mark)
        if not line.startswith(mark) or not said.strip():
            yield f"{section} has a line that does not begin with {mark.strip()} and say something: {line[:60]}"
        elif section == "Task" and normal(said) != said:
            yield f"{section} is no sentence: {line[:60]}"
        elif section != "Pending" and said.startswith("[ ] "):
            yield f"{section} has a box: {line[:60]}"


def limited(context: Context) -> Context:
    """Return a page within the limits: bullets on one line, each once, the first ones of a section."""
    for section in SECTIONS:
        context = context.filled(section, tuple(_once(context.bullets(section)))[:MOST])
    return context


def _once(bullets: Sequence[str]) -> Iterator[str]:
    told: set[str] = set()
    for bullet in bullets:
        line = normal(bullet)
        if line and (key := key_of(line)) not in told:
            told.add(key)
            yield line


def key_of(bullet: str) -> str:
    """Return what two bullets share that say the same: letters and digits, in lower case."""
    return "".join(sign for sign in bullet.lower() if sign.isalnum()) or bullet
