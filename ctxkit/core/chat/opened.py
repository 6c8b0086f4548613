"""Opening content as a conversation, if it is one: a JSON document, JSON lines, or ChatML."""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from ctxkit.core.chat.format import Format, format_of
from ctxkit.core.chat.formats import chatml
from ctxkit.core.chat.message import Entry
from ctxkit.core.held import HeldBack
from ctxkit.core.limits import COUNTED_DOCUMENT as DOCUMENT
from ctxkit.core.tally import decoded, encoding_of
from ctxkit.core.trouble import Malformed

Parse = Callable[[bytes], Any]
"""Return the value of a JSON text in UTF-8; raises ValueError, with the place as ``lineno`` where it knows it."""
SNIFFED = 64 << 10
"""Bytes in which content shows what it is."""
LINES = 64
"""Lines among which a session shows its format: some begin with many that are no messages."""
TOO_LONG = f"over {DOCUMENT >> 20} MB, and not JSON lines: counted as text"
_KEYS = "role|parts|contents|messages?|conversations?|from|input|history|loglines|observation|action|payload|type"
_MARK = re.compile(rf'"(?:{_KEYS})"\s*:'.encode())
_CHAT = re.compile(rb'"role"\s*:\s*"(?:system|developer|user|assistant|tool|model)"')


class Opened(NamedTuple):
    """Give the entries of a conversation; content without a format is text, which is in ``chunks``.

    ``doubt`` says why text was perhaps meant to be a conversation.
    """

    format: Format | None
    entries: Iterator[Entry]
    chunks: Iterator[bytes]
    doubt: str = ""


def opened(chunks: Iterable[bytes], parse: Parse, name: str, forced: Format | None = None) -> Opened:
    """Return content as a conversation, in the ``forced`` format if there is one, else as text.

    Entries are read as they are asked for. Asking raises Malformed, naming ``name`` and the 1-based
    line, where the content of a conversation is broken.
    """
    held = chunks if isinstance(chunks, HeldBack) else HeldBack(chunks)
    head = held.upto(SNIFFED)
    if encoding_of(head) != "utf-8":
        whole = b"".join(held.everything())
        found = opened((text.encode("utf-8", "replace") for text in decoded([whole])), parse, name, forced)
        return found if found.format else found._replace(chunks=iter([whole]))
    start = _bare(head)[:1]
    if forced is chatml or (forced is None and _bare(head).startswith(chatml.START.encode())):
        return _marked(held, name, forced)
    if forced is None and not (start in (b"{", b"[") and _MARK.search(head)):
        return _text(held)
    return _lines_or_document(held, parse, name, forced)


def _bare(data: bytes) -> bytes:
    return data.removeprefix(codecs.BOM_UTF8).lstrip()


def _text(held: HeldBack, doubt: str = "") -> Opened:
    return Opened(None, iter(()), held.everything(), doubt)


def _value(data: bytes, parse: Parse) -> Any:
    return parse(data.removeprefix(codecs.BOM_UTF8))


def _marked(held: HeldBack, name: str, forced: Format | None) -> Opened:
    words = held.upto(DOCUMENT).removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    if not held.ended:
        return _text(held, TOO_LONG)
    if not (forced or chatml.claims(words)):
        return _text(held)
    return Opened(chatml, _read(chatml, [(1, words)], name), iter(()))


def _lines_or_document(held: HeldBack, parse: Parse, name: str, forced: Format | None) -> Opened:
    """Take content of several lines whose first is a value for JSON lines, other content for a document."""
    only = held.only_line(DOCUMENT)
    rows = iter([(1, only)]) if only else lines(_bounded(held))
    value = _parsed(next(rows, (1, b""))[1], parse)
    if value is not None and next(rows, None) is not None:
        return _lined(held, parse, name, forced)
    if value is None:
        data = held.upto(DOCUMENT)
        if not held.ended:
            return _text(held, TOO_LONG)
        try:
            value = _value(data, parse)
        except ValueError as error:
            return _broken(held, parse, name, forced, error)
    format_ = forced or format_of([value])
    return Opened(format_, _read(format_, [(1, value)], name), iter(())) if format_ else _text(held)


def _bounded(held: HeldBack) -> Iterator[bytes]:
    """Yield content as far as a document may reach."""
    for chunk in held:
        yield chunk
        if held.size > DOCUMENT:
            return


def _lined(held: HeldBack, parse: Parse, name: str, forced: Format | None) -> Opened:
    sniffed = [_parsed(line, parse) for _, line in islice(lines(_bounded(held)), LINES)]
    format_ = forced or format_of([value for value in sniffed if value is not None])
    if format_ is None:
        return _text(held)
    return Opened(format_, _each(format_, held, parse, name), iter(()))


def _broken(held: HeldBack, parse: Parse, name: str, forced: Format | None, error: ValueError) -> Opened:
    """Take what is no document for JSON lines where most lines are, else for text unless it must not be."""
    sniffed = [_parsed(line, parse) for _, line in islice(lines(_bounded(held)), LINES)]
    whole = [value for value in sniffed if isinstance(value, dict)]
    if 2 * len(whole) > len(sniffed):
        return _lined(held, parse, name, forced)
    line = getattr(error, "lineno", 0)
    where = f"line {line}" if line else "it"
    if forced is not None:
        raise Malformed(f"{name}: {where} is not JSON: {_reason(error)}")
    if "fit in memory" in _reason(error):
        return _text(held, f"{_reason(error)}: counted as text")
    return _text(held, f"{where} is not JSON: counted as text" if _CHAT.search(held.upto(0)[:SNIFFED]) else "")


def lines(chunks: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank with their 1-based numbers; a last one needs no newline."""
    left: list[bytes] = []
    number = 1
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            left.append(line)
            joined = b"".join(left)
            left.clear()
            if joined.strip():
                yield number, joined
            number += 1
        left.append(rest)
    if (joined := b"".join(left)).strip():
        yield number, joined


def _parsed(line: bytes, parse: Parse) -> Any:
    try:
        return _value(line, parse)
    except ValueError:
        return None


def _each(format_: Format, held: HeldBack, parse: Parse, name: str) -> Iterator[Entry]:
    for number, line in lines(held.everything()):
        try:
            value = _value(line, parse)
        except ValueError as error:
            raise Malformed(f"{name}: line {number} is not JSON: {_reason(error)}") from None
        yield from _read(format_, [(number, value)], name)


def _reason(error: ValueError) -> str:
    """Return why something is no JSON, without the place that a parser says next to it."""
    return str(getattr(error, "msg", error)).removesuffix(" starting at")


def _read(format_: Format, values: Iterable[tuple[int, Any]], name: str) -> Iterator[Entry]:
    for number, value in values:
        try:
            yield from format_.entries(value)
        except ValueError as error:
            raise Malformed(f"{name}: line {number}: {error}", hint=f"the format is taken for {format_.NAME}") from None
