"""Find leaked model reasoning (HYG001)."""

import re
from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import ERROR, WARNING, Fix, LintFinding, Rule, TextEdit
from ctxkit.core.lint.document.inline import prose_lines
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.core.lint.fixes.removal import delete_lines

RULES = (
    Rule(
        "HYG001",
        "leaked-thinking",
        ERROR,
        "safe",
        "A file contains the private reasoning of a model, or the tags around it.",
        "Small models leak their reasoning into summaries and memories, and every later turn reads it as fact. In "
        "memory and context files any such tag is a leak. In other files, such as prompts that describe tags, only "
        "a block that reads like reasoning is a leak.",
        "<thinking>\nOkay, let's see. The user wants me to read files directly.\n</thinking>\n- Read files directly.",
        "- Read files directly.",
        "The workspace that motivated this linter: the active memory of an agent on Qwen3-0.6B; 1,876 tags in 2 of the "
        "public "
        "repositories read.",
    ),
)
NOTE_ROLES = (FileRole.MEMORY, FileRole.DAILY, FileRole.CONTEXT)
"""Roles of files that a model writes and reads again."""
_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|inner_monologue|antml:thinking|analysis"
_NAMES += "|antthinking|internal_monologue|inner_thoughts?|thought_process|thinking_process|chain_of_thought"
_NAMES += "|reasoning_content"
_TAG = compile_lazily(
    rf"<(?P<closes>/?)(?P<name>{_NAMES})(?: [^<>\n]{{0,80}})?\s*>|◁(?P<shuts>/?)(?P<moon>think)▷"
    r"|<\|channel\|>\s*(?P<channel>analysis)\b|\[(?P<ends>/?)(?P<mistral>THINK(?:ING)?)\]",
    re.IGNORECASE,
)
_WORDS = ("think", "thought", "reasoning", "reflection", "scratchpad", "inner_monologue", "analysis")
_SPOKEN_OF = compile_lazily(r"^[\W_]*(?:tags?|blocks?|elements?|markup|markers?|sections?|tokens?)\b", re.IGNORECASE)
"""Matches the word after a tag that a sentence is about, such as "tags"."""
MAX_BLOCK_LINES = 200
"""Maximum lines of a block whose removal is a safe fix."""
MIN_BLOCK_WORDS = 3
"""Minimum words of reasoning in a block on one line of other files than notes; fewer are a mention of the tags."""
_FIRST = compile_lazily(
    r"\s*(?:ok(?:ay)?|alright|hmm+|so|well|wait|let me|let'?s|i (?:need|should|think|will|have|am)|i'(?:ll|m|ve|d)"
    r"|the user|"
    r"first,|now,|好的|嗯|用户)\b|\s*(?:好的|嗯|用户)",
    re.IGNORECASE,
)


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield the reasoning that leaked into each document."""
    for document in workspace.documents:
        if document.role is not FileRole.PROMPT and _may_have_tags(document.text):
            yield from _find_leaks(document)


def _may_have_tags(text: str) -> bool:
    small = text.lower()
    return any(mark in small for mark in ("<", "◁", "[think")) and any(word in small for word in _WORDS)


def _find_leaks(document: MarkdownDocument) -> Iterator[LintFinding]:
    """Yield blocks from an opening tag to its closing tag, and unpaired tags."""
    opened: list[tuple[_TaggedLine, re.Match[str]]] = []
    for number, line in prose_lines(document):
        here: _TaggedLine | None = None
        for tag in _TAG.finditer(line):
            here = here or _TaggedLine(number, document.at(number))
            if not _is_closing(tag):
                opened.append((here, tag))
            elif opened and _tag_name(opened[0][1]) == _tag_name(tag):
                yield from _check_block(document, *opened[0], here, tag.end())
                opened = []
            else:
                yield from _check_lone_tag(document, here, tag)
    for top, tag in opened:
        yield from _check_lone_tag(document, top, tag)


class _TaggedLine:
    """A line with tags, and quick checks of the text around each tag."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self._text = text
        self._blank = len(text) - len(text.lstrip())
        self._begin = len(text) - len(text.lstrip(" \t>*+-"))
        self._end = len(text.rstrip())

    def has_before(self, start: int, *, marks: bool = False) -> bool:
        """Return whether text precedes an offset, ignoring blanks and, unless ``marks``, list markers."""
        return (self._blank if marks else self._begin) < start

    def has_after(self, end: int) -> bool:
        """Return whether text other than blanks follows an offset."""
        return self._end > end

    def after(self, end: int) -> str:
        """Return the words that follow an offset, up to ``CONTEXT_LENGTH`` characters."""
        return self._text[end : end + CONTEXT_LENGTH].lstrip()


CONTEXT_LENGTH = 200
"""Characters after a tag that are searched for the word that shows that a sentence is about the tag."""


def _tag_name(tag: re.Match[str]) -> str:
    return str(tag["name"] or tag["moon"] or tag["channel"] or tag["mistral"]).lower()


def _is_closing(tag: re.Match[str]) -> bool:
    return bool(tag["closes"] or tag["shuts"] or tag["ends"])


def _check_block(
    document: MarkdownDocument, top: _TaggedLine, tag: re.Match[str], bottom: _TaggedLine, end: int
) -> Iterator[LintFinding]:
    """Yield a finding for the text between two tags, unless a sentence only mentions the tags."""
    line, end_line = top.number, bottom.number
    first, last = document.starts[line - 1] + tag.start(), document.starts[end_line - 1] + end
    inner = _TAG.sub("", document.text[first:last])
    is_note = document.role in NOTE_ROLES
    if line == end_line and not is_note and _is_mention(inner):
        return
    if _SPOKEN_OF.match(bottom.after(end)):
        return
    if not is_note and (top.has_before(tag.start()) or not _FIRST.match(inner)):
        return
    whole = not top.has_before(tag.start(), marks=True) and not bottom.has_after(end)
    edit = delete_lines(document, line, end_line) if whole else TextEdit(document.path, first, last)
    fix = Fix((edit,), bool(whole and _is_contained(document, line, end_line)), "remove the reasoning")
    yield LintFinding(
        "HYG001",
        ERROR if is_note else WARNING,
        document.path,
        line,
        end_line,
        f"leaked model reasoning: <{_tag_name(tag)}> to </{_tag_name(tag)}>",
        column=tag.start() + 1,
        fix=fix,
    )


def _is_mention(inner: str) -> bool:
    """Return whether the text between two tags is too short for reasoning."""
    return len(inner.split()) < MIN_BLOCK_WORDS and len(inner.encode()) < 9 * MIN_BLOCK_WORDS


def _is_contained(document: MarkdownDocument, line: int, end_line: int) -> bool:
    """Return whether a block is short and has no heading; otherwise its tags may belong to two blocks."""
    headed = any(line < heading.line <= end_line for heading in document.headings)
    return not headed and end_line - line < MAX_BLOCK_LINES


def _check_lone_tag(document: MarkdownDocument, line: _TaggedLine, tag: re.Match[str]) -> Iterator[LintFinding]:
    """Yield a finding for an unpaired tag at the beginning or the end of its line."""
    before, after = line.has_before(tag.start()), line.has_after(tag.end())
    if document.role not in NOTE_ROLES or (before and after) or _SPOKEN_OF.match(line.after(tag.end())):
        return
    number = line.number
    start = document.starts[number - 1]
    whole = not before and not after
    edit = (
        delete_lines(document, number, number)
        if whole
        else TextEdit(document.path, start + tag.start(), start + tag.end())
    )
    yield LintFinding(
        "HYG001",
        ERROR,
        document.path,
        number,
        number,
        f"unpaired reasoning tag: {tag[0].strip()}",
        column=tag.start() + 1,
        end_column=tag.end() + 1,
        fix=Fix((edit,), False, "remove the tag"),
    )
