"""Tell in which encoding content is text, if it is not UTF-8."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, lookup
from itertools import accumulate

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import Read

UTF16_SAMPLE = 1_024
"""Bytes at the beginning of content from which UTF-16 is told."""
FEWEST_NULS = 4
"""Number of NULs that such a beginning has at least."""
UNWRITTEN, WHITESPACE = {"Cc", "Cn", "Co"}, set("\t\n\r\f\b\x1b")
"""Categories of characters that are not written, but for these."""
SAMPLE = 1 << 16
"""Bytes of lines, those that are not ASCII, from which an encoding is told."""
SEARCHED_BYTES = 1 << 20
"""Bytes at the beginning of content in which such a line is sought: a part of large content is read in no time."""
LONGEST_NAME = 4_096
"""Maximum bytes between two NULs of a list: PATH_MAX of Linux."""
LISTED = "list"
"""What takes the place of an encoding for UTF-8 whose entries end with NUL."""
ENCODINGS = (
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255"),
    *("cp1256", "cp1257", "koi8_r", "cp866", "cp850"),
)
"""Encodings that are told apart.

A newline is a newline in all of them, so that lines are the same, and only ASCII bytes become ASCII: what is masked in
the bytes is masked in the text.
"""
WESTERN = "cp1252"
"""Preferred among Windows' encodings of the Latin script that fit alike: by far the most frequent of them."""
FEWEST_BYTES = 8
"""Number of bytes above ASCII by which encodings are told apart; fewer may be anything."""
_DECLARING = 1_024
"""Number of bytes at the beginning of a text in which it may declare its encoding, as HTML, Python and gettext do."""
_DECLARATION = compile_lazily(r"(?i:charset|encoding|coding)[=:][ \t]?[\"']?([A-Za-z][\w.-]{2,30})")
_DECLARED = (
    *("iso8859-", "cp125", "cp850", "cp866", "koi8-", "cp932", "shift_jis", "euc_", "gb", "big5", "cp949"),
)
"""Beginnings of the names of encodings that a text may declare, in which lines and ASCII are those of the bytes."""
CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b\x0e\x0f\0"))
"""Control bytes that terminals and editors do not write into text, without NUL."""


def detect_utf16(start: bytes) -> str:
    """Return the codec of content that begins with ``start`` if it is UTF-16, marked or not, else ""."""
    if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    sample = start[: min(UTF16_SAMPLE, len(start) & ~1)]
    if sample.count(0) < FEWEST_NULS:
        return ""
    return next((codec for codec in ("utf-16-le", "utf-16-be") if _is_text(sample.decode(codec, "ignore"))), "")


def _is_text(text: str) -> bool:
    """Return whether a tenth of the characters is ASCII, and all are assigned to something that is written."""
    from unicodedata import category

    ascii_size = len(text.encode("ascii", "ignore"))
    unwritten = (category(letter) in UNWRITTEN for letter in set(text) - WHITESPACE)
    return ascii_size * 10 >= len(text) > 0 and not any(unwritten)


def has_controls(data: bytes) -> bool:
    """Return whether one in 50 bytes, and more than two, are control bytes that do not occur in text."""
    rare = count_controls(data)
    return rare > 2 and rare * 50 > len(data)


def count_controls(data: bytes) -> int:
    """Return the number of control bytes that do not occur in text, without NULs."""
    return len(data) - len(data.translate(None, CONTROLS))


def identify_encoding(read: Read, size: int) -> str:
    """Return the codec of content that is text but not UTF-8, ``LISTED`` for a list with NULs, else ""."""
    start = read(0, SAMPLE)
    if codec := detect_utf16(start):
        return codec
    if has_controls(start):
        return ""
    if b"\0" in start:
        return LISTED if _is_list(start) else ""
    sample = _sample_lines(read, size)
    text = sample.decode("utf-8", "replace")
    lost = text.count("\N{REPLACEMENT CHARACTER}")
    valid = len(text) - lost - sum(map(text.count, map(chr, range(128)))) if lost else 0
    if lost <= valid or has_controls(sample):
        return ""
    return _find_declared(start[:_DECLARING], sample) or _name_encoding(sample)


def decode(data: bytes, encoding: str) -> str:
    """Return content as text; replace undecodable bytes by U+FFFD, and NULs of a list by newlines."""
    if encoding == LISTED:
        return data.replace(b"\0", b"\n").decode("utf-8", "replace")
    return data.decode(encoding, "replace")


def _is_list(start: bytes) -> bool:
    """Return whether content is entries of UTF-8 that each end with NUL, as ``find -print0`` writes them."""
    entries = start.split(b"\0")
    if len(entries) < 3 or b"\n" in start or not all(entries[:-1]):
        return False
    lost = start.decode("utf-8", "replace").count("\N{REPLACEMENT CHARACTER}")
    return max(map(len, entries)) <= LONGEST_NAME and lost * 50 < len(start)


def _sample_lines(read: Read, size: int) -> bytes:
    """Return lines that are not ASCII, from the first block of content that has one."""
    for at in range(0, min(size, SEARCHED_BYTES), SAMPLE):
        block = read(at, SAMPLE)
        if not block.isascii():
            block = read(at, 2 * SAMPLE)
            whole = block if at + len(block) >= size else block[: block.rfind(b"\n") + 1] or block
            lines = [line for line in whole.splitlines(keepends=True) if not line.isascii()]
            return b"".join(line for line, end in zip(lines, accumulate(map(len, lines)), strict=True) if end <= SAMPLE)
    return b""


def _find_declared(start: bytes, sample: bytes) -> str:
    """Return the encoding that the beginning of a text declares if the sample is text in it, else ""."""
    declared = _DECLARATION.search(start.decode("latin-1"))
    try:
        name = lookup(declared[1]).name if declared else ""
        text = sample.decode(name, "strict") if name.startswith(_DECLARED) else ""
    except (LookupError, UnicodeError):
        return ""
    return name if text and not any("\x7f" <= letter < "\xa0" for letter in text) else ""


def _name_encoding(sample: bytes) -> str:
    if len(sample.translate(None, bytes(range(128)))) < FEWEST_BYTES:
        return ""
    from charset_normalizer import from_bytes

    # what content says further below is not of itself: see _DECLARING
    matches = from_bytes(sample, cp_isolation=list(ENCODINGS), preemptive_behaviour=False, enable_fallback=False)
    names = [match.encoding for match in matches]
    if names and names[0] in ("cp1250", "cp1254", "cp1257") and WESTERN in names:
        return WESTERN
    return names[0] if names else ""
