"""Changing inputs with knowledge of their structure: lines, JSON tokens, brackets, numbers, characters, nesting."""

import re
from collections.abc import Callable, Sequence
from random import Random

Mutator = Callable[[Random, bytes, bytes], bytes]
"""Return other bytes made of the first, and for some of the second, which is another seed."""
LARGEST = 32_768
"""Bytes of an input at most: small inputs find what large ones do, and many times faster."""
TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\w+|[^\w\s]')
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
BRACKETS = (b"()", b"[]", b"{}", b"<>")
NUMBERS = (
    b"0", b"-1", b"1", b"1.10", b"-0.0", b"1e400", b"1e-400", b"NaN", b"Infinity", b"2147483648", b"9" * 30, b"9" * 400,
    b"4294967295", b"18446744073709551616", b"00", b"0x10", b"1_000", b"\xd9\xa3", b"\xc2\xb2",
)  # fmt: skip
LITERALS = (
    b"null", b"true", b'""', b"[]", b"{}", b'"\\u0000"', b'"\\ud800"', b'"\\udc00\\ud800"', b'"a\\nb"', b"'", b'"',
    b"`", b"```", b"---", b"===", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"/*", b"*/", b"#", b"//", b"%", b"$(x)",
    b"${x}", b"{{", b"}}", b"@@ -1 +1 @@", b"|", b"\\", b"<|im_start|>", b"<|im_end|>", b"<|endoftext|>", b"<think>",
    b"</think>", b"<tool_call>", b"FAILED", b"ok", b"error:", b"  File \"a\", line 1",
    b"Traceback (most recent call last):", b"at a.b(C.java:1)",
    b"To read a part: ctxkit cache get 0123456789ab --lines 1:2",
)  # fmt: skip
CHARACTERS = (
    b"\0", b"\x1b[31m", b"\x1b]8;;", b"\r", b"\r\n", b"\t", b"\x0b", b"\x0c", b"\x1c", b"\x85", b"\xc2\x85",
    b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
    b"\xc3", b"\xe2\x80\xae", b"\xcc\x81", b"\xf0\x9f\x98\x80", b"\xe6\xbc\xa2", b"\xd7\x90", b"\xc2\xa0",
    b"\xe3\x80\x80", b"\xc4\xb0", b"\xc3\x9f", b"\xef\xac\x81", b"\xe2\x80\x8b",
)  # fmt: skip


def mutate(random: Random, data: bytes, other: bytes) -> bytes:
    """Return an input made from two seeds by a few random changes."""
    for _ in range(random.choice((1, 1, 2, 3, 5, 8))):
        data = random.choice(MUTATORS)(random, data, other)[:LARGEST]
    return data


def _span(random: Random, size: int, most: int | None = None) -> tuple[int, int]:
    """Return the bounds of a random stretch of a sequence, short ones more often."""
    start = random.randrange(size + 1)
    length = int(random.expovariate(1 / max(size / 8, 1))) + 1
    return start, min(start + min(length, most or length), size)


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True) if b"\r" in data and b"\n" not in data else data.split(b"\n")


def change_lines(random: Random, data: bytes, other: bytes) -> bytes:
    """Drop, double, move, shuffle, join or indent some lines, or take lines of the other seed."""
    rows = _lines(data)
    start, end = _span(random, len(rows))
    some = rows[start:end]
    match random.randrange(7):
        case 0:
            rows[start:end] = []
        case 1:
            rows[end:end] = some * random.choice((1, 1, 2, 20))
        case 2:
            del rows[start:end]
            at = random.randrange(len(rows) + 1)
            rows[at:at] = some
        case 3:
            random.shuffle(some)
            rows[start:end] = some
        case 4:
            rows[start:end] = [b" ".join(some)]
        case 5:
            pad = random.choice((b" ", b"\t", b"    ", b"> ", b"- ", b"# ", b"+", b"-", b"  - "))
            rows[start:end] = [pad * random.choice((1, 1, 2, 40)) + row for row in some]
        case _:
            theirs = _lines(other)
            first, last = _span(random, len(theirs))
            rows[start:end] = theirs[first:last]
    return b"\n".join(rows)


def change_token(random: Random, data: bytes, other: bytes) -> bytes:
    """Drop, double, swap or replace a token, as JSON and source code have them."""
    tokens = [match.span() for match in TOKEN.finditer(data[:LARGEST])]
    if not tokens:
        return data
    start, end = random.choice(tokens)
    match random.randrange(5):
        case 0:
            new = b""
        case 1:
            new = data[start:end] * random.choice((2, 2, 3, 50))
        case 2:
            theirs = TOKEN.findall(other[:LARGEST])
            new = random.choice(theirs) if theirs else b"x"
        case 3:
            first, last = random.choice(tokens)
            new = data[first:last]
        case _:
            new = random.choice(LITERALS)
    return data[:start] + new + data[end:]


def change_number(random: Random, data: bytes, other: bytes) -> bytes:
    """Put a number at the edge of something in the place of one."""
    items = [match.span() for match in NUMBER.finditer(data[:LARGEST])]
    if not items:
        return data
    start, end = random.choice(items)
    return data[:start] + random.choice(NUMBERS) + data[end:]


def change_bracket(random: Random, data: bytes, other: bytes) -> bytes:
    """Drop a bracket or a quote, put one in, or turn one into another."""
    places = [at for at, byte in enumerate(data[:LARGEST]) if byte in b"()[]{}<>\"'`"]
    at = random.choice(places) if places and random.random() < 0.7 else random.randrange(len(data) + 1)
    new = random.choice((b"", b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b'"', b"'", b"`"))
    return data[:at] + new + data[at + (random.random() < 0.7) :]


def insert_literal(random: Random, data: bytes, other: bytes) -> bytes:
    """Put in a word or a character that means something to some format."""
    at = random.randrange(len(data) + 1)
    new = random.choice(LITERALS if random.random() < 0.5 else CHARACTERS) * random.choice((1, 1, 1, 3, 200))
    return data[:at] + new + data[at:]


def change_byte(random: Random, data: bytes, other: bytes) -> bytes:
    """Change a byte."""
    if not data:
        return b"\0"
    at = random.randrange(len(data))
    return (
        data[:at]
        + bytes([random.choice((random.randrange(256), data[at] ^ 1 << random.randrange(8)))])
        + data[at + 1 :]
    )


def truncate(random: Random, data: bytes, other: bytes) -> bytes:
    """Cut the end or the beginning off."""
    at = random.randrange(len(data) + 1)
    return data[:at] if random.random() < 0.7 else data[at:]


def repeat_stretch(random: Random, data: bytes, other: bytes) -> bytes:
    """Repeat a stretch, sometimes until the input is large."""
    start, end = _span(random, len(data), 400)
    times = random.choice((2, 5, 50, LARGEST // max(end - start, 1)))
    return data[:end] + data[start:end] * times + data[end:]


def splice(random: Random, data: bytes, other: bytes) -> bytes:
    """Join the beginning of one input to the end of the other, or put a stretch of it in."""
    at, to = random.randrange(len(data) + 1), random.randrange(len(other) + 1)
    if random.random() < 0.5:
        return data[:at] + other[to:]
    start, end = _span(random, len(other))
    return data[:at] + other[start:end] + data[at:]


def nest(random: Random, data: bytes, other: bytes) -> bytes:
    """Wrap a stretch into brackets, tags or quotes, a few or very many times."""
    start, end = _span(random, len(data), 2000)
    pairs = (
        *((bracket[:1], bracket[1:]) for bracket in BRACKETS),
        (b'{"a":', b"}"),
        (b"<a>", b"</a>"),
        (b"{a: ", b"}"),
        (b"> ", b""),
        (b"/*", b"*/"),
    )
    before, after = random.choice(pairs)
    times = random.choice((1, 2, 8, 64, 600, 4000))
    times = min(times, LARGEST // (len(before) + len(after)))
    closed = random.random() < 0.8
    return data[:start] + before * times + data[start:end] + after * times * closed + data[end:]


def recode(random: Random, data: bytes, other: bytes) -> bytes:
    """Write the text in another encoding, or with other ends of lines."""
    text = data.decode("utf-8", "replace")
    match random.randrange(5):
        case 0:
            return text.encode("utf-16")
        case 1:
            return b"\xef\xbb\xbf" + data
        case 2:
            return data.replace(b"\n", b"\r\n")
        case 3:
            return data.replace(b"\n", b"\r")
        case _:
            return text.encode("latin-1", "replace")


MUTATORS: Sequence[Mutator] = (
    change_lines, change_lines, change_lines, change_token, change_token, change_token, change_number, change_bracket,
    insert_literal, change_byte, truncate, repeat_stretch, splice, nest, recode,
)  # fmt: skip
"""Every way to change an input; one that stands here more often is taken more often."""
