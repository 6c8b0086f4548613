"""Find unclosed blocks, mojibake and invisible characters (HYG005 and HYG006)."""

import re
from collections.abc import Iterator

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.lint.document.finding import ERROR, WARNING, Fix, LintFinding, Rule, TextEdit
from ctxkit.core.lint.document.inline import blank_code_spans, find_outer_fence, find_stray_fence
from ctxkit.core.lint.document.markdown import FileRole, MarkdownDocument
from ctxkit.core.lint.document.workspace import Workspace

RULES = (
    Rule(
        "HYG005",
        "unclosed-fence",
        ERROR,
        "none",
        "A code fence or a comment is opened but never closed.",
        "Everything below it is parsed as code: the rules lose their headings, and no text check applies to them.",
        "```bash\nmake test\n\n## Style\n- Tabs.",
        "```bash\nmake test\n```\n\n## Style\n- Tabs.",
        "An unclosed fence blinds every rule about text (skillsaw 410); a fixer that strips a closing fence ruins a "
        "file "
        "(gbrain 1417).",
    ),
    Rule(
        "HYG006",
        "broken-characters",
        ERROR,
        "safe",
        "Text was decoded with the wrong encoding, or contains invisible characters.",
        "Mojibake costs several tokens per letter and misleads the model. Invisible characters split words and "
        "names, and can hide instructions from reviewers. A fix is safe only if it is reversible: encoding the new "
        "text wrongly again gives the old text, outside of code.",
        "- Donâ€™t deploy on Fridays.",
        "- Don’t deploy on Fridays.",
        "Tags of Unicode (U+E0000) and bidirectional overrides are known ways to hide instructions in rules files.",
    ),
)
_MOJIBAKE = compile_lazily(r"[ÃÂâðÐÑ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ ]{1,3}|ï»¿")
_CERTAIN_MOJIBAKE = compile_lazily(r"Ã[\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€.|Â[\u00a0-\u00bf]|ï»¿|ðŸ.")
_INVISIBLE = "\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u00ad\U000e0000-\U000e007f"
_HIDDEN = compile_lazily(rf"[{_INVISIBLE}]+|(?<=[A-Za-z0-9_])[\u200c\u200d]+(?=[A-Za-z0-9_])|\ufffd")
_HIDING = compile_lazily("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Characters that can hide instructions even in a code span; others are named there, not lost."""
_SAMPLES = ("", "text", "txt", "output", "console", "log", "markdown", "md")
"""Languages of fences that show what something prints: its characters are those of the original."""
_UNDEFINED_BYTES = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D))
"""Bytes without a character in Windows-1252."""
_NAMES = {"\u200b": "zero width space", "\u2060": "word joiner", "\ufeff": "byte order mark", "\u00ad": "soft hyphen"}
_NAMES |= {"\u200c": "zero width non-joiner", "\u200d": "zero width joiner", "\ufffd": "replacement character"}
_LOST = compile_lazily(
    r"replacement char|U\+FFFD|\bmojibake|\bencoding|\butf-?8|\bgarbled|乱码|文字化け", re.IGNORECASE
)
"""Matches words of a line that is about characters that are lost."""
_FLAG = compile_lazily("\U0001f3f4[\U000e0020-\U000e007f]+")
"""The flags of England, Scotland and Wales are encoded in tag characters, so these are not hidden text."""


def findings(workspace: Workspace) -> Iterator[LintFinding]:
    """Yield unclosed blocks and unreadable characters of each document."""
    for document in workspace.documents:
        if document.role is not FileRole.PROMPT:
            yield from _find_unclosed_blocks(document)
            yield from _find_unreadable(document)


def _find_unclosed_blocks(document: MarkdownDocument) -> Iterator[LintFinding]:
    for block in document.blocks:
        if block.closed:
            continue
        is_fence = block.kind == "fence"
        if is_fence and (outer := find_outer_fence(document, block)):
            first, inner = outer
            message = (
                f"the fence of line {inner} ends this code fence in line {first.end_line}, and the last one, of line "
                f"{block.line}, is never closed; a fence around fences needs one more backtick"
            )
            yield LintFinding("HYG005", ERROR, document.path, first.line, first.line, message)
        elif is_fence and (stray := find_stray_fence(document, block)):
            message = (
                f"this code fence contains the headings of sections, up to line {stray.end_line}, and the last fence, "
                f"of line {block.line}, is never closed: a fence is missing or one too many"
            )
            yield LintFinding("HYG005", ERROR, document.path, stray.line, stray.line, message)
        else:
            what = "comment" if block.kind == "comment" else "code fence"
            below = any(document.at(line).strip() for line in range(block.line + 1, document.lines + 1))
            message = f"this {what} is never closed"
            if below:
                message += f"; the rest of the file, to line {document.lines}, is parsed as part of it"
            severity = ERROR if below else WARNING
            yield LintFinding("HYG005", severity, document.path, block.line, block.line, message)


def _find_unreadable(document: MarkdownDocument) -> Iterator[LintFinding]:
    text = document.text
    if text.isascii() or not (_HIDDEN.search(text) or _CERTAIN_MOJIBAKE.search(text)):
        return
    lost: list[LintFinding] = []
    for number in range(1, document.lines + 1):
        line = document.at(number)
        if not line.isascii():
            for finding in (*_find_invisible(document, number, line), *_find_mojibake(document, number, line)):
                if finding.fix is None:
                    lost.append(finding)
                else:
                    yield finding
    if lost:
        message = f"characters were lost in {len(lost)} lines: U+FFFD" if len(lost) > 1 else lost[0].message
        yield lost[0]._replace(message=message, related=tuple(finding.location for finding in lost[1:]))


def _find_hidden(document: MarkdownDocument, number: int, line: str) -> list[re.Match[str]]:
    """Return the invisible characters of a line that have no place there: no parts of flags, no named examples."""
    flags = {place for matches in _FLAG.finditer(line) for place in range(*matches.span())}
    code = blank_code_spans(line)
    block = document.block_at(number)
    language = block.info.strip().lower() if block is not None and block.kind == "fence" else None
    return [
        hit
        for hit in _HIDDEN.finditer(line)
        if hit.start() not in flags
        and (_is_text(hit[0], language, code[hit.start()]) or _HIDING.search(hit[0]))
        and not _is_named(line, hit.start(), hit.end())
    ]


def _find_invisible(document: MarkdownDocument, number: int, line: str) -> Iterator[LintFinding]:
    """Yield one finding for the invisible characters of a line; the fix does not cover U+FFFD, which is a lost
    character.
    """
    matches = _find_hidden(document, number, line)
    if not matches:
        return
    start = document.starts[number - 1]
    edits = tuple(
        TextEdit(document.path, start + hit.start(), start + hit.end()) for hit in matches if hit[0][0] != "\ufffd"
    )
    names = sorted({_NAMES.get(letter, f"U+{ord(letter):04X}") for hit in matches for letter in hit[0]})
    yield LintFinding(
        "HYG006",
        ERROR,
        document.path,
        number,
        number,
        f"invisible characters: {', '.join(names[:4])}" if edits else "a character was lost: U+FFFD",
        column=matches[0].start() + 1,
        end_column=matches[0].end() + 1,
        fix=Fix(edits, False, "remove the invisible characters") if edits else None,
    )


def _is_named(line: str, start: int, end: int) -> bool:
    """Return whether a line that speaks of lost characters shows one: it stands alone, as no lost letter does."""
    is_alone = not line[start - 1 : start].isalnum() and not line[end : end + 1].isalnum()
    return line[start] == "\ufffd" and is_alone and _LOST.search(line) is not None


def _is_text(characters: str, language: str | None, shown: str) -> bool:
    """Return whether characters belong to the text, not to code that names them or to a sample of output.

    ``language`` is that of the fence around them, None outside of fences; ``shown`` is the first character, or a blank
    in a code span. A zero width space in a command of a fence breaks the command.
    """
    if language is None:
        return shown == characters[0]
    return language not in _SAMPLES and "\ufffd" not in characters


def _find_mojibake(document: MarkdownDocument, number: int, line: str) -> Iterator[LintFinding]:
    if not _CERTAIN_MOJIBAKE.search(line):
        return
    start = document.starts[number - 1]
    edits, first, reversible = [], None, document.block_at(number) is None
    code = blank_code_spans(line)
    for match in _MOJIBAKE.finditer(line):
        right = _decode_correctly(match[0])
        if right is not None and code[match.start() : match.end()] == match[0]:
            first = first or match
            reversible = reversible and _garble(right) == match[0]
            edits.append(TextEdit(document.path, start + match.start(), start + match.end(), right))
    if first is None:
        return
    yield LintFinding(
        "HYG006",
        ERROR,
        document.path,
        number,
        number,
        f"text was decoded with the wrong encoding: '{first[0]}' was '{edits[0].replacement}'",
        column=first.start() + 1,
        end_column=first.end() + 1,
        fix=Fix(tuple(edits), reversible, "write the characters that were meant" + " (reversible)" * reversible),
    )


def _garble(text: str) -> str:
    """Return a text decoded as Windows-1252 from UTF-8, as the mistake did."""
    return "".join(
        bytes([byte]).decode("cp1252") if byte not in _UNDEFINED_BYTES else chr(byte) for byte in text.encode("utf-8")
    )


def _decode_correctly(text: str) -> str | None:
    """Return the text that was decoded as Windows-1252 by mistake, or None if it was not."""
    raw = bytearray()
    for letter in text:
        try:
            raw += letter.encode("cp1252")
        except UnicodeEncodeError:
            if ord(letter) > 0xFF:
                return None
            raw.append(ord(letter))
    for length in range(len(raw), 1, -1):
        try:
            right = raw[:length].decode("utf-8")
        except UnicodeDecodeError:
            continue
        rest = raw[length:].decode("cp1252", "replace")
        return right + rest if not right.isascii() else None
    return None
