"""Remove or escape what terminals obey in text, and find out whether content moves a cursor back over it."""

import re

CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 except tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks, embeddings, overrides and isolates of BiDi
    "\u2028\u2029\ufff9-\ufffb"  # line and paragraph separators, interlinear annotation
    "\ud800-\udfff"  # surrogates, which stand for bytes that are not UTF-8
)
"""Characters that move, hide or reorder terminal output, as the content of a regular expression's class."""
_UNSEEN = "\u00ad\u180e\u200b\u2060-\u2065\ufeff\u115f\u1160\u3164\uffa0\U000e0000-\U000e0fff"
"""Soft hyphen, blanks without width, fillers, tags and selectors, by which text hides from a reader, not a model."""
_JOINED = "\u0590-\u1fff\u2190-\u2bff\ua000-\ud7ff\ufb1d-\ufdff\ufe0f\ufe70-\ufeff\U00010000-\U0001ffff"
"""Letters and pictures that a joiner between two of them shapes; between others, a joiner only hides."""
_JOINER = f"(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])"
_INVISIBLE = f"[{_UNSEEN}]|{_JOINER}"
_SHOWN_RUN = 4
"""Characters of a run of invisible ones that are escaped; a few more are shown as well."""
_CONTROL = f"[{CONTROLS}]|{_INVISIBLE}"
_CONTROL_OR_BREAK = f"[{CONTROLS}\t\n]|{_INVISIBLE}"
_SHORT_ESCAPES = {"\t": r"\t", "\n": r"\n", "\r": r"\r"}


def escape_controls(text: str) -> str:
    r"""Return text of any number of lines with each control character escaped as ``\x1b`` or ``\u202e``."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():  # compiling the pattern takes 8 ms
        return text
    return re.sub(_CONTROL, _escape_match, text)


def escape_line(text: str) -> str:
    r"""Return text as one line: tabs and newlines are also escaped, as ``\t`` and ``\n``."""
    return text if text.isascii() and text.isprintable() else re.sub(_CONTROL_OR_BREAK, _escape_match, text)


def escape_invisible(text: str) -> str:
    r"""Return text in which characters that nobody sees are escaped, as ``\u200b``; control characters stay.

    Of a long run, escape the first ones and count the rest: hidden text must not fill the window.
    """
    return text if text.isascii() else re.sub(f"(?:{_INVISIBLE})+", _escape_run, text)


def escape_name(text: str) -> str:
    """Return a name as one line in which every character is visible; keep blanks of any width."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or _is_inline_blank(sign) else escape(sign) for sign in text)


def escape(sign: str) -> str:
    r"""Return the escaped form of a character; a byte that is not UTF-8 becomes ``\xff``."""
    code = ord(sign)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if sign in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[sign]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_run(match: re.Match[str]) -> str:
    signs = match[0] if len(match[0]) <= _SHOWN_RUN + 2 else match[0][:_SHOWN_RUN]
    more = f"[+{len(match[0]) - len(signs)} invisible]" if len(signs) < len(match[0]) else ""
    return "".join(map(escape, signs)) + more


def _escape_match(match: re.Match[str]) -> str:
    return escape(match[0])


def _is_inline_blank(sign: str) -> bool:
    return sign.isspace() and not re.match(_CONTROL_OR_BREAK, sign)


ESCAPE = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]"
"""Pattern of a terminal escape (ECMA-48): a control sequence, a command of the operating system, or another."""


def strip_escapes(text: str) -> str:
    """Return ``text`` without terminal escapes, overwritten parts and other control characters."""
    if "\x1b" not in text and "\x9b" not in text:
        return strip_controls(text.rstrip("\r").rpartition("\r")[2])
    from re import sub

    text = sub(ESCAPE, "", text).rstrip("\r").rpartition("\r")[2]
    # A sequence cut off before its end counts too.
    return strip_controls(sub(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*\Z", "", text))


def clean_map(text: str) -> str:
    """Return the text of a map without control characters, and with characters that nobody sees escaped."""
    if text.replace("\n", "").isprintable():
        return text

    return escape_invisible(strip_controls(text))


def strip_controls(text: str) -> str:
    """Return ``text`` of any number of lines without control characters, including those of BiDi."""
    from re import sub

    return sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "", text)


MAX_SIZE = 8 << 20
"""Bytes above which content is not drawn: a log of that size is read by its lines."""
CURSOR_CONTROL = (
    r"\r(?![\r\n]|\Z)|\x08|\x1b[78Mc]|\x1b\[(?:[0-9;]{0,16}[A-Hdfsu]|[12][JK]|\?(?:1049|1047|47)[hl])"
)
"""Pattern of a control that moves the cursor, or erases what stands before it.

An erasure of the rest of a line is none: ``grep --color`` and compilers print one after each color. A carriage return
before a newline is none either.
"""
_DOCUMENT_START = rb"(?:\xef\xbb\xbf)?\s{0,99}(?:<[?!]|<[A-Za-z][^<>]{0,999}>\s{0,99}[<\n]|[\[{]\s{0,99}[\"{\[])"
"""Pattern of the beginning of XML or JSON, which no program draws."""


def has_redraws(data: bytes) -> bool:
    """Return whether content moves the cursor of a terminal, so that its screen shows less than its bytes.

    The content is complete. Carriage returns in content without a newline end lines, as on old Macs.
    """
    if b"\x1b" not in data and b"\x08" not in data and data.count(b"\r") == data.count(b"\r\n"):
        return False
    if len(data) > MAX_SIZE or b"\n" not in data:
        return False
    moves = re.search(CURSOR_CONTROL.encode(), data) is not None
    return moves and re.match(_DOCUMENT_START, data) is None and _is_text(data)


def _is_text(data: bytes) -> bool:
    """Return whether at most one byte in 500 is NUL, and one in 100 is not UTF-8."""
    if data.count(0) > max(len(data) // 500, 1):
        return False
    return len(data.decode("utf-8", "ignore").encode()) >= len(data) - len(data) // 100
